// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a sweep as pixels.
#include "views/sweep/sweep_layout.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLineF>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "profiler/sweep/losses.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace views {
namespace {

using profiler::Origin;
using profiler::Quantity;
using profiler::Sweep;
using profiler::SweepFigures;
using profiler::SweepPoint;
using profiler::SweepSeries;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kHit = 12;
constexpr double kMarkGap = 4;

QString tr(const char* text) { return QCoreApplication::translate("views", text); }

double per_sample(double value, const SweepFigures& f) { return value / f.samples; }

/// From figures and a time per step.
double derive(const SweepFigures& f, double step_ns, SweepMetric metric) {
  switch (metric) {
    case SweepMetric::step: return step_ns;
    case SweepMetric::per_sample: return per_sample(step_ns, f);
    case SweepMetric::throughput: return f.samples / step_ns * 1e9;
    case SweepMetric::bandwidth: return f.compulsory_bytes / step_ns * 1e9;
    case SweepMetric::step_bytes: return f.links.empty() ? kUnknown : f.links.front().modelled_bytes;
    case SweepMetric::flop_rate: return f.flops > 0 ? f.flops / step_ns * 1e9 : kUnknown;
    case SweepMetric::of_peak: return f.roof_ratio * f.step_ns / step_ns;
    case SweepMetric::weight_bytes: return per_sample(f.weight_compulsory_bytes, f);
    case SweepMetric::outer_bytes: return f.links.empty() ? kUnknown : per_sample(f.links.front().modelled_bytes, f);
    case SweepMetric::simulated_bytes: return f.links.empty() ? kUnknown : f.links.front().simulated_bytes;
    case SweepMetric::simulated_rate:
      return f.links.empty() ? kUnknown : f.links.front().simulated_bytes / step_ns * 1e9;
    case SweepMetric::memory: return f.memory_bytes;
    case SweepMetric::energy:
    case SweepMetric::speed_up:
    case SweepMetric::loss: return kUnknown;  // not of figures: sweep_value()
  }
  return kUnknown;
}

bool timed(SweepMetric metric) {
  return metric == SweepMetric::step || metric == SweepMetric::per_sample || metric == SweepMetric::throughput ||
         metric == SweepMetric::flop_rate || metric == SweepMetric::of_peak || metric == SweepMetric::bandwidth ||
         metric == SweepMetric::simulated_rate;
}

/// The loss after so many steps, over a point's processes.
SweepValue loss_value(const SweepPoint& point, int steps) {
  SweepValue found{profiler::loss_after(point, steps), kUnknown, kUnknown};
  for (const profiler::SweepSample& sample : point.samples) {
    for (const profiler::SweepLoss& loss : sample.losses) {
      if (loss.steps != steps) continue;
      found.low = std::fmin(found.low, loss.loss);
      found.high = std::fmax(found.high, loss.loss);
    }
  }
  return found;
}

/// Whether a curve crosses a rectangle.
bool crossed(const SweepLayout& layout, const QRectF& rect) {
  const QLineF edges[] = {{rect.topLeft(), rect.topRight()},
                          {rect.topRight(), rect.bottomRight()},
                          {rect.bottomRight(), rect.bottomLeft()},
                          {rect.bottomLeft(), rect.topLeft()}};
  for (const SweepCurve& curve : layout.curves) {
    for (size_t i = 0; i < curve.dots.size(); ++i) {
      if (rect.adjusted(-kMarkGap, -kMarkGap, kMarkGap, kMarkGap).contains(curve.dots[i].at)) return true;
      const QLineF part(curve.dots[i].at, curve.dots[i + 1 < curve.dots.size() ? i + 1 : i].at);
      if (std::ranges::any_of(edges,
                              [&](const QLineF& edge) { return part.intersects(edge) == QLineF::BoundedIntersection; }))
        return true;
    }
  }
  return false;
}

/// Gives marks a label row each, leftmost first: from the top, then from the foot, the first where it runs neither into
/// the label before nor into a curve; else the first that is free.
void place_labels(SweepLayout& layout, const QFont& font) {
  const QFontMetricsF metrics(font);
  std::ranges::sort(layout.marks, {}, &SweepMark::x);
  constexpr size_t kRows = 4;
  const double step = metrics.height() + 2;
  std::array<double, 2 * kRows> free_from;
  free_from.fill(layout.rect.left());
  for (SweepMark& mark : layout.marks) {
    const double width = metrics.horizontalAdvance(mark.text) + 2 * kMarkGap;
    const double left =
        std::clamp(mark.x + kMarkGap, layout.rect.left(), std::max(layout.rect.left(), layout.rect.right() - width));
    const auto at = [&](size_t row) {
      const double top = row < kRows ? layout.rect.top() + kMarkGap + static_cast<double>(row) * step
                                     : layout.rect.bottom() - static_cast<double>(row - kRows + 1) * step;
      return QRectF(left, top, width, metrics.height());
    };
    const auto open = [&](size_t row) { return left >= free_from[row] && left + width <= layout.rect.right(); };
    const bool tall = layout.rect.height() > 2 * kRows * step;  // rows of top and foot are apart
    const size_t rows = tall ? 2 * kRows : kRows;
    std::optional<size_t> chosen;
    for (size_t row = 0; row < rows && !chosen; ++row)
      if (open(row) && !crossed(layout, at(row))) chosen = row;
    for (size_t row = 0; row < kRows && !chosen; ++row)
      if (open(row)) chosen = row;
    if (!chosen) continue;
    mark.label = at(*chosen);
    free_from[*chosen] = left + width + 2 * kMarkGap;
  }
}

void add_marks(const Sweep& sweep, const SweepSeries& series, size_t index, bool many, const LogScale& scale,
               SweepLayout& out) {
  const auto add = [&](SweepMark::Kind kind, double x, const QString& text) {
    const double px = scale.x(x);
    if (px < out.rect.left() - 0.5 || px > out.rect.right() + 0.5) return;
    out.marks.push_back({kind,
                         index,
                         px,
                         many && !series.label.empty()
                             ? QStringLiteral("%1: %2").arg(QString::fromStdString(series.label), text)
                             : text,
                         {}});
  };
  if (series.knee) add(SweepMark::Kind::knee, series.knee->x, tr("knee at %1").arg(series.knee->x, 0, 'g', 3));
  if (series.predicted_knee)
    add(SweepMark::Kind::predicted_knee, series.predicted_knee->x,
        tr("roofline %1").arg(series.predicted_knee->x, 0, 'g', 3));
  for (const profiler::MachineMark& mark : series.machine_marks) {
    add(SweepMark::Kind::machine, mark.x,
        tr("%1 (%2)").arg(QString::fromStdString(mark.text), origin_text(mark.origin)));
  }
  for (const profiler::CacheCliff& cliff : series.cliffs) {
    add(SweepMark::Kind::cliff, cliff.x, tr("%1 overflows").arg(QString::fromStdString(cliff.inner)));
  }
  for (size_t i = 0; i < series.points.size(); ++i) {
    if (sweep.points[series.points[i]].outcome == profiler::PointOutcome::out_of_memory)
      add(SweepMark::Kind::lost, series.x[i], tr("does not fit"));
  }
}

/// Amdahl's fit as a line, from one thread to the most within the cores.
std::vector<QPointF> law_of(const Sweep& sweep, const SweepSeries& series, SweepMetric metric, const LogScale& scale) {
  if (!series.amdahl || (metric != SweepMetric::step && metric != SweepMetric::speed_up)) return {};
  const auto one = std::ranges::find(series.x, 1.0);
  if (one == series.x.end()) return {};
  const SweepPoint& first = sweep.points[series.points[static_cast<size_t>(one - series.x.begin())]];
  const double step_ns = profiler::sample_spread(first, sweep.request.least_samples).median;
  const int cores = sweep.machine.info.cores;
  const double last = cores > 0 ? std::min<double>(cores, series.x.back()) : series.x.back();
  std::vector<QPointF> line;
  constexpr int kParts = 32;
  for (int i = 0; i <= kParts; ++i) {
    const double threads = std::pow(last, static_cast<double>(i) / kParts), ratio = series.amdahl->time_ratio(threads);
    line.push_back(
        scale.at(threads, metric == SweepMetric::step ? step_ns * ratio / sweep_metric(metric).unit : 1 / ratio));
  }
  return line;
}

std::optional<SweepZone> zone_of(const Sweep& sweep, const std::vector<SweepSeries>& all, const LogScale& scale) {
  const int cores = sweep.machine.info.cores;
  if (all.empty() || cores < 1 || sweep.request.axes[all.front().axis].name != "threads") return {};
  if (!std::ranges::any_of(all, [&](const SweepSeries& s) { return s.x.back() > cores; })) return {};
  const double left = std::clamp(scale.x(cores), scale.rect.left(), scale.rect.right());
  return SweepZone{QRectF(QPointF(left, scale.rect.top()), scale.rect.bottomRight()), tr("hyper-threads")};
}

/// A published cell in the unit of the axis; NaN: it has no figure.
double published_value(const profiler::PublishedCurve& curve, size_t cell, SweepMetric metric) {
  if (metric == SweepMetric::speed_up) return curve.speed_up(cell);
  return curve.cells[cell]->has_time() ? curve.cells[cell]->seconds * 1e9 / sweep_metric(metric).unit : kUnknown;
}

void add_published(const std::vector<profiler::PublishedCurve>& beside, SweepMetric metric, const LogScale& scale,
                   SweepLayout& out) {
  std::vector<const profiler::PublishedPlatform*> platforms;
  for (const profiler::PublishedCurve& curve : beside) {
    if (std::ranges::find(platforms, curve.platform) == platforms.end()) platforms.push_back(curve.platform);
    PublishedTrace trace{static_cast<size_t>(std::ranges::find(platforms, curve.platform) - platforms.begin()), {}};
    bool open = false;
    for (size_t i = 0; i < curve.cells.size(); ++i) {
      const double value = published_value(curve, i, metric);
      if (!(value > 0)) {
        open = false;
        continue;
      }
      if (!open) trace.stretches.emplace_back();
      open = true;
      trace.stretches.back().push_back({scale.at(curve.cells[i]->threads, value), curve.cells[i]});
    }
    out.published.push_back(std::move(trace));
  }
}

}  // namespace

std::vector<profiler::PublishedCurve> curves_beside(const Sweep& sweep, const std::vector<SweepSeries>& all,
                                                    SweepMetric metric) {
  const bool shown = metric == SweepMetric::step || metric == SweepMetric::speed_up;
  if (!shown || all.size() != 1 || sweep.request.axes[all.front().axis].name != "threads") return {};
  std::string network;
  for (const size_t point : all.front().points) {
    if (profiler::reference_of(sweep, point).empty()) return {};
    network = profiler::reference_network(sweep, point);
  }
  return network.empty() ? std::vector<profiler::PublishedCurve>() : profiler::published_curves(network);
}

const PublishedPoint* SweepLayout::published_at(QPointF at) const {
  const PublishedPoint* nearest = nullptr;
  double best = 8;
  for (const PublishedTrace& trace : published) {
    for (const std::vector<PublishedPoint>& stretch : trace.stretches) {
      for (const PublishedPoint& point : stretch) {
        const double distance = std::hypot(point.at.x() - at.x(), point.at.y() - at.y());
        if (distance < best) best = distance, nearest = &point;
      }
    }
  }
  return nearest;
}

double LogScale::x(double value) const {
  return rect.left() + rect.width() * std::log(value / range.x_low) / std::log(range.x_high / range.x_low);
}
double LogScale::y(double value) const {
  return rect.bottom() - rect.height() * std::log(value / range.y_low) / std::log(range.y_high / range.y_low);
}

const SweepMetricInfo& sweep_metric(SweepMetric metric) {
  static const std::array<SweepMetricInfo, kSweepMetrics> all{{
      {tr("Step"), tr("Median over fresh processes of each one's median step"), Quantity::duration_ns, Origin::measured,
       tr("Median step [ms]"), 1e6},
      {tr("Per sample"), tr("Time per step / batch"), Quantity::duration_ns, Origin::measured,
       tr("Time per sample [ms]"), 1e6},
      {tr("Throughput"), tr("Batch / time per step"), Quantity::count, Origin::measured, tr("Samples per second"), 1},
      {tr("FLOP/s"), tr("FLOPs of a step (exact) / its time (measured)"), Quantity::flop_per_s, Origin::measured,
       tr("Performance [GFLOP/s]"), 1e9},
      {tr("Of peak"), tr("FLOP/s over this machine's measured arithmetic peak"), Quantity::percent_of, Origin::measured,
       tr("Of arithmetic peak [%]"), 0.01},
      {tr("Compulsory B/s"), tr("Compulsory bytes of a step (exact: each operand once per op) / its time (measured)"),
       Quantity::bytes_per_s, Origin::measured, tr("Compulsory [GB/s]"), 1e9},
      {tr("Weight bytes"),
       tr("Compulsory bytes of parameters per sample: one read serves the whole batch, so they fall as 1 / batch"),
       Quantity::bytes, Origin::exact, tr("Weight bytes per sample [MB]"), 1e6},
      {tr("DRAM bytes/sample"), tr("Bytes from and to memory per sample, by the traffic model"), Quantity::bytes,
       Origin::modelled, tr("DRAM bytes per sample [MB]"), 1e6},
      {tr("DRAM bytes"), tr("Bytes from and to memory per step, by the traffic model"), Quantity::bytes,
       Origin::modelled, tr("DRAM bytes per step [MB]"), 1e6},
      {tr("DRAM bytes, simulated"), tr("Bytes from and to memory per step, by the cache simulation"), Quantity::bytes,
       Origin::simulated, tr("Simulated DRAM bytes [MB]"), 1e6},
      {tr("DRAM bandwidth, simulated"), tr("Simulated bytes from and to memory / time of the step (measured)"),
       Quantity::bytes_per_s, Origin::simulated, tr("Simulated DRAM [GB/s]"), 1e9},
      {tr("Memory"), tr("Parameters, states, inputs, activations and scratch, as planned"), Quantity::bytes,
       Origin::exact, tr("Memory [MB]"), 1e6},
      {tr("Energy"),
       tr("Energy of the processor packages per sample (per step where there are none), other programs' part included; "
          "unknown where the machine has no counter"),
       Quantity::energy_j, Origin::measured, tr("Energy per sample [J]"), 1},
      {tr("Speed-up"), tr("Step with one thread / step, all else the same; unknown without an axis of threads"),
       Quantity::ratio, Origin::measured, tr("Speed-up over one thread"), 1},
      {tr("Loss"), tr("Loss of the training after the last count of steps that all points have; median over processes"),
       Quantity::count, Origin::measured, tr("Loss"), 1},
  }};
  return all[static_cast<size_t>(metric)];
}

SweepValue sweep_value(const Sweep& sweep, size_t index, SweepMetric metric) {
  return SweepValues(sweep, metric)(index);
}

SweepValues::SweepValues(const Sweep& sweep, SweepMetric metric)
    : sweep_(sweep),
      metric_(metric),
      loss_steps_(metric == SweepMetric::loss ? profiler::last_common_steps(sweep) : 0) {}

SweepValue SweepValues::operator()(size_t index) const {
  const Sweep& sweep = sweep_;
  const SweepMetric metric = metric_;
  const SweepPoint& point = sweep.points[index];
  const bool ran = !point.samples.empty();
  if (!ran) {
    const double value = timed(metric) ? kUnknown : derive(point.predicted, kUnknown, metric);
    return {value, value, value};
  }
  if (metric == SweepMetric::energy) {
    const double joules = profiler::step_energy_j(point, sweep.request.least_samples) /
                          (point.found.samples > 0 ? point.found.samples : 1);
    return {joules, joules, joules};
  }
  if (metric == SweepMetric::speed_up) {
    const double gain = profiler::speed_up(sweep, index);
    return {gain, gain, gain};
  }
  if (metric == SweepMetric::loss) return loss_value(point, loss_steps_);
  const profiler::Spread step = profiler::sample_spread(point, sweep.request.least_samples);
  const double value = derive(point.found, step.median, metric);
  const double a = derive(point.found, step.low, metric), b = derive(point.found, step.high, metric);
  return {value, std::min(a, b), std::max(a, b)};
}

double predicted_value(const Sweep& sweep, size_t index, SweepMetric metric) {
  if (!timed(metric)) return kUnknown;
  const SweepFigures& f = sweep.points[index].predicted;
  return derive(f, f.step_ns, metric);
}

const SweepDot* SweepLayout::dot_at(QPointF at) const {
  const SweepDot* nearest = nullptr;
  double best = kHit;
  for (const SweepCurve& curve : curves) {
    for (const SweepDot& dot : curve.dots) {
      const double distance = std::hypot(dot.at.x() - at.x(), dot.at.y() - at.y());
      if (distance >= best) continue;
      best = distance;
      nearest = &dot;
    }
  }
  return nearest;
}

profiler::Table marked_points(const Sweep& sweep) {
  profiler::Table table = profiler::sweep_table(sweep);
  const auto outcome =
      static_cast<size_t>(std::ranges::find(table.columns, "outcome", &profiler::Column::key) - table.columns.begin());
  for (size_t i = 0; i < sweep.points.size() && i < table.rows.size() && outcome < table.columns.size(); ++i) {
    const int least = sweep.request.least_samples;
    if (!profiler::is_disturbed(sweep.points[i], least)) continue;
    const bool noisy = profiler::is_noisy(sweep.points[i], least), queued = profiler::is_queued(sweep.points[i], least);
    if (auto* words = std::get_if<std::string>(&table.rows[i][outcome]))
      *words = !queued ? "noisy" : noisy ? "noisy, queued" : "queued";
  }
  return table;
}

bool has_metric(const Sweep& sweep, SweepMetric metric) {
  if (metric == SweepMetric::loss) return profiler::last_common_steps(sweep) > 0;
  const SweepValues values(sweep, metric);
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    if (std::isfinite(values(i).value)) return true;
  }
  return false;
}

bool shows_noise(const Sweep& sweep, size_t point, SweepMetric metric) {
  return sweep_metric(metric).origin == Origin::measured &&
         profiler::is_disturbed(sweep.points[point], sweep.request.least_samples);
}

QString noisy_words(const Sweep& sweep) {
  const profiler::SweepCounts counts = profiler::sweep_counts(sweep);
  if (counts.noisy == 0) return {};
  const std::string word = profiler::doubt_word(counts.noisy, counts.queued);
  return tr("hollow: %1, %2 of %3").arg(text(word)).arg(counts.noisy).arg(counts.measured);
}

ChartRange sweep_range(const Sweep& sweep, const std::vector<SweepSeries>& all, SweepMetric metric) {
  const double unit = sweep_metric(metric).unit;
  double x_low = INFINITY, x_high = 0, y_low = INFINITY, y_high = 0;
  const SweepValues values(sweep, metric);
  for (const SweepSeries& series : all) {
    for (size_t i = 0; i < series.points.size(); ++i) {
      const SweepValue v = values(series.points[i]);
      x_low = std::min(x_low, series.x[i]);
      x_high = std::max(x_high, series.x[i]);
      for (const double y : {v.value, v.low, v.high, predicted_value(sweep, series.points[i], metric)}) {
        if (!(y > 0) || !std::isfinite(y)) continue;
        y_low = std::min(y_low, y / unit);
        y_high = std::max(y_high, y / unit);
      }
    }
  }
  for (const profiler::PublishedCurve& curve : curves_beside(sweep, all, metric)) {
    for (size_t i = 0; i < curve.cells.size(); ++i) {
      const double y = published_value(curve, i, metric);
      if (!(y > 0)) continue;
      x_low = std::min<double>(x_low, curve.cells[i]->threads),
      x_high = std::max<double>(x_high, curve.cells[i]->threads);
      y_low = std::min(y_low, y), y_high = std::max(y_high, y);
    }
  }
  if (!(x_high > 0) || !(x_low > 0)) return {0.5, 2, 0.5, 2};
  if (!(y_high > 0)) y_low = 0.5, y_high = 2;
  // Some air, and room above for the labels of marks.
  return {x_low / 1.25, x_high * 1.25, y_low / 1.4, y_high * std::max(1.6, std::pow(y_high / y_low, 0.18))};
}

SweepLayout layout_sweep(const Sweep& sweep, const std::vector<SweepSeries>& all, SweepMetric metric,
                         const ChartRange& range, const QRectF& rect, const QFont& font) {
  const double unit = sweep_metric(metric).unit;
  const LogScale scale{range, rect};
  SweepLayout out;
  out.rect = rect;
  const SweepValues values(sweep, metric);
  for (size_t s = 0; s < all.size(); ++s) {
    SweepCurve curve;
    curve.series = s;
    for (size_t i = 0; i < all[s].points.size(); ++i) {
      const size_t point = all[s].points[i];
      const SweepValue v = values(point);
      const double predicted = predicted_value(sweep, point, metric);
      if (predicted > 0) curve.predicted.emplace_back(scale.x(all[s].x[i]), scale.y(predicted / unit));
      if (!(v.value > 0)) continue;
      curve.dots.push_back({point,
                            {scale.x(all[s].x[i]), scale.y(v.value / unit)},
                            scale.y(v.low / unit),
                            scale.y(v.high / unit),
                            shows_noise(sweep, point, metric)});
    }
    curve.law = law_of(sweep, all[s], metric, scale);
    add_marks(sweep, all[s], s, all.size() > 1, scale, out);
    out.curves.push_back(std::move(curve));
  }
  out.shared_cores = zone_of(sweep, all, scale);
  add_published(curves_beside(sweep, all, metric), metric, scale, out);
  place_labels(out, scaled_font(font, 0.92));
  return out;
}

HeatMap layout_heat_map(const Sweep& sweep, SweepMetric metric, const QRectF& rect, const QFont& font) {
  HeatMap map;
  std::vector<size_t> axes;
  for (size_t a = 0; a < sweep.request.axes.size(); ++a) {
    if (sweep.request.axes[a].values.size() > 1) axes.push_back(a);
  }
  if (axes.size() < 2) return map;
  const size_t down = axes[0], across = axes[1];
  const auto& rows = sweep.request.axes[down].values;
  const auto& columns = sweep.request.axes[across].values;
  const QFontMetricsF metrics(font);
  double label_width = 40;
  for (const std::string& row : rows)
    label_width = std::max(label_width, metrics.horizontalAdvance(displayed(QString::fromStdString(row))) + 2 * kGrid);
  const double line = metrics.height() + kGrid;
  const QRectF grid = rect.adjusted(label_width + kGrid, 2 * line, -kGrid, -kGrid);
  const double width = grid.width() / static_cast<double>(columns.size()),
               height = std::min(48.0, grid.height() / static_cast<double>(rows.size()));
  map.low = INFINITY;
  const SweepValues values(sweep, metric);
  for (size_t point = 0; point < sweep.points.size(); ++point) {
    const std::vector<size_t> at = sweep.position(point);
    bool first = true;
    for (size_t a = 0; a < at.size(); ++a) first = first && (a == down || a == across || at[a] == 0);
    if (!first) continue;
    const double value = values(point).value;
    map.cells.push_back({point,
                         QRectF(grid.left() + width * static_cast<double>(at[across]),
                                grid.top() + height * static_cast<double>(at[down]), width - 1, height - 1),
                         value, kUnknown, shows_noise(sweep, point, metric)});
    if (value > 0) map.low = std::min(map.low, value), map.high = std::max(map.high, value);
  }
  const double span = std::log(map.high / map.low);
  for (HeatCell& cell : map.cells)
    cell.shade = !(cell.value > 0) ? kUnknown : span > 0 ? std::log(cell.value / map.low) / span : 0.5;
  for (size_t i = 0; i < columns.size(); ++i) {
    map.columns << displayed(QString::fromStdString(columns[i]));
    map.column_labels.emplace_back(grid.left() + width * static_cast<double>(i), grid.top() - line, width - 1, line);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    map.rows << displayed(QString::fromStdString(rows[i]));
    map.row_labels.emplace_back(rect.left(), grid.top() + height * static_cast<double>(i), label_width, height - 1);
  }
  map.column_axis = QString::fromStdString(sweep.request.axes[across].name);
  map.row_axis = QString::fromStdString(sweep.request.axes[down].name);
  return map;
}

}  // namespace views
