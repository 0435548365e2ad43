// SPDX-License-Identifier: Apache-2.0
// Places every value of a graph: lifetimes from node order, then best fit, largest first.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/memory.h"
#include "engine/base/wide.h"
#include "engine/runtime/occupied_times.h"
#include "engine/runtime/plan.h"

namespace engine {
namespace {

constexpr int64_t kAlignment = 64;  // one cache line, one 512-bit vector

Wide aligned(Wide bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Views and in-place outputs lead to the value whose bytes they are.
void find_aliases(const Graph& graph, std::vector<Placement>& placements) {
  const auto root = [&](ValueId id) { return placements[id].alias_of == kNoValue ? id : placements[id].alias_of; };
  for (const Node& node : graph.nodes()) {
    if (node.op->view != nullptr) placements[node.outputs[0]].alias_of = root(node.inputs[0]);
    const size_t count = std::min(node.op->in_place.size(), node.outputs.size());
    for (size_t j = 0; j < count; ++j) {
      if (node.op->in_place[j] < 0) continue;
      placements[node.outputs[j]].alias_of = root(node.inputs[static_cast<size_t>(node.op->in_place[j])]);
    }
  }
}

/// From the op that makes a value to the last op that touches it; touching an alias touches the
/// root.
void find_lifetimes(const Graph& graph, std::vector<Placement>& placements) {
  const auto extend = [&](ValueId id, uint32_t op) {
    Placement& own = placements[id];
    own.last_op = std::max(own.last_op, op);
    if (own.alias_of != kNoValue) placements[own.alias_of].last_op = std::max(placements[own.alias_of].last_op, op);
  };
  for (const Node& node : graph.nodes()) {
    for (const ValueId id : node.outputs) {
      placements[id].first_op = node.id;
      extend(id, node.id);
    }
    for (const ValueId id : node.inputs) extend(id, node.id);
  }
  const auto last = static_cast<uint32_t>(graph.nodes().empty() ? 0 : graph.nodes().size() - 1);
  for (const ValueId id : graph.outputs()) extend(id, last);
  for (Placement& placement : placements) {
    if (!placement.persistent || placement.alias_of != kNoValue) continue;
    placement.first_op = 0;
    placement.last_op = last;
  }
}

/// An arena value while it is being placed; offsets may pass 63 bits before the sum is judged.
struct Block {
  ValueId value;
  Wide size, offset;
  uint32_t first_op, last_op;
};

/// The smallest gap that fits below or between what is taken while the block lives; else behind it.
Wide best_offset(const Block& block, std::span<const OccupiedTimes::Stretch> taken) {
  Wide best = -1, best_gap = 0, end = 0;
  for (const OccupiedTimes::Stretch& stretch : taken) {
    const Wide gap = stretch.begin - end;
    if (gap >= block.size && (best < 0 || gap < best_gap)) {
      best = end;
      best_gap = gap;
    }
    end = stretch.end;
  }
  return best < 0 ? end : best;
}

/// Largest first: the order that comes closest to the bound in practice.
/// Source: Pisarchyk, Lee, "Efficient memory management for deep neural net inference", MLSys 2020
/// workshop, section 5.2.
Wide place(std::vector<Block>& blocks, size_t ops) {
  std::ranges::stable_sort(blocks, std::ranges::greater{}, &Block::size);
  OccupiedTimes occupied(ops);
  Wide end = 0;
  for (Block& block : blocks) {
    block.offset = best_offset(block, occupied.during(block.first_op, block.last_op));
    end = std::max(end, block.offset + block.size);
    occupied.add(block.first_op, block.last_op, {block.offset, block.offset + block.size});
  }
  return end;
}

/// Largest sum of bytes alive at one op.
Wide peak_live(const std::vector<Placement>& placements, size_t ops) {
  std::vector<Wide> change(ops + 1, 0);
  for (const Placement& placement : placements) {
    if (placement.persistent || placement.alias_of != kNoValue) continue;
    change[placement.first_op] += placement.size_bytes;
    change[placement.last_op + 1] -= placement.size_bytes;
  }
  Wide live = 0, peak = 0;
  for (const Wide delta : change) {
    live += delta;
    peak = std::max(peak, live);
  }
  return peak;
}

int64_t saturate(Wide bytes) {
  return static_cast<int64_t>(std::min<Wide>(bytes, std::numeric_limits<int64_t>::max()));
}

}  // namespace

Result<MemoryPlan> plan_memory(const Graph& graph) {
  MemoryPlan plan;
  plan.placements.resize(graph.values().size());
  for (const Value& value : graph.values()) {
    Placement& placement = plan.placements[value.id];
    placement.value = value.id;
    placement.persistent = value.kind != ValueKind::intermediate;
    placement.size_bytes = value.inside_fused_op() ? 0 : value.type.span_bytes();
  }
  find_aliases(graph, plan.placements);
  for (Placement& placement : plan.placements) {
    if (placement.alias_of != kNoValue) placement.persistent = plan.placements[placement.alias_of].persistent;
  }
  find_lifetimes(graph, plan.placements);

  std::vector<Block> blocks;
  Wide persistent = 0, without_reuse = 0;
  for (Placement& placement : plan.placements) {
    const Wide size = aligned(placement.size_bytes);
    if (placement.alias_of != kNoValue || size == 0) continue;
    if (placement.persistent) {
      placement.offset_bytes = saturate(persistent);
      persistent += size;
    } else {
      without_reuse += size;
      blocks.push_back({placement.value, size, 0, placement.first_op, placement.last_op});
    }
  }
  const Wide arena = place(blocks, graph.nodes().size());
  plan.total_bytes = static_cast<double>(persistent) + static_cast<double>(arena);
  if (persistent + arena > std::numeric_limits<int64_t>::max()) {
    return refused_error(
        fmt::format("[plan] a step would need {} of memory ({} for weights and inputs, {} for what "
                    "is computed)",
                    format_bytes(plan.total_bytes), format_bytes(static_cast<double>(persistent)),
                    format_bytes(static_cast<double>(arena))));
  }
  for (const Block& block : blocks) plan.placements[block.value].offset_bytes = static_cast<int64_t>(block.offset);
  for (Placement& placement : plan.placements) {
    if (placement.alias_of == kNoValue) continue;
    placement.offset_bytes = plan.placements[placement.alias_of].offset_bytes;
    placement.size_bytes = plan.placements[placement.alias_of].size_bytes;
  }
  plan.persistent_bytes = static_cast<int64_t>(persistent);
  plan.arena_bytes = static_cast<int64_t>(arena);
  plan.arena_bytes_without_reuse = saturate(without_reuse);
  plan.peak_live_bytes = saturate(peak_live(plan.placements, graph.nodes().size()));
  return plan;
}

}  // namespace engine
