// SPDX-License-Identifier: GPL-3.0-or-later
// From FLOP/B and GFLOP/s to pixels; everything stays inside the axes' rectangle without a clip.
#include "views/roofline/roofline_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "profiler/machine/roofs_trust.h"
#include "views/base/paint.h"
#include "views/roofline/roofline_labels.h"

namespace views {
namespace {

constexpr double kGiga = 1e9;
constexpr double kLargestRadius = 20, kLargestOfAll = 13, kSmallestRadius = 2.5;

using Scale = RooflineScale;

bool is_memory(const profiler::Roof& roof) { return !roof.level.empty(); }

double highest_peak(const profiler::Roofline& roofline) {
  double peak = 0;
  for (const auto& roof : roofline.roofs) {
    if (!is_memory(roof)) peak = std::max(peak, roof.value / kGiga);
  }
  return peak;
}

/// The peak of the dtype most FLOPs are computed in: the first compute roof.
double main_peak(const profiler::Roofline& roofline) {
  for (const auto& roof : roofline.roofs) {
    if (!is_memory(roof)) return roof.value / kGiga;
  }
  return 0;
}

double fastest_memory(const profiler::Roofline& roofline) {
  double fastest = 0;
  for (const auto& roof : roofline.roofs) {
    if (is_memory(roof)) fastest = std::max(fastest, roof.value / kGiga);
  }
  return fastest;
}

std::optional<RoofShape> memory_shape(const profiler::Roof& roof, double peak, const Scale& s) {
  const double bandwidth = roof.value / kGiga;  // GB/s: GFLOP/s at 1 FLOP/B
  if (!(bandwidth > 0)) return {};
  const double low = std::max(s.range.x_low, s.range.y_low / bandwidth);
  double high = std::min(s.range.x_high, s.range.y_high / bandwidth);
  if (peak > 0) high = std::min(high, peak / bandwidth);
  if (low >= high) return {};
  RoofShape shape;
  shape.from = s.at(low, low * bandwidth);
  shape.to = s.at(high, high * bandwidth);
  return shape;
}

std::optional<RoofShape> compute_shape(const profiler::Roof& roof, double fastest, const Scale& s) {
  const double peak = roof.value / kGiga;
  if (!(peak > s.range.y_low) || peak > s.range.y_high) return {};
  const double low = std::clamp(fastest > 0 ? peak / fastest : s.range.x_low, s.range.x_low, s.range.x_high);
  if (low >= s.range.x_high) return {};
  RoofShape shape;
  shape.from = s.at(low, peak);
  shape.to = s.at(s.range.x_high, peak);
  return shape;
}

void place_ridges(RooflineLayout& out, const profiler::Roofline& roofline, const std::string& level, double peak,
                  const Scale& s) {
  if (peak <= 0) return;
  for (const auto& roof : roofline.roofs) {
    if (!is_memory(roof) || !(roof.value > 0)) continue;
    RidgePoint ridge;
    ridge.intensity = peak * kGiga / roof.value;
    ridge.chosen = level.empty() || roof.level == level;
    if (ridge.intensity <= s.range.x_low || ridge.intensity >= s.range.x_high || peak >= s.range.y_high ||
        peak <= s.range.y_low)
      continue;
    ridge.at = s.at(ridge.intensity, peak);
    const QString level_name = QString::fromStdString(roof.level);
    ridge.text = QObject::tr("%1 ridge %2").arg(level_name, quantity(ridge.intensity, profiler::Quantity::intensity));
    ridge.short_text = QObject::tr("%1 ridge %2")
                           .arg(level_name, ridge.intensity < 999.5 ? QString::number(ridge.intensity, 'g', 3)
                                                                    : QString::number(ridge.intensity, 'f', 0));
    out.ridges.push_back(ridge);
  }
  std::stable_sort(out.ridges.begin(), out.ridges.end(),
                   [](const auto& a, const auto& b) { return a.chosen > b.chosen; });
}

/// Of every op the point whose roof allows the least, ascending; ops without known roofs: all their points.
std::vector<size_t> binding_points(const profiler::Roofline& roofline) {
  std::vector<size_t> out;
  for (size_t first = 0; first < roofline.points.size();) {
    size_t end = first, best = first;
    bool known = false;
    for (; end < roofline.points.size() && roofline.points[end].op == roofline.points[first].op; ++end) {
      const double attainable = roofline.points[end].attainable;
      if (!std::isfinite(attainable)) continue;
      if (!known || attainable < roofline.points[best].attainable) best = end;
      known = true;
    }
    if (known) out.push_back(best);
    for (size_t i = first; !known && i < end; ++i) out.push_back(i);
    first = end;
  }
  return out;
}

}  // namespace

double RooflineScale::x(double intensity) const {
  return rect.left() + rect.width() * std::log(intensity / range.x_low) / std::log(range.x_high / range.x_low);
}

double RooflineScale::y(double gflop_per_s) const {
  return rect.bottom() - rect.height() * std::log(gflop_per_s / range.y_low) / std::log(range.y_high / range.y_low);
}

std::vector<std::string> roofline_levels(const profiler::Roofline& roofline) {
  std::vector<std::string> levels;
  for (const auto& point : roofline.points) {
    if (std::ranges::find(levels, point.level) == levels.end()) levels.push_back(point.level);
  }
  return levels;
}

ChartRange roofline_range(const profiler::Roofline& roofline) {
  double x_low = std::numeric_limits<double>::max(), x_high = 0, y_low = x_low, y_high = 0;
  for (const auto& point : roofline.points) {
    if (!(point.flop_per_s > 0)) continue;
    y_low = std::min(y_low, point.flop_per_s / kGiga);
    y_high = std::max(y_high, point.flop_per_s / kGiga);
    if (!std::isfinite(point.intensity) || point.intensity <= 0) continue;
    x_low = std::min(x_low, point.intensity);
    x_high = std::max(x_high, point.intensity);
  }
  const double peak = highest_peak(roofline);
  for (const auto& roof : roofline.roofs) {
    if (!is_memory(roof) || !(roof.value > 0) || peak <= 0) continue;
    x_low = std::min(x_low, peak * kGiga / roof.value / 8);
    x_high = std::max(x_high, peak * kGiga / roof.value * 8);
  }
  y_high = std::max(y_high, peak);
  if (x_high <= 0) return {0.01, 1000, 0.1, 1000};
  if (y_high <= 0) y_low = y_high = 1;
  // The fastest percent decides nothing: dots of very short ops may lie decades below, so the floor stops at 1e-5 of
  // the top.
  y_low = std::max(y_low, y_high * 1e-5);
  x_low = std::max(x_low, x_high * 1e-7);
  // However far the dots reach, a memory roof is long enough to bear its name.
  if (const double fastest = fastest_memory(roofline); fastest > 0 && peak > 0 && x_low > 0)
    x_low = std::min(x_low, peak / fastest / std::pow(x_high / x_low, 0.25));
  return {x_low / 2, x_high * 2, y_low / 2, y_high * 8};  // labels of ridge points stand above the roofs
}

bool is_crowd(const profiler::Roofline& roofline) {
  return roofline.points.size() > kCrowd && roofline_levels(roofline).size() > 1;
}

RooflineLayout layout_roofline(const profiler::Roofline& roofline, const std::string& level, const ChartRange& range,
                               const QRectF& rect, const QFont& font) {
  RooflineLayout out;
  out.rect = rect;
  if (rect.width() < 2 || rect.height() < 2) return out;
  const Scale scale{range, rect};
  const double peak = highest_peak(roofline), fastest = fastest_memory(roofline);
  for (size_t i = 0; i < roofline.roofs.size(); ++i) {
    const auto& roof = roofline.roofs[i];
    auto shape = is_memory(roof) ? memory_shape(roof, peak, scale) : compute_shape(roof, fastest, scale);
    if (!shape) continue;
    shape->roof = i;
    shape->memory = is_memory(roof);
    shape->chosen = !is_memory(roof) || level.empty() || roof.level == level;
    shape->text = QString::fromStdString(roof.name);
    out.roofs.push_back(*shape);
  }
  place_ridges(out, roofline, level, main_peak(roofline), scale);

  const std::vector<std::string> levels = roofline_levels(roofline);
  const std::vector<size_t> binding = binding_points(roofline);
  out.crowded = level.empty() && is_crowd(roofline);
  const double largest_radius = level.empty() && levels.size() > 1 ? kLargestOfAll : kLargestRadius;
  double largest = 0;
  for (const auto& point : roofline.points) largest = std::max(largest, point.time_ns);
  for (size_t i = 0; i < roofline.points.size(); ++i) {
    const auto& point = roofline.points[i];
    if ((!level.empty() && point.level != level) || !(point.flop_per_s > 0) || !(point.time_ns > 0)) continue;
    RooflineDot dot;
    dot.op = point.op;
    dot.point = i;
    dot.radius = std::max(kSmallestRadius, largest_radius * std::sqrt(point.time_ns / largest));
    dot.level = static_cast<size_t>(std::ranges::find(levels, point.level) - levels.begin());
    dot.binds = !level.empty() || std::ranges::binary_search(binding, i);
    // Without roofs none binds: the farthest level, whose bytes cost most, stands for all.
    if (out.crowded && (!dot.binds || (!std::isfinite(point.attainable) && dot.level != 0))) continue;
    dot.above = dot.binds && point.attainable > 0 && profiler::above_roof(point.flop_per_s / point.attainable);
    dot.beyond = !std::isfinite(point.intensity);
    const double y = scale.y(point.flop_per_s / kGiga);
    if (dot.beyond) {
      dot.centre = QPointF(rect.right() - dot.radius - 2, y);
      ++out.beyond;
    } else {
      dot.centre = QPointF(scale.x(point.intensity), y);
    }
    if (rect.contains(dot.centre)) out.dots.push_back(dot);
  }
  std::stable_sort(out.dots.begin(), out.dots.end(), [](const auto& a, const auto& b) { return a.radius > b.radius; });
  place_roofline_labels(out, font);
  return out;
}

const RooflineDot* RooflineLayout::dot_at(QPointF point) const {
  const RooflineDot* best = nullptr;
  for (const RooflineDot& dot : dots) {
    const QPointF d = dot.centre - point;
    if (std::hypot(d.x(), d.y()) <= std::max(4.0, dot.radius)) best = &dot;  // later is smaller and on top
  }
  return best;
}

std::vector<LevelSpot> level_spots(const profiler::Roofline& roofline, profiler::OpId op, const ChartRange& range,
                                   const QRectF& rect) {
  const Scale scale{range, rect};
  const std::vector<std::string> levels = roofline_levels(roofline);
  std::vector<LevelSpot> spots;
  for (const auto& point : roofline.points) {
    if (point.op != op || !(point.flop_per_s > 0) || !std::isfinite(point.intensity) || point.intensity <= 0) continue;
    const QPointF at = scale.at(point.intensity, point.flop_per_s / kGiga);
    if (rect.contains(at))
      spots.push_back({at, point.level, static_cast<size_t>(std::ranges::find(levels, point.level) - levels.begin())});
  }
  std::sort(spots.begin(), spots.end(), [](const auto& a, const auto& b) { return a.at.x() < b.at.x(); });
  return spots;
}

}  // namespace views
