// SPDX-License-Identifier: Apache-2.0
// Why an op of a GPU that a level's bandwidth limits moves what it moves.
#include <algorithm>
#include <cmath>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/verdict/gpu_verdict.h"
#include "profiler/memory/gpu_sectors.h"

namespace profiler {
namespace {

/// An operand that neighbours of the result read far apart, and the sectors of 32 bytes one request of 32 lanes touches
/// for it.
struct Scattered {
  const TensorRecord* tensor = nullptr;
  int sectors = 0, ideal = 1;
  double ratio() const { return static_cast<double>(sectors) / ideal; }
};

/// The worst of an op's inputs that are walked element by element beside its result; lanes follow the result's fastest
/// axis.
Scattered most_scattered(const Capture& capture, const OpRecord& op) {
  Scattered worst;
  const auto operands = capture.operands(op);
  const auto output = std::ranges::find_if(operands, &OperandRecord::output);
  if (output == operands.end()) return worst;
  const TensorRecord& result = capture.tensors()[output->tensor];
  for (const OperandRecord& o : operands) {
    const TensorRecord& t = capture.tensors()[o.tensor];
    if (o.output || o.read_bytes == 0 || t.shape != result.shape || t.strides.size() != result.strides.size()) continue;
    for (size_t axis = 0; axis < t.strides.size(); ++axis) {
      if (result.strides[axis] != 1 || result.shape[axis] <= 1) continue;
      const auto element = static_cast<int>(engine::size_bytes(t.dtype));
      const Scattered found{&t, sectors_of_strided_request(0, std::abs(t.strides[axis]) * element, element),
                            sectors_of_strided_request(0, element, element)};
      if (found.ratio() > worst.ratio()) worst = found;
    }
  }
  return worst;
}

}  // namespace

std::vector<Reason> gpu_memory_causes(const Capture& capture, const OpRecord& op, const GpuLevelUse& use,
                                      GpuLevel level, double l2_bytes, const VerdictRules& rules) {
  const double compulsory = compulsory_read(capture, op) + compulsory_written(capture, op);
  if (!(compulsory > 0)) return {};
  const double moved = use.bytes / compulsory;
  const Scattered worst = most_scattered(capture, op);
  // Counted bytes refute the strides: a kernel may go by way of shared memory.
  const bool refuted = use.origin == Origin::measured && moved <= rules[Rule::sectors_ratio];
  if (worst.tensor != nullptr && worst.ratio() > rules[Rule::sectors_ratio] && !refuted) {
    return {{ReasonKind::cause_gpu_uncoalesced,
             {{"tensor", capture.name(worst.tensor->name)},
              {"sectors", worst.sectors},
              {"least_sectors", worst.ideal},
              {"limit", rules.threshold(Rule::sectors_ratio)}}}};
  }
  if (moved > rules[Rule::reuse_lost_ratio]) {
    return {{ReasonKind::cause_gpu_reuse_lost,
             {{"times", moved},
              {"origin", name(use.origin)},
              {"from_l2", level == GpuLevel::l2},
              {"operands_bytes", compulsory},
              {"l2_bytes", l2_bytes}}}};
  }
  if (moved > rules[Rule::compulsory_ratio]) return {};
  return {{ReasonKind::cause_compulsory, {{"uncounted", use.origin == Origin::exact}}}};
}

}  // namespace profiler
