// SPDX-License-Identifier: Apache-2.0
// conflict-misses: a column walk in steps of a power of two uses few sets of a cache that would hold its lines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiler/analysis/findings/finding_input.h"

namespace profiler {
namespace {

struct Walk {
  double lines = 0;       ///< of one column: they are used again by the next columns
  double usable = 0;      ///< of those, how many the sets they fall into can hold
  double stride_bytes = 0;
};

/// How the op walks an operand along its output's fastest axis; nothing where that is no column walk.
std::optional<Walk> walk_of(const Capture& capture, const OperandRecord& operand, const TensorRecord& output, const engine::CacheLevel& cache) {
  const TensorRecord& t = capture.tensors()[operand.tensor];
  if (t.shape != output.shape || t.strides.size() != output.strides.size() || cache.ways <= 0 || cache.line_bytes <= 0) return {};
  for (size_t axis = 0; axis < t.strides.size(); ++axis) {
    if (output.strides[axis] != 1 || output.shape[axis] <= 1) continue;
    const int64_t stride = std::abs(t.strides[axis]) * static_cast<int64_t>(engine::size_bytes(t.dtype));
    if (stride <= cache.line_bytes) return {};
    const int64_t sets = std::max<int64_t>(1, cache.size_bytes / cache.line_bytes / cache.ways);
    // Lines k * stride / line fall into sets / gcd(sets, stride / line) sets; other strides than whole lines spread further.
    const int64_t step = stride % cache.line_bytes == 0 ? stride / cache.line_bytes : 1;
    const int64_t used = sets / std::gcd(sets, step);
    const auto lines = static_cast<double>(output.shape[axis]);
    return Walk{lines, std::min(lines, static_cast<double>(used) * cache.ways), static_cast<double>(stride)};
  }
  return {};
}

}  // namespace

void find_conflict_misses(const FindingInput& in, FindingList& list) {
  if (in.capture.machine().info.caches.empty()) return;
  const engine::CacheLevel& l1 = in.capture.machine().info.caches.front();
  RunFinding f;
  double refetched = 0, stride = 0, share = 0;
  for (const OpRecord& op : in.capture.ops()) {
    if (op.view || !(in.time(op.id) > 0) || !in.limits[op.id].known) continue;
    const std::span<const OperandRecord> operands = in.capture.operands(op);
    const auto output = std::ranges::find_if(operands, &OperandRecord::output);
    if (output == operands.end()) continue;
    double op_bytes = 0;
    for (const OperandRecord& o : operands) {
      if (o.output || o.read_bytes == 0) continue;
      const std::optional<Walk> walk = walk_of(in.capture, o, in.capture.tensors()[output->tensor], l1);
      // What would not fit anyway is lost to capacity, not to conflicts.
      if (!walk || walk->lines * l1.line_bytes > static_cast<double>(l1.size_bytes)) continue;
      const double conflict = 1 - walk->usable / walk->lines;
      if (conflict < in.rules[Rule::conflict_ratio]) continue;
      const double per_line = static_cast<double>(l1.line_bytes) / static_cast<double>(engine::size_bytes(in.capture.tensors()[o.tensor].dtype));
      op_bytes += static_cast<double>(o.read_bytes) * (per_line - 1) * conflict;
      stride = walk->stride_bytes, share = std::max(share, conflict);
    }
    if (op_bytes == 0) continue;
    // Refetched lines come from the level behind L1.
    const auto roof = traffic_bandwidth(in.capture.machine(), in.a.model.links[in.a.model.links.size() - 2], false, op_bytes, 0, in.limits[op.id].threads);
    const double lower = std::max(in.limits[op.id].compute_ns, in.limits[op.id].data_ns(0, 1));
    if (roof) f.gain_ns += std::clamp(op_bytes / *roof * 1e9, 0.0, std::max(0.0, in.time(op.id) - lower));
    f.ops.push_back(op.id);
    refetched += op_bytes;
  }
  if (f.ops.empty()) return;
  f.sentence = fmt::format("{} walk columns {} apart: {:.0f} % of the lines of a column push each other out of the same sets of the {}.", in.types(f.ops),
                           format_quantity(stride, Quantity::bytes), 100 * share, l1.name);
  f.advice = "Choose row lengths that are no multiple of a large power of two, or pad the rows.";
  f.evidence = {{"stride_bytes", "between neighbours of a column", stride, Quantity::bytes, Origin::exact},
                {"conflict_ratio", "of a column's lines do not fit their sets", share, Quantity::percent_of, Origin::modelled},
                {"refetched_bytes", "fetched again", refetched, Quantity::bytes, Origin::modelled}};
  f.gain_how = "the lines fetched again at the bandwidth of the level behind, at most the time above the roofs";
  f.no_change = "No option of a run pads rows: change the sizes of the workload.";
  list.push_back(std::move(f));
}

}  // namespace profiler
