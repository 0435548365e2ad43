// SPDX-License-Identifier: GPL-3.0-or-later
// The window: its parts, how they hang together, what it is told by the system.
#include "app/gui/main_window.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QMimeData>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "app/base/roofs.h"
#include "app/base/run_settings.h"
#include "app/gui/command_palette.h"
#include "app/gui/honesty_strip.h"
#include "app/gui/message_bar.h"
#include "app/gui/run_list.h"
#include "app/gui/setup_panel.h"
#include "engine/workloads/workload.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/sweep/file.h"
#include "views/base/paint.h"
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

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), theme_(&views::Theme::light()) {
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
  build_menus();
  connect_parts();
  // As large as helps, but never beyond the screen: the honesty strip at the bottom must be seen.
  const QSize room = screen()->availableSize();
  resize(std::min(1280, room.width()), std::min(800, room.height() - 32));
  for (const QString& file : settings_.recent()) runs_->add_recent(file, settings_.detail(file));
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
  connect(summary_, &views::SummaryStrip::try_requested, this, &MainWindow::try_finding);
  tabs_ = new QTabWidget(page);
  tabs_->setDocumentMode(true);
  tabs_->setObjectName(QStringLiteral("tabs"));
  for (const auto& entry : views::view_catalog()) {
    views::View* v = entry.make(document_, tabs_);
    v->setObjectName(QStringLiteral("view.") + entry.key);
    v->setWindowTitle(entry.title);
    views_.push_back(v);
    connect(v, &views::View::try_requested, this, &MainWindow::try_finding);
    // A view that has less room than its pictures need is scrolled: nothing is cut, nothing overprints, and the window
    // may be small.
    auto* room = new QScrollArea(tabs_);
    room->setFrameShape(QFrame::NoFrame);
    room->setWidgetResizable(true);
    room->setFocusPolicy(Qt::NoFocus);
    room->setWidget(v);
    const int index = tabs_->addTab(room, entry.title);
    tabs_->setTabToolTip(index, entry.help);
  }
  without_data_ = new QToolButton(tabs_);
  without_data_->setObjectName(QStringLiteral("tabs.without_data"));
  without_data_->setAutoRaise(true);
  without_data_->setPopupMode(QToolButton::InstantPopup);
  without_data_->setMenu(new QMenu(without_data_));
  tabs_->setCornerWidget(without_data_, Qt::TopRightCorner);
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
    bring_to_front(view_of(views::ViewEntry::Of::comparison));
  });
  connect(&loader_, &CaptureLoader::loaded, this, &MainWindow::on_loaded);
  connect(&loader_, &CaptureLoader::failed, this, [this](const QString& file, const QString& message) {
    statusBar()->clearMessage();
    runs_->mark_shown(document_.loaded() ? document_.path() : QString());
    messages_->say(MessageBar::Kind::error,
                   message.contains(QFileInfo(file).fileName()) ? message : tr("%1: %2").arg(file, message));
  });
  connect(&loader_, &CaptureLoader::sweep_loaded, this, &MainWindow::on_sweep_loaded);
  connect(&document_, &views::Document::point_requested, this, [this](size_t point) {
    const QString file = point_capture(*document_.sweep(), document_.sweep_path(), point);
    if (!file.isEmpty()) open(file);
  });
  document_.set_unsaid_settings(unsaid_settings());
  connect(&document_, &views::Document::reference_requested, this, &MainWindow::ask_reference);
  connect(&document_, &views::Document::reference_changed, this, &MainWindow::update_state);
  connect(&reference_loader_, &CaptureLoader::loaded, this,
          [this](const QString& file, const std::shared_ptr<const profiler::Analyzed>& analyzed) {
            document_.set_reference(analyzed, file);
          });
  connect(&reference_loader_, &CaptureLoader::failed, this,
          [this](const QString&, const QString& message) { messages_->say(MessageBar::Kind::error, message); });
  connect(&reference_loader_, &CaptureLoader::sweep_loaded, this, [this](const QString& file) {
    messages_->say(MessageBar::Kind::error,
                   tr("%1 is a sweep: open one of its points to compare with").arg(QFileInfo(file).fileName()));
  });
  connect(&recorder_, &RecorderProcess::progressed, setup_, &SetupPanel::show_progress);
  connect(&recorder_, &RecorderProcess::progressed, this, &MainWindow::show_partial_sweep);
  // The panel's own bar may be scrolled out of sight, or the panel closed.
  connect(&recorder_, &RecorderProcess::progressed, this,
          [this](const RunProgress& p) { statusBar()->showMessage(SetupPanel::stage_text(p)); });
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

void MainWindow::closeEvent(QCloseEvent* e) {
  settings_.set_window(saveGeometry(), narrow_
                                           ? settings_.layout()
                                           : saveState(kLayoutVersion));  // a narrow window arranges its panels itself
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
