// SPDX-License-Identifier: GPL-3.0-or-later
// From FLOP/B and GFLOP/s to pixels; everything stays inside the axes' rectangle without a clip.
#include "views/roofline/roofline_layout.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "views/base/paint.h"

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

/// Where a label lies in axes along and across the roofs of memory, which are all parallel.
struct LabelSpan {
  double first, last, across;
};

/// Writes along the line, above it: at the right end of an arithmetic roof, at the first free place of a memory roof from its left
/// end on. Not at all where there is none: the tooltip has it.
void place_roof_label(RoofShape& shape, bool memory, std::vector<LabelSpan>& taken, const QFont& font) {
  constexpr double kFirst = 18, kBetween = 14, kStep = 4, kEnd = 6;
  const double width = text_width(font, shape.text), height = QFontMetricsF(font).height();
  const QPointF along = shape.to - shape.from;
  const double length = std::hypot(along.x(), along.y());
  if (length < width + kFirst + kEnd) return;
  const QPointF unit = along / length, normal(unit.y(), -unit.x());  // up and left of the line
  double start = length - width - kEnd;
  if (memory) {
    const double origin = QPointF::dotProduct(shape.from, unit), across = QPointF::dotProduct(shape.from, normal);
    const auto free = [&](double at) {
      return std::ranges::none_of(taken, [&](const LabelSpan& t) {
        return std::abs(t.across - across) < height + 4 && origin + at < t.last + kBetween && origin + at + width > t.first - kBetween;
      });
    };
    const double last = start;
    for (start = kFirst; start <= last && !free(start);) start += kStep;
    if (start > last) return;
    taken.push_back({origin + start, origin + start + width, across});
  }
  shape.angle = std::atan2(along.y(), along.x()) * 180.0 / M_PI;
  shape.label = shape.from + unit * start + normal * 4.0;
  shape.labelled = true;
}

/// Labels of roofs that run close together stand one after the other instead of one over the other.
void place_roof_labels(RooflineLayout& out, const profiler::Roofline& roofline, const QFont& font) {
  std::vector<LabelSpan> taken;
  for (RoofShape& shape : out.roofs) place_roof_label(shape, is_memory(roofline.roofs[shape.roof]), taken, scaled_font(font, 1.0, shape.chosen));
}

void place_ridges(RooflineLayout& out, const profiler::Roofline& roofline, const std::string& level, double peak, const Scale& s,
                  const QFont& font) {
  if (peak <= 0) return;
  for (const auto& roof : roofline.roofs) {
    if (!is_memory(roof) || !(roof.value > 0)) continue;
    RidgePoint ridge;
    ridge.intensity = peak * kGiga / roof.value;
    ridge.chosen = level.empty() || roof.level == level;
    if (ridge.intensity <= s.range.x_low || ridge.intensity >= s.range.x_high || peak >= s.range.y_high || peak <= s.range.y_low) continue;
    ridge.at = s.at(ridge.intensity, peak);
    ridge.text = QString::fromStdString(roof.level) + QStringLiteral(" ridge ") + quantity(ridge.intensity, profiler::Quantity::intensity);
    out.ridges.push_back(ridge);
  }
  std::stable_sort(out.ridges.begin(), out.ridges.end(), [](const auto& a, const auto& b) { return a.chosen > b.chosen; });
  const double height = QFontMetricsF(font).height();
  std::vector<QRectF> taken;
  for (const RoofShape& shape : out.roofs) {
    if (!shape.labelled || is_memory(roofline.roofs[shape.roof])) continue;
    const double width = text_width(scaled_font(font, 1.1, true), shape.text);
    taken.emplace_back(shape.label.x(), shape.label.y() - height, width, height);
  }
  for (RidgePoint& ridge : out.ridges) {
    const double width = text_width(font, ridge.text);
    // A few rows above the roof, then give up: the tooltip has it.
    for (int row = 0; row < 4; ++row) {
      QRectF rect(ridge.at.x() - width / 2, ridge.at.y() - 8 - height * (row + 1), width, height);
      rect.moveLeft(std::clamp(rect.left(), out.rect.left() + 2, std::max(out.rect.left() + 2, out.rect.right() - width - 2)));
      const bool free = rect.top() > out.rect.top() && std::none_of(taken.begin(), taken.end(), [&](const QRectF& t) {
        return t.adjusted(-6, 0, 6, 0).intersects(rect);
      });
      if (!free) continue;
      ridge.label = rect;
      taken.push_back(rect);
      break;
    }
  }
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
  // The fastest percent decides nothing: dots of very short ops may lie decades below, so the floor stops at 1e-5 of the top.
  y_low = std::max(y_low, y_high * 1e-5);
  x_low = std::max(x_low, x_high * 1e-7);
  return {x_low / 2, x_high * 2, y_low / 2, y_high * 4};
}

RooflineLayout layout_roofline(const profiler::Roofline& roofline, const std::string& level, const ChartRange& range, const QRectF& rect,
                               const QFont& font) {
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
    shape->chosen = !is_memory(roof) || level.empty() || roof.level == level;
    shape->text = QString::fromStdString(roof.name);
    out.roofs.push_back(*shape);
  }
  place_roof_labels(out, roofline, font);
  place_ridges(out, roofline, level, main_peak(roofline), scale, scaled_font(font, 0.92));

  const std::vector<std::string> levels = roofline_levels(roofline);
  const std::vector<size_t> binding = binding_points(roofline);
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

std::vector<LevelSpot> level_spots(const profiler::Roofline& roofline, profiler::OpId op, const ChartRange& range, const QRectF& rect) {
  const Scale scale{range, rect};
  const std::vector<std::string> levels = roofline_levels(roofline);
  std::vector<LevelSpot> spots;
  for (const auto& point : roofline.points) {
    if (point.op != op || !(point.flop_per_s > 0) || !std::isfinite(point.intensity) || point.intensity <= 0) continue;
    const QPointF at = scale.at(point.intensity, point.flop_per_s / kGiga);
    if (rect.contains(at)) spots.push_back({at, point.level, static_cast<size_t>(std::ranges::find(levels, point.level) - levels.begin())});
  }
  std::sort(spots.begin(), spots.end(), [](const auto& a, const auto& b) { return a.at.x() < b.at.x(); });
  return spots;
}

}  // namespace views
