// SPDX-License-Identifier: GPL-3.0-or-later
// Two halves above, rows of bars below.
#include "views/beside/beside_layout.h"

#include <algorithm>
#include <cmath>

namespace views {
namespace {

using profiler::DeviceFigures;
using profiler::DeviceTrait;

constexpr double kGap = 8, kUnitGap = 2, kLargestLane = 12, kSmallestLane = 0.5;
constexpr double kMostUnits = 4096;

int count_of(const DeviceFigures& device, DeviceTrait trait) {
  const double value = device.of(trait).value;
  return value >= 1 && value <= kMostUnits ? static_cast<int>(value) : 0;
}

/// Sides of a unit in px: its lanes in a square, or one cell where their number is unknown.
QSizeF unit_size(int lanes, double lane) {
  const int columns = std::max(1, static_cast<int>(std::ceil(std::sqrt(std::max(1, lanes)))));
  const int rows = (std::max(1, lanes) + columns - 1) / columns;
  return {columns * lane, rows * lane};
}

bool fits(const QRectF& area, int units, int lanes, double lane) {
  const QSizeF size = unit_size(lanes, lane);
  const double columns = std::floor((area.width() + kUnitGap) / (size.width() + kUnitGap));
  if (columns < 1) return units == 0;
  return std::ceil(units / columns) * (size.height() + kUnitGap) - kUnitGap <= area.height();
}

void place_units(BesideLayout::Device& device, const QRectF& area, int units, double lane) {
  const QSizeF size = unit_size(device.lanes, lane);
  const int columns = std::max(1, static_cast<int>(std::floor((area.width() + kUnitGap) / (size.width() + kUnitGap))));
  for (int i = 0; i < units; ++i) {
    device.units.emplace_back(area.left() + (i % columns) * (size.width() + kUnitGap),
                              area.top() + std::floor(i / columns) * (size.height() + kUnitGap), size.width(),
                              size.height());
  }
}

}  // namespace

int BesideLayout::row_at(QPointF at) const {
  for (size_t i = 0; i < rows.size(); ++i) {
    const QRectF all = rows[i].label.united(rows[i].bars[1].value).united(rows[i].bars[0].value);
    if (all.contains(at)) return static_cast<int>(i);
  }
  return -1;
}

BesideLayout layout_beside(const QRectF& area, const DeviceFigures& left, const DeviceFigures& right, double line) {
  BesideLayout layout;
  const std::array<const DeviceFigures*, 2> both{&left, &right};
  const double row_height = 2 * line + kGap / 2;
  const double rows_height = profiler::kDeviceTraits * row_height;
  const double above = std::max(3 * line, area.height() - rows_height - kGap);
  const double half = (area.width() - kGap) / 2;
  std::array<QRectF, 2> grids;
  for (size_t d = 0; d < 2; ++d) {
    const double x = area.left() + static_cast<double>(d) * (half + kGap);
    layout.devices[d].title = QRectF(x, area.top(), half, line);
    grids[d] = QRectF(x, area.top() + line + kGap / 2, half, above - line - kGap);
    layout.devices[d].lanes = count_of(*both[d], DeviceTrait::lanes);
    if (layout.devices[d].lanes > 0)
      layout.devices[d].lane_columns = static_cast<int>(std::ceil(std::sqrt(layout.devices[d].lanes)));
  }
  const auto units = [&](size_t d) { return count_of(*both[d], DeviceTrait::units); };
  layout.lane = kLargestLane;
  const auto fit_all = [&] {
    return fits(grids[0], units(0), layout.devices[0].lanes, layout.lane) &&
           fits(grids[1], units(1), layout.devices[1].lanes, layout.lane);
  };
  while (layout.lane > kSmallestLane && !fit_all()) layout.lane -= 0.25;
  for (size_t d = 0; d < 2; ++d) place_units(layout.devices[d], grids[d], units(d), layout.lane);

  const double label = std::min(area.width() * 0.28, 14 * line), value = std::min(area.width() * 0.3, 16 * line);
  double y = area.top() + above + kGap;
  for (size_t i = 0; i < profiler::kDeviceTraits; ++i, y += row_height) {
    BesideLayout::Row row;
    row.trait = static_cast<DeviceTrait>(i);
    row.label = QRectF(area.left(), y, label, 2 * line);
    const double a = left.of(row.trait).value, b = right.of(row.trait).value;
    const double most = std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b);
    for (size_t d = 0; d < 2; ++d) {
      const double top = y + static_cast<double>(d) * line;
      row.bars[d].track = QRectF(area.left() + label + kGap, top + line * 0.15,
                                 std::max(0.0, area.width() - label - value - 2 * kGap), line * 0.7);
      row.bars[d].ratio = (d == 0 ? a : b) / most;
      row.bars[d].value = QRectF(area.right() - value, top, value, line);
    }
    layout.rows.push_back(row);
  }
  return layout;
}

}  // namespace views
