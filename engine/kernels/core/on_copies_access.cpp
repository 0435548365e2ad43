// SPDX-License-Identifier: Apache-2.0
// Ops that are computed on copies of their operands: copies in the workspace, as on_copies.cpp lays them out, around
// the op's own accesses. Those of constant operands were made before the step, and are read alone.
#include <algorithm>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/core/silent_sink_access.h"

namespace engine::access {
namespace {

struct Copy {
  Operand original, copy;
};

void move(const Operand& from, const Operand& to, AccessSink& sink) {
  walk_tiles(to.type.shape,
             {part_of_walk(from, to.type.shape, AccessKind::load), part_of_walk(to, to.type.shape, AccessKind::store)},
             sink);
}

}  // namespace

bool describe_on_copies(const OpCall& call, const OperandCopies& copies, bool (*describe)(const OpCall&, AccessSink&),
                        AccessSink& sink) {
  constexpr uint64_t kCacheLine = 64;
  SilentSink nobody = SilentSink::impatient();
  OpCall inner = call;
  std::vector<Copy> made;
  bool fits = true, keeps = false;
  /// One copy for equal bytes, so that in-place results meet their operand. Answers whether it is new.
  const auto copy = [&](Operand& o, const TensorType& type) {
    const auto known = std::ranges::find_if(made, [&](const Copy& c) {
      return c.original.address == o.address && c.original.type == o.type && c.copy.type == type;
    });
    if (known != made.end()) {
      o = known->copy;
      return false;
    }
    const Operand original = o;
    o = {type, inner.workspace_address, call.workspace_tensor};
    const uint64_t bytes = (static_cast<uint64_t>(o.type.span_bytes()) + kCacheLine - 1) / kCacheLine * kCacheLine;
    fits = fits && bytes <= inner.workspace_bytes;
    inner.workspace_address += bytes;
    inner.workspace_bytes -= std::min(inner.workspace_bytes, bytes);
    made.push_back({original, o});
    return true;
  };
  std::vector<Copy> in, out;
  const auto each = [&](std::vector<Operand>& operands, bool are_results) {
    for (size_t i = 0; i < operands.size(); ++i) {
      Operand& o = operands[i];
      const Operand original = o;
      const TensorType type = copied(
          o.type, takes_part(call.node.op->name, i, are_results) ? copies : OperandCopies{.widens = copies.widens});
      if (type.dtype == o.type.dtype && lie_alike(type, o.type)) {
        o.type = type;
        continue;
      }
      if (!are_results && i < call.kept_copies.size() && call.kept_copies[i] != 0) {
        o = {type, call.kept_copies[i], o.tensor};
        keeps = true;
        continue;
      }
      const bool is_new = copy(o, type);
      if (are_results) out.push_back({original, o});
      else if (is_new) in.push_back({original, o});
    }
  };
  each(inner.inputs, false);
  each(inner.outputs, true);
  if ((made.empty() && !keeps) || !fits || !describe(inner, nobody)) return false;
  for (const Copy& c : in) move(c.original, c.copy, sink);
  describe(inner, sink);
  for (const Copy& c : out) move(c.copy, c.original, sink);
  return true;
}

}  // namespace engine::access
