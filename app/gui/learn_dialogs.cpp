// SPDX-License-Identifier: GPL-3.0-or-later
// One dialog of each kind per window.
#include "app/gui/learn_dialogs.h"

#include <QCoreApplication>
#include <QDialog>
#include <QVBoxLayout>

#include "app/gui/playground_panel.h"
#include "views/storage/storage_panel.h"
#include "views/systolic/systolic_panel.h"

namespace app::gui {

namespace {

/// The dialog of that name with its panel; made where there is none.
template <class Panel, class... Arguments>
Panel& shown(QWidget& window, const char* name, const QString& title, Arguments&&... arguments) {
  const QString object = QString::fromLatin1(name);
  auto* dialog = window.findChild<QDialog*>(object);
  if (dialog == nullptr) {
    dialog = new QDialog(&window);
    dialog->setObjectName(object);
    dialog->setWindowTitle(title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(dialog);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(new Panel(std::forward<Arguments>(arguments)..., dialog));
    dialog->resize(940, 520);
  }
  dialog->show();
  dialog->raise();
  dialog->activateWindow();
  return *dialog->findChild<Panel*>();
}

}  // namespace

void set_learn_theme(QWidget& window, const views::Theme& theme) {
  for (views::StoragePanel* panel : window.findChildren<views::StoragePanel*>()) panel->set_theme(theme);
  for (PlaygroundPanel* panel : window.findChildren<PlaygroundPanel*>()) panel->set_theme(theme);
  for (views::SystolicPanel* panel : window.findChildren<views::SystolicPanel*>()) panel->set_theme(theme);
}

PlaygroundPanel& show_playground(QWidget& window, const views::Theme& theme) {
  auto& panel =
      shown<PlaygroundPanel>(window, "playground", QCoreApplication::translate("app::gui", "Device playground"));
  panel.set_theme(theme);
  return panel;
}

views::SystolicPanel& show_systolic(QWidget& window, const views::Theme& theme) {
  auto& panel =
      shown<views::SystolicPanel>(window, "systolic", QCoreApplication::translate("app::gui", "A systolic array"));
  panel.set_theme(theme);
  return panel;
}

views::StoragePanel& show_storage(QWidget& window, views::Document& document, const views::Theme& theme) {
  auto& panel =
      shown<views::StoragePanel>(window, "storage", QCoreApplication::translate("app::gui", "Tensor storage"));
  panel.set_theme(theme);
  if (!document.loaded()) return panel;
  if (const auto tensor = document.selection().state().tensor) {
    const profiler::Capture& capture = document.capture();
    const profiler::TensorRecord& record = capture.tensors()[*tensor];
    panel.offer(QString::fromStdString(std::string(capture.name(record.name))), record);
  }
  return panel;
}

}  // namespace app::gui
