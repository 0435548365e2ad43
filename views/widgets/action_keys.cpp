// SPDX-License-Identifier: GPL-3.0-or-later
// Keys live in the window's INI file, group "keys".
#include "views/widgets/action_keys.h"

#include <QHBoxLayout>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QMap>
#include <QMenu>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/base/paint.h"
#include "views/base/view.h"
#include "views/base/view_settings.h"

namespace views {

namespace {

constexpr const char* kUsual = "usual_keys";  // property of actions

QString entry(const QAction& action) { return QStringLiteral("keys/") + action.objectName(); }
/// Where versions before 0.1 kept keys of the timeline.
QString older_entry(const QAction& action) { return QStringLiteral("timeline/key.") + action.objectName(); }

QString plain_text_of(const QAction& action) { return QString(action.text()).remove(QLatin1Char('&')); }

/// The view an action is of; null: the whole window has it.
const QObject* view_of(const QAction& action) {
  if (action.shortcutContext() == Qt::WindowShortcut || action.shortcutContext() == Qt::ApplicationShortcut)
    return nullptr;
  for (const QObject* at = action.parent(); at != nullptr; at = at->parent())
    if (qobject_cast<const View*>(at) != nullptr) return at;
  return action.parent();
}

/// Whether one key could mean both.
bool can_collide(const QAction& a, const QAction& b) {
  const QObject *of_a = view_of(a), *of_b = view_of(b);
  return of_a == nullptr || of_b == nullptr || of_a == of_b;
}

}  // namespace

QAction* add_command(QWidget& view, QWidget& place, const char* name, const QString& text,
                     const QList<QKeySequence>& keys, std::function<void()> run) {
  auto* action = new QAction(text, &view);
  action->setObjectName(QString::fromLatin1(name));
  action->setShortcuts(keys);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  action->setStatusTip(text);
  QObject::connect(action, &QAction::triggered, &view, std::move(run));
  place.addAction(action);
  return action;
}

QList<QAction*> named_actions(const QWidget& window) {
  QList<QAction*> named;
  for (QAction* action : window.findChildren<QAction*>())
    if (!action->objectName().isEmpty() && !action->text().isEmpty() && action->menu() == nullptr &&
        !action->isSeparator())
      named.push_back(action);
  return named;
}

void apply_saved_keys(const QList<QAction*>& actions) {
  const QSettings file = view_settings();
  for (QAction* action : actions) {
    if (action->property(kUsual).isValid()) continue;
    action->setProperty(kUsual, QKeySequence::listToString(action->shortcuts()));
    for (const QString& name : {entry(*action), older_entry(*action)}) {
      if (!file.contains(name)) continue;
      action->setShortcuts(QKeySequence::listFromString(file.value(name).toString()));
      break;
    }
  }
}

QList<QKeySequence> usual_keys(const QAction& action) {
  const QVariant usual = action.property(kUsual);
  return usual.isValid() ? QKeySequence::listFromString(usual.toString()) : action.shortcuts();
}

void set_keys(QAction& action, const QList<QKeySequence>& keys) {
  const QList<QKeySequence> usual = usual_keys(action);
  action.setShortcuts(keys);
  QSettings file = view_settings();
  file.remove(older_entry(action));
  if (keys == usual) file.remove(entry(action));
  else file.setValue(entry(action), QKeySequence::listToString(keys));
}

QString place_of(const QAction& action) {
  if (const auto* view = qobject_cast<const QWidget*>(view_of(action)); view != nullptr) return view->windowTitle();
  for (const QObject* of : action.associatedObjects())
    if (const auto* menu = qobject_cast<const QMenu*>(of); menu != nullptr && !menu->title().isEmpty())
      return menu->title().remove(QLatin1Char('&'));
  return QObject::tr("Window");
}

KeyEditor::KeyEditor(QList<QAction*> actions, const QWidget& window, QWidget* parent)
    : QWidget(parent), problem_(new QLabel(this)) {
  for (QAction* action : named_actions(window)) all_.push_back(action);
  auto* list = new QWidget;
  auto* column = new QVBoxLayout(list);
  column->setSpacing(2);
  QList<std::pair<QString, QList<QAction*>>> places;  // in the order of their first actions
  for (QAction* action : actions) {
    const QString place = place_of(*action);
    auto at = std::ranges::find(places, place, &std::pair<QString, QList<QAction*>>::first);
    if (at == places.end()) at = places.insert(places.end(), {place, {}});
    at->second.push_back(action);
  }
  for (const auto& [place, of_place] : places) {
    auto* heading = new QLabel(place, list);
    heading->setFont(scaled_font(data_font(), 1.0, true));
    heading->setContentsMargins(0, kGrid, 0, 0);
    column->addWidget(heading);
    for (QAction* action : of_place) add_row(*column, *action, heading, place);
  }
  column->addStretch(1);
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(list);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  problem_->setObjectName(QStringLiteral("keys.problem"));
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::PlainText);
  problem_->hide();
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(scroll, 1);
  whole->addWidget(problem_);
}

void KeyEditor::add_row(QVBoxLayout& column, QAction& action, QLabel* heading, const QString& place) {
  auto* line = new QWidget;
  auto* row = new QHBoxLayout(line);
  row->setContentsMargins(0, 0, 0, 0);
  auto* name = new QLabel(plain_text_of(action), line);
  name->setTextFormat(Qt::PlainText);
  name->setToolTip(action.statusTip());
  name->setMinimumWidth(1);
  name->setWordWrap(true);
  auto* edit = new QKeySequenceEdit(action.shortcut(), line);
  edit->setObjectName(action.objectName());
  edit->setAccessibleName(tr("Key of %1").arg(plain_text_of(action)));
  edit->setFixedWidth(180);
  auto* clear = new QToolButton(line);
  clear->setText(QStringLiteral("×"));
  clear->setAutoRaise(true);
  clear->setToolTip(tr("No key"));
  clear->setAccessibleName(tr("No key for %1").arg(plain_text_of(action)));
  row->addWidget(name, 1);
  row->addWidget(edit);
  row->addWidget(clear);
  connect(edit, &QKeySequenceEdit::editingFinished, this, &KeyEditor::edited);
  connect(clear, &QToolButton::clicked, this, [this, edit] {
    edit->clear();
    emit edited();
  });
  column.addWidget(line);
  rows_.push_back({&action, edit, line, heading, place});
}

QKeySequenceEdit* KeyEditor::edit_of(const QString& name) const {
  for (const Row& row : rows_)
    if (row.edit->objectName() == name) return row.edit;
  return nullptr;
}

QString KeyEditor::conflict() const {
  const auto keys_of = [this](const QAction* action) -> QList<QKeySequence> {
    for (const Row& row : rows_)
      if (row.action == action && row.edit->keySequence() != action->shortcut()) return {row.edit->keySequence()};
    return action->shortcuts();
  };
  for (const Row& row : rows_) {
    const QKeySequence key = row.edit->keySequence();
    if (row.action == nullptr || key.isEmpty() || key == row.action->shortcut()) continue;
    for (const QAction* other : all_) {
      if (other == nullptr || other == row.action || !keys_of(other).contains(key) || !can_collide(*row.action, *other))
        continue;
      return tr("%1 is the key of “%2” and of “%3”. Choose another key for one of them.")
          .arg(key.toString(QKeySequence::NativeText), plain_text_of(*other), plain_text_of(*row.action));
    }
  }
  return {};
}

bool KeyEditor::save() {
  const QString problem = conflict();
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
  if (!problem.isEmpty()) return false;
  for (const Row& row : rows_) {
    const QKeySequence key = row.edit->keySequence();
    if (row.action == nullptr || key == row.action->shortcut()) continue;  // further keys of an action stay
    const QList<QKeySequence> usual = usual_keys(*row.action);
    set_keys(*row.action, !usual.isEmpty() && key == usual.front() ? usual
                          : key.isEmpty()                          ? QList<QKeySequence>{}
                                                                   : QList{key});
  }
  return true;
}

void KeyEditor::fill_in_usual_keys() {
  for (const Row& row : rows_) {
    if (row.action == nullptr) continue;
    const QList<QKeySequence> usual = usual_keys(*row.action);
    row.edit->setKeySequence(usual.isEmpty() ? QKeySequence() : usual.front());
  }
}

void KeyEditor::set_filter(const QString& text) {
  const QStringList wanted = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  QMap<QLabel*, bool> any;
  for (const Row& row : rows_) {
    if (row.action == nullptr) continue;
    const QString all =
        QStringList{plain_text_of(*row.action), row.place, row.edit->keySequence().toString(QKeySequence::NativeText)}
            .join(QLatin1Char(' '));
    const bool shown =
        std::ranges::all_of(wanted, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
    row.line->setVisible(shown);
    any[row.heading] |= shown;
  }
  for (auto it = any.begin(); it != any.end(); ++it) it.key()->setVisible(it.value());
}

int KeyEditor::shown_count() const {
  return static_cast<int>(std::ranges::count_if(rows_, [](const Row& row) { return !row.line->isHidden(); }));
}

}  // namespace views
