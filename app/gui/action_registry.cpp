// SPDX-License-Identifier: GPL-3.0-or-later
// ActionRegistry.
#include "app/gui/action_registry.h"

#include <QMenuBar>
#include <utility>

namespace app::gui {

QMenu& ActionRegistry::add_menu(const QString& title) { return *window_.menuBar()->addMenu(title); }

QAction& ActionRegistry::add(QMenu& menu, CommandEntry entry) {
  const QString name = QString::fromLatin1(entry.name);
  auto* action = new QAction(entry.text, &window_);
  action->setObjectName(QStringLiteral("action.") + name);
  action->setShortcuts(entry.keys);
  action->setStatusTip(entry.tip);
  QObject::connect(action, &QAction::triggered, &window_, std::move(entry.run));
  menu.addAction(action);
  window_.addAction(action);
  kept_[name] = {action, std::move(entry.when)};
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
  for (const auto& [name, kept] : kept_)
    if (kept.when) kept.action->setEnabled(kept.when());
}

}  // namespace app::gui
