// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the sweep view and what a click does: a point chosen in chart, heat map or table; a double click opens
// its capture.
#include "views/sweep/sweep_view.h"

#include <QComboBox>
#include <QPushButton>
#include <QStandardItemModel>
#include <algorithm>
#include <cmath>
#include <set>

#include "profiler/base/words.h"
#include "profiler/machine/roofs_trust.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/flow_layout.h"

namespace views {
namespace {

using profiler::Quantity;
using profiler::Sweep;
using profiler::SweepPoint;

constexpr int kToolbarHeight = 40, kLegendHeight = 24, kFewestLines = 3;
constexpr double kWordsRoom = 0.25;  // of the view

struct Panes {
  QRectF words, legend, picture, table;
};
constexpr double kLeastPicture = 140, kLeastTable = 80;

Panes split_panes(const QRectF& area, double words_height, const PaneDivider& divider) {
  Panes panes;
  const double table =
      divider.table_height(area.height(), std::clamp(area.height() * 0.34, 150.0, 360.0),
                           std::min(area.height() / 2, words_height + kLegendHeight + kLeastPicture), kLeastTable);
  panes.words = QRectF(area.left(), area.top(), area.width(), words_height);
  panes.legend = QRectF(area.left(), panes.words.bottom(), area.width(), kLegendHeight);
  panes.table = QRectF(area.left(), area.bottom() - table, area.width(), table);
  panes.picture = QRectF(area.left(), panes.legend.bottom(), area.width(), panes.table.top() - panes.legend.bottom());
  return panes;
}

/// What was varied, of all series, ascending.
std::vector<double> tick_values(const std::vector<profiler::SweepSeries>& all) {
  std::set<double> values;
  for (const profiler::SweepSeries& series : all) values.insert(series.x.begin(), series.x.end());
  return {values.begin(), values.end()};
}

QString published_tip(const profiler::ReferenceCell& c) {
  const std::string& note = c.why.empty() ? c.note : c.why;
  return Tip{QString::fromStdString(c.network + ", " + c.tool),
             quantity(c.seconds * 1e9, Quantity::duration_ns),
             QString::fromStdString(profiler::column_of(c).title()),
             SweepView::tr("Table 7 of Shi et al. 2016, arXiv 1608.07249 v7: training, minibatch %1").arg(c.minibatch),
             profiler::Origin::specified,
             QString::fromStdString(note)}
      .html();
}

QStringList default_columns(const Sweep& sweep) {
  QStringList keys;
  for (const auto& axis : sweep.request.axes) keys << QString::fromStdString(axis.name);
  const bool all_measured = std::ranges::all_of(
      sweep.points, [](const SweepPoint& p) { return p.outcome == profiler::PointOutcome::measured; });
  if (!all_measured || !noisy_words(sweep).isEmpty()) keys << QStringLiteral("outcome");
  keys << QStringLiteral("step_ns") << QStringLiteral("noise_ratio");
  // What has no figure at any point is no column of this sweep.
  if (has_metric(sweep, SweepMetric::per_sample)) keys << QStringLiteral("sample_ns");
  else keys << QStringLiteral("compulsory_bytes_per_s");
  const auto chains = [](const SweepPoint& p) { return profiler::figures_of(p).in_a_row > 0; };
  if (std::ranges::any_of(sweep.points, chains))
    keys << QStringLiteral("each_ns") << QStringLiteral("operations_per_s");
  if (profiler::ops_vary(sweep)) keys << QStringLiteral("ops_count");
  if (has_metric(sweep, SweepMetric::of_peak)) keys << QStringLiteral("roof_ratio");
  return keys << QStringLiteral("predicted_step_ns") << QStringLiteral("limit");
}

}  // namespace

SweepView::SweepView(Document& document, QWidget* parent)
    : View(document, parent),
      toolbar_(new QWidget(this)),
      metrics_(new QComboBox),
      shape_(new Switch(tr("Picture"), {tr("Curves"), tr("Heat map"), tr("Points"), tr("Roofline"), tr("Losses")})),
      open_(new QPushButton(tr("Open this point's capture"))),
      words_(new FoldedText(tr("Results of the sweep"), this)),
      legend_(new Canvas(this)),
      heat_(new Canvas(this)),
      message_(new Canvas(this)),
      chart_(new Chart(this)),
      table_(new TableView(this)),
      divider_(new PaneDivider(QStringLiteral("sweep_table"), this)) {
  setWindowTitle(tr("Sweep"));
  setAccessibleName(tr("Sweep: figures over the settings that were varied"));
  setFocusProxy(table_);  // arrows work as soon as the view is in front
  auto* row = new FlowLayout(toolbar_);
  watch_bar(toolbar_, kToolbarHeight, [this] { place_panes(); });
  row->setContentsMargins(2 * kGrid, 4, 2 * kGrid, 4);
  row->setSpacing(kGrid);
  for (int i = 0; i < kSweepMetrics; ++i) {
    const SweepMetricInfo& info = sweep_metric(static_cast<SweepMetric>(i));
    metrics_->addItem(QStringLiteral("%1 (%2)").arg(info.name, origin_text(info.origin)));
    metrics_->setItemData(i, info.help, Qt::ToolTipRole);
  }
  metrics_->setAccessibleName(tr("What is shown"));
  row->add(new QLabel(tr("Show")));
  row->add(metrics_);
  row->add(shape_);
  row->add_stretch();
  row->add(open_);
  for (Canvas* canvas : {legend_, message_}) canvas->setFocusPolicy(Qt::NoFocus);
  legend_->paint = [this](QPainter& p, const QRectF& r) { paint_legend(p, r, *theme_); };
  heat_->paint = [this](QPainter& p, const QRectF& r) {
    shape() == Shape::points ? paint_rows(p, r, *theme_) : paint_heat(p, r, *theme_);
  };
  message_->paint = [this](QPainter& p, const QRectF& r) { paint_message(p, r, *theme_); };
  chart_->use_log_axes();
  chart_->setAccessibleName(tr("Curves of the sweep"));
  chart_->marks = [this](QPainter& p, const QRectF& r, const Theme& theme) { paint_marks(p, r, theme); };
  chart_->tip = [this](QPointF at) {
    if (shape() == Shape::losses) return loss_tip(at);
    const auto dot = dot_at(at);
    if (dot || shape() != Shape::curves) return dot ? point_tip(*dot) : QString();
    const SweepLayout layout = layout_on_screen();
    const PublishedPoint* published = layout.published_at(at);
    return published != nullptr ? published_tip(*published->cell) : QString();
  };
  heat_->setAccessibleName(tr("Points of the sweep as a picture"));
  heat_->tip = [this](QPointF at) { return picture_tip(at); };
  heat_->clickable = [this](QPointF at) { return point_at(at).has_value(); };
  table_->setAccessibleName(tr("Points of the sweep"));
  table_->small_counts = true;
  table_->spare_columns = {QStringLiteral("roof_ratio"), QStringLiteral("noise_ratio")};
  connect(words_, &FoldedText::toggled, this, &SweepView::place_panes);
  connect(divider_, &PaneDivider::moved, this, &SweepView::place_panes);
  connect(heat_, &Canvas::pressed, this, [this](QPointF at) {
    if (const auto point = point_at(at)) select(*point);
  });
  connect(metrics_, &QComboBox::currentIndexChanged, this,
          [this](int index) { choose_metric(static_cast<SweepMetric>(index)); });
  connect(shape_, &Switch::chosen, this, [this] {
    fill_table();
    set_axes();
    place_panes();
    repaint_charts();
  });
  connect(open_, &QPushButton::clicked, this, [this] {
    if (selected_) this->document().request_point(*selected_);
  });
  connect(chart_, &Chart::clicked, this, [this](QPointF at) {
    if (const auto dot = dot_at(at)) select(*dot);
  });
  connect(chart_, &Chart::hovered, this, [this](QPointF at) {
    const auto next = dot_at(at);
    if (next == hover_) return;
    hover_ = next;
    chart_->setCursor(next ? Qt::PointingHandCursor : Qt::ArrowCursor);
    chart_->replot(QCustomPlot::rpQueuedReplot);
  });
  connect(chart_, &Chart::left, this, [this] {
    hover_.reset();
    chart_->replot(QCustomPlot::rpQueuedReplot);
  });
  // A row is a point, or, beside losses, all points of a curve.
  const auto point_of = [this](uint32_t row) {
    return shape() != Shape::losses ? size_t{row} : row < losses_.size() ? losses_[row].runs.front().point : SIZE_MAX;
  };
  connect(table_, &TableView::chosen, this, [this, point_of](uint32_t row) {
    if (const size_t point = point_of(row); point != SIZE_MAX) select(point);
  });
  connect(table_, &TableView::opened, this, [this, point_of](uint32_t row) {
    if (const size_t point = point_of(row); point != SIZE_MAX) this->document().request_point(point);
  });
  connect(&document, &Document::sweep_changed, this, &SweepView::on_sweep);
  connect(&Prediction::of(document), &Prediction::changed, this, &SweepView::on_prediction);
  set_theme(Theme::light());
  on_sweep();
}

void SweepView::set_theme(const Theme& theme) {
  theme_ = &theme;
  chart_->set_theme(theme);
  table_->set_theme(theme);
  for (Canvas* canvas : {legend_, heat_, message_}) canvas->update();
}

void SweepView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  place_panes();
}

SweepView::Shape SweepView::shape() const {
  const auto chosen = static_cast<Shape>(shape_->current());
  return chosen == Shape::curves && series_.empty() ? Shape::points : chosen;
}

/// Where no axis is numeric, all points are one way.
std::vector<profiler::SweepSeries> SweepView::path_series() const {
  if (!series_.empty() || !has_sweep()) return series_;
  profiler::SweepSeries all;
  for (size_t i = 0; i < document().sweep()->points.size(); ++i) all.points.push_back(i);
  return {all};
}

SweepMarksShown SweepView::marks_shown() const {
  return {selected_, hover_, sweep_metric(metric_).origin != profiler::Origin::measured};
}

std::optional<size_t> SweepView::dot_at(QPointF at) const {
  if (!has_sweep()) return {};
  if (shape() == Shape::roofline) {
    const Trajectories all = trajectories_on_screen();
    const Trajectory::Stop* stop = all.stop_at(at);
    return stop == nullptr ? std::nullopt : std::optional(stop->point);
  }
  if (shape() == Shape::losses) {
    const LossLayout all = losses_on_screen();
    const LossDot* dot = all.dot_at(at);
    return dot == nullptr ? std::nullopt : std::optional(dot->point);
  }
  const SweepLayout layout = layout_on_screen();
  const SweepDot* dot = layout.dot_at(at);
  return dot == nullptr ? std::nullopt : std::optional(dot->point);
}

std::optional<size_t> SweepView::point_at(QPointF at) const {
  if (!has_sweep()) return {};
  if (shape() == Shape::points) {
    const PointsPlot plot = points_on_screen();
    const PointRow* row = plot.row_at(at);
    return row == nullptr ? std::nullopt : std::optional(row->point);
  }
  for (const HeatCell& cell : layout_heat_map(*document().sweep(), metric_, picture_rect(), data_font()).cells) {
    if (cell.rect.contains(at)) return cell.point;
  }
  return {};
}

QString SweepView::picture_tip(QPointF at) const {
  if (has_sweep() && shape() == Shape::points) {
    const PointsPlot plot = points_on_screen();
    if (const PublishedMark* mark = plot.mark_at(at)) {
      return published_tip(*mark->cell);
    }
  }
  const auto point = point_at(at);
  return point ? point_tip(*point) : QString();
}

/// What its pictures need; with less the window scrolls it.
QSize SweepView::minimumSizeHint() const {
  const int line = QFontMetrics(data_font()).height();
  return has_sweep() ? QSize(34 * line, toolbar_->height() + 27 * line) : QSize();
}

void SweepView::place_panes() {
  updateGeometry();
  const int bar = bar_height(*toolbar_, width(), kToolbarHeight);
  toolbar_->setGeometry(0, 0, width(), bar);
  const QRectF area(0, bar, width(), std::max(0, height() - bar));
  // The picture keeps most of the room; the words that are unfolded scroll.
  const Panes panes =
      split_panes(area, words_->height_within(width(), area.height() * kWordsRoom, kFewestLines), *divider_);
  divider_->place(area, panes.table.height());
  words_->setGeometry(panes.words.toRect());
  legend_->setGeometry(panes.legend.toRect());
  chart_->setGeometry(panes.picture.toRect());
  heat_->setGeometry(panes.picture.toRect());
  table_->setGeometry(panes.table.toRect());
  message_->setGeometry(rect());
  const bool show = has_sweep(), heat = shape() == Shape::heat_map || shape() == Shape::points;
  message_->setVisible(!show);
  for (QWidget* widget : std::initializer_list<QWidget*>{toolbar_, words_, legend_, table_, divider_})
    widget->setVisible(show);
  chart_->setVisible(show && !heat);
  heat_->setVisible(show && heat);
}

void SweepView::on_sweep() {
  hover_.reset();
  series_.clear();
  const Sweep* sweep = document().sweep();
  if (sweep == nullptr || (selected_ && *selected_ >= sweep->points.size())) selected_.reset();
  losses_.clear();
  if (sweep != nullptr) series_ = profiler::sweep_series(*sweep), losses_ = profiler::loss_curves(*sweep);
  const bool two_axes =
      sweep != nullptr && !layout_heat_map(*sweep, metric_, QRectF(0, 0, 400, 300), data_font()).cells.empty();
  shape_->button(0)->setVisible(!series_.empty());
  shape_->button(1)->setVisible(two_axes);
  shape_->button(4)->setVisible(!losses_.empty());
  const bool unfit = (!two_axes && shape_->current() == 1) || (series_.empty() && shape_->current() == 0) ||
                     (losses_.empty() && shape_->current() == 4);
  const bool seeds = sweep != nullptr && std::ranges::find(sweep->request.axes, profiler::kSeedAxis,
                                                           &profiler::SweepAxis::name) != sweep->request.axes.end();
  if (sweep != nullptr && unfit) shape_->set_current(!series_.empty() ? 0 : seeds && !losses_.empty() ? 4 : 2);
  words_->set_text(sweep != nullptr ? QString::fromStdString(profiler::sweep_headline(*sweep)) : QString(), details());
  fill_table();
  enable_metrics();
  // Steps of longer and longer arrays are compared by their bandwidth, unless somebody chose otherwise.
  const QString shown = sweep == nullptr ? QString() : QString::fromStdString(sweep->created_at + sweep->title);
  const bool sizes = !series_.empty() && series_.front().unit == profiler::WorkUnit::byte;
  if (sweep != nullptr && shown != shown_ && sizes && has_metric(*sweep, SweepMetric::bandwidth))
    metric_ = SweepMetric::bandwidth, shown_ = shown;
  choose_metric(sweep == nullptr || has_metric(*sweep, metric_) ? metric_ : SweepMetric::step);
  place_panes();
}

/// Metrics that this sweep has no figure of cannot be chosen.
void SweepView::enable_metrics() {
  auto* items = qobject_cast<QStandardItemModel*>(metrics_->model());
  if (items == nullptr || !has_sweep()) return;
  for (int i = 0; i < kSweepMetrics; ++i)
    items->item(i)->setEnabled(has_metric(*document().sweep(), static_cast<SweepMetric>(i)));
}

void SweepView::choose_metric(SweepMetric metric) {
  metric_ = metric;
  const QSignalBlocker quiet(metrics_);
  metrics_->setCurrentIndex(static_cast<int>(metric));
  metrics_->setToolTip(sweep_metric(metric).help);
  set_axes();
  repaint_charts();
}

void SweepView::set_axes() {
  if (!has_sweep()) return;
  metrics_->setEnabled(shape() != Shape::roofline && shape() != Shape::losses);
  if (shape() == Shape::losses) {
    chart_->set_titles(tr("Steps of training"), tr("Loss (measured)"));
    chart_->set_x_ticks(loss_steps(losses_));
    chart_->set_home(loss_range(losses_));
  } else if (shape() == Shape::roofline) {
    chart_->set_titles(tr("Arithmetic intensity [FLOP per byte through DRAM, modelled]"),
                       tr("Performance [GFLOP/s, measured]"));
    chart_->set_x_ticks({});
    chart_->set_home(trajectory_range(*document().sweep(), path_series()));
  } else if (!series_.empty()) {
    chart_->set_titles(QString::fromStdString(document().sweep()->request.axes[series_.front().axis].name),
                       sweep_metric(metric_).axis);
    std::vector<double> ticks = tick_values(series_);
    for (const profiler::PublishedCurve& curve : curves_beside(*document().sweep(), series_, metric_))
      for (const profiler::ReferenceCell* cell : curve.cells) ticks.push_back(cell->threads);
    std::ranges::sort(ticks);
    ticks.erase(std::unique(ticks.begin(), ticks.end()), ticks.end());
    chart_->set_x_ticks(ticks);
    ChartRange home = sweep_range(*document().sweep(), series_, metric_);
    if (metric_ == SweepMetric::step)
      home = with_prediction(home, Prediction::of(document()).said(), *document().sweep(), series_, metric_);
    chart_->set_home(home);
  }
}

void SweepView::repaint_charts() {
  open_->setEnabled(selected_ && has_sweep() && !document().sweep()->points[*selected_].capture.empty());
  chart_->replot(QCustomPlot::rpQueuedReplot);
  heat_->update();
  legend_->update();
}

void SweepView::fill_table() {
  const Sweep* sweep = document().sweep();
  if (sweep == nullptr) return table_->set_table({}, QStringLiteral("sweep"), {});
  if (shape() == Shape::losses) {
    profiler::Table table = profiler::sweep_final_losses_table(*sweep);
    QStringList keys;
    for (const profiler::Column& column : table.columns) keys << QString::fromStdString(column.key);
    table_->set_table(std::move(table), QStringLiteral("final_losses"), keys);
  } else {
    table_->set_table(marked_points(*sweep), QStringLiteral("sweep"), default_columns(*sweep));
  }
  if (selected_) mark_row(*selected_);
}

/// The row of a point, or of the curve that it is of.
void SweepView::mark_row(size_t point) {
  size_t row = point;
  if (shape() == Shape::losses) {
    const auto found = std::ranges::find_if(losses_, [&](const profiler::LossCurve& curve) {
      return std::ranges::find(curve.runs, point, &profiler::LossRun::point) != curve.runs.end();
    });
    if (found == losses_.end()) return;
    row = static_cast<size_t>(found - losses_.begin());
  }
  table_->set_selected(static_cast<uint32_t>(row));
}

void SweepView::select(size_t point) {
  selected_ = point;
  mark_row(point);
  repaint_charts();
}

SweepLayout SweepView::layout_on_screen() const {
  if (!has_sweep()) return {};
  return layout_sweep(*document().sweep(), series_, metric_, chart_->range(), QRectF(chart_->axisRect()->rect()),
                      data_font());
}

Trajectories SweepView::trajectories_on_screen() const {
  if (!has_sweep()) return {};
  return layout_trajectories(*document().sweep(), path_series(), chart_->range(), QRectF(chart_->axisRect()->rect()));
}

PointsPlot SweepView::points_on_screen() const {
  return has_sweep() ? layout_points(*document().sweep(), metric_, picture_rect(), data_font()) : PointsPlot{};
}

LossLayout SweepView::losses_on_screen() const {
  return layout_losses(losses_, chart_->range(), QRectF(chart_->axisRect()->rect()));
}

QString SweepView::loss_tip(QPointF at) const {
  const LossLayout layout = losses_on_screen();
  const LossDot* dot = layout.dot_at(at);
  if (dot == nullptr) return {};
  return Tip{QString::fromStdString(document().sweep()->label(dot->point)),
             tr("loss %1 after %L2 steps").arg(quantity(dot->loss, Quantity::count)).arg(dot->steps),
             tr("Computed by the run in its number format; the thick line is the median over seeds"),
             {},
             profiler::Origin::measured,
             {}}
      .html();
}

QString SweepView::details() const {
  if (!has_sweep()) return {};
  QStringList lines;
  std::vector<std::string> sentences = profiler::sweep_sentences(*document().sweep());
  for (std::string& sentence : profiler::reference_sentences(*document().sweep()))
    sentences.push_back(std::move(sentence));
  for (const std::string& sentence : sentences) {
    QString line = QString::fromStdString(sentence);
    const bool setting =
        line.section(QLatin1Char(' '), 0, 0).contains(QLatin1Char('='));  // "dtype=bf16: ..." is how it is typed
    if (!line.isEmpty() && !setting) line[0] = line[0].toUpper();
    lines << line;
  }
  if (!document().sweep()->complete) lines.prepend(tr("Unfinished: the same sweep goes on with these points."));
  return lines.join(QLatin1Char('\n'));
}

QString SweepView::point_tip(size_t index) const {
  const Sweep& sweep = *document().sweep();
  const SweepPoint& point = sweep.points[index];
  const SweepMetricInfo& info = sweep_metric(metric_);
  const SweepValue v = sweep_value(sweep, index, metric_);
  QString value = quantity(v.value, info.quantity);
  if (info.origin == profiler::Origin::measured && point.samples.size() > 1) {
    value += tr("\n%1 to %2 over %3 processes")
                 .arg(quantity(v.low, info.quantity), quantity(v.high, info.quantity))
                 .arg(point.samples.size());
  }
  if (const double said = predicted_value(sweep, index, metric_); std::isfinite(said))
    value += tr("\nroofline prediction %1 (modelled)").arg(quantity(said, info.quantity));
  if (!point.found.limit.empty()) value += tr("\nlimited by %1").arg(QString::fromStdString(point.found.limit));
  if (!point.message.empty()) value += QLatin1Char('\n') + QString::fromStdString(point.message);
  return Tip{QString::fromStdString(sweep.label(index)),
             value,
             info.help,
             {},
             info.origin,
             QString::fromStdString(profiler::doubt_sentence(point, sweep.request.least_samples))}
      .html();
}

void SweepView::paint_marks(QPainter& p, const QRectF& rect, const Theme& theme) const {
  if (!has_sweep()) return;
  if (shape() == Shape::roofline) {
    const Trajectories all = layout_trajectories(*document().sweep(), path_series(), chart_->range(), rect);
    p.setFont(scaled_font(data_font(), 0.92));
    paint_trajectories(p, all, rect, marks_shown(), theme);
    if (std::ranges::any_of(all.paths, [](const Trajectory& path) { return !path.stops.empty(); })) return;
    p.setFont(data_font());
    return draw_message(
        p, rect, theme, tr("No point has a place here"),
        tr("It needs FLOPs and bytes through DRAM: these steps compute nothing, or stay in the caches (modelled)."));
  }
  if (shape() == Shape::losses)
    return paint_losses(p, layout_losses(losses_, chart_->range(), rect), marks_shown(), theme);
  const SweepLayout layout = layout_sweep(*document().sweep(), series_, metric_, chart_->range(), rect, data_font());
  if (std::ranges::all_of(layout.curves, [](const SweepCurve& curve) { return curve.dots.empty(); })) {
    p.setFont(data_font());
    return draw_message(p, rect, theme, tr("No point has this figure"), sweep_metric(metric_).help);
  }
  paint_sweep(p, layout, marks_shown(), theme);
  p.setFont(scaled_font(data_font(), 0.92));
  paint_prediction(p, prediction_on_screen(rect), rect, theme);
}

/// What was predicted is of the times of steps.
SweepPrediction SweepView::prediction_on_screen(const QRectF& rect) const {
  if (!has_sweep() || shape() != Shape::curves || metric_ != SweepMetric::step) return {};
  return layout_prediction(Prediction::of(document()).said(), *document().sweep(), series_, metric_, chart_->range(),
                           rect);
}

void SweepView::on_prediction() {
  const Prediction::Said& said = Prediction::of(document()).said();
  if (has_sweep() && (!said.curve.empty() || said.mark) && !series_.empty()) {
    shape_->set_current(0);
    metric_ = SweepMetric::step;
  }
  if (has_sweep()) choose_metric(metric_);
}

void SweepView::paint_rows(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.fillRect(rect, theme.surface);
  p.setFont(data_font());
  if (has_sweep()) paint_points(p, layout_points(*document().sweep(), metric_, rect, p.font()), marks_shown(), theme);
}

void SweepView::paint_heat(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.fillRect(rect, theme.surface);
  p.setFont(data_font());
  if (!has_sweep()) return;
  const HeatMap map = layout_heat_map(*document().sweep(), metric_, rect, p.font());
  if (map.cells.empty()) {
    draw_message(p, rect, theme, tr("One axis"),
                 tr("A heat map needs two axes. Points and the table below show every point."));
    return;
  }
  paint_heat_map(p, map, sweep_metric(metric_).quantity, selected_, theme);
}

std::vector<SweepView::LegendEntry> SweepView::legend(const Theme& theme) const {
  std::vector<LegendEntry> all;
  if (!has_sweep()) return all;
  using Sign = LegendEntry::Sign;
  const SweepMetricInfo& info = sweep_metric(metric_);
  const bool measured = info.origin == profiler::Origin::measured;
  const QString hollow = noisy_words(*document().sweep()),
                roofs = tr("roofline prediction before the run (modelled, a bound)");
  const QColor first = shape() == Shape::points     ? theme.measure
                       : shape() == Shape::heat_map ? theme.text
                                                    : series_colour(theme, 0);
  const auto add_noisy = [&] {
    if (!hollow.isEmpty() && measured) all.push_back({Sign::hollow, first, hollow});
  };
  if (shape() == Shape::heat_map) {
    add_noisy();
    return all;
  }
  if (shape() == Shape::losses) {
    for (size_t i = 0; i < losses_.size(); ++i)
      all.push_back({Sign::line, series_colour(theme, i),
                     losses_[i].label.empty() ? tr("loss") : QString::fromStdString(losses_[i].label)});
    all.push_back({Sign::none, theme.text, tr("thin: each seed, thick: their median")});
    return all;
  }
  if (shape() == Shape::points) {
    all.push_back({Sign::line, theme.measure, origin_text(info.origin)});
    add_noisy();
    if (measured) all.push_back({Sign::dashes, theme.measure, roofs});
    if (points_on_screen().published)
      all.push_back({Sign::none, theme.measure, tr("published (specified): ○ CPUs, □ GPUs, × left out")});
    return all;
  }
  for (size_t i = 0; i < series_.size(); ++i)
    all.push_back({Sign::line, series_colour(theme, i),
                   series_[i].label.empty() ? origin_text(info.origin) : QString::fromStdString(series_[i].label)});
  if (shape() == Shape::roofline) {
    if (series_.empty()) all.push_back({Sign::line, series_colour(theme, 0), tr("from point to point")});
    all.push_back({Sign::line, theme.text_secondary,
                   tr("roofs of this machine (%1); each way starts at the hollow dot")
                       .arg(QString::fromStdString(
                           profiler::roof_origin_words(profiler::Origin::measured, document().sweep()->machine)))});
    return all;
  }
  add_noisy();
  const Prediction::Said& said = Prediction::of(document()).said();
  if ((said.mark || !said.curve.empty()) && metric_ == SweepMetric::step)
    all.push_back({Sign::dashes, prediction_colour(theme), tr("your prediction")});
  if (measured) all.push_back({Sign::dashes, theme.text_secondary, roofs});
  if (const QString law = law_words(); !law.isEmpty()) all.push_back({Sign::dashes, theme.text_secondary, law});
  if (!curves_beside(*document().sweep(), series_, metric_).empty())
    all.push_back({Sign::none, theme.measure, tr("published (specified): ○ i7-3820, □ 2x E5-2630 v3, × left out")});
  return all;
}

/// "dotted: Amdahl's law, serial part 7 % (5 to 9 %)"; empty: no curve has it, or it is not drawn.
QString SweepView::law_words() const {
  if (metric_ != SweepMetric::step && metric_ != SweepMetric::speed_up) return {};
  QStringList parts;
  for (const profiler::SweepSeries& series : series_) {
    if (!series.amdahl) continue;
    const profiler::AmdahlFit& fit = *series.amdahl;
    QString part = quantity(fit.serial_ratio, Quantity::percent_of);
    if (!std::isnan(fit.serial_low))
      part += tr(" (%1 to %2)")
                  .arg(quantity(fit.serial_low, Quantity::percent_of), quantity(fit.serial_high, Quantity::percent_of));
    parts << part;
  }
  return parts.isEmpty() ? QString() : tr("dotted: Amdahl's law, serial part %1").arg(parts.join(QStringLiteral(", ")));
}

void SweepView::paint_legend(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.fillRect(rect, theme.surface);
  p.setFont(scaled_font(data_font(), 0.92));
  p.setRenderHint(QPainter::Antialiasing);
  double x = rect.left() + 2 * kGrid;
  for (const LegendEntry& entry : legend(theme)) {
    const double width = 28 + text_width(p.font(), entry.text), y = rect.center().y();
    if (x + width > rect.right()) return;
    p.setPen(QPen(entry.colour, entry.sign == LegendEntry::Sign::hollow ? 1.25 : 2,
                  entry.sign == LegendEntry::Sign::dashes ? Qt::DashLine : Qt::SolidLine));
    p.setBrush(theme.surface);
    if (entry.sign == LegendEntry::Sign::hollow) p.drawEllipse(QPointF(x + 16, y), 4.5, 4.5);
    else if (entry.sign != LegendEntry::Sign::none) p.drawLine(QPointF(x, y), QPointF(x + 22, y));
    draw_text(p, QRectF(x + 28, rect.top(), width - 28, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, entry.text,
              theme.text_secondary);
    x += width + 2 * kGrid;
  }
}

void SweepView::paint_message(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.setFont(data_font());
  draw_message(p, rect, theme, tr("No sweep on the table"),
               tr("Choose Run > Sweep to run this workload over batch sizes, dtypes or threads, or "
                  "open a sweep's "
                  ".tide file. Curves then show where the knee is and why."));
}

void SweepView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) {
  p.setFont(data_font());
  if (!has_sweep()) return paint_message(p, rect, theme);
  p.fillRect(rect, theme.surface);
  const QRectF text_area = rect.adjusted(2 * kGrid, 4, -2 * kGrid, 0);
  const QRectF needed = p.boundingRect(text_area, Qt::TextWordWrap, words_->shown());
  const Panes panes = split_panes(rect, std::min(needed.height() + kGrid, rect.height() / 3), *divider_);
  p.setPen(theme.text);
  p.drawText(text_area, Qt::TextWordWrap, words_->shown());
  paint_legend(p, panes.legend, theme);
  p.setFont(data_font());
  if (shape() == Shape::heat_map) {
    paint_heat(p, panes.picture, theme);
  } else if (shape() == Shape::points) {
    paint_rows(p, panes.picture, theme);
  } else {
    chart_->draw(p, panes.picture, theme);
  }
  table_->draw(p, panes.table, theme);
}

profiler::Table SweepView::data() const {
  if (!has_sweep()) return {};
  return shape() == Shape::losses ? profiler::sweep_losses_table(*document().sweep())
                                  : marked_points(*document().sweep());
}

QString SweepView::nothing() const {
  const bool foreign = document().loaded() && !document().capture().run().source.empty();
  return foreign && document().sweep() == nullptr
             ? tr("A trace of another tool cannot be run again over other settings.")
             : QString();
}

}  // namespace views
