// SPDX-License-Identifier: GPL-3.0-or-later
// The window: its parts, the documents it shows, the runs it starts.
#include "app/gui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDateTime>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QStackedWidget>
#include <QScreen>
#include <QStatusBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/base/roofs.h"
#include "app/gui/command_palette.h"
#include "app/gui/honesty_strip.h"
#include "app/gui/message_bar.h"
#include "app/gui/run_list.h"
#include "app/gui/setup_panel.h"
#include "engine/netfile/network_file.h"
#include "engine/workloads/workload.h"
#include "profiler/import/importer.h"
#include "profiler/model/capture_file.h"
#include "profiler/model/roofs_trust.h"
#include "profiler/sweep/file.h"
#include "views/base/paint.h"
#include "views/findings/findings_view.h"
#include "views/inspector/inspector.h"
#include "views/start/start_page.h"
#include "views/summary/summary_strip.h"

namespace app::gui {

namespace {

constexpr size_t kCachedCaptures = 8;

/// "ResNet-50 · batch 4 · f32 · training · cpu (2 threads)"
QString run_title(const profiler::RunInfo& run, bool with_device) {
  QStringList parts{QString::fromStdString(run.title.empty() ? run.workload : run.title)};
  for (const char* key : {"batch", "dtype", "mode", "graph"}) {
    const auto at = run.arguments.find(key);
    if (at == run.arguments.end()) continue;
    const QString value = QString::fromStdString(at->second);
    parts << (key == std::string_view("batch") ? QObject::tr("batch %1").arg(value) : value);
  }
  if (with_device && run.threads == 0) parts << QString::fromStdString(run.device);
  if (with_device && run.threads > 0)
    parts << QObject::tr("%1 (%2)").arg(
        QString::fromStdString(run.device),
        run.threads == 1 ? QObject::tr("1 thread") : QObject::tr("%1 threads").arg(run.threads));
  return parts.join(QStringLiteral(" · "));
}

/// Whether a file is a trace of another tool: captures of ours and sweeps are not.
bool is_trace(const QString& file) {
  return !file.endsWith(QLatin1String(".tide")) && profiler::is_foreign_trace(std::filesystem::path(file.toStdString()));
}

/// Whether a file becomes a workload: ONNX models, and networks in JSON.
bool is_model(const QString& file) {
  return file.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive) || engine::looks_like_network_file(file.toStdString());
}

}  // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), theme_(&views::Theme::light()) {
  setObjectName(QStringLiteral("main"));
  setAcceptDrops(true);
  setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks |
                 QMainWindow::AnimatedDocks);
  system_is_dark_ = qGray(QApplication::palette().color(QPalette::Window).rgb()) < 128;
  build_center();
  build_docks();
  honesty_ = new HonestyStrip(document_, this);
  statusBar()->addWidget(honesty_, 1);
  statusBar()->setSizeGripEnabled(false);
  palette_ = new CommandPalette(*this);
  build_menus();
  connect_parts();
  // As large as helps, but never beyond the screen: the honesty strip at the bottom must be seen.
  const QSize room = screen()->availableSize();
  resize(std::min(1280, room.width()), std::min(800, room.height() - 32));
  for (const QString& file : settings_.recent()) runs_->add_recent(file);
  update_start_page();
  choose_theme(settings_.theme());
  default_layout_ = saveState(kLayoutVersion);
  if (!settings_.geometry().isEmpty()) restoreGeometry(settings_.geometry());
  if (!settings_.layout().isEmpty()) restoreState(settings_.layout(), kLayoutVersion);
  on_document();
}

MainWindow::~MainWindow() {
  // The parts listen to the document and the recorder, which die before the widgets do.
  recorder_.disconnect(this);
  document_.disconnect();
  document_.selection().disconnect();
}

void MainWindow::build_center() {
  auto* center = new QWidget(this);
  auto* column = new QVBoxLayout(center);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  messages_ = new MessageBar(center);
  stack_ = new QStackedWidget(center);
  column->addWidget(messages_);
  column->addWidget(stack_, 1);
  start_ = new views::StartPage(stack_);
  auto* page = new QWidget(stack_);
  auto* lines = new QVBoxLayout(page);
  lines->setContentsMargins(0, 0, 0, 0);
  lines->setSpacing(0);
  summary_ = new views::SummaryStrip(document_, page);
  connect(summary_, &views::SummaryStrip::try_requested, this, &MainWindow::try_finding);
  tabs_ = new QTabWidget(page);
  tabs_->setDocumentMode(true);
  tabs_->setObjectName(QStringLiteral("tabs"));
  for (const auto& entry : views::view_catalog()) {
    views::View* v = entry.make(document_, tabs_);
    v->setObjectName(QStringLiteral("view.") + entry.key);
    v->setWindowTitle(entry.title);
    views_.push_back(v);
    if (auto* findings = qobject_cast<views::FindingsView*>(v)) connect(findings, &views::FindingsView::try_requested, this, &MainWindow::try_finding);
    const int index = tabs_->addTab(v, entry.title);
    tabs_->setTabToolTip(index, entry.help);
  }
  lines->addWidget(summary_);
  lines->addWidget(tabs_, 1);
  stack_->addWidget(start_);
  stack_->addWidget(page);
  setCentralWidget(center);
}

void MainWindow::build_docks() {
  setup_ = new SetupPanel;
  runs_ = new RunList;
  auto* left = new QWidget;
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  runs_title_ = new QLabel(tr("Runs"));
  runs_title_->setContentsMargins(views::kGrid, views::kGrid, views::kGrid, views::kGrid / 2);
  runs_title_->setFont(views::scaled_font(views::data_font(), 1.0, true));
  column->addWidget(setup_, 3);
  column->addWidget(runs_title_);
  column->addWidget(runs_, 1);
  left->setMinimumWidth(222);
  setup_dock_ = new QDockWidget(tr("Setup"), this);
  setup_dock_->setObjectName(QStringLiteral("dock.setup"));
  setup_dock_->setWidget(left);
  addDockWidget(Qt::LeftDockWidgetArea, setup_dock_);
  inspector_ = new views::Inspector(document_, this);
  inspector_->setMinimumWidth(232);
  inspector_dock_ = new QDockWidget(tr("Inspector"), this);
  inspector_dock_->setObjectName(QStringLiteral("dock.inspector"));
  inspector_dock_->setWidget(inspector_);
  addDockWidget(Qt::RightDockWidgetArea, inspector_dock_);
  resizeDocks({setup_dock_, inspector_dock_}, {224, 264}, Qt::Horizontal);
}

/// A wide window has room for wider panels, until the user says otherwise.
void MainWindow::showEvent(QShowEvent* e) {
  QMainWindow::showEvent(e);
  if (std::exchange(was_shown_, true) || !settings_.layout().isEmpty() || width() < 1600) return;
  resizeDocks({setup_dock_, inspector_dock_}, {272, 320}, Qt::Horizontal);
  default_layout_ = saveState(kLayoutVersion);
}

void MainWindow::connect_parts() {
  connect(setup_, &SetupPanel::run_requested, this, &MainWindow::run);
  connect(setup_, &SetupPanel::cancel_requested, this, &MainWindow::cancel_run);
  connect(setup_, &SetupPanel::open_model_requested, this, &MainWindow::ask_open_model);
  connect(setup_, &SetupPanel::changed, this, &MainWindow::update_state);
  connect(start_, &views::StartPage::setup_requested, this, [this](const QString& name) {
    setup_->choose(name);
    setup_dock_->show();
    setup_dock_->raise();
  });
  connect(start_, &views::StartPage::run_requested, this, [this](const QString& name) {
    if (recorder_.running()) return;
    setup_->choose(name);
    run();
  });
  connect(start_, &views::StartPage::open_requested, this, &MainWindow::ask_open);
  connect(start_, &views::StartPage::open_model_requested, this, &MainWindow::ask_open_model);
  connect(start_, &views::StartPage::file_chosen, this, &MainWindow::open);
  connect(runs_, &RunList::chosen, this, &MainWindow::open);
  connect(runs_, &RunList::compare_chosen, this, [this](const QString& file) {
    compare_with(file);
    show_view(QStringLiteral("compare"));
  });
  connect(&loader_, &CaptureLoader::loaded, this, &MainWindow::on_loaded);
  connect(&loader_, &CaptureLoader::failed, this,
          [this](const QString& file, const QString& message) {
            statusBar()->clearMessage();
            runs_->mark_shown(document_.loaded() ? document_.path() : QString());
            messages_->say(MessageBar::Kind::error, message.contains(QFileInfo(file).fileName())
                                                        ? message
                                                        : tr("%1: %2").arg(file, message));
          });
  connect(&loader_, &CaptureLoader::sweep_loaded, this, &MainWindow::on_sweep_loaded);
  connect(&document_, &views::Document::point_requested, this, [this](size_t point) {
    const QString file = point_capture(*document_.sweep(), document_.sweep_path(), point);
    if (!file.isEmpty()) open(file);
  });
  connect(&document_, &views::Document::reference_requested, this, &MainWindow::ask_reference);
  connect(&document_, &views::Document::reference_changed, this, &MainWindow::update_state);
  connect(&reference_loader_, &CaptureLoader::loaded, this,
          [this](const QString& file, const std::shared_ptr<const profiler::Analyzed>& analyzed) { document_.set_reference(analyzed, file); });
  connect(&reference_loader_, &CaptureLoader::failed, this,
          [this](const QString&, const QString& message) { messages_->say(MessageBar::Kind::error, message); });
  connect(&reference_loader_, &CaptureLoader::sweep_loaded, this, [this](const QString& file) {
    messages_->say(MessageBar::Kind::error, tr("%1 is a sweep: open one of its points to compare with").arg(QFileInfo(file).fileName()));
  });
  connect(&recorder_, &RecorderProcess::progressed, setup_, &SetupPanel::show_progress);
  connect(&recorder_, &RecorderProcess::progressed, this, &MainWindow::show_partial_sweep);
  // The panel's own bar may be scrolled out of sight, or the panel closed.
  connect(&recorder_, &RecorderProcess::progressed, this, [this](const RunProgress& p) { statusBar()->showMessage(SetupPanel::stage_text(p)); });
  connect(&recorder_, &RecorderProcess::finished, this, &MainWindow::on_run_finished);
  connect(&document_, &views::Document::replaced, this, &MainWindow::on_document);
  connect(&document_.selection(), &views::Selection::changed, this, &MainWindow::update_state);
  connect(tabs_, &QTabWidget::currentChanged, this, [this] {
    if (current_view() != nullptr && isActiveWindow()) current_view()->setFocus();
    update_state();
  });
}

void MainWindow::update_start_page() {
  std::vector<views::StartCard> cards;
  for (const auto& w : engine::workloads()) {
    QStringList values;
    for (const auto& p : w.parameters)
      if (values.size() < 4)
        values << QStringLiteral("%1 %2").arg(QString::fromStdString(p.label).toLower(),
                                              QString::fromStdString(p.default_value));
    cards.push_back({QString::fromStdString(w.name), QString::fromStdString(w.title),
                     QString::fromStdString(w.description), values.join(QStringLiteral(", "))});
  }
  start_->set_cards(std::move(cards));
  std::vector<views::RecentFile> recent;
  for (const QString& file : settings_.recent()) {
    if (recent.size() == 5) break;
    const QFileInfo info(file);
    recent.push_back({file, QLocale().toString(info.lastModified(), QLocale::ShortFormat)});
  }
  start_->set_recent(std::move(recent));
  const auto probe = remembered_roofs();
  const QString weakness = probe ? QString::fromStdString(profiler::roofs_weakness(*probe)) : QString();
  start_->set_machine(probe ? tr("This machine: %1. Its roofs were measured at %2.")
                                      .arg(QString::fromStdString(probe->info.model),
                                           QString::fromStdString(probe->probed_at)
                                               .left(16)
                                               .replace(QLatin1Char('T'), QLatin1Char(' '))) +
                                  (weakness.isEmpty() ? QString() : QLatin1Char(' ') + weakness)
                            : tr("The roofs of this machine are not measured yet: the first run "
                                 "does it once, in less than 20 s."));
}

void MainWindow::choose_model(const QString& file) {
  setup_->choose(QFileInfo(file).absoluteFilePath());
  setup_dock_->show();
}

void MainWindow::open(const QString& file) {
  messages_->dismiss();
  if (is_model(file)) {
    if (!QFileInfo::exists(file)) {
      messages_->say(MessageBar::Kind::error, tr("%1 does not exist").arg(file));
      return;
    }
    choose_model(file);
    return;
  }
  const QFileInfo info(file);
  const QString path = info.absoluteFilePath();
  if (const auto known = cache_.find(path);
      known != cache_.end() && info.exists() && info.lastModified() == known->second.modified &&
      info.size() == known->second.size_bytes) {
    loader_.forget();
    on_loaded(path, known->second.analyzed);
    return;
  }
  if (is_trace(path)) {
    import({path});
    return;
  }
  statusBar()->showMessage(tr("Opening %1 …").arg(QFileInfo(file).fileName()));
  loader_.load(path);
}

void MainWindow::compare_with(const QString& file) {
  const QFileInfo info(file);
  const auto known = cache_.find(info.absoluteFilePath());
  if (known != cache_.end() && info.exists() && info.lastModified() == known->second.modified && info.size() == known->second.size_bytes) {
    reference_loader_.forget();
    document_.set_reference(known->second.analyzed, info.absoluteFilePath());
    return;
  }
  reference_loader_.load(info.absoluteFilePath());
}

void MainWindow::open_all(const QStringList& files) {
  if (files.size() > 1 && std::all_of(files.begin(), files.end(), is_trace)) {
    messages_->dismiss();
    ask_several_traces(files);
    return;
  }
  for (const QString& file : files)
    if (!is_model(file) && file != files.last() && QFileInfo::exists(file)) runs_->add_recent(file);
  if (files.isEmpty()) return;
  open(files.last());
  // As on the command line: the first is what the last is compared with.
  const auto comparable = [](const QString& file) { return !is_model(file) && !is_trace(file) && QFileInfo::exists(file) && !profiler::is_sweep(file.toStdString()); };
  if (files.size() < 2 || !comparable(files.first()) || !comparable(files.last())) return;
  compare_with(files.first());
  show_view(QStringLiteral("compare"));
}

void MainWindow::on_loaded(const QString& file,
                           std::shared_ptr<const profiler::Analyzed> analyzed) {
  statusBar()->clearMessage();
  const bool beside_another = document_.loaded() && !document_.capture().run().source.empty();
  show_capture(std::move(analyzed), file);
  if (!beside_another) show_what_there_is();
  settings_.add_recent(file);
  update_start_page();
}

void MainWindow::show_what_there_is() {
  if (document_.loaded() && !document_.capture().run().source.empty() && current_view() == view(QStringLiteral("traffic"))) show_view(QStringLiteral("timeline"));
}

void MainWindow::show_capture(std::shared_ptr<const profiler::Analyzed> analyzed,
                              const QString& file) {
  if (cache_.size() >= kCachedCaptures) cache_.clear();
  const QFileInfo info(file);
  cache_[info.absoluteFilePath()] = {analyzed, info.lastModified(), info.size()};
  const double step_ns = profiler::summary(*analyzed).step_ns.median;
  runs_->add(file, tr("%1\nmedian step %2")
                       .arg(run_title(analyzed->capture->run(), false),
                            views::quantity(step_ns, profiler::Quantity::duration_ns)));
  // A capture that is no point of the sweep on the table takes its place.
  if (document_.sweep() != nullptr && info.absolutePath() != QFileInfo(QString::fromStdString(profiler::points_folder(document_.sweep_path().toStdString()).string())).absoluteFilePath()) {
    document_.set_sweep(nullptr, {});
  }
  document_.set(std::move(analyzed), file);
}

void MainWindow::show_sweep(std::shared_ptr<const profiler::Sweep> sweep, const QString& file) {
  const size_t points = sweep->points.size();
  const QString title = QString::fromStdString(sweep->title.empty() ? sweep->request.workload : sweep->title);
  if (file != document_.sweep_path()) runs_->add(file, tr("%1\nsweep over %2 points").arg(title).arg(points));
  document_.set_sweep(std::move(sweep), file);
}

void MainWindow::on_sweep_loaded(const QString& file, std::shared_ptr<const profiler::Sweep> loaded) {
  statusBar()->clearMessage();
  const bool first = file != document_.sweep_path();
  show_sweep(std::move(loaded), file);
  if (first) {
    settings_.add_recent(file);
    show_view(QStringLiteral("sweep"));
    document_.set(nullptr, {});
  }
  // The other views show a point of it, once no child writes to the captures any more.
  if (document_.loaded() || recorder_.running()) return;
  const QString capture = first_capture(*document_.sweep(), file);
  if (!capture.isEmpty()) open(capture);
}

void MainWindow::close_capture() {
  document_.set_sweep(nullptr, {});
  loader_.forget();
  statusBar()->clearMessage();
  document_.set(nullptr, {});
  runs_->mark_shown({});
}

void MainWindow::on_document() {
  stack_->setCurrentIndex(document_.loaded() || document_.sweep() != nullptr ? 1 : 0);
  inspector_dock_->setVisible(document_.loaded());
  summary_->setVisible(document_.loaded() || document_.sweep() != nullptr);
  setup_->follow(document_.loaded() ? &document_.capture().run() : nullptr);
  QString title = document_.loaded() ? run_title(document_.capture().run(), true) : QString();
  if (document_.sweep() != nullptr) title = title.isEmpty() ? views::sweep_words(*document_.sweep()) : tr("%1, shown: %2").arg(views::sweep_words(*document_.sweep()), title);
  setWindowTitle(title.isEmpty() ? tr("Tensortide") : tr("%1 – Tensortide").arg(title));
  update_state();
}

void MainWindow::run() {
  if (recorder_.running()) return;
  if (!setup_->ready()) {
    messages_->say(MessageBar::Kind::error, check_values(setup_->values()));
    return;
  }
  start(QStringLiteral("run"), run_arguments(setup_->values()));
}

void MainWindow::ask_sweep() {
  if (recorder_.running()) return;
  if (!setup_->ready()) {
    messages_->say(MessageBar::Kind::error, check_values(setup_->values()));
    return;
  }
  auto* dialog = new SweepDialog(setup_->values(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  const QString workload = setup_->values().workload;
  if (sweep_choice_.first == workload) dialog->offer(sweep_choice_.second);
  connect(dialog, &QDialog::accepted, this, [this, dialog, workload] {
    sweep_choice_ = {workload, dialog->choice()};
    sweep(dialog->arguments());
  });
  dialog->open();
}

void MainWindow::sweep(const QStringList& arguments) {
  if (recorder_.running()) return;
  start(QStringLiteral("sweep"), arguments);
}

void MainWindow::start(const QString& verb, const QStringList& arguments) {
  messages_->dismiss();
  const bool is_run = verb == QLatin1String("run");
  // A trial runs the capture's workload again, whatever the form says by now.
  const QString workload = verb == QLatin1String("try") ? QString::fromStdString(document_.capture().run().workload) : setup_->values().workload;
  const QString stem = QFileInfo(workload).completeBaseName() + (is_run ? QString() : QLatin1Char('-') + verb);
  const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
  const QDir folder(settings_.captures_folder());
  QString file = folder.filePath(QStringLiteral("%1-%2.tide").arg(stem, stamp));
  for (int n = 2; QFileInfo::exists(file); ++n)
    file = folder.filePath(QStringLiteral("%1-%2-%3.tide").arg(stem, stamp).arg(n));
  setup_dock_->show();
  setup_->set_running(true, is_run);
  partial_shown_.start();
  recorder_.start(verb, arguments, file);
  update_state();
}

/// While a sweep goes on its file grows: shown at most once a second.
void MainWindow::show_partial_sweep() {
  constexpr qint64 kEveryMs = 1000;
  if (recorder_.verb() != QLatin1String("sweep") || loader_.busy() || partial_shown_.elapsed() < kEveryMs) return;
  if (!QFileInfo::exists(recorder_.output())) return;
  partial_shown_.restart();
  loader_.load(QFileInfo(recorder_.output()).absoluteFilePath());
}

void MainWindow::cancel_run() {
  recorder_.cancel();
  statusBar()->showMessage(tr("Cancelling: the step that runs now is finished first"), 4000);
}

void MainWindow::try_finding(int finding) {
  if (!document_.loaded() || recorder_.running()) return;
  start(QStringLiteral("try"), {document_.path(), QStringLiteral("--finding"), QString::number(finding)});
}

void MainWindow::on_run_finished(const RunOutcome& outcome) {
  setup_->set_running(false);
  statusBar()->clearMessage();
  update_state();
  if (recorder_.verb() == QLatin1String("try") && !outcome.note.isEmpty()) {
    // The capture the finding is of stays on the table; that of the changed run is one click away.
    for (views::View* v : views_) {
      if (auto* findings = qobject_cast<views::FindingsView*>(v)) findings->refresh_records();
    }
    messages_->say(MessageBar::Kind::information, outcome.note, tr("Open the changed run"), [this, file = outcome.file] { open(file); });
    return;
  }
  if (recorder_.verb() == QLatin1String("export")) {
    on_exported(outcome);
    return;
  }
  if (!compared_traces_.isEmpty() && on_compared_trace(outcome)) return;
  if (!outcome.file.isEmpty()) open(outcome.file);
  if (outcome.message.isEmpty()) return;
  const bool mild = outcome.kind == RunOutcome::Kind::cancelled;
  messages_->say(mild ? MessageBar::Kind::information : MessageBar::Kind::error, outcome.message);
}

void MainWindow::apply_theme(const views::Theme& theme) {
  theme_ = &theme;
  QApplication::setPalette(theme.palette());
  start_->set_theme(theme);
  summary_->set_theme(theme);
  inspector_->set_theme(theme);
  messages_->set_theme(theme);
  setup_->set_theme(theme);
  honesty_->set_theme(theme);
  for (views::View* v : views_) v->set_theme(theme);
  // Style sheets that name palette colours keep the old ones until they are set again.
  for (QWidget* widget : findChildren<QWidget*>()) {
    if (!widget->styleSheet().isEmpty()) widget->setStyleSheet(widget->styleSheet());
  }
  QPalette strip = theme.palette();
  strip.setColor(QPalette::Window, theme.surface);
  summary_->setPalette(strip);
}

void MainWindow::choose_theme(ThemeChoice choice) {
  const bool dark =
      choice == ThemeChoice::dark || (choice == ThemeChoice::system && system_is_dark_);
  apply_theme(dark ? views::Theme::dark() : views::Theme::light());
}

views::View* MainWindow::current_view() const {
  const int index = tabs_->currentIndex();
  return index >= 0 && static_cast<size_t>(index) < views_.size()
             ? views_[static_cast<size_t>(index)]
             : nullptr;
}

views::View* MainWindow::view(const QString& key) const {
  const auto catalog = views::view_catalog();
  for (size_t i = 0; i < catalog.size(); ++i)
    if (catalog[i].key == key) return views_[i];
  return nullptr;
}

bool MainWindow::show_view(const QString& key) {
  views::View* wanted = view(key);
  if (wanted == nullptr) return false;
  tabs_->setCurrentWidget(wanted);
  return true;
}

void MainWindow::update_state() {
  const bool loaded = document_.loaded(), running = recorder_.running();
  const auto enable = [this](const char* name, bool on) {
    if (const auto action = actions_.find(QString::fromLatin1(name)); action != actions_.end())
      action->second->setEnabled(on);
  };
  for (const char* name : {"export_picture", "export_data", "show_data", "close", "honesty"})
    enable(name, loaded);
  enable("export_trace", loaded && !running);
  enable("export_range", loaded && !running && document_.selection().state().range.has_value());
  enable("compare_with", loaded);
  enable("compare_end", document_.reference() != nullptr);
  enable("run", !running && setup_->ready());
  enable("save_report", loaded || document_.sweep() != nullptr);
  enable("sweep", !running && setup_->ready());
  enable("cancel", running);
  enable("clear_selection", loaded && !document_.selection().state().empty());
  enable("back", loaded && document_.selection().can_go_back());
  enable("forward", loaded && document_.selection().can_go_forward());
}

void MainWindow::closeEvent(QCloseEvent* e) {
  settings_.set_window(saveGeometry(), saveState(kLayoutVersion));
  if (recorder_.running()) recorder_.cancel();
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
