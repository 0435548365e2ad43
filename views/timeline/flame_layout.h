// SPDX-License-Identifier: GPL-3.0-or-later
// FlameLayout: a tree of stacks as boxes: one row per depth from the top, width = time, widest child first. No Qt.
#pragma once

#include <optional>
#include <vector>

#include "profiler/analysis/range.h"

namespace views {

struct FlameBox {
  uint32_t node = 0;
  double x = 0, y = 0, width = 0, height = 0;
  bool above = false;  ///< an ancestor of what is zoomed into: as wide as the picture, whatever its time
};

struct FlameLayout {
  std::vector<FlameBox> boxes;  ///< parents before children
  double height = 0;            ///< of all rows
  int64_t hidden = 0;           ///< boxes too narrow to draw
  /// The box under a point.
  const FlameBox* at(double x, double y) const;
  const FlameBox* of(uint32_t node) const;
};

/// Boxes narrower than this are left out, with all that is in them.
inline constexpr double kNarrowestFlame = 1.5;

/// `zoomed`: the node that takes the whole width; 0: everything.
FlameLayout layout_flame(const std::vector<profiler::StackNode>&, uint32_t zoomed, double width, double row_height);

/// The node an arrow key leads to, among the boxes drawn: up = parent, down = widest child, left/right = neighbour in
/// its row.
enum class FlameMove : uint8_t { up, down, left, right };
std::optional<uint32_t> flame_neighbour(const std::vector<profiler::StackNode>&, const FlameLayout&, uint32_t from,
                                        FlameMove);

}  // namespace views
