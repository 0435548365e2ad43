// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of the sweep's curves and of its heat map, in pixels, for a visible range and a rectangle; pure.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/sweep/curve.h"
#include "profiler/sweep/published.h"
#include "views/widgets/chart.h"

namespace views {

/// What is drawn over the axis.
enum class SweepMetric {
  step,
  per_sample,
  throughput,
  flop_rate,
  of_peak,
  bandwidth,
  weight_bytes,
  outer_bytes,
  step_bytes,
  simulated_bytes,
  simulated_rate,
  memory,
  energy,
  speed_up,
  loss
};
inline constexpr int kSweepMetrics = 15;

struct SweepMetricInfo {
  QString name, help;  ///< "Time per sample"
  profiler::Quantity quantity = profiler::Quantity::count;
  profiler::Origin origin = profiler::Origin::measured;
  QString axis;     ///< title of the y axis with its unit
  double unit = 1;  ///< axis value = base value / unit
};
const SweepMetricInfo& sweep_metric(SweepMetric);

/// Axis values to pixels, both axes logarithmic.
struct LogScale {
  ChartRange range;
  QRectF rect;
  double x(double value) const;
  double y(double value) const;
  QPointF at(double x_value, double y_value) const { return {x(x_value), y(y_value)}; }
};

/// A figure with the interval around it (equal where there is none), in base units; NaN: unknown.
struct SweepValue {
  double value, low, high;
};
SweepValue sweep_value(const profiler::Sweep&, size_t point, SweepMetric);
/// The same of many points: what they have in common is looked up once.
class SweepValues {
 public:
  SweepValues(const profiler::Sweep&, SweepMetric);
  SweepValue operator()(size_t point) const;

 private:
  const profiler::Sweep& sweep_;
  SweepMetric metric_;
  int loss_steps_ = 0;
};
/// The same from the roofs, before the run. NaN where the metric is not predicted (or is exact anyway).
double predicted_value(const profiler::Sweep&, size_t point, SweepMetric);

struct SweepDot {
  size_t point = 0;
  QPointF at;
  double low_y = 0, high_y = 0;  ///< pixels of the interval's ends
  bool noisy = false;
};

/// Something that stands at one x over the whole height.
struct SweepMark {
  enum class Kind { knee, predicted_knee, cliff, lost, machine } kind = Kind::knee;
  size_t series = 0;
  double x = 0;  ///< pixel
  QString text;
  QRectF label;  ///< empty: no room
};

struct SweepCurve {
  size_t series = 0;
  std::vector<SweepDot> dots;      ///< measured, left to right
  std::vector<QPointF> predicted;  ///< modelled
  std::vector<QPointF> law;        ///< Amdahl's fit over the cores: of steps and speed-ups over threads
};

/// Thread counts beyond the cores: two threads share one (hyper-threads).
struct SweepZone {
  QRectF rect;
  QString text;
};

/// A published cell on the chart of a sweep over threads.
struct PublishedPoint {
  QPointF at;
  const profiler::ReferenceCell* cell = nullptr;
};
/// One tool on one processor of a published table; gaps end a stretch.
struct PublishedTrace {
  size_t platform = 0;  ///< index among the processors
  std::vector<std::vector<PublishedPoint>> stretches;
};

struct SweepLayout {
  QRectF rect;
  std::vector<SweepCurve> curves;
  std::vector<PublishedTrace> published;  ///< of a sweep of one of its networks over threads
  std::vector<SweepMark> marks;
  std::optional<SweepZone> shared_cores;
  /// The dot within 12 px; null: none.
  const SweepDot* dot_at(QPointF) const;
  /// The published cell within 8 px; null: none.
  const PublishedPoint* published_at(QPointF) const;
};

/// The published curves that belong beside a sweep: it varies threads alone, runs one network of the table, and the
/// metric is the step or the speed-up. Empty: none do.
std::vector<profiler::PublishedCurve> curves_beside(const profiler::Sweep&, const std::vector<profiler::SweepSeries>&,
                                                    SweepMetric);

/// Whether any point has a figure of this metric: one that a batch is needed for has none without.
bool has_metric(const profiler::Sweep&, SweepMetric);
/// The points of a sweep as the CLI's table has them, their outcome saying which are noisy or queued.
profiler::Table marked_points(const profiler::Sweep&);
/// Whether what this metric shows of a point is noisy or queued (profiler::is_disturbed): measured ones alone can be.
bool shows_noise(const profiler::Sweep&, size_t point, SweepMetric);
/// How many of the points that ran are noisy or queued: "hollow: noisy, 3 of 17"; empty: none.
QString noisy_words(const profiler::Sweep&);

/// A range that shows all measured and predicted values of the series.
ChartRange sweep_range(const profiler::Sweep&, const std::vector<profiler::SweepSeries>&, SweepMetric);
SweepLayout layout_sweep(const profiler::Sweep&, const std::vector<profiler::SweepSeries>&, SweepMetric,
                         const ChartRange&, const QRectF&, const QFont&);

/// One cell of the heat map: two axes, the others at their first value.
struct HeatCell {
  size_t point = 0;
  QRectF rect;
  double value = 0;  ///< NaN: unknown
  double shade = 0;  ///< 0..1 of the logarithmic range; NaN: unknown
  bool noisy = false;
};
struct HeatMap {
  std::vector<HeatCell> cells;
  std::vector<QRectF> column_labels, row_labels;
  QStringList columns, rows;
  QString column_axis, row_axis;
  double low = 0, high = 0;
};
/// Empty unless the sweep has two axes with more than one value.
HeatMap layout_heat_map(const profiler::Sweep&, SweepMetric, const QRectF&, const QFont&);

}  // namespace views
