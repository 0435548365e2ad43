// SPDX-License-Identifier: GPL-3.0-or-later
// Points as rows.
#include "views/sweep/points_layout.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace views {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kTallest = 36, kHit = 8;

QString tr(const char* text) { return QCoreApplication::translate("views", text); }

QString label_of(const profiler::Sweep& sweep, size_t point) {
  const std::string network = profiler::reference_network(sweep, point);
  std::vector<std::string> parts;
  const std::vector<size_t> at = sweep.position(point);
  for (size_t a = 0; a < at.size(); ++a) {
    const profiler::SweepAxis& axis = sweep.request.axes[a];
    if (axis.name == "workload" && !network.empty()) {
      parts.push_back(network);
    } else {
      parts.push_back(sweep.request.axes.size() == 1 ? axis.values[at[a]] : axis.name + " " + axis.values[at[a]]);
    }
  }
  QStringList words;
  for (const std::string& part : parts) words << displayed(QString::fromStdString(part));
  return words.join(QStringLiteral(", "));
}

QString note_of(const profiler::SweepPoint& point) {
  switch (point.outcome) {
    case profiler::PointOutcome::out_of_memory: return tr("does not fit into memory");
    case profiler::PointOutcome::failed: return tr("failed: %1").arg(QString::fromStdString(point.message));
    case profiler::PointOutcome::pending: return tr("not run yet");
    case profiler::PointOutcome::measured: return {};
  }
  return {};
}

struct AxisSpan {
  double low = INFINITY, high = 0;
  /// What no axis can show is left out: with a bound of 0 or infinity behind it, ticks would have no end.
  void take(double v) {
    constexpr double kLeast = 1e-250, kMost = 1e250;
    if (v >= kLeast && v <= kMost) low = std::min(low, v), high = std::max(high, v);
  }
};

bool shows_published(SweepMetric metric) { return metric == SweepMetric::step; }

AxisSpan span_of(const profiler::Sweep& sweep, SweepMetric metric) {
  AxisSpan span;
  const SweepValues values(sweep, metric);
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepValue v = values(i);
    for (const double value : {v.value, v.low, v.high, predicted_value(sweep, i, metric)}) span.take(value);
    if (!shows_published(metric)) continue;
    for (const profiler::ReferenceCell* cell : profiler::reference_of(sweep, i)) span.take(cell->seconds * 1e9);
  }
  if (!(span.high > 0)) return {1, 10};
  return {span.low / 1.25, span.high * 1.25};
}

void add_ticks(PointsPlot& out, const AxisSpan& span, SweepMetric metric, const QFont& font) {
  const SweepMetricInfo& info = sweep_metric(metric);
  double free_from = out.plot.left() - 40;
  for (double power = std::floor(std::log10(span.low)); power <= std::log10(span.high) + 1; ++power) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double value = digit * std::pow(10, power);
      if (value < span.low || value > span.high) continue;
      const double x = out.plot.left() + out.plot.width() * std::log(value / span.low) / std::log(span.high / span.low);
      const QString text = quantity(value, info.quantity);
      const double half = text_width(font, text) / 2 + 4;
      const bool room = digit == 1.0 && x - half > free_from && x + half < out.plot.right() + 40;
      out.ticks.push_back({x, room ? text : QString()});
      if (room) free_from = x + half;
    }
  }
}

}  // namespace

PointsPlot layout_points(const profiler::Sweep& sweep, SweepMetric metric, const QRectF& rect, const QFont& font) {
  PointsPlot out;
  const QFontMetricsF metrics(font);
  const double line = metrics.height() + 4;
  double labels = 60;
  for (size_t i = 0; i < sweep.points.size(); ++i)
    labels = std::max(labels, metrics.horizontalAdvance(label_of(sweep, i)) + 2 * kGrid);
  labels = std::min(labels, rect.width() * 0.35);
  const double axis = 2 * line;
  const double room = std::max(0.0, rect.height() - axis);
  const auto shown = std::min(sweep.points.size(), static_cast<size_t>(room / line));
  out.left_out = sweep.points.size() - shown;
  const double height = shown == 0 ? 0 : std::min(kTallest, room / static_cast<double>(shown));
  out.plot = QRectF(rect.left() + kGrid + labels, rect.top(), rect.width() - labels - 6 * kGrid,
                    height * static_cast<double>(shown));
  const AxisSpan span = span_of(sweep, metric);
  const auto x_of = [&](double value) {
    return value > 0 && std::isfinite(value)
               ? out.plot.left() + out.plot.width() * std::log(value / span.low) / std::log(span.high / span.low)
               : kUnknown;
  };
  const SweepValues values(sweep, metric);
  for (size_t i = 0; i < shown; ++i) {
    const double top = rect.top() + height * static_cast<double>(i);
    const SweepValue v = values(i);
    PointRow row{.point = i,
                 .lane = QRectF(rect.left(), top, rect.width(), height),
                 .label_rect = QRectF(rect.left() + kGrid, top, labels - kGrid, height),
                 .label = label_of(sweep, i),
                 .x = x_of(v.value),
                 .low_x = x_of(v.low),
                 .high_x = x_of(v.high),
                 .predicted_x = x_of(predicted_value(sweep, i, metric)),
                 .noisy = shows_noise(sweep, i, metric),
                 .note = std::isnan(v.value) ? note_of(sweep.points[i]) : QString(),
                 .published = {}};
    if (shows_published(metric)) {
      for (const profiler::ReferenceCell* cell : profiler::reference_of(sweep, i)) {
        // Processors in the upper half of the row, GPUs in the lower.
        if (cell->seconds > 0)
          row.published.push_back(
              {{x_of(cell->seconds * 1e9), top + height * (cell->threads > 0 ? 0.28 : 0.72)}, cell});
      }
      out.published = out.published || !row.published.empty();
    }
    out.rows.push_back(std::move(row));
  }
  add_ticks(out, span, metric, font);
  return out;
}

const PointRow* PointsPlot::row_at(QPointF at) const {
  const auto found = std::ranges::find_if(rows, [&](const PointRow& row) { return row.lane.contains(at); });
  return found == rows.end() ? nullptr : &*found;
}

const PublishedMark* PointsPlot::mark_at(QPointF at) const {
  const PointRow* row = row_at(at);
  if (row == nullptr || std::hypot(row->x - at.x(), row->lane.center().y() - at.y()) < kHit) return nullptr;
  const PublishedMark* nearest = nullptr;
  double best = kHit;
  for (const PublishedMark& mark : row->published) {
    const double distance = std::hypot(mark.at.x() - at.x(), mark.at.y() - at.y());
    if (distance < best) best = distance, nearest = &mark;
  }
  return nearest;
}

}  // namespace views
