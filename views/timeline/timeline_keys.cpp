// SPDX-License-Identifier: GPL-3.0-or-later
// What wheel and drag do is kept in the window's INI file, group "timeline".
#include "views/timeline/timeline_keys.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/base/view_settings.h"
#include "views/widgets/action_keys.h"

namespace views {

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

TimelineKeysDialog::TimelineKeysDialog(QList<QAction*> actions, QWidget* parent)
    : QDialog(parent), keys_(new KeyEditor(std::move(actions), *parent->window(), this)), preset_(new QComboBox(this)) {
  setWindowTitle(tr("Keys and mouse of the timeline"));
  resize(520, 560);
  for (int i = 0; i < kTimelinePresetCount; ++i) {
    const auto preset = static_cast<TimelinePreset>(i);
    preset_->addItem(tr("%1: %2").arg(preset_title(preset), preset_help(preset)));
  }
  preset_->setCurrentIndex(static_cast<int>(saved_preset()));
  preset_->setAccessibleName(tr("What wheel and drag do"));
  auto* buttons =
      new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults, this);
  connect(buttons, &QDialogButtonBox::accepted, this, &TimelineKeysDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, keys_,
          &KeyEditor::fill_in_usual_keys);
  auto* all = new QVBoxLayout(this);
  all->addWidget(preset_);
  all->addWidget(keys_, 1);
  all->addWidget(buttons);
}

TimelinePreset TimelineKeysDialog::preset() const { return static_cast<TimelinePreset>(preset_->currentIndex()); }

QKeySequenceEdit* TimelineKeysDialog::edit_of(const QString& name) const { return keys_->edit_of(name); }

void TimelineKeysDialog::accept() {
  if (!keys_->save()) return;
  save_preset(preset());
  QDialog::accept();
}

}  // namespace views
