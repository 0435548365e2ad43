// SPDX-License-Identifier: GPL-3.0-or-later
// ActionRegistry.
#include "app/gui/action_registry.h"

#include <QMenuBar>
#include <utility>

namespace app::gui {

namespace {

/// "Runs the workload (Ctrl+R)"
QString with_key(const QString& tip, const QAction& action) {
  const QString key = action.shortcut().toString(QKeySequence::NativeText);
  return key.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, key);
}

}  // namespace

QMenu& ActionRegistry::add_menu(const QString& title) {
  QMenu* menu = window_.menuBar()->addMenu(title);
  menu->setToolTipsVisible(true);
  return *menu;
}

QAction& ActionRegistry::add(QMenu& menu, CommandEntry entry) {
  const QString name = QString::fromLatin1(entry.name);
  auto* action = new QAction(entry.text, &window_);
  action->setObjectName(QStringLiteral("action.") + name);
  action->setShortcuts(entry.keys);
  action->setStatusTip(entry.tip);
  action->setToolTip(with_key(entry.tip, *action));
  QObject::connect(action, &QAction::triggered, &window_, std::move(entry.run));
  menu.addAction(action);
  window_.addAction(action);
  kept_[name] = {action, entry.tip, std::move(entry.refusal), std::move(entry.text_now)};
  return *action;
}

void ActionRegistry::add(QMenu& menu, QAction& made, const QString& object_name, const QKeySequence& key) {
  made.setObjectName(object_name);
  made.setShortcut(key);
  menu.addAction(&made);
  window_.addAction(&made);
}

QAction* ActionRegistry::find(const QString& name) const {
  const auto found = kept_.find(name);
  return found == kept_.end() ? nullptr : found->second.action;
}

void ActionRegistry::update() {
  for (const auto& [name, kept] : kept_) {
    const QString why = kept.refusal ? kept.refusal() : QString();
    if (kept.refusal) kept.action->setEnabled(why.isEmpty());
    if (kept.text_now) kept.action->setText(kept.text_now());
    kept.action->setStatusTip(why.isEmpty() ? kept.tip : why);
    kept.action->setToolTip(why.isEmpty() ? with_key(kept.tip, *kept.action) : why);
  }
}

}  // namespace app::gui
