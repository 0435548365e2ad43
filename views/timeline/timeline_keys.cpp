// SPDX-License-Identifier: GPL-3.0-or-later
// Keys live in the window's INI file, group "timeline".
#include "views/timeline/timeline_keys.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "views/base/view_settings.h"

namespace views {

namespace {

constexpr const char* kDefaults = "default_keys";  // property of actions

QString entry(const QAction* action) { return QStringLiteral("timeline/key.") + action->objectName(); }

QList<QKeySequence> defaults_of(const QAction* action) {
  return QKeySequence::listFromString(action->property(kDefaults).toString());
}

}  // namespace

QString preset_title(TimelinePreset preset) {
  return preset == TimelinePreset::tracy ? QObject::tr("Tracy-like") : QObject::tr("Perfetto-like");
}

QString preset_help(TimelinePreset preset) {
  return preset == TimelinePreset::tracy
             ? QObject::tr("wheel zooms · drag measures a range · right drag pans")
             : QObject::tr("wheel scrolls, Ctrl+wheel zooms · drag measures a range · Shift+drag pans");
}

TimelinePreset saved_preset() {
  return view_settings().value(QStringLiteral("timeline/preset")).toString() == QLatin1String("tracy")
             ? TimelinePreset::tracy
             : TimelinePreset::perfetto;
}

void save_preset(TimelinePreset preset) {
  QSettings file = view_settings();
  file.setValue(QStringLiteral("timeline/preset"),
                preset == TimelinePreset::tracy ? QStringLiteral("tracy") : QStringLiteral("perfetto"));
}

void apply_saved_keys(const QList<QAction*>& actions) {
  const QSettings file = view_settings();
  for (QAction* action : actions) {
    action->setProperty(kDefaults, QKeySequence::listToString(action->shortcuts()));
    if (file.contains(entry(action)))
      action->setShortcuts(QKeySequence::listFromString(file.value(entry(action)).toString()));
  }
}

TimelineKeysDialog::TimelineKeysDialog(QList<QAction*> actions, QWidget* parent)
    : QDialog(parent), actions_(std::move(actions)), preset_(new QComboBox(this)), problem_(new QLabel(this)) {
  setWindowTitle(tr("Keys and mouse of the timeline"));
  resize(520, 560);
  for (int i = 0; i < kTimelinePresetCount; ++i) {
    const auto preset = static_cast<TimelinePreset>(i);
    preset_->addItem(tr("%1: %2").arg(preset_title(preset), preset_help(preset)));
  }
  preset_->setCurrentIndex(static_cast<int>(saved_preset()));
  preset_->setAccessibleName(tr("What wheel and drag do"));
  auto* list = new QWidget;
  auto* form = new QFormLayout(list);
  for (const QAction* action : actions_) {
    auto* edit = new QKeySequenceEdit(action->shortcut(), list);
    edit->setObjectName(action->objectName());
    edit->setAccessibleName(action->text());
    form->addRow(action->text(), edit);
    edits_.append(edit);
  }
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(list);
  scroll->setWidgetResizable(true);
  problem_->setWordWrap(true);
  auto* buttons =
      new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults, this);
  connect(buttons, &QDialogButtonBox::accepted, this, &TimelineKeysDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this,
          &TimelineKeysDialog::restore_defaults);
  auto* all = new QVBoxLayout(this);
  all->addWidget(preset_);
  all->addWidget(scroll, 1);
  all->addWidget(problem_);
  all->addWidget(buttons);
}

TimelinePreset TimelineKeysDialog::preset() const { return static_cast<TimelinePreset>(preset_->currentIndex()); }

QKeySequenceEdit* TimelineKeysDialog::edit_of(const QString& name) const {
  for (QKeySequenceEdit* edit : edits_)
    if (edit->objectName() == name) return edit;
  return nullptr;
}

void TimelineKeysDialog::restore_defaults() {
  for (qsizetype i = 0; i < actions_.size(); ++i) {
    const QList<QKeySequence> keys = defaults_of(actions_[i]);
    edits_[i]->setKeySequence(keys.isEmpty() ? QKeySequence() : keys.front());
  }
}

QString TimelineKeysDialog::conflict() const {
  for (qsizetype i = 0; i < edits_.size(); ++i) {
    const QKeySequence key = edits_[i]->keySequence();
    if (key.isEmpty()) continue;
    for (qsizetype k = 0; k < i; ++k)
      if (edits_[k]->keySequence() == key)
        return tr("%1 is given to \"%2\" and to \"%3\": choose another for one of them.")
            .arg(key.toString(QKeySequence::NativeText), actions_[k]->text(), actions_[i]->text());
  }
  return {};
}

void TimelineKeysDialog::accept() {
  if (const QString problem = conflict(); !problem.isEmpty()) {
    problem_->setText(problem);
    return;
  }
  QSettings file = view_settings();
  for (qsizetype i = 0; i < actions_.size(); ++i) {
    const QKeySequence key = edits_[i]->keySequence();
    if (key == actions_[i]->shortcut()) continue;  // further keys of an action stay
    const QList<QKeySequence> defaults = defaults_of(actions_[i]);
    const QList<QKeySequence> keys = !defaults.isEmpty() && key == defaults.front() ? defaults
                                     : key.isEmpty()                                ? QList<QKeySequence>{}
                                                                                    : QList{key};
    actions_[i]->setShortcuts(keys);
    if (keys == defaults) {
      file.remove(entry(actions_[i]));
    } else {
      file.setValue(entry(actions_[i]), QKeySequence::listToString(keys));
    }
  }
  save_preset(preset());
  QDialog::accept();
}

}  // namespace views
