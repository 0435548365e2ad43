// SPDX-License-Identifier: Apache-2.0
// reference-code: ops run in loops that are there to be right, not fast, because no kernel takes them as they are.
#include "profiler/analysis/reference_code.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"

namespace profiler {
namespace {

/// What any fast kernel keeps: so many times a plain copy of the compulsory bytes, or its FLOPs at this part of the
/// peak.
constexpr double kCopies = 5, kPartOfPeak = 0.1;

/// Time of the op with such a kernel; NaN: the roofs are unknown.
double fast_ns(const FindingInput& in, const OpRecord& op) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const int threads = std::max(1, in.capture.run().threads);
  const double read = compulsory_read(in.capture, op), written = compulsory_written(in.capture, op);
  const auto bandwidth = in.capture.machine().bandwidth_for("DRAM", read, written, threads);
  const auto peak = in.capture.machine().compute_roof(dtype_of(in.capture, op), threads);
  if (!bandwidth || !(*bandwidth > 0) || (op.flops > 0 && (!peak || !(peak->flop_per_s.median > 0)))) return kUnknown;
  const double moving = kCopies * (read + written) / *bandwidth * 1e9;
  return op.flops > 0 ? std::max(moving, op.flops / (kPartOfPeak * peak->flop_per_s.median) * 1e9) : moving;
}

}  // namespace

void find_reference_code(const FindingInput& in, FindingList& list) {
  const ReferenceCode code = reference_code(in.a);
  std::vector<std::string_view> types;
  for (const OpId op : code.ops) {
    const std::string_view type = in.capture.name(in.capture.ops()[op].type);
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  }
  for (const std::string_view type : types) {
    RunFinding f;
    for (const OpId op : code.ops) {
      const OpRecord& record = in.capture.ops()[op];
      if (in.capture.name(record.type) != type) continue;
      f.ops.push_back(op);
      f.gain_ns += std::max(0.0, in.time(op) - fast_ns(in, record));
      if (std::isnan(fast_ns(in, record))) f.gain_ns = std::numeric_limits<double>::quiet_NaN();
    }
    const OpRecord& longest = in.capture.ops()[f.ops.front()];
    const double time = in.sum_time(f.ops);
    const std::string whose = code_of(in.capture, longest) == engine::CodeKind::reference
                                  ? say("our slow reference kernel")
                                  : say("a library's slow reference kernel");
    f.sentence = say("{} runs in {}: no fast kernel takes {} yet ({} of the step).", type, whose,
                     operand_words(in.capture, longest), format_quantity(time / in.step_ns, Quantity::percent_of));
    f.advice =
        say("Its figures describe this code, not the machine. Give its operands another layout or "
            "dtype, or leave "
            "it out of conclusions.");
    f.evidence = {
        {"time_ns", say("spent in these ops per step"), time, Quantity::duration_ns, Origin::measured},
        {"ops_count", say("ops in reference code"), static_cast<double>(f.ops.size()), Quantity::count, Origin::exact}};
    f.gain_how =
        say("down to the larger of five copies of the compulsory bytes and the FLOPs at a tenth of the "
            "peak, "
            "which fast kernels reach");
    f.no_change = say("No option of a run changes which kernel takes an op.");
    list.push_back(std::move(f));
  }
}

}  // namespace profiler
