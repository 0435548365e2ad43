// SPDX-License-Identifier: GPL-3.0-or-later
// All commands of the window, menu by menu.
#include "app/gui/window_commands.h"

#include <QDesktopServices>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QToolButton>
#include <QUrl>
#include <array>

#include "app/gui/command_palette.h"
#include "app/gui/handbook_dialog.h"
#include "app/gui/honesty_strip.h"
#include "app/gui/main_window.h"
#include "app/gui/setup_panel.h"
#include "views/base/plain_text.h"

namespace app::gui {

namespace {

constexpr std::array kScales{1.0, 1.25, 1.5, 2.0};

QString tr(const char* text) { return QCoreApplication::translate("app::gui::MainWindow", text); }

void fill_recent_menu(QMenu& menu, MainWindow& w) {
  menu.clear();
  for (const QString& file : w.documents().recent()) {
    QAction* action =
        menu.addAction(views::displayed(QFileInfo(file).fileName()).replace(QLatin1Char('&'), QLatin1String("&&")));
    action->setToolTip(views::plain_tip(file));
    QObject::connect(action, &QAction::triggered, &w, [&w, file] { w.open(file); });
  }
  if (menu.isEmpty()) menu.addAction(tr("No recent captures"))->setEnabled(false);
}

void choose_folder(MainWindow& w) {
  const QString folder =
      QFileDialog::getExistingDirectory(&w, tr("Folder of captures"), w.settings().captures_folder());
  if (!folder.isEmpty()) w.settings().set_captures_folder(folder);
}

void add_saving(ActionRegistry& all, QMenu& menu, MainWindow& w) {
  const auto loaded = [&w] { return w.document().loaded(); };
  all.add(menu, {.name = "save_report",
                 .text = tr("Save &report…"),
                 .tip = tr("Writes the four answers, charts, ops and findings as one HTML or PDF file"),
                 .run = [&w] { w.save_control().ask_report(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_P)},
                 .when = [&w] { return w.document().loaded() || w.document().sweep() != nullptr; }});
  all.add(menu, {.name = "export_picture",
                 .text = tr("Export &picture…"),
                 .tip = tr("Saves the current view as PNG, SVG or PDF"),
                 .run = [&w] { w.save_control().ask_picture(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_E)},
                 .when = loaded});
  all.add(menu, {.name = "export_data",
                 .text = tr("Export &data…"),
                 .tip = tr("Saves the numbers of the current view as CSV"),
                 .run = [&w] { w.save_control().ask_data(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
                 .when = loaded});
  const auto exportable = [&w] { return w.document().loaded() && !w.run_control().running(); };
  all.add(menu, {.name = "export_trace",
                 .text = tr("Export as a &trace…"),
                 .tip = tr("Writes the capture for other tools: Perfetto, Chrome and PyTorch's readers, speedscope, "
                           "pprof, CSV"),
                 .run = [&w] { w.run_control().ask_export_trace(false); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)},
                 .when = exportable});
  all.add(menu,
          {.name = "export_range",
           .text = tr("Export the selected &range as a trace…"),
           .tip = tr("The same for the selected range of time alone"),
           .run = [&w] { w.run_control().ask_export_trace(true); },
           .when = [&w, exportable] { return exportable() && w.document().selection().state().range.has_value(); }});
  all.add(menu, {.name = "show_data",
                 .text = tr("&Show data"),
                 .tip = tr("The table behind the picture"),
                 .run = [&w] { w.save_control().show_data(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_D)},
                 .when = loaded});
}

void add_file_menu(ActionRegistry& all, MainWindow& w) {
  QMenu& menu = all.add_menu(tr("&File"));
  all.add(menu, {.name = "open",
                 .text = tr("&Open a capture…"),
                 .tip = tr("Opens a .tide file or a trace of another tool; several: ranks of one run, or runs to "
                           "compare"),
                 .run = [&w] { w.documents().ask_open(); },
                 .keys = {QKeySequence::Open}});
  QMenu* recent = menu.addMenu(tr("Open &recent"));
  QObject::connect(recent, &QMenu::aboutToShow, &w, [recent, &w] { fill_recent_menu(*recent, w); });
  all.add(menu, {.name = "show_folder",
                 .text = tr("Show the folder of &captures"),
                 .tip = tr("Opens the folder where runs are kept"),
                 .run = [&w] { QDesktopServices::openUrl(QUrl::fromLocalFile(w.settings().captures_folder())); }});
  all.add(menu, {.name = "choose_folder",
                 .text = tr("Choose the &folder of captures…"),
                 .tip = tr("Where runs of this window are written"),
                 .run = [&w] { choose_folder(w); }});
  menu.addSeparator();
  add_saving(all, menu, w);
  menu.addSeparator();
  all.add(menu, {.name = "close",
                 .text = tr("&Close the capture"),
                 .tip = tr("Back to the start page"),
                 .run = [&w] { w.close_capture(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_W)},
                 .when = [&w] { return w.document().loaded(); }});
  all.add(menu, {.name = "quit",
                 .text = tr("&Quit"),
                 .tip = tr("Closes the window"),
                 .run = [&w] { w.close(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_Q)}});
}

void add_run_menu(ActionRegistry& all, MainWindow& w) {
  QMenu& menu = all.add_menu(tr("&Run"));
  const auto ready = [&w] { return !w.run_control().running() && w.setup()->ready(); };
  all.add(menu, {.name = "run",
                 .text = tr("&Run the workload"),
                 .tip = tr("Runs the settings of the setup panel and opens the capture"),
                 .run = [&w] { w.run(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_R), QKeySequence(Qt::Key_F5)},
                 .when = ready});
  all.add(menu, {.name = "sweep",
                 .text = tr("&Sweep…"),
                 .tip = tr("Runs the settings of the setup panel over batch sizes, dtypes, threads, ..."),
                 .run = [&w] { w.run_control().ask_sweep(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)},
                 .when = ready});
  all.add(menu, {.name = "cancel",
                 .text = tr("&Cancel the run"),
                 .tip = tr("Ends the run after its current step; what was recorded is kept"),
                 .run = [&w] { w.cancel_run(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_Period)},
                 .when = [&w] { return w.run_control().running(); }});
  menu.addSeparator();
  all.add(menu, {.name = "open_model",
                 .text = tr("Open a &model…"),
                 .tip = tr("Shows an ONNX model, or a network described in JSON, in the setup panel"),
                 .run = [&w] { w.documents().ask_model(); }});
}

void add_selection(ActionRegistry& all, QMenu& menu, MainWindow& w) {
  all.add(menu, {.name = "clear_selection",
                 .text = tr("&Clear the selection"),
                 .tip = tr("Nothing selected: every view shows the whole step"),
                 .run = [&w] { w.document().selection().clear(); },
                 .keys = {QKeySequence(Qt::Key_Escape)},
                 .when = [&w] { return w.document().loaded() && !w.document().selection().state().empty(); }});
  all.add(menu, {.name = "back",
                 .text = tr("Selection &back"),
                 .tip = tr("The selection before"),
                 .run = [&w] { w.document().selection().back(); },
                 .keys = {QKeySequence(Qt::ALT | Qt::Key_Left)},
                 .when = [&w] { return w.document().loaded() && w.document().selection().can_go_back(); }});
  all.add(menu, {.name = "forward",
                 .text = tr("Selection &forward"),
                 .tip = tr("The selection after"),
                 .run = [&w] { w.document().selection().forward(); },
                 .keys = {QKeySequence(Qt::ALT | Qt::Key_Right)},
                 .when = [&w] { return w.document().loaded() && w.document().selection().can_go_forward(); }});
}

void add_look(ActionRegistry& all, QMenu& menu, MainWindow& w) {
  QMenu& themes = *menu.addMenu(tr("&Theme"));
  const auto theme = [&](const char* name, const QString& text, ThemeChoice choice) {
    all.add(themes, {.name = name, .text = text, .tip = text, .run = [&w, choice] {
                       w.settings().set_theme(choice);
                       w.choose_theme(choice);
                     }});
  };
  theme("theme_system", tr("Theme: as the &system"), ThemeChoice::system);
  theme("theme_light", tr("Theme: &light"), ThemeChoice::light);
  theme("theme_dark", tr("Theme: &dark"), ThemeChoice::dark);
  QMenu& scales = *menu.addMenu(tr("&Scale"));
  for (const double scale : kScales) {
    const QByteArray name = "scale_" + QByteArray::number(scale);
    all.add(scales, {.name = name.constData(),
                     .text = tr("Scale: %1 %").arg(scale * 100),
                     .tip = tr("Size of texts and controls"),
                     .run = [&w, scale] { w.choose_scale(scale); }});
  }
}

void add_view_menu(ActionRegistry& all, MainWindow& w) {
  QMenu& menu = all.add_menu(tr("&View"));
  int number = 1;
  for (const auto& entry : views::view_catalog()) {
    const QByteArray name = "view_" + entry.key.toLatin1();
    QList<QKeySequence> keys;
    if (number <= 9) keys << QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_0 + number));
    all.add(menu, {.name = name.constData(),
                   .text = QStringLiteral("&%1 %2").arg(number).arg(entry.title),
                   .tip = entry.help,
                   .run = [&w, key = entry.key] { w.show_view(key); },
                   .keys = keys});
    ++number;
  }
  menu.addSeparator();
  add_selection(all, menu, w);
  menu.addSeparator();
  const auto toggle = [&](QDockWidget& dock, Qt::Key key) {
    all.add(menu, *dock.toggleViewAction(), QStringLiteral("action.toggle.") + dock.objectName(), QKeySequence(key));
  };
  toggle(w.setup_dock(), Qt::Key_F8);
  toggle(w.inspector_dock(), Qt::Key_F9);
  all.add(menu, {.name = "reset_layout",
                 .text = tr("&Reset the layout"),
                 .tip = tr("Panels where they were at the first start"),
                 .run = [&w] { w.reset_layout(); }});
  menu.addSeparator();
  add_look(all, menu, w);
}

void add_compare_menu(ActionRegistry& all, MainWindow& w) {
  QMenu& menu = all.add_menu(tr("&Compare"));
  all.add(menu, {.name = "compare_with",
                 .text = tr("&With a capture…"),
                 .tip = tr("Chooses the capture that the one shown is compared with"),
                 .run = [&w] { w.documents().ask_reference(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
                 .when = [&w] { return w.document().loaded(); }});
  all.add(menu, {.name = "compare_end",
                 .text = tr("&End the comparison"),
                 .tip = tr("Shows the capture on its own again"),
                 .run = [&w] { w.documents().end_comparison(); },
                 .when = [&w] { return w.document().reference() != nullptr; }});
}

void show_about(MainWindow& w) {
  auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Tensortide"),
                              tr("<b>Tensortide %1</b><p>A profiler and memory-traffic "
                                 "visualizer for tensor workloads.</p><p>The window is "
                                 "free software under the GNU GPL, version 3 or later. Engine, "
                                 "profiler and command line are under the "
                                 "Apache licence 2.0. It uses Qt and QCustomPlot.</p>")
                                  .arg(QStringLiteral(TENSORTIDE_VERSION)),
                              QMessageBox::Close, &w);
  box->setTextFormat(Qt::RichText);  // words of ours alone
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

void add_help_menu(ActionRegistry& all, MainWindow& w) {
  QMenu& menu = all.add_menu(tr("&Help"));
  all.add(menu, {.name = "handbook",
                 .text = tr("&Handbook"),
                 .tip = tr("The documentation: all pages, searchable, offline"),
                 .run = [&w] { show_handbook(w); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_F1)}});
  QAction& palette = all.add(menu, {.name = "palette",
                                    .text = tr("&Search commands"),
                                    .tip = tr("Runs any command by its name"),
                                    .run = [&w] { w.palette_of_commands().open(); },
                                    .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)}});
  all.add(menu, {.name = "shortcuts",
                 .text = tr("&Keys"),
                 .tip = tr("All commands and their keys"),
                 .run = [&w] { show_shortcuts(w); },
                 .keys = {QKeySequence(Qt::Key_Question), QKeySequence(Qt::SHIFT | Qt::Key_Question),
                          QKeySequence(Qt::Key_F1)}});
  all.add(menu, {.name = "honesty",
                 .text = tr("&Where the numbers come from"),
                 .tip = tr("How this capture was measured and how far to trust it"),
                 .run = [&w] { w.honesty().explain(); },
                 .when = [&w] { return w.document().loaded(); }});
  all.add(menu, {.name = "start_page",
                 .text = tr("Start &page"),
                 .tip = tr("Workloads to run and captures to open"),
                 .run = [&w] { w.close_capture(); }});
  all.add(menu, {.name = "about", .text = tr("&About Tensortide"), .tip = tr("Version and licence"), .run = [&w] {
                   show_about(w);
                 }});
  auto* search = new QToolButton(&w);
  search->setAutoRaise(true);
  search->setText(tr("⌕ Search commands   Ctrl+Shift+P"));
  search->setToolTip(palette.statusTip());
  search->setFocusPolicy(Qt::NoFocus);
  QObject::connect(search, &QToolButton::clicked, &palette, &QAction::trigger);
  w.menuBar()->setCornerWidget(search);
}

}  // namespace

void add_commands(ActionRegistry& all, MainWindow& w) {
  add_file_menu(all, w);
  add_run_menu(all, w);
  add_view_menu(all, w);
  add_compare_menu(all, w);
  add_help_menu(all, w);
}

}  // namespace app::gui
