// SPDX-License-Identifier: Apache-2.0
// Ops on 16-bit floats that are computed in f32: copies in the workspace, as engine/cpu/via_f32.cpp lays them out, around the op's own accesses.
#include <algorithm>

#include "engine/access/describe.h"
#include "engine/access/silent_sink.h"
#include "engine/tensor/widened.h"

namespace engine::access {
namespace {

struct Copy {
  Operand narrow, wide;
};

void convert(const Operand& from, const Operand& to, AccessSink& sink) {
  walk(to.type.shape, {part_of_walk(from, to.type.shape, AccessKind::load), part_of_walk(to, to.type.shape, AccessKind::store)}, sink);
}

}  // namespace

bool describe_via_f32(const OpCall& call, bool (*describe)(const OpCall&, AccessSink&), AccessSink& sink) {
  constexpr uint64_t kCacheLine = 64;
  SilentSink nobody = SilentSink::impatient();
  OpCall wide = call;
  std::vector<Copy> made;
  bool fits = true;
  /// One copy for equal bytes, so that in-place results meet their operand. Answers whether it is new.
  const auto widen = [&](Operand& o) {
    const auto known = std::ranges::find_if(made, [&](const Copy& c) { return c.narrow.address == o.address && c.narrow.type == o.type; });
    if (known != made.end()) {
      o = known->wide;
      return false;
    }
    const Operand narrow = o;
    o = {widened(narrow.type), wide.workspace_address, call.workspace_tensor};
    const uint64_t bytes = (static_cast<uint64_t>(o.type.span_bytes()) + kCacheLine - 1) / kCacheLine * kCacheLine;
    fits = fits && bytes <= wide.workspace_bytes;
    wide.workspace_address += bytes;
    wide.workspace_bytes -= std::min(wide.workspace_bytes, bytes);
    made.push_back({narrow, o});
    return true;
  };
  std::vector<Copy> in, out;
  for (Operand& o : wide.inputs) {
    if (is_16_bit_float(o.type.dtype) && widen(o)) in.push_back(made.back());
  }
  for (size_t i = 0; i < wide.outputs.size(); ++i) {
    if (!is_16_bit_float(wide.outputs[i].type.dtype)) continue;
    widen(wide.outputs[i]);
    out.push_back({call.outputs[i], wide.outputs[i]});
  }
  if (made.empty() || !fits || !describe(wide, nobody)) return false;
  for (const Copy& c : in) convert(c.narrow, c.wide, sink);
  describe(wide, sink);
  for (const Copy& c : out) convert(c.wide, c.narrow, sink);
  return true;
}

}  // namespace engine::access
