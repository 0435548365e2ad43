// SPDX-License-Identifier: Apache-2.0
// Norms over batches and groups and sums of what own kernels do not take, and what passes over all elements.
#include <algorithm>
#include <numeric>
#include <span>

#include "engine/kernels/core/describe_access.h"

namespace engine::access {

/// Batch norm of what own kernels do not take. The statistics need all of x (the gradient: of x and dy) before any
/// result can be written: two sweeps. With given ones: one.
bool describe_batch_norm_by_sweeps(const OpCall& call, AccessSink& sink) {
  const Shape& shape = call.inputs[0].type.shape;
  if (call.inputs.size() + call.outputs.size() > 16) return false;
  std::vector<WalkOperand> both;
  for (const Operand& o : call.inputs) {
    if (o.type.shape == shape) both.push_back(part_of_walk(o, shape, AccessKind::load));
    else walk_alone(o, AccessKind::load, sink);
  }
  if (!call.node.op->name.starts_with("batch_norm_inference")) walk(shape, both, sink);
  for (const Operand& o : call.outputs) {
    if (o.type.shape == shape) both.push_back(part_of_walk(o, shape, AccessKind::store));
    else walk_alone(o, AccessKind::store, sink);
  }
  walk(shape, both, sink);
  return true;
}

/// Each load names the next, along one cycle through all lines: here in even steps, which caches of least recent use
/// cannot tell apart.
bool describe_chase(const OpCall& call, AccessSink& sink) {
  constexpr int64_t kLine = 64, kMostAccesses = int64_t{1} << 28;
  const Operand& next = call.inputs[0];
  const auto bytes = static_cast<int64_t>(size_bytes(next.type.dtype));
  const int64_t lines = next.type.elements() * bytes / kLine, accesses = call.node.attributes.get_int("accesses", 0);
  if (lines == 0 || accesses > kMostAccesses || next.type != TensorType::contiguous(next.type.dtype, next.type.shape))
    return false;
  int64_t step = std::max<int64_t>(1, lines * 5 / 8);
  while (std::gcd(step, lines) != 1) ++step;
  for (int64_t i = 0, line = 0; i < accesses && !sink.stopped(); ++i, line = (line + step) % lines)
    sink.group(1, {AccessStream{next.address + static_cast<uint64_t>(line * kLine), 0, next.tensor,
                                static_cast<uint16_t>(bytes), AccessKind::load}});
  walk_alone(call.outputs[0], AccessKind::store, sink);
  return true;
}

/// A reduction of what own kernels do not take: along x as it lies; the sums stay in a register where the innermost
/// axis goes, else they are a row in a cache.
bool describe_reduction_by_walk(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &y = call.outputs[0];
  const Shape& shape = x.type.shape;
  const std::vector<int64_t> axes = call.node.attributes.get_ints("axes", {});
  std::vector<bool> gone(shape.size(), axes.empty());
  for (const int64_t axis : axes) {
    const int64_t own = axis < 0 ? axis + x.type.rank() : axis;
    if (own < 0 || own >= x.type.rank()) return false;
    gone[static_cast<size_t>(own)] = true;
  }
  WalkOperand sums{y.address, std::vector<int64_t>(shape.size(), 0), y.tensor,
                   static_cast<uint16_t>(size_bytes(y.type.dtype)), AccessKind::load};
  const bool kept = y.type.shape.size() == shape.size();
  size_t innermost = shape.size(), at = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const bool nearer =
        innermost == shape.size() || std::abs(x.type.strides[axis]) < std::abs(x.type.strides[innermost]);
    if (shape[axis] > 1 && nearer) innermost = axis;
    if (gone[axis] && !kept) continue;
    if (at >= y.type.shape.size()) return false;
    if (!gone[axis]) sums.strides[axis] = y.type.strides[at] * static_cast<int64_t>(sums.bytes);
    ++at;
  }
  if (innermost == shape.size() || gone[innermost]) {
    walk_alone(x, AccessKind::load, sink);
    walk_alone(y, AccessKind::store, sink);
    return true;
  }
  WalkOperand stored = sums;
  stored.kind = AccessKind::store;
  walk(shape, {sums, stored, part_of_walk(x, shape, AccessKind::load)}, sink);
  return true;
}

/// Group norm of what own kernels do not take. Sample by sample: the sums (of x for the mean, then for the variance; of
/// dy and x for the gradient), then the results.
bool describe_group_norm_by_sweeps(const OpCall& call, AccessSink& sink) {
  const Shape& shape = call.outputs[0].type.shape;
  if (shape.size() < 2 || std::ranges::find(shape, 0) != shape.end()) return false;
  const Shape one(shape.begin() + 1, shape.end());
  const auto of_sample = [&](const Operand& whole, int64_t n) {
    Operand o = whole;
    o.address += static_cast<uint64_t>(n * o.type.strides[0] * size_bytes(o.type.dtype));
    o.type.shape.erase(o.type.shape.begin());
    o.type.strides.erase(o.type.strides.begin());
    return o;
  };
  for (int64_t n = 0; n < shape[0] && !sink.stopped(); ++n) {
    std::vector<WalkOperand> operands;
    for (const Operand& o : call.inputs) {
      if (o.type.shape == shape) operands.push_back(part_of_walk(of_sample(o, n), one, AccessKind::load));
    }
    const bool gradient = operands.size() > 1;
    walk(one, operands, sink);
    if (!gradient) walk(one, operands, sink);
    operands.push_back(part_of_walk(of_sample(call.outputs[0], n), one, AccessKind::store));
    walk(one, operands, sink);
  }
  for (const Operand& o : call.inputs) {
    if (o.type.shape != shape) walk_alone(o, AccessKind::load, sink);
  }
  for (const Operand& o : std::span(call.outputs).subspan(1)) walk_alone(o, AccessKind::store, sink);
  return true;
}

/// Ops that read each operand from its beginning to its end and write each result so.
bool describe_once(const OpCall& call, AccessSink& sink) {
  for (const Operand& o : call.inputs) walk_alone(o, AccessKind::load, sink);
  for (const Operand& o : call.outputs) walk_alone(o, AccessKind::store, sink);
  return true;
}

/// Of expert_linear's matrices as many as its pairs can name, each by its tokens at once.
bool describe_experts(const OpCall& call, AccessSink& sink) {
  const int64_t met = call.inputs[2].type.elements();
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    Operand read = call.inputs[i];
    const bool by_expert = i == 1 || i == 3;
    if (by_expert) read.type.shape[0] = std::min(read.type.shape[0], met);
    walk_alone(read, AccessKind::load, sink);
  }
  walk_alone(call.outputs[0], AccessKind::store, sink);
  return true;
}

/// To memory of the host and from there to the result.
bool describe_round_trip(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &y = call.outputs[0];
  const Shape& shape = x.type.shape;
  if (static_cast<uint64_t>(x.type.elements() * size_bytes(x.type.dtype)) > kWorkspaceBytes || y.type.shape != shape)
    return false;
  const Operand host{TensorType::contiguous(x.type.dtype, shape), call.workspace_address, call.workspace_tensor};
  walk(shape, {part_of_walk(x, shape, AccessKind::load), part_of_walk(host, shape, AccessKind::store)}, sink);
  walk(shape, {part_of_walk(host, shape, AccessKind::load), part_of_walk(y, shape, AccessKind::store)}, sink);
  return true;
}

}  // namespace engine::access
