// SPDX-License-Identifier: GPL-3.0-or-later
// One dialog of each kind per window.
#include "app/gui/learn_dialogs.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/base/device_sheets.h"
#include "app/gui/data_dialog.h"
#include "app/gui/playground_panel.h"
#include "views/base/file_name.h"
#include "views/beside/beside_panel.h"
#include "views/storage/storage_panel.h"
#include "views/sweep/published_view.h"
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
    column->addWidget(new Panel(std::forward<Arguments>(arguments)..., dialog), 1);
    dialog->resize(940, 520);
  }
  dialog->show();
  dialog->raise();
  dialog->activateWindow();
  return *dialog->findChild<Panel*>();
}

void save_picture(views::PublishedView& view, const views::Theme& theme, const QString& folder) {
  const QString file = QFileDialog::getSaveFileName(
      &view, QCoreApplication::translate("app::gui", "Export picture"),
      QDir(folder).filePath(QStringLiteral("table7.png")),
      QCoreApplication::translate("app::gui", "PNG, twice the size (*.png);;SVG (*.svg);;PDF (*.pdf)"));
  if (file.isEmpty()) return;
  const auto done = views::export_view(view, file, theme, view.size());
  if (!done) QMessageBox::warning(&view, view.windowTitle(), QString::fromStdString(done.error().message));
}

/// Below the view: its picture as a file, its data as a table.
void add_saving(views::PublishedView& view, const QString& folder) {
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(views::kGrid, 0, views::kGrid, views::kGrid);
  foot->addStretch();
  const auto add = [&](const char* name, const char* words) {
    auto* button = new QPushButton(QCoreApplication::translate("app::gui", words), view.window());
    button->setObjectName(QLatin1String(name));
    button->setAutoDefault(false);
    foot->addWidget(button);
    return button;
  };
  QObject::connect(add("published.data", "Show data…"), &QPushButton::clicked, &view, [&view, folder] {
    show_data(view.window(), QCoreApplication::translate("app::gui", "A published table: its data"), view.data(),
              folder);
  });
  QObject::connect(add("published.picture", "Export picture…"), &QPushButton::clicked, &view,
                   [&view, folder] { save_picture(view, view.theme(), folder); });
  static_cast<QVBoxLayout*>(view.window()->layout())->addLayout(foot);
}

}  // namespace

views::PublishedView& show_published(QWidget& window, views::Document& document, const views::Theme& theme,
                                     const QString& folder) {
  auto& view = shown<views::PublishedView>(window, "published",
                                           QCoreApplication::translate("app::gui", "A published table"), document);
  if (view.window()->findChild<QPushButton*>(QStringLiteral("published.picture")) == nullptr) {
    add_saving(view, folder);
    view.window()->resize(1100, 680);
  }
  view.set_theme(theme);
  return view;
}

void set_learn_theme(QWidget& window, const views::Theme& theme) {
  for (views::StoragePanel* panel : window.findChildren<views::StoragePanel*>()) panel->set_theme(theme);
  for (views::BesidePanel* panel : window.findChildren<views::BesidePanel*>()) panel->set_theme(theme);
  for (PlaygroundPanel* panel : window.findChildren<PlaygroundPanel*>()) panel->set_theme(theme);
  for (views::SystolicPanel* panel : window.findChildren<views::SystolicPanel*>()) panel->set_theme(theme);
  for (views::PublishedView* view : window.findChildren<views::PublishedView*>()) view->set_theme(theme);
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

views::BesidePanel& show_beside(QWidget& window, views::Document& document, const views::Theme& theme) {
  auto& panel =
      shown<views::BesidePanel>(window, "beside", QCoreApplication::translate("app::gui", "Devices side by side"));
  panel.set_theme(theme);
  std::vector<profiler::DeviceFigures> others;
  if (document.loaded()) {
    const std::filesystem::path file = views::name_bytes(document.path());
    if (auto recorded = recorded_gpus(document.capture(), file.filename().string())) others = *std::move(recorded);
  }
  const bool of_capture = !others.empty();
  size_t chosen = 0;
  for (const std::string& name : profiler::specified_gpus()) {
    if (auto gpu = profiler::specified_gpu(name)) {
      if (!of_capture && name == "v100") chosen = others.size();
      others.push_back(*std::move(gpu));
    }
  }
  panel.offer(this_processor(), std::move(others), chosen);
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
