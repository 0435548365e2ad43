// SPDX-License-Identifier: GPL-3.0-or-later
// All commands of the window, menu by menu.
#include "app/gui/window_commands.h"

#include <QActionGroup>
#include <QDesktopServices>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QToolButton>
#include <QUrl>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/command_palette.h"
#include "app/gui/handbook_dialog.h"
#include "app/gui/honesty_strip.h"
#include "app/gui/learn_dialogs.h"
#include "app/gui/learn_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/setup_panel.h"
#include "app/gui/tool_dialog.h"
#include "app/gui/tools.h"
#include "views/base/plain_text.h"

namespace app::gui {

namespace {

constexpr std::array kScales{1.0, 1.25, 1.5, 2.0};

QString tr(const char* text) { return QCoreApplication::translate("app::gui::MainWindow", text); }

using Refusal = std::function<QString()>;

/// The first reason that stands against a command.
Refusal first_of(std::vector<Refusal> all) {
  return [all = std::move(all)] {
    for (const Refusal& one : all)
      if (QString why = one(); !why.isEmpty()) return why;
    return QString();
  };
}

Refusal unless(std::function<bool()> good, const char* why) {
  return [good = std::move(good), why] { return good() ? QString() : tr(why); };
}

Refusal needs_capture(MainWindow& w) {
  return unless([&w] { return w.document().loaded(); }, "Open a capture first.");
}

/// A capture or a sweep is on the table.
Refusal needs_document(MainWindow& w) {
  return unless([&w] { return w.has_document(); }, "Open a capture or a sweep first.");
}

/// A run of ours is on the table, not a trace of another tool.
Refusal needs_own_run(MainWindow& w) {
  return first_of({needs_capture(w), unless([&w] { return w.document().capture().run().source.empty(); },
                                            "An imported trace cannot be run again. Set up a run of its own.")});
}

Refusal needs_rest(MainWindow& w) {
  return [&w] { return w.run_control().refusal(); };
}

Refusal needs_form(MainWindow& w) {
  return unless([&w] { return w.setup()->ready(); }, "A value of the form is not valid: correct it first.");
}

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

void add_saving(ActionRegistry& all, QMenu& menu, MainWindow& w) {
  const Refusal loaded = needs_document(w);
  all.add(menu, {.name = "save_report",
                 .text = tr("Save &report…"),
                 .tip = tr("Writes the sections that you choose as one HTML or PDF file"),
                 .run = [&w] { w.save_control().ask_report(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_P)},
                 .refusal = loaded});
  all.add(menu, {.name = "export_picture",
                 .text = tr("Export &picture…"),
                 .tip = tr("Saves the current view as PNG, SVG or PDF"),
                 .run = [&w] { w.save_control().ask_picture(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_E)},
                 .refusal = loaded});
  all.add(menu, {.name = "export_data",
                 .text = tr("Export &data…"),
                 .tip = tr("Saves the numbers of the current view as CSV"),
                 .run = [&w] { w.save_control().ask_data(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
                 .refusal = loaded});
  const Refusal exportable = first_of({needs_capture(w), needs_rest(w)});
  all.add(menu, {.name = "export_trace",
                 .text = tr("Export as a &trace…"),
                 .tip = tr("Writes the capture for other tools: Perfetto, Chrome and PyTorch's readers, speedscope, "
                           "pprof, CSV"),
                 .run = [&w] { w.run_control().ask_export_trace(false); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)},
                 .refusal = exportable});
  all.add(menu,
          {.name = "export_range",
           .text = tr("Export the selected &range as a trace…"),
           .tip = tr("The same for the selected range of time alone"),
           .run = [&w] { w.run_control().ask_export_trace(true); },
           .refusal = first_of({exportable, unless([&w] { return w.document().selection().state().range.has_value(); },
                                                   "Drag over the timeline to select a range first.")})});
  all.add(menu, {.name = "show_data",
                 .text = tr("&Show data"),
                 .tip = tr("The table behind the picture"),
                 .run = [&w] { w.save_control().show_data(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_D)},
                 .refusal = loaded});
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
                 .run = [&w] { w.show_settings(QStringLiteral("folders")); }});
  menu.addSeparator();
  add_saving(all, menu, w);
  menu.addSeparator();
  all.add(menu, {.name = "settings",
                 .text = tr("Se&ttings…"),
                 .tip = tr("Theme, scale, session, folders, and the keys of all commands"),
                 .run = [&w] { w.show_settings({}); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_Comma)}});
  menu.addSeparator();
  all.add(menu, {.name = "close",
                 .text = tr("&Close the capture"),
                 .tip = tr("Back to the start page"),
                 .run = [&w] { w.close_capture(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_W)},
                 .refusal = needs_document(w)});
  all.add(menu, {.name = "quit",
                 .text = tr("&Quit"),
                 .tip = tr("Closes the window"),
                 .run = [&w] { w.close(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_Q)}});
}

void add_run_menu(ActionRegistry& all, MainWindow& w) {
  QMenu& menu = all.add_menu(tr("&Run"));
  const Refusal ready = first_of({needs_rest(w), needs_form(w)}), again = first_of({needs_own_run(w), needs_rest(w)});
  all.add(menu, {.name = "run",
                 .text = tr("&Run the workload"),
                 .tip = tr("Runs the workload of the form, or repeats the capture that is shown"),
                 .run = [&w] { w.run(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_R), QKeySequence(Qt::Key_F5)},
                 .refusal = [&w, ready, again] { return w.mode() == Mode::record ? ready() : again(); }});
  all.add(menu, {.name = "look",
                 .text = tr("Show the &network"),
                 .tip = tr("Shows layers, shapes, FLOPs, bytes and memory of what the form says, without running it"),
                 .run = [&w] { w.look(); },
                 .refusal = needs_form(w)});
  QAction& repeat = all.add(menu, {.name = "run_again",
                                   .text = tr("Run &again"),
                                   .tip = tr("Runs the capture that is shown again with its own settings"),
                                   .run = [&w] { w.run_control().run_again(); },
                                   .refusal = again});
  repeat.setIconText(tr("Run again"));
  all.add(menu, {.name = "change_settings",
                 .text = tr("Change &settings and run…"),
                 .tip = tr("Shows the form with the settings of the capture that is shown"),
                 .run = [&w] { w.change_settings(); },
                 .refusal = needs_own_run(w)});
  all.add(menu, {.name = "sweep",
                 .text = tr("S&weep…"),
                 .tip = tr("Runs what the form says over batch sizes, data types, threads and more"),
                 .run = [&w] { w.run_control().ask_sweep(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)},
                 .refusal = ready});
  all.add(menu, {.name = "copy_command",
                 .text = tr("Copy as c&ommand"),
                 .tip = tr("Copies the line that does this run in a terminal"),
                 .run = [&w] { w.copy_command(); },
                 .refusal = [&w] { return w.mode() == Mode::record ? needs_form(w)() : needs_capture(w)(); }});
  QAction& cancel = all.add(menu, {.name = "cancel",
                                   .text = tr("&Cancel the run"),
                                   .tip = tr("Ends the run after its current step; what was recorded is kept"),
                                   .run = [&w] { w.cancel_run(); },
                                   .keys = {QKeySequence(Qt::CTRL | Qt::Key_Period)},
                                   .refusal = unless([&w] { return w.run_control().running(); }, "Nothing runs.")});
  cancel.setIconText(tr("Cancel"));
  menu.addSeparator();
  all.add(menu, {.name = "open_model",
                 .text = tr("Open a &model…"),
                 .tip = tr("Shows an ONNX model, or a network described in JSON, in the form"),
                 .run = [&w] { w.documents().ask_model(); }});
}

void add_edit_menu(ActionRegistry& all, MainWindow& w) {
  QMenu& menu = all.add_menu(tr("&Edit"));
  QUndoGroup& edits = w.edits();
  const auto named = [](const QString& verb, const QString& step) {
    return step.isEmpty() ? verb : tr("%1: %2").arg(verb, step);
  };
  all.add(menu, {.name = "undo",
                 .text = tr("&Undo"),
                 .tip = tr("Takes back the last change of rows, marks or filters in the view in front"),
                 .run = [&edits] { edits.undo(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_Z)},
                 .refusal = unless([&edits] { return edits.canUndo(); }, "Nothing was changed in this view."),
                 .text_now = [&edits, named] { return named(tr("&Undo"), edits.undoText()); }});
  all.add(menu, {.name = "redo",
                 .text = tr("&Redo"),
                 .tip = tr("Makes the change again that was taken back last"),
                 .run = [&edits] { edits.redo(); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
                 .refusal = unless([&edits] { return edits.canRedo(); }, "Nothing was taken back in this view."),
                 .text_now = [&edits, named] { return named(tr("&Redo"), edits.redoText()); }});
}

/// Record and Analyse, one of which is always on.
void add_modes(ActionRegistry& all, QMenu& menu, MainWindow& w) {
  auto* modes = new QActionGroup(&w);
  QAction& record = all.add(menu, {.name = "record",
                                   .text = tr("&Record"),
                                   .tip = tr("Sets up a run: the form, workloads to choose and files to open"),
                                   .run = [&w] { w.set_mode(Mode::record); },
                                   .keys = {QKeySequence(Qt::CTRL | Qt::Key_N)}});
  QAction& analyse =
      all.add(menu, {.name = "analyse",
                     .text = tr("&Analyse"),
                     .tip = tr("Shows the capture or sweep that is open"),
                     .run = [&w] { w.set_mode(Mode::analyse); },
                     .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N)},
                     .refusal = unless([&w] { return w.has_document(); }, "Run a workload or open a capture first.")});
  for (QAction* mode : {&record, &analyse}) {
    mode->setCheckable(true);
    modes->addAction(mode);
  }
  menu.addSeparator();
}

void add_selection(ActionRegistry& all, QMenu& menu, MainWindow& w) {
  all.add(menu, {.name = "clear_selection",
                 .text = tr("&Clear the selection"),
                 .tip = tr("Nothing selected: every view shows the whole step"),
                 .run = [&w] { w.document().selection().clear(); },
                 .keys = {QKeySequence(Qt::Key_Escape)},
                 .refusal = unless([&w] { return w.document().loaded() && !w.document().selection().state().empty(); },
                                   "Nothing is selected.")});
  all.add(menu, {.name = "back",
                 .text = tr("Selection &back"),
                 .tip = tr("The selection before"),
                 .run = [&w] { w.document().selection().back(); },
                 .keys = {QKeySequence(Qt::ALT | Qt::Key_Left)},
                 .refusal = unless([&w] { return w.document().loaded() && w.document().selection().can_go_back(); },
                                   "There is no earlier selection.")});
  all.add(menu, {.name = "forward",
                 .text = tr("Selection &forward"),
                 .tip = tr("The selection after"),
                 .run = [&w] { w.document().selection().forward(); },
                 .keys = {QKeySequence(Qt::ALT | Qt::Key_Right)},
                 .refusal = unless([&w] { return w.document().loaded() && w.document().selection().can_go_forward(); },
                                   "There is no later selection.")});
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
  add_modes(all, menu, w);
  int number = 1;
  std::optional<views::ViewEntry::Group> group;
  for (const auto& entry : views::view_catalog()) {
    if (group != entry.group) menu.addSection(views::title(entry.group));
    group = entry.group;
    const QByteArray name = "view_" + entry.key.toLatin1();
    QList<QKeySequence> keys;
    if (number <= 10) keys << QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_0 + number % 10));
    const QString text = number <= 10 ? QStringLiteral("&%1 %2").arg(number % 10).arg(entry.title) : entry.title;
    all.add(menu, {.name = name.constData(),
                   .text = text,
                   .tip = entry.help,
                   .run = [&w, key = entry.key] { w.show_view(key); },
                   .keys = keys,
                   .refusal = unless([&w] { return w.has_document(); }, "Open a capture or a sweep first.")});
    ++number;
  }
  menu.addSeparator();
  add_selection(all, menu, w);
  menu.addSeparator();
  const auto toggle = [&](QDockWidget& dock, Qt::Key key) {
    all.add(menu, *dock.toggleViewAction(), QStringLiteral("action.toggle.") + dock.objectName(), QKeySequence(key));
  };
  toggle(w.runs_dock(), Qt::Key_F8);
  toggle(w.inspector_dock(), Qt::Key_F9);
  all.add(menu, {.name = "full_screen",
                 .text = tr("F&ull screen"),
                 .tip = tr("The window on the whole screen, and back"),
                 .run = [&w] { w.setWindowState(w.windowState() ^ Qt::WindowFullScreen); },
                 .keys = {QKeySequence(Qt::Key_F11)}});

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
                 .refusal = needs_capture(w)});
  all.add(menu, {.name = "compare_end",
                 .text = tr("&End the comparison"),
                 .tip = tr("Shows the capture on its own again"),
                 .run = [&w] { w.documents().end_comparison(); },
                 .refusal = unless([&w] { return w.document().reference() != nullptr; }, "Nothing is compared.")});
}

void add_tools_menu(ActionRegistry& all, MainWindow& w) {
  QMenu& menu = all.add_menu(tr("&Tools"));
  for (const Tool& tool : tools()) {
    const QByteArray name = QByteArray("tool_") + tool.name;
    if (tool.name == std::string_view("fit") || tool.name == std::string_view("number")) menu.addSeparator();
    all.add(menu,
            {.name = name.constData(),
             .text = tool.title,
             .tip = tool.question,
             .run = [&w, &tool] { show_tool(w, tool); },
             .keys = tool.name == std::string_view("tables") ? QList<QKeySequence>{QKeySequence(Qt::CTRL | Qt::Key_T)}
                                                             : QList<QKeySequence>{},
             .refusal = [&w, &tool] { return tool.refusal(w); }});
  }
  all.add(menu, {.name = "probe",
                 .text = tr("&Measure the roofs"),
                 .tip = tr("How fast can this machine compute and move bytes? Takes less than 20 s."),
                 .run = [&w] { w.run_control().probe(); },
                 .refusal = needs_rest(w)});
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

/// What needs no capture: lessons, how memory and devices work.
void add_learn_menu(ActionRegistry& all, MainWindow& w) {
  QMenu& menu = all.add_menu(tr("&Learn"));
  all.add(menu, {.name = "lessons",
                 .text = tr("&Lessons"),
                 .tip = tr("Lessons that ask for a prediction, run it here and show the answer"),
                 .run = [&w] { show_learn(w); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L)}});
  all.add(menu, {.name = "storage",
                 .text = tr("Tensor &storage…"),
                 .tip = tr("A tensor's buffer byte by byte: which ops are views, and which copy"),
                 .run = [&w] { show_storage(w, w.document(), w.theme()); }});
  all.add(menu, {.name = "playground",
                 .text = tr("&Device playground…"),
                 .tip = tr("Tensors on two simulated devices: what copies, what is the same tensor, what is refused"),
                 .run = [&w] { show_playground(w, w.theme()); }});
  all.add(menu, {.name = "systolic",
                 .text = tr("A s&ystolic array…"),
                 .tip = tr("A matrix multiplication cycle by cycle: every operand is read from memory once"),
                 .run = [&w] { show_systolic(w, w.theme()); }});
  all.add(menu, {.name = "beside",
                 .text = tr("Devices side by &side…"),
                 .tip = tr("This processor beside a GPU: cores, lanes, clock, caches, memory, arithmetic"),
                 .run = [&w] { show_beside(w, w.document(), w.theme()); }});
  all.add(menu, {.name = "published",
                 .text = tr("A &published table…"),
                 .tip = tr("Table 7 of Shi et al. 2016: its cells, gaps, thread curves and rankings, without a run"),
                 .run = [&w] { show_published(w, w.document(), w.theme(), w.settings().exports_folder()); }});
}

void add_help_menu(ActionRegistry& all, MainWindow& w) {
  QMenu& menu = all.add_menu(tr("&Help"));
  all.add(menu, {.name = "handbook",
                 .text = tr("&Handbook"),
                 .tip = tr("The documentation: all pages, searchable, offline"),
                 .run = [&w] { show_handbook(w); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_F1)}});
  all.add(menu, {.name = "sources",
                 .text = tr("Where the sources &disagree"),
                 .tip = tr("Figures of lecture slides that contradict each other, with the arithmetic"),
                 .run = [&w] { show_handbook(w, QStringLiteral("sources")); }});
  QAction& palette = all.add(menu, {.name = "palette",
                                    .text = tr("&Search"),
                                    .tip = tr("Finds any command, workload, capture or op by its name"),
                                    .run = [&w] { w.palette_of_commands().open(); },
                                    .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)}});
  all.add(menu, {.name = "shortcuts",
                 .text = tr("&Keys"),
                 .tip = tr("All commands and their keys"),
                 .run = [&w] { show_shortcuts(w, [&w] { w.show_settings(QStringLiteral("keys")); }); },
                 .keys = {QKeySequence(Qt::Key_Question), QKeySequence(Qt::SHIFT | Qt::Key_Question),
                          QKeySequence(Qt::Key_F1)}});
  all.add(menu, {.name = "honesty",
                 .text = tr("&Where the numbers come from"),
                 .tip = tr("How this capture was measured and how far to trust it"),
                 .run = [&w] { w.honesty().explain(); },
                 .refusal = needs_capture(w)});
  all.add(menu, {.name = "start_page",
                 .text = tr("Start &page"),
                 .tip = tr("Workloads to run and captures to open"),
                 .run = [&w] { w.set_mode(Mode::record); }});
  all.add(menu, {.name = "about", .text = tr("&About Tensortide"), .tip = tr("Version and licence"), .run = [&w] {
                   show_about(w);
                 }});
  auto* search = new QToolButton(&w);
  search->setAutoRaise(true);
  const auto name_key = [search, &palette] {
    search->setText(tr("⌕ Search   %1").arg(palette.shortcut().toString(QKeySequence::NativeText)).trimmed());
  };
  name_key();
  QObject::connect(&palette, &QAction::changed, search, name_key);
  search->setToolTip(palette.statusTip());
  search->setFocusPolicy(Qt::NoFocus);
  QObject::connect(search, &QToolButton::clicked, &palette, &QAction::trigger);
  w.menuBar()->setCornerWidget(search);
}

}  // namespace

void add_commands(ActionRegistry& all, MainWindow& w) {
  add_file_menu(all, w);
  add_edit_menu(all, w);
  add_run_menu(all, w);
  add_view_menu(all, w);
  add_compare_menu(all, w);
  add_tools_menu(all, w);
  add_learn_menu(all, w);
  add_help_menu(all, w);
}

}  // namespace app::gui
