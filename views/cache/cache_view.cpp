// SPDX-License-Identifier: GPL-3.0-or-later
// Cache view: what is asked follows selection and sliders; what is shown follows the worker.
#include "views/cache/cache_view.h"

#include <algorithm>
#include <cmath>

#include "profiler/analysis/base/groups.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/flow_layout.h"

namespace views {
namespace {

using profiler::Quantity;

constexpr int kToolbarHeight = 40, kRowHeight = 34, kHeadingHeight = 26;
constexpr int kRestMs = 60, kFrameMs = 40;

/// The op that takes most of the step; kNoOp: none was timed.
profiler::OpId slowest_op(const profiler::Analyzed& analyzed) {
  profiler::OpId slowest = profiler::kNoOp;
  double most = 0;
  for (const profiler::OpRecord& op : analyzed.capture->ops()) {
    if (op.view) continue;
    const auto& ns = analyzed.times[op.id].ns;
    const double time = ns.samples > 0 ? ns.median : 0;
    if (slowest == profiler::kNoOp || time > most) slowest = op.id, most = time;
  }
  return slowest;
}

QToolButton* small_button(const QString& words, const QString& name, const QString& tip) {
  auto* button = new QToolButton;
  button->setText(words);
  button->setAccessibleName(name);
  button->setToolTip(tip);
  return button;
}

}  // namespace

CacheView::CacheView(Document& document, QWidget* parent)
    : View(document, parent),
      toolbar_(new QWidget(this)),
      player_row_(new QWidget(this)),
      controls_(new CacheControls(this)),
      canvas_(new Canvas(this)),
      list_heading_(new QLabel(this)),
      tensors_(new RankedList(this)),
      panes_(new SidePanes(
          QStringLiteral("cache"), canvas_, list_heading_, kHeadingHeight, tensors_,
          [](const QSizeF& room) { return std::clamp(room.width() * 0.24, 180.0, 360.0); }, this)) {
  setWindowTitle(tr("Cache"));
  setAccessibleName(tr("Cache: simulated caches and their misses"));
  setFocusProxy(canvas_);  // arrows work as soon as the view is in front
  canvas_->setAccessibleName(tr("Cache pictures: curve, causes, sets, accesses"));
  tensors_->setAccessibleName(tr("Tensors by misses at the chosen level"));
  tensors_->set_empty_text(tr("No tensor reaches this level."));
  list_heading_->setTextFormat(Qt::RichText);
  list_heading_->setWordWrap(true);  // in some languages it is longer than the list is wide
  start_.setSingleShot(true);
  start_.setInterval(kRestMs);
  player_.setInterval(kFrameMs);
  build_toolbar();
  build_level_switch();
  canvas_->setMinimumWidth(26 * QFontMetrics(data_font()).height());  // for its two columns
  controls_->setMinimumHeight(kRowHeight);
  player_row_->setMinimumHeight(kRowHeight);
  stack_rows(this, {toolbar_, controls_, player_row_}, panes_);
  connect_parts();
  set_theme(Theme::light());
  on_replaced();
}

void CacheView::build_toolbar() {
  auto* row = new FlowLayout(toolbar_);
  toolbar_->setMinimumHeight(kToolbarHeight);
  row->setContentsMargins(2 * kGrid, 4, kGrid, 4);
  row->setSpacing(kGrid);
  scope_ = new Switch(tr("Scope"), {tr("Op"), tr("Layer"), tr("Step")});
  scope_->button(0)->setToolTip(tr("The selected op; the slowest one while none is selected"));
  scope_->button(1)->setToolTip(tr("The ops of its layer, one after the other"));
  scope_->button(2)->setToolTip(tr("All ops of the step, one after the other"));
  epoch_ = new Switch(tr("Caches at the start"), {tr("Cold"), tr("Warm")});
  epoch_->button(0)->setToolTip(tr("From empty caches"));
  epoch_->button(1)->setToolTip(tr("Run once more, with what the first run left in the caches"));
  curve_ = new Switch(tr("Curve"), {tr("Miss ratio"), tr("Off-chip bytes")});
  curve_->button(0)->setToolTip(tr("Share of the accesses that a cache of each size misses"));
  curve_->button(1)->setToolTip(
      tr("Bytes of the step from and to off-chip memory, over the memory on the chip (modelled)"));
  row->add(scope_);
  row->add(epoch_);
  row->add(new QLabel(tr("Level")));
  row->add(curve_);
  row->add_stretch();
  progress_ = new QProgressBar;
  progress_->setAccessibleName(tr("Simulation"));
  progress_->setFixedWidth(112);
  progress_->setTextVisible(true);
  cancel_ = small_button(tr("Cancel"), tr("Cancel the simulation"), tr("Stops the simulation; what is shown stays"));
  row->add(progress_);
  row->add(cancel_);
  auto* player = new FlowLayout(player_row_);
  player->setContentsMargins(2 * kGrid, 0, kGrid, 4);
  player->setSpacing(kGrid);
  play_ = small_button(tr("Play"), tr("Play the accesses"), tr("Shows the accesses one after the other (Space)"));
  back_ = small_button(QStringLiteral("◂"), tr("One access back"), tr("One access back (Left)"));
  forward_ = small_button(QStringLiteral("▸"), tr("One access on"), tr("One access on (Right)"));
  speed_ = new QSlider(Qt::Horizontal);
  speed_->setRange(0, 8);  // powers of two: accesses per frame
  speed_->setValue(4);
  speed_->setFixedWidth(96);
  speed_->setAccessibleName(tr("Speed"));
  speed_->setToolTip(tr("Accesses per second, from 25 to 6400"));
  player->add(new QLabel(tr("Accesses")));
  for (QToolButton* button : {back_, play_, forward_}) player->add(button);
  player->add(new QLabel(tr("Speed")));
  player->add(speed_);
}

void CacheView::build_level_switch() {
  delete levels_;
  QStringList names;
  for (const auto& level : controls_->config().levels) names << QString::fromStdString(level.name);
  levels_ = new Switch(tr("Level"), names);
  for (int i = 0; i < names.size(); ++i)
    levels_->button(i)->setToolTip(plain_tip(tr("Sliders, sets and tensors are about %1").arg(names[i])));
  static_cast<FlowLayout*>(toolbar_->layout())->insert(3, levels_);
  connect(levels_, &Switch::chosen, this, [this](int index) { choose_level(static_cast<size_t>(index)); });
}

void CacheView::connect_parts() {
  canvas_->paint = [this](QPainter& p, const QRectF& r) { draw_canvas(p, r, *theme_); };
  canvas_->tip = [this](QPointF at) {
    if (const QString tip = on_chip_tip(at); !tip.isEmpty()) return tip;
    return usable() ? cache_tip(*simulation_, figure_, layout_on_screen(), level_, at) : QString();
  };
  canvas_->clickable = [this](QPointF at) {
    if (!usable()) return false;
    const CacheLayout layout = layout_on_screen();
    return layout.bar_at(at) != nullptr || layout.order.contains(at);
  };
  canvas_->key = [this](int key) { return on_key(key); };
  const auto scrub = [this](QPointF at) {
    if (!usable() || simulation_->first_accesses.empty()) return;
    const CacheLayout layout = layout_on_screen();
    if (!layout.order.contains(at)) return;
    set_playing(false);
    shown_ = static_cast<size_t>(std::lround((at.x() - layout.order.left()) / layout.order.width() *
                                             static_cast<double>(simulation_->first_accesses.size())));
    canvas_->update();
  };
  connect(canvas_, &Canvas::pressed, this, [this, scrub](QPointF at) {
    if (!usable()) return;
    const CacheLayout layout = layout_on_screen();
    if (const CauseBar* bar = layout.bar_at(at)) choose_level(bar->level);
    else scrub(at);
  });
  connect(canvas_, &Canvas::dragged, this, scrub);
  connect(scope_, &Switch::chosen, this, [this](int index) {
    kind_ = static_cast<ScopeKind>(index);
    show_parts();
    wish_soon();
  });
  connect(epoch_, &Switch::chosen, this, [this] { refresh_figure(); });
  connect(curve_, &Switch::chosen, this, [this] { canvas_->update(); });
  connect(controls_, &CacheControls::edited, this, &CacheView::wish_soon);
  connect(cancel_, &QToolButton::clicked, this, [this] {
    worker_.cancel();
    cancelled_ = true;
    show_progress();
    canvas_->update();
  });
  connect(&start_, &QTimer::timeout, this, &CacheView::wish_now);
  connect(&worker_, &CacheWorker::simulated, this, &CacheView::on_simulated);
  connect(&worker_, &CacheWorker::progressed, this, &CacheView::show_progress);
  connect(&worker_, &CacheWorker::failed, this, [this](const QString& message) {
    // What was shown was another op's: levels that do not fit never get as far as the worker.
    refusal_ = message;
    simulation_.reset();
    figure_ = {};
    set_playing(false);
    show_parts();
    canvas_->update();
  });
  connect(tensors_, &RankedList::chosen, this, [this](uint32_t id) {
    if (id < this->document().capture().tensors().size()) this->document().selection().select_tensor(id);
  });
  connect(play_, &QToolButton::clicked, this, [this] { set_playing(!player_.isActive()); });
  connect(back_, &QToolButton::clicked, this, [this] { step_access(-1); });
  connect(forward_, &QToolButton::clicked, this, [this] { step_access(1); });
  connect(&player_, &QTimer::timeout, this, [this] {
    if (!usable()) return set_playing(false);
    shown_ = std::min(simulation_->first_accesses.size(), shown_ + (size_t{1} << speed_->value()));
    if (shown_ == simulation_->first_accesses.size()) set_playing(false);
    canvas_->update();
  });
  connect(&document(), &Document::replaced, this, &CacheView::on_replaced);
  connect(&document().selection(), &Selection::changed, this, &CacheView::on_selection);
}

void CacheView::set_theme(const Theme& theme) {
  theme_ = &theme;
  tensors_->set_theme(theme);
  canvas_->update();
}

void CacheView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  if (stale_) wish_soon();
}

/// What its pictures need; with less the window scrolls it.
QSize CacheView::minimumSizeHint() const {
  const QFontMetrics metrics(data_font());
  const int width = 38 * metrics.height(), bars = toolbar_->height() + controls_->height() + player_row_->height();
  return document().loaded() ? QSize(width, bars + 26 * metrics.height()) : QSize();
}

void CacheView::show_parts() {
  curve_->setVisible(kind_ == ScopeKind::step);
  panes_->set_side_shown(usable());
  updateGeometry();
}

void CacheView::on_replaced() {
  worker_.cancel();
  set_playing(false);
  simulation_.reset();
  figure_ = {};
  on_chip_ = document().loaded() ? profiler::on_chip_curve(document().capture()) : profiler::OnChipCurve();
  refusal_.clear();
  kind_ = ScopeKind::op;
  level_ = 0;
  ops_.clear();
  controls_->set_machine(document().loaded() ? machine_caches(document().capture().machine(), &assumed_)
                                             : profiler::CacheConfig());
  build_level_switch();
  for (QWidget* widget : {toolbar_, player_row_, static_cast<QWidget*>(controls_)})
    widget->setEnabled(document().loaded());
  stale_ = true;
  show_parts();
  on_selection();
}

void CacheView::on_selection() {
  const SelectionState& state = document().selection().state();
  if (state.layer && kind_ == ScopeKind::op) kind_ = ScopeKind::layer;
  if (state.op && !state.layer && kind_ == ScopeKind::layer && ops_.empty()) kind_ = ScopeKind::op;
  scope_->set_current(static_cast<int>(kind_));
  curve_->setVisible(kind_ == ScopeKind::step);
  tensors_->set_selected(state.tensor);
  QString title;
  if (document().loaded()) {
    const bool other = wanted_ops(&title) != ops_;
    title_ = title;
    if (stale_ || other) wish_soon();
  }
  canvas_->update();
}

std::vector<profiler::OpId> CacheView::wanted_ops(QString* title) const {
  const SelectionState& state = document().selection().state();
  const profiler::Capture& capture = document().capture();
  if (kind_ == ScopeKind::step) {
    *title = tr("Whole step");
    return profiler::ops_of(capture, {});
  }
  const profiler::OpId op = state.op.value_or(slowest_op(document().analyzed()));
  if (kind_ == ScopeKind::layer || (state.layer && !state.op)) {
    profiler::Scope scope;
    scope.layer = state.layer             ? state.layer->toStdString()
                  : op == profiler::kNoOp ? std::string()
                                          : std::string(capture.name(capture.ops()[op].layer));
    *title = QString::fromStdString(*scope.layer);
    if (!scope.layer->empty()) return profiler::ops_of(capture, scope);
  }
  if (op == profiler::kNoOp) return {};
  *title = text(capture.name(capture.ops()[op].name));
  if (!state.op) *title += tr(", the slowest op");
  return {op};
}

void CacheView::wish_soon() {
  stale_ = true;
  cancelled_ = false;
  if (isVisible() && document().loaded()) start_.start();
  show_progress();
}

void CacheView::wish_now() {
  if (!document().loaded()) return;
  stale_ = false;
  refusal_.clear();
  ops_ = wanted_ops(&title_);
  if (ops_.empty()) {
    worker_.cancel();
    set_playing(false);
    simulation_.reset();
    figure_ = {};
    refusal_ = tr("This capture has no op that runs.");
    show_parts();
    canvas_->update();
    return;
  }
  if (const auto ok = profiler::check(controls_->config()); !ok) {
    worker_.cancel();
    refusal_ = QString::fromStdString(ok.error().message);
    show_progress();
    canvas_->update();
    return;
  }
  worker_.start({document().analyzed().capture, ops_, title_, controls_->config()});
  show_progress();
}

void CacheView::on_simulated(std::shared_ptr<const profiler::OpSimulation> simulation, bool final_result) {
  const bool other = simulation_ == nullptr || simulation_->title != simulation->title;
  simulation_ = std::move(simulation);
  shown_ops_ = ops_;  // the worker answers its last wish only
  final_ = final_result;
  if (other) {
    set_playing(false);
    shown_ = SIZE_MAX;
  }
  level_ = std::min(level_, simulation_->config.levels.size() - 1);
  refresh_figure();
  show_parts();
}

void CacheView::choose_level(size_t level) {
  level_ = level;
  levels_->set_current(static_cast<int>(level));
  controls_->set_level(level);
  fill_tensors();
  canvas_->update();
}

void CacheView::refresh_figure() {
  figure_ = {};
  if (usable()) {
    figure_ = make_cache_figure(*simulation_, static_cast<size_t>(epoch_->current()), document().capture(),
                                controls_->changed() ? std::vector<profiler::OpId>() : shown_ops_);
    figure_.more_follows = !final_;
    QStringList sentence{QString::fromStdString(simulation_->title), tr("simulated")};
    for (const CacheLevelFigure& level : figure_.levels) {
      sentence << tr("%1: %2 misses of %3 accesses")
                      .arg(level.name, quantity(level.misses, Quantity::count),
                           quantity(level.accesses, Quantity::count));
    }
    canvas_->setAccessibleDescription(sentence.join(QStringLiteral("; ")));
  }
  fill_tensors();
  canvas_->update();
}

QString CacheView::list_title() const {
  return level_ < figure_.levels.size() ? tr("%1 misses by tensor").arg(figure_.levels[level_].name) : QString();
}

void CacheView::fill_tensors() {
  std::vector<RankedRow> rows;
  if (usable() && level_ < figure_.tensors.size()) {
    const auto& figures = figure_.tensors[level_];
    for (const CacheTensorFigure& tensor : figures) {
      RankedRow row;
      row.id = tensor.id;
      row.text = tensor.name;
      row.detail = quantity(tensor.ratio, Quantity::percent_of);
      row.value = quantity(tensor.misses, Quantity::count);
      row.ratio = tensor.misses > 0 ? tensor.misses / figures.front().misses : 0;
      row.colour = role_colour;
      row.key = static_cast<int>(tensor.role);
      row.tip = Tip{
          tensor.name,
          tr("%1 misses of %2 accesses at %3\n%4, %5")
              .arg(quantity(tensor.misses, Quantity::count), quantity(tensor.accesses, Quantity::count),
                   figure_.levels[level_].name, role_title(tensor.role),
                   tensor.size_bytes > 0 ? quantity(tensor.size_bytes, Quantity::bytes) : tr("size –")),
          tr("Lines of this tensor that this level did not have."),
          {},
          profiler::Origin::simulated,
          {}}.html();
      rows.push_back(std::move(row));
    }
  }
  tensors_->set_rows(std::move(rows));
  tensors_->set_selected(document().selection().state().tensor);
  list_heading_->setText(QStringLiteral("<b>%1</b>").arg(list_title().toHtmlEscaped()));
}

void CacheView::show_progress() {
  const bool running = worker_.busy();
  progress_->setVisible(running);
  cancel_->setVisible(running);
  if (running) {
    const double fraction = worker_.fraction(), left = worker_.seconds_left();
    progress_->setRange(0, fraction < 0 ? 0 : 100);
    if (fraction >= 0) progress_->setValue(static_cast<int>(fraction * 100));
    progress_->setFormat(left > 1 ? tr("%1 s left").arg(std::ceil(left)) : QStringLiteral("%p %"));
    progress_->setToolTip(plain_tip(worker_.stage()));
  }
  canvas_->update();
}

QString CacheView::state_line() const {
  if (!refusal_.isEmpty()) return refusal_;
  if (cancelled_) return tr("Cancelled: this is what was simulated before.");
  QStringList parts;
  const bool sampled = figure_.sampled > 1;
  const bool assumed = simulation_->fidelity == engine::access::Fidelity::assumed;
  if (assumed)
    parts << tr("no figure of this kernel, the least it touches: %1").arg(QString::fromStdString(simulation_->how));
  parts << (sampled ? tr("simulated, 1/%1 of the sets").arg(figure_.sampled) : tr("simulated, every line"));
  if (worker_.busy() || stale_) parts << (worker_.stage().isEmpty() ? tr("simulating") : worker_.stage());
  parts << cache_words(simulation_->config);
  if (!assumed_.isEmpty() && !controls_->changed()) parts << assumed_;
  if (!assumed) parts << QString::fromStdString(simulation_->how);
  return parts.join(QStringLiteral("  ·  "));
}

CacheLayout CacheView::layout_in(const QRectF& rect) const {
  if (!usable()) return {};
  return layout_cache(*simulation_, figure_, rect, data_font(),
                      {.level = level_,
                       .shown_accesses = shown_,
                       .heading = QString::fromStdString(simulation_->title),
                       .state = state_line(),
                       .state_is_warning = !refusal_.isEmpty() || cancelled_,
                       .on_chip = shows_on_chip() ? &on_chip_ : nullptr});
}

bool CacheView::shows_on_chip() const { return kind_ == ScopeKind::step && curve_->current() == 1; }

QString CacheView::on_chip_tip(QPointF at) const {
  if (!usable() || !shows_on_chip()) return {};
  const CacheLayout layout = layout_on_screen();
  if (!layout.curve_axes.contains(at)) return {};
  const double size = layout.size_at(at.x()), bytes = on_chip_.at(size);
  if (std::isnan(bytes)) return {};
  return Tip{tr("%1 on the chip").arg(quantity(size, profiler::Quantity::capacity_bytes)),
             tr("%1 off the chip per step").arg(quantity(bytes, profiler::Quantity::bytes)),
             tr("A buffer stays on the chip if all buffers used since its last use fit as well. With none, "
                "each op moves all its operands. With all, inputs and outputs are left."),
             tr("sum over operands that do not stay"),
             profiler::Origin::modelled,
             {}}
      .html();
}

CacheLayout CacheView::layout_on_screen() const { return layout_in(canvas_->rect()); }

void CacheView::step_access(int by) {
  if (!usable()) return;
  set_playing(false);
  const auto count = static_cast<std::ptrdiff_t>(simulation_->first_accesses.size());
  const auto now = static_cast<std::ptrdiff_t>(std::min(shown_, simulation_->first_accesses.size()));
  shown_ = static_cast<size_t>(std::clamp<std::ptrdiff_t>(now + by, 0, count));
  canvas_->update();
}

void CacheView::set_playing(bool playing) {
  if (playing && usable() && !simulation_->first_accesses.empty()) {
    if (shown_ >= simulation_->first_accesses.size()) shown_ = 0;
    player_.start();
  } else {
    player_.stop();
  }
  play_->setText(player_.isActive() ? tr("Pause") : tr("Play"));
}

bool CacheView::on_key(int key) {
  const size_t levels = controls_->config().levels.size();
  switch (key) {
    case Qt::Key_Left: step_access(-1); return true;
    case Qt::Key_Right: step_access(1); return true;
    case Qt::Key_Home: step_access(-static_cast<int>(kFirstAccesses)); return true;
    case Qt::Key_End: step_access(static_cast<int>(kFirstAccesses)); return true;
    case Qt::Key_Up:
      if (levels > 0) choose_level((level_ + levels - 1) % levels);
      return true;
    case Qt::Key_Down:
      if (levels > 0) choose_level((level_ + 1) % levels);
      return true;
    case Qt::Key_Space: set_playing(!player_.isActive()); return true;
    default: return false;
  }
}

void CacheView::draw_canvas(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.setFont(data_font());
  if (!document().loaded()) {
    draw_message(p, rect, theme, tr("No capture on the table"),
                 tr("Run a workload or open a .tide file: then this simulates what a hierarchy of caches "
                    "does with the accesses of an op."));
    return;
  }
  if (!usable()) {
    if (!document().capture().run().source.empty()) {
      draw_message(p, rect, theme, tr("Accesses are not in the trace"),
                   tr("An imported trace does not hold the accesses of its kernels, so caches cannot be "
                      "simulated. Run a similar workload here on a CPU to see them."));
    } else if (!refusal_.isEmpty()) {
      draw_message(p, rect, theme, tr("Its accesses are unknown"),
                   refusal_ + (refusal_.endsWith(QLatin1Char('.')) ? QString() : QStringLiteral(".")) +
                       tr(" What helps: record the run again with this version on a CPU, or choose another op."));
    } else if (cancelled_) {
      draw_message(p, rect, theme, tr("Cancelled"), tr("Choose an op, or move a slider, to simulate again."));
    } else {
      draw_message(p, rect, theme, tr("Simulating %1").arg(title_),
                   worker_.stage().isEmpty() ? tr("The first figures come in less than a second.")
                                             : worker_.stage() + QStringLiteral("."));
    }
    return;
  }
  p.fillRect(rect, theme.surface);
  paint_cache(p, *simulation_, figure_, layout_in(rect), {level_, document().selection().state().tensor}, theme);
}

void CacheView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) {
  p.setFont(data_font());
  if (!usable()) {
    draw_canvas(p, rect, theme);
    return;
  }
  const SidePanes::Parts panes = panes_->split(rect);
  draw_canvas(p, panes.picture, theme);
  p.fillRect(panes.heading, theme.background);
  draw_bold(p, panes.heading.adjusted(kGrid, 0, -kGrid, 0), Qt::AlignLeft | Qt::AlignVCenter, list_title(), theme.text);
  tensors_->draw(p, panes.list, theme);
}

profiler::Table CacheView::data() const {
  if (!document().loaded()) return {};
  if (usable()) return cache_view_table(*simulation_, figure_);
  // The levels with nothing known of them yet.
  profiler::OpSimulation none;
  none.config = controls_->config();
  CacheFigure unknown;
  for (const auto& level : none.config.levels) {
    unknown.levels.push_back({.name = QString::fromStdString(level.name),
                              .text = {},
                              .accesses = CacheLevelFigure::kUnknown,
                              .misses = CacheLevelFigure::kUnknown,
                              .fetched_bytes = CacheLevelFigure::kUnknown});
  }
  unknown.tensors.resize(unknown.levels.size());
  return cache_view_table(none, unknown);
}

QString CacheView::nothing() const {
  return document().loaded() && !document().capture().run().source.empty()
             ? tr("An imported trace does not hold the accesses of its kernels.")
             : QString();
}

}  // namespace views
