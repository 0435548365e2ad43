// SPDX-License-Identifier: GPL-3.0-or-later
// The window's commands: every one is a QAction with a name, so that menus, palette and shortcut
// page come from one registry.
#include <QApplication>
#include <QDesktopServices>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QProcess>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolButton>
#include <QUrl>
#include <array>

#include "app/gui/command_palette.h"
#include "app/gui/data_dialog.h"
#include "app/gui/handbook_dialog.h"
#include "app/gui/honesty_strip.h"
#include "app/gui/main_window.h"
#include "app/gui/message_bar.h"
#include "app/gui/run_list.h"
#include "views/base/plain_text.h"
#include "views/report/report_file.h"

namespace app::gui {

namespace {
constexpr std::array kScales{1.0, 1.25, 1.5, 2.0};
}  // namespace

QAction* MainWindow::add(QMenu* menu, const char* name, const QString& text, const QList<QKeySequence>& keys,
                         const QString& tip, std::function<void()> run) {
  auto* action = new QAction(text, this);
  action->setObjectName(QStringLiteral("action.") + QLatin1String(name));
  action->setShortcuts(keys);
  action->setStatusTip(tip);
  connect(action, &QAction::triggered, this, std::move(run));
  menu->addAction(action);
  addAction(action);
  actions_[QString::fromLatin1(name)] = action;
  return action;
}

void MainWindow::build_menus() {
  build_file_menu();
  QMenu* run_menu = menuBar()->addMenu(tr("&Run"));
  add(run_menu, "run", tr("&Run the workload"), {QKeySequence(Qt::CTRL | Qt::Key_R), QKeySequence(Qt::Key_F5)},
      tr("Runs the settings of the setup panel and opens the capture"), [this] { this->run(); });
  add(run_menu, "sweep", tr("&Sweep…"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)},
      tr("Runs the settings of the setup panel over batch sizes, dtypes, threads, ..."), [this] { ask_sweep(); });
  add(run_menu, "cancel", tr("&Cancel the run"), {QKeySequence(Qt::CTRL | Qt::Key_Period)},
      tr("Ends the run after its current step; what was recorded is kept"), [this] { cancel_run(); });
  run_menu->addSeparator();
  add(run_menu, "open_model", tr("Open a &model…"), {},
      tr("Shows an ONNX model, or a network described in JSON, in the setup panel"), [this] { ask_open_model(); });
  build_view_menu();
  build_compare_menu();
  build_help_menu();
}

void MainWindow::build_file_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&File"));
  add(menu, "open", tr("&Open a capture…"), {QKeySequence::Open},
      tr("Opens a .tide file or a trace of another tool; several: ranks of one run, or runs to compare"),
      [this] { ask_open(); });
  recent_menu_ = menu->addMenu(tr("Open &recent"));
  connect(recent_menu_, &QMenu::aboutToShow, this, &MainWindow::fill_recent_menu);
  add(menu, "show_folder", tr("Show the folder of &captures"), {}, tr("Opens the folder where runs are kept"),
      [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(settings_.captures_folder())); });
  add(menu, "choose_folder", tr("Choose the &folder of captures…"), {}, tr("Where runs of this window are written"),
      [this] {
        const QString folder =
            QFileDialog::getExistingDirectory(this, tr("Folder of captures"), settings_.captures_folder());
        if (!folder.isEmpty()) settings_.set_captures_folder(folder);
      });
  menu->addSeparator();
  add(menu, "save_report", tr("Save &report…"), {QKeySequence(Qt::CTRL | Qt::Key_P)},
      tr("Writes the four answers, charts, ops and findings as one HTML or PDF file"), [this] { ask_report(); });
  add(menu, "export_picture", tr("Export &picture…"), {QKeySequence(Qt::CTRL | Qt::Key_E)},
      tr("Saves the current view as PNG, SVG or PDF"), [this] { export_picture(); });
  add(menu, "export_data", tr("Export &data…"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
      tr("Saves the numbers of the current view as CSV"), [this] { export_data(); });
  add(menu, "export_trace", tr("Export as a &trace…"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)},
      tr("Writes the capture for other tools: Perfetto, Chrome and PyTorch's readers, speedscope, pprof, CSV"),
      [this] { ask_export_trace(false); });
  add(menu, "export_range", tr("Export the selected &range as a trace…"), {},
      tr("The same for the selected range of time alone"), [this] { ask_export_trace(true); });
  add(menu, "show_data", tr("&Show data"), {QKeySequence(Qt::CTRL | Qt::Key_D)}, tr("The table behind the picture"),
      [this] {
        if (current_view() != nullptr) show_data(this, current_view()->windowTitle(), current_view()->data());
      });
  menu->addSeparator();
  add(menu, "close", tr("&Close the capture"), {QKeySequence(Qt::CTRL | Qt::Key_W)}, tr("Back to the start page"),
      [this] { close_capture(); });
  add(menu, "quit", tr("&Quit"), {QKeySequence(Qt::CTRL | Qt::Key_Q)}, tr("Closes the window"), [this] { close(); });
}

void MainWindow::build_view_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&View"));
  int number = 1;
  for (const auto& entry : views::view_catalog()) {
    const QByteArray name = "view_" + entry.key.toLatin1();
    QList<QKeySequence> keys;
    if (number <= 9) keys << QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_0 + number));
    add(menu, name.constData(), tr("&%1 %2").arg(number).arg(entry.title), keys, entry.help,
        [this, key = entry.key] { show_view(key); });
    ++number;
  }
  menu->addSeparator();
  add(menu, "clear_selection", tr("&Clear the selection"), {QKeySequence(Qt::Key_Escape)},
      tr("Nothing selected: every view shows the whole step"), [this] { document_.selection().clear(); });
  add(menu, "back", tr("Selection &back"), {QKeySequence(Qt::ALT | Qt::Key_Left)}, tr("The selection before"),
      [this] { document_.selection().back(); });
  add(menu, "forward", tr("Selection &forward"), {QKeySequence(Qt::ALT | Qt::Key_Right)}, tr("The selection after"),
      [this] { document_.selection().forward(); });
  menu->addSeparator();
  for (QDockWidget* dock : {setup_dock_, inspector_dock_}) {
    QAction* toggle = dock->toggleViewAction();
    toggle->setObjectName(QStringLiteral("action.toggle.") + dock->objectName());
    menu->addAction(toggle);
    addAction(toggle);
  }
  setup_dock_->toggleViewAction()->setShortcut(QKeySequence(Qt::Key_F8));
  inspector_dock_->toggleViewAction()->setShortcut(QKeySequence(Qt::Key_F9));
  add(menu, "reset_layout", tr("&Reset the layout"), {}, tr("Panels where they were at the first start"), [this] {
    restoreState(default_layout_, kLayoutVersion);
    inspector_dock_->setVisible(document_.loaded());
  });
  menu->addSeparator();
  QMenu* themes = menu->addMenu(tr("&Theme"));
  const auto theme = [&](const char* name, const QString& text, ThemeChoice choice) {
    add(themes, name, text, {}, text, [this, choice] {
      settings_.set_theme(choice);
      choose_theme(choice);
    });
  };
  theme("theme_system", tr("Theme: as the &system"), ThemeChoice::system);
  theme("theme_light", tr("Theme: &light"), ThemeChoice::light);
  theme("theme_dark", tr("Theme: &dark"), ThemeChoice::dark);
  QMenu* scales = menu->addMenu(tr("&Scale"));
  for (const double scale : kScales) {
    const QByteArray name = "scale_" + QByteArray::number(scale);
    add(scales, name.constData(), tr("Scale: %1 %").arg(scale * 100), {}, tr("Size of texts and controls"),
        [this, scale] { choose_scale(scale); });
  }
}

void MainWindow::build_compare_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Compare"));
  add(menu, "compare_with", tr("&With a capture…"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
      tr("Chooses the capture that the one shown is compared with"), [this] { ask_reference(); });
  add(menu, "compare_end", tr("&End the comparison"), {}, tr("Shows the capture on its own again"),
      [this] { document_.set_reference(nullptr, {}); });
}

void MainWindow::build_help_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Help"));
  add(menu, "handbook", tr("&Handbook"), {QKeySequence(Qt::CTRL | Qt::Key_F1)},
      tr("The documentation: all pages, searchable, offline"), [this] { show_handbook(*this); });
  QAction* palette = add(menu, "palette", tr("&Search commands"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
                         tr("Runs any command by its name"), [this] { palette_->open(); });
  add(menu, "shortcuts", tr("&Keys"),
      {QKeySequence(Qt::Key_Question), QKeySequence(Qt::SHIFT | Qt::Key_Question), QKeySequence(Qt::Key_F1)},
      tr("All commands and their keys"), [this] { show_shortcuts(*this); });
  add(menu, "honesty", tr("&Where the numbers come from"), {},
      tr("How this capture was measured and how far to trust it"), [this] { honesty_->explain(); });
  add(menu, "start_page", tr("Start &page"), {}, tr("Workloads to run and captures to open"),
      [this] { close_capture(); });
  add(menu, "about", tr("&About Tensortide"), {}, tr("Version and licence"), [this] {
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Tensortide"),
                                tr("<b>Tensortide %1</b><p>A profiler and memory-traffic "
                                   "visualizer for tensor workloads.</p><p>The window is "
                                   "free software under the GNU GPL, version 3 or later. Engine, "
                                   "profiler and command line are under the "
                                   "Apache licence 2.0. It uses Qt and QCustomPlot.</p>")
                                    .arg(QStringLiteral(TENSORTIDE_VERSION)),
                                QMessageBox::Close, this);
    box->setTextFormat(Qt::RichText);  // words of ours alone
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  });
  auto* search = new QToolButton(this);
  search->setAutoRaise(true);
  search->setText(tr("⌕ Search commands   Ctrl+Shift+P"));
  search->setToolTip(palette->statusTip());
  search->setFocusPolicy(Qt::NoFocus);
  connect(search, &QToolButton::clicked, palette, &QAction::trigger);
  menuBar()->setCornerWidget(search);
}

QStringList open_filters() {
  const QString captures = QStringLiteral("*.tide"), traces = QStringLiteral("*.json *.json.gz *.gz *.sqlite *.db"),
                models = QStringLiteral("*.onnx *.json");
  return {QObject::tr("All that can be opened (%1 %2 *.onnx)").arg(captures, traces),
          QObject::tr("Captures and sweeps (%1)").arg(captures), QObject::tr("Traces of other tools (%1)").arg(traces),
          QObject::tr("ONNX models and networks in JSON (%1)").arg(models), QObject::tr("All files (*)")};
}

void MainWindow::ask_open() {
  const QStringList files =
      QFileDialog::getOpenFileNames(this, tr("Open a capture, or several to compare"), settings_.captures_folder(),
                                    open_filters().join(QStringLiteral(";;")));
  if (files.size() == 1) open(files.front());
  if (files.size() > 1) open_all(files);
}

void MainWindow::ask_reference() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Compare with a capture"), settings_.captures_folder(),
                                                    tr("Captures (*.tide);;All files (*)"));
  if (!file.isEmpty()) compare_with(file);
}

void MainWindow::ask_open_model() {
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Open a model"), {}, tr("ONNX models and networks in JSON (*.onnx *.json);;All files (*)"));
  if (file.isEmpty()) return;
  if (file.endsWith(QLatin1String(".json"))) return choose_model(file);  // the form says what is wrong with it
  open(file);
}

void MainWindow::fill_recent_menu() {
  recent_menu_->clear();
  for (const QString& file : settings_.recent()) {
    QAction* action = recent_menu_->addAction(
        views::displayed(QFileInfo(file).fileName()).replace(QLatin1Char('&'), QLatin1String("&&")));
    action->setToolTip(views::plain_tip(file));
    connect(action, &QAction::triggered, this, [this, file] { open(file); });
  }
  if (recent_menu_->isEmpty()) recent_menu_->addAction(tr("No recent captures"))->setEnabled(false);
}

void MainWindow::export_picture() {
  if (current_view() == nullptr) return;
  const QString name = QFileInfo(document_.path()).completeBaseName() + QLatin1Char('-') +
                       current_view()->windowTitle().toLower() + QStringLiteral(".png");
  const QString file = QFileDialog::getSaveFileName(this, tr("Export picture"), name,
                                                    tr("PNG, twice the size (*.png);;SVG (*.svg);;PDF (*.pdf)"));
  if (file.isEmpty()) return;
  const auto done = views::export_view(*current_view(), file, *theme_, current_view()->size());
  if (done) {
    messages_->say(MessageBar::Kind::information, tr("Picture saved to %1").arg(file));
  } else {
    messages_->say(MessageBar::Kind::error, QString::fromStdString(done.error().message));
  }
}

void MainWindow::ask_report() {
  const views::View* shown = current_view();
  const bool of_sweep = document_.sweep() != nullptr &&
                        (!document_.loaded() || (shown != nullptr && shown == view_of(views::ViewEntry::Of::sweep)));
  if (!of_sweep && !document_.loaded()) return;
  const QString source = of_sweep ? document_.sweep_path() : document_.path();
  const QString name = QFileInfo(source).completeBaseName() + QStringLiteral(".html");
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Save report"), name, tr("HTML, one file (*.html);;PDF (*.pdf)"));
  if (!file.isEmpty()) save_report(of_sweep, file);
}

void MainWindow::save_report(bool of_sweep, const QString& file) {
  QApplication::setOverrideCursor(Qt::WaitCursor);
  const auto done = views::save_report(document_, of_sweep, file);
  QApplication::restoreOverrideCursor();
  if (done) {
    messages_->say(MessageBar::Kind::information, tr("Report saved to %1").arg(file), tr("Open it"),
                   [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
  } else {
    messages_->say(MessageBar::Kind::error, QString::fromStdString(done.error().message));
  }
}

void MainWindow::export_data() {
  if (current_view() == nullptr) return;
  const QString name = QFileInfo(document_.path()).completeBaseName() + QLatin1Char('-') +
                       current_view()->windowTitle().toLower() + QStringLiteral(".csv");
  const QString file = QFileDialog::getSaveFileName(this, tr("Export data"), name, tr("CSV (*.csv)"));
  if (file.isEmpty()) return;
  const auto done =
      views::export_view(*current_view(), file.endsWith(QLatin1String(".csv")) ? file : file + QStringLiteral(".csv"),
                         *theme_, current_view()->size());
  if (done) {
    messages_->say(MessageBar::Kind::information, tr("Data saved to %1").arg(file));
  } else {
    messages_->say(MessageBar::Kind::error, QString::fromStdString(done.error().message));
  }
}

void MainWindow::choose_scale(double scale) {
  settings_.set_scale(scale);
  messages_->say(MessageBar::Kind::information, tr("The new size is used from the next start on."), tr("Restart now"),
                 [this] {
                   const QString program = QCoreApplication::applicationFilePath();
                   const QStringList files = document_.loaded() ? QStringList{document_.path()} : QStringList{};
                   close();
                   const Call call = byte_call(program, files);
                   QProcess::startDetached(call.program, call.words);
                 });
}

}  // namespace app::gui
