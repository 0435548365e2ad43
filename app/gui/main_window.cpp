// SPDX-License-Identifier: GPL-3.0-or-later
// The window: its parts, how they hang together, what it is told by the system.
#include "app/gui/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDateTime>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QProcess>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/base/run_settings.h"
#include "app/base/trial.h"
#include "app/gui/command_palette.h"
#include "app/gui/honesty_strip.h"
#include "app/gui/learn_dialogs.h"
#include "app/gui/learn_panel.h"
#include "app/gui/live_run.h"
#include "app/gui/palette_sources.h"
#include "app/gui/run_bar.h"
#include "app/gui/run_list.h"
#include "app/gui/settings_dialog.h"
#include "app/gui/setup_panel.h"
#include "app/gui/start_contents.h"
#include "app/gui/tool_dialog.h"
#include "app/gui/window_commands.h"
#include "engine/base/shell_words.h"
#include "profiler/capture/only_planned.h"
#include "views/base/file_name.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/inspector/inspector.h"
#include "views/start/run_page.h"
#include "views/start/start_page.h"
#include "views/summary/summary_strip.h"
#include "views/widgets/action_keys.h"

namespace app::gui {

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent) {
  setObjectName(QStringLiteral("main"));
  setAcceptDrops(true);
  setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks | QMainWindow::AnimatedDocks);
  system_is_dark_ = qGray(QApplication::palette().color(QPalette::Window).rgb()) < 128;
  build_center();
  build_docks();
  honesty_ = new HonestyStrip(document_, this);
  statusBar()->addWidget(honesty_, 1);
  statusBar()->setSizeGripEnabled(false);
  palette_ = new CommandPalette(*this);
  notices_ = std::make_unique<Notices>(*messages_, *statusBar());
  documents_ = std::make_unique<DocumentController>(document_, settings_, *runs_, *notices_, *this);
  run_control_ = std::make_unique<RunController>(document_, settings_, *setup_, *notices_, *this);
  save_control_ = std::make_unique<SaveController>(document_, settings_, *views_, *notices_, *this);
  add_commands(actions_, *this);
  add_palette_sources(*palette_, *this);
  connect_parts();
  // As large as helps, but never beyond the screen: the honesty strip at the bottom must be seen.
  const QSize room = screen()->availableSize();
  resize(std::min(1280, room.width()), std::min(800, room.height() - 32));
  update_start_page();
  profiler::set_byte_units(settings_.byte_units());
  choose_theme(settings_.theme());
  scale_in_use_ = settings_.scale();
  views::apply_saved_keys(views::named_actions(*this));
  default_layout_ = saveState(kLayoutVersion);
  if (!settings_.geometry().isEmpty()) restoreGeometry(settings_.geometry());
  if (!settings_.layout().isEmpty()) restoreState(settings_.layout(), kLayoutVersion);
  on_document();
}

MainWindow::~MainWindow() {
  delete findChild<SettingsDialog*>();  // a field that loses the focus would ask the window
  for (ToolDialog* tool : findChildren<ToolDialog*>()) delete tool;  // their threads end first
  // The parts listen to the document, which dies before the widgets do.
  document_.disconnect();
  document_.selection().disconnect();
  for (QDockWidget* dock : {inspector_dock_, runs_dock_}) dock->disconnect(this);  // they hide with the window
}

void MainWindow::build_center() {
  auto* center = new QWidget(this);
  auto* column = new QVBoxLayout(center);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  messages_ = new MessageBar(center);
  run_bar_ = new RunBar(center);
  stack_ = new QStackedWidget(center);
  column->addWidget(run_bar_);
  column->addWidget(messages_);
  column->addWidget(stack_, 1);
  start_ = new views::StartPage(stack_);
  auto* page = new QWidget(stack_);
  auto* lines = new QVBoxLayout(page);
  lines->setContentsMargins(0, 0, 0, 0);
  lines->setSpacing(0);
  summary_ = new views::SummaryStrip(document_, page);
  views_ = new ViewArea(document_, page);
  lines->addWidget(summary_);
  lines->addWidget(views_, 1);
  stack_->addWidget(start_);
  stack_->addWidget(page);
  run_page_ = new views::RunPage(stack_);
  stack_->addWidget(run_page_);
  start_->set_cards(start_cards());
  setCentralWidget(center);
}

void MainWindow::build_docks() {
  constexpr int kNarrowestLeft = 222;
  const auto dock = [this](const QString& title, const char* name, QWidget* widget, Qt::DockWidgetArea area) {
    auto* made = new QDockWidget(title, this);
    made->setObjectName(QLatin1String(name));
    made->setWidget(widget);
    addDockWidget(area, made);
    return made;
  };
  setup_ = new SetupPanel;
  setup_->setMinimumWidth(kNarrowestLeft);
  setup_dock_ = dock(tr("Setup"), "dock.setup", setup_, Qt::LeftDockWidgetArea);
  setup_dock_->setFeatures(QDockWidget::DockWidgetMovable);  // the mode says whether it is there
  runs_ = new RunList;
  runs_->setMinimumWidth(kNarrowestLeft);
  runs_dock_ = dock(tr("Runs"), "dock.runs", runs_, Qt::LeftDockWidgetArea);
  inspector_ = new views::Inspector(document_, this);
  inspector_->setMinimumWidth(232);
  inspector_dock_ = dock(tr("Inspector"), "dock.inspector", inspector_, Qt::RightDockWidgetArea);
  resizeDocks({setup_dock_, inspector_dock_}, {224, 264}, Qt::Horizontal);
  resizeDocks({setup_dock_, runs_dock_}, {480, 180}, Qt::Vertical);
  runs_dock_->toggleViewAction()->setToolTip(tr("Shows the runs of this session and recent files (F8)"));
  // By its own button, or by the menu.
  const auto remember = [this](QDockWidget* of, bool& wanted) {
    connect(of, &QDockWidget::visibilityChanged, this, [this, of, &wanted] {
      if (!changing_mode_ && mode_ == Mode::analyse && isVisible()) wanted = !of->isHidden();
    });
  };
  connect(inspector_dock_->toggleViewAction(), &QAction::triggered, this,
          [this](bool shown) { inspector_wanted_ = shown; });
  remember(inspector_dock_, inspector_wanted_);
  remember(runs_dock_, runs_wanted_);
}

/// The foot of the window says how far the numbers can be trusted. What a command does is in its tooltip, which does
/// not take that place.
bool MainWindow::event(QEvent* e) { return e->type() == QEvent::StatusTip || QMainWindow::event(e); }

void MainWindow::resizeEvent(QResizeEvent* e) {
  QMainWindow::resizeEvent(e);
  constexpr int kLow = 620, kNarrow = 1100;
  const bool low = height() < kLow, narrow = width() < kNarrow;
  summary_->set_low(low);
  // A narrow window has its width for the picture.
  if (std::exchange(narrow_, narrow) != narrow) resizeDocks({inspector_dock_}, {narrow ? 232 : 264}, Qt::Horizontal);
  if (std::exchange(low_, low) == low) return;
  // A low window has its height for the form; the runs are a list that scrolls.
  resizeDocks({setup_dock_, runs_dock_}, {low ? 420 : 480, low ? 60 : 180}, Qt::Vertical);
}

/// A wide window has room for wider panels, until the user says otherwise.
void MainWindow::showEvent(QShowEvent* e) {
  QMainWindow::showEvent(e);
  if (std::exchange(was_shown_, true) || !settings_.layout().isEmpty() || width() < 1600) return;
  resizeDocks({setup_dock_, inspector_dock_}, {272, 320}, Qt::Horizontal);
  default_layout_ = saveState(kLayoutVersion);
}

void MainWindow::connect_parts() {
  document_.set_unsaid_settings(unsaid_settings());
  document_.set_planner(plan_with);
  const auto wanted_try = [this](int finding) { run_control_->try_finding(finding); };
  connect(summary_, &views::SummaryStrip::try_requested, this, wanted_try);
  connect(views_, &ViewArea::try_requested, this, wanted_try);
  connect(setup_, &SetupPanel::open_model_requested, documents_.get(), &DocumentController::ask_model);
  documents_->set_still_written([this] { return run_control_->running(); });
  const DocumentController* documents = documents_.get();
  connect(documents, &DocumentController::model_chosen, this, &MainWindow::choose_model);
  connect(documents, &DocumentController::traces_chosen, run_control_.get(), &RunController::take_traces);
  connect(documents, &DocumentController::lessons_chosen, this,
          [this](const QString& path) { show_learn(*this).open(path); });
  connect(documents, &DocumentController::picture_chosen, run_control_.get(), &RunController::run_picture);
  connect(documents, &DocumentController::preview_shown, this, [this] { show_view(QStringLiteral("network")); });
  connect(documents, &DocumentController::first_look_wanted, views_, &ViewArea::show_what_there_is);
  connect(documents, &DocumentController::view_wanted, this, [this](views::ViewEntry::Of of) {
    views_->show_view(of);
    set_mode(Mode::analyse);
  });
  connect(documents, &DocumentController::recent_changed, this, &MainWindow::update_start_page);
  connect(documents, &DocumentController::settled, this, &MainWindow::end_of_restoring);
  const RunController* runs = run_control_.get();
  connect(runs, &RunController::form_wanted, this, [this] { set_mode(Mode::record); });
  connect(runs, &RunController::finished_file, documents_.get(), &DocumentController::open);
  connect(runs, &RunController::compare_wanted, documents_.get(), &DocumentController::open_all);
  connect(runs, &RunController::sweep_grew, documents_.get(), &DocumentController::reread_sweep);
  connect(runs, &RunController::records_changed, views_, &ViewArea::refresh_records);
  connect(setup_, &SetupPanel::copy_requested, this, &MainWindow::copy_command);
  connect(setup_, &SetupPanel::look_requested, this, &MainWindow::look);
  connect(&recorder(), &RecorderProcess::progressed, run_bar_, &RunBar::show_progress);
  connect(&document_, &views::Document::replaced, this, &MainWindow::on_document);
  connect_start_page();
  connect_run_page();
  connect_state();
  const auto of = [this](const char* name) { return actions_.find(QLatin1String(name)); };
  QAction* runs_shown = runs_dock_->toggleViewAction();
  run_bar_->set_actions(
      {of("record"),
       of("analyse"),
       of("run_again"),
       runs_shown,
       of("cancel"),
       {of("change_settings"), of("sweep"), of("copy_command"), of("tool_rerun"), of("tool_fit"), of("tool_predict")}});
  setup_->set_offers({of("tool_fit"), of("tool_predict"), of("sweep")});
}

/// What may change which commands can be given.
void MainWindow::connect_state() {
  connect(run_control_.get(), &RunController::changed, this, &MainWindow::update_state);
  connect(setup_, &SetupPanel::changed, this, &MainWindow::update_state);
  connect(&document_, &views::Document::reference_changed, this, &MainWindow::update_state);
  connect(&document_.selection(), &views::Selection::changed, this, &MainWindow::update_state);
  connect(views_, &QTabWidget::currentChanged, this, &MainWindow::update_state);
  for (const auto changed : {&QUndoGroup::undoTextChanged, &QUndoGroup::redoTextChanged})
    connect(&views_->edits(), changed, this, &MainWindow::update_state);
  for (const auto changed : {&QUndoGroup::canUndoChanged, &QUndoGroup::canRedoChanged})
    connect(&views_->edits(), changed, this, &MainWindow::update_state);
}

void MainWindow::connect_start_page() {
  connect(start_, &views::StartPage::setup_requested, this, &MainWindow::choose_workload);
  connect(start_, &views::StartPage::run_requested, this, [this](const QString& name) {
    if (run_control_->running()) return;
    setup_->choose(name);
    run_control_->run();
  });
  connect(start_, &views::StartPage::open_requested, documents_.get(), &DocumentController::ask_open);
  connect(start_, &views::StartPage::open_model_requested, documents_.get(), &DocumentController::ask_model);
  connect(start_, &views::StartPage::file_chosen, documents_.get(), &DocumentController::open);
}

void MainWindow::update_start_page() {
  start_->set_files(recent_files(settings_, QDateTime::currentDateTime()), example_files());
  const MachineLine machine = machine_line();
  start_->set_machine(machine.text, machine.action, machine.why);
}

/// While something runs, its page stands where the start page is else.
void MainWindow::connect_run_page() {
  connect(&recorder(), &RecorderProcess::started, this,
          [this](const QString& verb, const QStringList& arguments) { run_page_->begin(run_words(verb, arguments)); });
  connect(&recorder(), &RecorderProcess::progressed, this,
          [this](const RunProgress& progress) { run_page_->show_news(run_news(progress)); });
  connect(&recorder(), &RecorderProcess::finished, this, [this](const RunOutcome& outcome) {
    if (outcome.file.isEmpty() || mode_ != Mode::record) return;
    // It is opened now: no other page comes in between.
    constexpr int kLongestMs = 1500;
    stack_->setCurrentWidget(run_page_);
    QTimer::singleShot(kLongestMs, this, &MainWindow::show_center);
  });
  connect(run_page_, &views::RunPage::cancel_requested, run_control_.get(), &RunController::cancel);
  connect(run_page_, &views::RunPage::cancel_requested, run_page_, &views::RunPage::show_cancelling);
  connect(start_, &views::StartPage::probe_requested, run_control_.get(), &RunController::probe);
  connect(run_control_.get(), &RunController::roofs_measured, this, &MainWindow::update_start_page);
}

void MainWindow::show_center() {
  QWidget* of_record = recorder().running() ? static_cast<QWidget*>(run_page_) : start_;
  if (mode_ == Mode::record) stack_->setCurrentWidget(of_record);
  else stack_->setCurrentIndex(1);
}

void MainWindow::choose_model(const QString& file) {
  setup_->choose(QFileInfo(file).absoluteFilePath());
  set_mode(Mode::record);
}

void MainWindow::choose_workload(const QString& name) {
  setup_->choose(name);
  set_mode(Mode::record);
}

void MainWindow::run() {
  if (mode_ == Mode::record) return run_control_->run();
  if (document_.loaded() && document_.capture().run().source.empty()) return run_control_->run_again();
  set_mode(Mode::record);
}

void MainWindow::look() {
  if (setup_->ready()) documents_->preview(run_request(setup_->values()));
}

void MainWindow::change_settings() {
  if (!document_.loaded()) return;
  setup_->follow(&document_.capture().run(), document_.path(), true);
  set_mode(Mode::record);
}

void MainWindow::copy_command() {
  QString line = setup_->command();
  if (mode_ == Mode::analyse && document_.loaded()) {
    // The words of a stranger's file: quoted, so that a terminal runs one command of ours and nothing else.
    const auto words = words_of_command(document_.capture().run().command);
    if (!words) return notices_->error(QString::fromStdString(words.error().message));
    std::vector<std::string> all{"tensortide"};
    all.insert(all.end(), words->begin(), words->end());
    line = views::name_text(engine::shell_line(all));
    if (views::displayed(line) != line)
      return notices_->error(tr("The command of this capture holds control characters, so it is not copied."));
  }
  QApplication::clipboard()->setText(line);
  notices_->inform(tr("Copied: %1").arg(views::displayed(line)));
}

bool MainWindow::show_view(const QString& key) {
  const bool there = views_->show_view(key);
  if (there && has_document()) set_mode(Mode::analyse);
  return there;
}

void MainWindow::set_mode(Mode mode) {
  if (mode == Mode::analyse && !has_document()) return;
  mode_ = mode;
  changing_mode_ = true;
  const bool record = mode == Mode::record;
  show_center();
  setup_dock_->setVisible(record);
  runs_dock_->setVisible(record || runs_wanted_);
  inspector_dock_->setVisible(!record && document_.loaded() && inspector_wanted_);
  summary_->setVisible(!record);
  changing_mode_ = false;
  update_state();
}

void MainWindow::on_document() {
  setup_->follow(document_.loaded() ? &document_.capture().run() : nullptr, document_.path());
  QString title = document_.loaded() ? run_title(document_.capture().run(), true) : QString();
  const bool imported = document_.loaded() && !document_.capture().run().source.empty();
  const QString line = imported                                             ? tr("%1 · imported").arg(title)
                       : document_.loaded() || document_.sweep() == nullptr ? title
                                                                            : views::sweep_words(*document_.sweep());
  const bool planned = document_.loaded() && profiler::only_planned(document_.capture());
  run_bar_->set_title(views::displayed(planned ? tr("%1 · not run yet").arg(line) : line),
                      document_.loaded() && !imported);
  if (QAction* again = actions_.find(QStringLiteral("run_again")))
    again->setIconText(planned ? tr("Run") : tr("Run again"));
  if (document_.sweep() != nullptr)
    title = title.isEmpty() ? views::sweep_words(*document_.sweep())
                            : tr("%1, shown: %2").arg(views::sweep_words(*document_.sweep()), title);
  setWindowTitle(title.isEmpty() ? tr("Tensortide") : tr("%1 – Tensortide").arg(views::displayed(title)));
  views_->update_tabs();
  set_mode(has_document() ? Mode::analyse : Mode::record);
}

void MainWindow::update_state() {
  const bool running = run_control_->running();
  start_->set_running(running);
  if (mode_ == Mode::record) show_center();
  document_.set_run_refusal(run_control_->refusal());
  run_bar_->setVisible(has_document());
  run_bar_->set_progress_shown(running && mode_ == Mode::analyse);
  for (const auto& [name, mode] : {std::pair("record", Mode::record), std::pair("analyse", Mode::analyse)})
    if (QAction* action = actions_.find(QLatin1String(name))) action->setChecked(mode_ == mode);
  actions_.update();
  keep_session();
}

void MainWindow::apply_theme(const views::Theme& theme) {
  QApplication::setPalette(theme.palette());
  start_->set_theme(theme);
  run_page_->set_theme(theme);
  summary_->set_theme(theme);
  inspector_->set_theme(theme);
  messages_->set_theme(theme);
  setup_->set_theme(theme);
  honesty_->set_theme(theme);
  views_->set_theme(theme);
  for (ToolDialog* tool : findChildren<ToolDialog*>()) tool->set_theme(theme);
  set_learn_theme(*this, theme);
  // Style sheets that name palette colours keep the old ones until they are set again.
  for (QWidget* widget : findChildren<QWidget*>()) {
    if (!widget->styleSheet().isEmpty()) widget->setStyleSheet(widget->styleSheet());
  }
  QPalette strip = theme.palette();
  strip.setColor(QPalette::Window, theme.surface);
  summary_->setPalette(strip);
}

void MainWindow::choose_theme(ThemeChoice choice) {
  const bool dark = choice == ThemeChoice::dark || (choice == ThemeChoice::system && system_is_dark_);
  apply_theme(dark ? views::Theme::dark() : views::Theme::light());
}

void MainWindow::choose_byte_units(profiler::ByteUnits units) {
  settings_.set_byte_units(units);
  profiler::set_byte_units(units);
  document_.show_again();
}

void MainWindow::choose_scale(double scale) {
  settings_.set_scale(scale);
  notices_->inform(tr("The new size is used from the next start on."), tr("Restart now"), [this] { restart(); });
}

void MainWindow::restart() {
  const QString program = QCoreApplication::applicationFilePath();
  QStringList files;  // where the session is not opened again by itself
  if (!settings_.restores_session())
    for (const QString& file : {document_.reference_path(), document_.path()})
      if (!file.isEmpty()) files << file;
  close();
  const Call call = byte_call(program, files);
  QProcess::startDetached(call.program, call.words);
}

void MainWindow::show_settings(const QString& page, const QString& control) {
  auto* dialog = findChild<SettingsDialog*>();
  if (dialog == nullptr) dialog = new SettingsDialog(*this);
  dialog->show_page(page, control);
}

void MainWindow::begin_session(const QStringList& files) {
  const Settings::Session session = settings_.session();
  if (!files.isEmpty() || session.empty() || !settings_.restores_session()) {
    keeps_session_ = true;
    return documents_->open_all(files);
  }
  inspector_wanted_ = session.inspector;
  runs_wanted_ = session.runs;
  restored_view_ = session.view;
  session_ = session;
  documents_->restore(session);
}

/// The session's files are open, or cannot be opened.
void MainWindow::end_of_restoring() {
  if (std::exchange(keeps_session_, true)) return;
  if (has_document() && !restored_view_.isEmpty()) show_view(restored_view_);
  restored_view_.clear();
  keep_session();
}

void MainWindow::keep_session() {
  if (!keeps_session_) return;
  Settings::Session now{.capture = document_.path(),
                        .reference = document_.reference_path(),
                        .sweep = document_.sweep_path(),
                        .view = {},
                        .inspector = inspector_wanted_,
                        .runs = runs_wanted_};
  const auto catalog = views::view_catalog();
  for (size_t i = 0; i < catalog.size(); ++i)
    if (views_->views()[i] == views_->current()) now.view = catalog[i].key;
  if (now == session_) return;
  session_ = now;
  settings_.keep_session(now);
}

void MainWindow::reset_layout() {
  restoreState(default_layout_, kLayoutVersion);
  inspector_wanted_ = true;
  runs_wanted_ = false;
  set_mode(mode_);
}

void MainWindow::closeEvent(QCloseEvent* e) {
  settings_.set_window(saveGeometry(), saveState(kLayoutVersion));
  keep_session();
  if (run_control_->running()) run_control_->cancel();
  QMainWindow::closeEvent(e);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* e) {
  for (const QUrl& url : e->mimeData()->urls())
    if (url.isLocalFile()) e->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* e) {
  QStringList files;
  for (const QUrl& url : e->mimeData()->urls())
    if (url.isLocalFile()) files << url.toLocalFile();
  open_all(files);
  e->acceptProposedAction();
}

}  // namespace app::gui
