// SPDX-License-Identifier: GPL-3.0-or-later
// The window: its parts, how they hang together, what it is told by the system.
#include "app/gui/main_window.h"

#include <QApplication>
#include <QBoxLayout>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QMimeData>
#include <QProcess>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "app/base/roofs.h"
#include "app/base/run_settings.h"
#include "app/gui/command_palette.h"
#include "app/gui/honesty_strip.h"
#include "app/gui/run_list.h"
#include "app/gui/setup_panel.h"
#include "app/gui/window_commands.h"
#include "engine/workloads/workload.h"
#include "profiler/machine/roofs_trust.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/inspector/inspector.h"
#include "views/start/start_page.h"
#include "views/summary/summary_strip.h"

namespace app::gui {

namespace {

/// What a newcomer begins with: a network of each kind, a product, and what the machine itself can do.
constexpr std::array<std::string_view, 6> kFirstWorkloads{"resnet50", "transformer", "lstm", "mlp", "gemm", "stream"};

/// "16777216" -> "16,777,216": of a number with more than four digits.
QString readable(const QString& value) {
  bool number = false;
  const qlonglong whole = value.toLongLong(&number);
  return number && value.size() > 4 ? QLocale(QLocale::English).toString(whole) : value;
}

}  // namespace

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
  save_control_ = std::make_unique<SaveController>(document_, *views_, *notices_, *this);
  add_commands(actions_, *this);
  connect_parts();
  // As large as helps, but never beyond the screen: the honesty strip at the bottom must be seen.
  const QSize room = screen()->availableSize();
  resize(std::min(1280, room.width()), std::min(800, room.height() - 32));
  update_start_page();
  choose_theme(settings_.theme());
  default_layout_ = saveState(kLayoutVersion);
  if (!settings_.geometry().isEmpty()) restoreGeometry(settings_.geometry());
  if (!settings_.layout().isEmpty()) restoreState(settings_.layout(), kLayoutVersion);
  on_document();
}

MainWindow::~MainWindow() {
  // The parts listen to the document, which dies before the widgets do.
  document_.disconnect();
  document_.selection().disconnect();
  inspector_dock_->disconnect(this);  // it hides with the window, and says so
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
  views_ = new ViewArea(document_, page);
  lines->addWidget(summary_);
  lines->addWidget(views_, 1);
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
  connect(inspector_dock_->toggleViewAction(), &QAction::triggered, this,
          [this](bool shown) { inspector_wanted_ = shown; });
  connect(inspector_dock_, &QDockWidget::visibilityChanged, this, [this] {
    if (document_.loaded() && isVisible()) inspector_wanted_ = !inspector_dock_->isHidden();  // its own button
  });
}

/// In a narrow window the inspector shares the left side with the setup panel: else the views would have less than half
/// of it. What the user has moved elsewhere stays there.
void MainWindow::resizeEvent(QResizeEvent* e) {
  QMainWindow::resizeEvent(e);
  constexpr int kNarrow = 1100, kLow = 620;
  summary_->set_low(height() < kLow);
  const bool narrow = width() < kNarrow;
  if (narrow == narrow_ || inspector_dock_ == nullptr) return;
  narrow_ = narrow;
  const bool at_home = !inspector_dock_->isFloating() &&
                       dockWidgetArea(inspector_dock_) == (narrow ? Qt::RightDockWidgetArea : Qt::LeftDockWidgetArea);
  if (!at_home || setup_dock_->isFloating() || dockWidgetArea(setup_dock_) != Qt::LeftDockWidgetArea) return;
  const bool shown = !inspector_dock_->isHidden();
  if (narrow) {
    tabifyDockWidget(setup_dock_, inspector_dock_);
  } else {
    addDockWidget(Qt::RightDockWidgetArea, inspector_dock_);
    resizeDocks({setup_dock_, inspector_dock_}, {224, 264}, Qt::Horizontal);
  }
  inspector_dock_->setVisible(shown);
  if (shown) inspector_dock_->raise();
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
  const auto wanted_try = [this](int finding) { run_control_->try_finding(finding); };
  connect(summary_, &views::SummaryStrip::try_requested, this, wanted_try);
  connect(views_, &ViewArea::try_requested, this, wanted_try);
  connect(setup_, &SetupPanel::open_model_requested, documents_.get(), &DocumentController::ask_model);
  documents_->set_still_written([this] { return run_control_->running(); });
  const DocumentController* documents = documents_.get();
  connect(documents, &DocumentController::model_chosen, this, &MainWindow::choose_model);
  connect(documents, &DocumentController::traces_chosen, run_control_.get(), &RunController::take_traces);
  connect(documents, &DocumentController::first_look_wanted, views_, &ViewArea::show_what_there_is);
  connect(documents, &DocumentController::view_wanted, this,
          [this](views::ViewEntry::Of of) { views_->show_view(of); });
  connect(documents, &DocumentController::recent_changed, this, &MainWindow::update_start_page);
  const RunController* runs = run_control_.get();
  connect(runs, &RunController::form_wanted, setup_dock_, &QWidget::show);
  connect(runs, &RunController::finished_file, documents_.get(), &DocumentController::open);
  connect(runs, &RunController::compare_wanted, documents_.get(), &DocumentController::open_all);
  connect(runs, &RunController::sweep_grew, documents_.get(), &DocumentController::reread_sweep);
  connect(runs, &RunController::records_changed, views_, &ViewArea::refresh_records);
  connect_start_page();
  connect(&document_, &views::Document::replaced, this, &MainWindow::on_document);
  // Each may change which commands can be given.
  connect(runs, &RunController::changed, this, &MainWindow::update_state);
  connect(setup_, &SetupPanel::changed, this, &MainWindow::update_state);
  connect(&document_, &views::Document::reference_changed, this, &MainWindow::update_state);
  connect(&document_.selection(), &views::Selection::changed, this, &MainWindow::update_state);
  connect(views_, &QTabWidget::currentChanged, this, &MainWindow::update_state);
}

void MainWindow::connect_start_page() {
  connect(start_, &views::StartPage::setup_requested, this, [this](const QString& name) {
    setup_->choose(name);
    setup_dock_->show();
    setup_dock_->raise();
  });
  connect(start_, &views::StartPage::run_requested, this, [this](const QString& name) {
    if (run_control_->running()) return;
    setup_->choose(name);
    run();
  });
  connect(start_, &views::StartPage::open_requested, documents_.get(), &DocumentController::ask_open);
  connect(start_, &views::StartPage::open_model_requested, documents_.get(), &DocumentController::ask_model);
  connect(start_, &views::StartPage::file_chosen, documents_.get(), &DocumentController::open);
}

void MainWindow::update_start_page() {
  std::vector<views::StartCard> cards;
  for (const auto& w : engine::workloads()) {
    QStringList values;
    for (const auto& p : w.parameters)
      if (values.size() < 4)
        values << QStringLiteral("%1 %2").arg(QString::fromStdString(p.label).toLower(),
                                              readable(QString::fromStdString(p.default_value)));
    const bool first = std::ranges::find(kFirstWorkloads, w.name) != kFirstWorkloads.end();
    cards.push_back({QString::fromStdString(w.name), QString::fromStdString(w.title),
                     QString::fromStdString(w.description).remove(QLatin1Char('`')), values.join(QStringLiteral(", ")),
                     first});
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
  start_->set_machine(
      probe
          ? tr("This machine: %1. Its roofs were measured at %2.")
                    .arg(
                        QString::fromStdString(probe->info.model),
                        QString::fromStdString(probe->probed_at).left(16).replace(QLatin1Char('T'), QLatin1Char(' '))) +
                (weakness.isEmpty() ? QString() : QLatin1Char(' ') + weakness)
          : tr("The roofs of this machine are not measured yet: the first run "
               "does it once, in less than 20 s."));
}

void MainWindow::choose_model(const QString& file) {
  setup_->choose(QFileInfo(file).absoluteFilePath());
  setup_dock_->show();
}

void MainWindow::on_document() {
  const bool shown = document_.loaded() || document_.sweep() != nullptr;
  stack_->setCurrentIndex(shown ? 1 : 0);
  inspector_dock_->setVisible(document_.loaded() && inspector_wanted_);
  summary_->setVisible(shown);
  setup_->follow(document_.loaded() ? &document_.capture().run() : nullptr, document_.path());
  QString title = document_.loaded() ? run_title(document_.capture().run(), true) : QString();
  if (document_.sweep() != nullptr)
    title = title.isEmpty() ? views::sweep_words(*document_.sweep())
                            : tr("%1, shown: %2").arg(views::sweep_words(*document_.sweep()), title);
  setWindowTitle(title.isEmpty() ? tr("Tensortide") : tr("%1 – Tensortide").arg(views::displayed(title)));
  views_->update_tabs();
  update_state();
}

void MainWindow::update_state() {
  // Folded, the form leaves the room to the list of runs.
  if (auto* column = qobject_cast<QBoxLayout*>(setup_->parentWidget()->layout()))
    column->setStretchFactor(setup_, setup_->folded() ? 0 : 3);
  actions_.update();
}

void MainWindow::apply_theme(const views::Theme& theme) {
  QApplication::setPalette(theme.palette());
  start_->set_theme(theme);
  summary_->set_theme(theme);
  inspector_->set_theme(theme);
  messages_->set_theme(theme);
  setup_->set_theme(theme);
  honesty_->set_theme(theme);
  views_->set_theme(theme);
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

void MainWindow::choose_scale(double scale) {
  settings_.set_scale(scale);
  notices_->inform(tr("The new size is used from the next start on."), tr("Restart now"), [this] {
    const QString program = QCoreApplication::applicationFilePath();
    const QStringList files = document_.loaded() ? QStringList{document_.path()} : QStringList{};
    close();
    const Call call = byte_call(program, files);
    QProcess::startDetached(call.program, call.words);
  });
}

void MainWindow::reset_layout() {
  restoreState(default_layout_, kLayoutVersion);
  inspector_dock_->setVisible(document_.loaded());
}

void MainWindow::closeEvent(QCloseEvent* e) {
  settings_.set_window(saveGeometry(), narrow_
                                           ? settings_.layout()
                                           : saveState(kLayoutVersion));  // a narrow window arranges its panels itself
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
