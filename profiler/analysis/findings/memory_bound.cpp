// SPDX-License-Identifier: Apache-2.0
// memory-bound: half as many bytes in the next narrower number format.
#include <fmt/format.h>

#include "profiler/analysis/findings/finding_input.h"

namespace profiler {

void find_memory_bound(const FindingInput& in, FindingList& list) {
  const std::optional<RunChange> change = in.narrower();
  RunFinding f;
  double bytes = 0;
  for (const OpId op : in.ops_bound(Bound::memory)) {
    const engine::DType dtype = dtype_of(in.capture, in.capture.ops()[op]);
    if (engine::size_bytes(dtype) < 4) continue;  // narrow already
    f.ops.push_back(op);
    f.gain_ns += in.gain_ns(op, 0.5);
    if (const LevelLimit* level = in.binding(op)) bytes += level->bytes;
  }
  if (f.ops.empty()) return;
  const double time = in.sum_time(f.ops);
  f.sentence = fmt::format("{} wait for memory: {} of a step ({}).", in.types(f.ops), format_quantity(time, Quantity::duration_ns),
                           format_quantity(time / in.step_ns, Quantity::percent_of));
  f.advice = "Use a narrower number format: half as many bytes.";
  f.evidence = {{"time_ns", "spent in these ops per step", time, Quantity::duration_ns, Origin::measured},
                {"bound_bytes", "through the links that bind", bytes, Quantity::bytes, in.bytes_origin(f.ops)}};
  f.gain_how = "each op in half its time, but not below its next limit; the cost of converting formats is not counted";
  f.change = change;
  if (!change) f.no_change = "This run takes no narrower dtype.";
  list.push_back(std::move(f));
}

}  // namespace profiler
