// SPDX-License-Identifier: GPL-3.0-or-later
// Places the boxes of a flame graph.
#include "views/timeline/flame_layout.h"

#include <algorithm>

namespace views {

using profiler::StackNode;

const FlameBox* FlameLayout::at(double x, double y) const {
  for (const FlameBox& box : boxes)
    if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) return &box;
  return nullptr;
}

const FlameBox* FlameLayout::of(uint32_t node) const {
  for (const FlameBox& box : boxes)
    if (box.node == node) return &box;
  return nullptr;
}

FlameLayout layout_flame(const std::vector<StackNode>& nodes, uint32_t zoomed, double width, double row_height) {
  FlameLayout out;
  if (nodes.empty() || zoomed >= nodes.size()) return out;
  std::vector<std::vector<uint32_t>> children(nodes.size());
  for (uint32_t i = 1; i < nodes.size(); ++i) children[nodes[i].parent].push_back(i);
  std::vector<uint32_t> chain;
  for (uint32_t n = zoomed; n != 0; n = nodes[n].parent) chain.push_back(nodes[n].parent);
  std::reverse(chain.begin(), chain.end());
  for (const uint32_t n : chain) out.boxes.push_back({n, 0, nodes[n].depth * row_height, width, row_height, true});
  out.boxes.push_back({zoomed, 0, nodes[zoomed].depth * row_height, width, row_height, false});
  const double px_per_ns = nodes[zoomed].total_ns > 0 ? width / static_cast<double>(nodes[zoomed].total_ns) : 0;
  for (size_t i = chain.size(); i < out.boxes.size(); ++i) {
    const FlameBox parent = out.boxes[i];
    auto& below = children[parent.node];
    std::stable_sort(below.begin(), below.end(),
                     [&](uint32_t a, uint32_t b) { return nodes[a].total_ns > nodes[b].total_ns; });
    double x = parent.x;
    for (const uint32_t child : below) {
      // children of what may overlap (a thread's ranges that cross) can be longer than their parent: never beyond its
      // end
      const double wide = std::min(static_cast<double>(nodes[child].total_ns) * px_per_ns, parent.x + parent.width - x);
      if (wide < kNarrowestFlame) {
        ++out.hidden;
        continue;
      }
      out.boxes.push_back({child, x, parent.y + row_height, wide, row_height, false});
      x += wide;
    }
  }
  for (const FlameBox& box : out.boxes) out.height = std::max(out.height, box.y + box.height);
  return out;
}

std::optional<uint32_t> flame_neighbour(const std::vector<StackNode>& nodes, const FlameLayout& layout, uint32_t from,
                                        FlameMove move) {
  const FlameBox* here = layout.of(from);
  if (here == nullptr) return layout.boxes.empty() ? std::nullopt : std::optional(layout.boxes.front().node);
  if (move == FlameMove::up) return from == 0 ? std::nullopt : std::optional(nodes[from].parent);
  const FlameBox* best = nullptr;
  for (const FlameBox& box : layout.boxes) {
    if (move == FlameMove::down) {
      if (box.node != 0 && nodes[box.node].parent == from && (best == nullptr || box.width > best->width)) best = &box;
    } else if (box.y == here->y && box.node != from) {
      const bool beside = move == FlameMove::left ? box.x < here->x : box.x > here->x;
      const bool nearer = best == nullptr || (move == FlameMove::left ? box.x > best->x : box.x < best->x);
      if (beside && nearer) best = &box;
    }
  }
  return best != nullptr ? std::optional(best->node) : std::nullopt;
}

}  // namespace views
