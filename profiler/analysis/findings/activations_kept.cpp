// SPDX-License-Identifier: Apache-2.0
// activations-kept: training keeps what the forward pass made until the backward pass has read it; checkpointing keeps
// every so many layers' outputs and computes the rest again.
#include <algorithm>
#include <cmath>
#include <set>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/memory/byte_ranges.h"

namespace profiler {
namespace {

constexpr double kMostly = 0.5;  // of the memory planned

/// "layer1.0" of "layer1.0.conv2": what checkpointing chooses from are whole blocks.
std::string_view block_of(std::string_view layer) {
  const size_t dot = layer.rfind('.');
  return dot == std::string_view::npos ? layer : layer.substr(0, dot);
}

}  // namespace

void find_activations_kept(const FindingInput& in, FindingList& list) {
  if (in.argument("checkpointing") != "none") return;
  const Capture& capture = in.capture;
  const RunInfo& run = capture.run();
  const auto planned = static_cast<double>(run.arena_bytes + run.persistent_bytes + run.workspace_bytes);
  const ByteRanges ranges(capture);
  std::set<TensorId> kept;
  for (const OpRecord& op : capture.ops()) {
    if (op.phase == Phase::forward || op.view) continue;
    for (const OperandRecord& o : capture.operands(op)) {
      const TensorRecord& t = capture.tensors()[ranges.root(o.tensor)];
      const bool made_forward =
          !t.persistent && t.first_op < capture.ops().size() && capture.ops()[t.first_op].phase == Phase::forward;
      if (!o.output && made_forward && t.role == Role::activation) kept.insert(t.id);
    }
  }
  double kept_bytes = 0, forward_ns = 0;
  std::set<std::string_view> blocks;
  RunFinding f;
  for (const TensorId id : kept) {
    kept_bytes += ranges.bytes(id);
    blocks.insert(block_of(capture.name(capture.ops()[capture.tensors()[id].first_op].layer)));
  }
  for (const OpRecord& op : capture.ops()) {
    if (op.phase != Phase::forward || op.view || !(in.time(op.id) > 0)) continue;
    forward_ns += in.time(op.id);
    f.ops.push_back(op.id);
  }
  // The outputs of every sqrt(n)-th of n blocks stay, and what is made within one stretch of sqrt(n) at a time. Source:
  // Chen, Xu, Zhang, Guestrin 2016 (arXiv 1604.06174), section 3.
  const double left = std::min(1.0, 2 / std::sqrt(static_cast<double>(std::max<size_t>(1, blocks.size()))));
  f.saved_bytes = kept_bytes * (1 - left);
  if (!(planned > 0) || kept_bytes < kMostly * planned || f.saved_bytes <= 0 || f.ops.empty()) return;
  std::ranges::sort(f.ops, std::greater(), [&](OpId op) { return in.time(op); });
  f.gain_ns = -forward_ns;
  f.sentence = say("Activations kept for the backward pass fill {} of the memory.",
                   format_quantity(kept_bytes / planned, Quantity::percent_of));
  f.advice =
      say("Use checkpointing: keep the outputs of every few blocks and compute the rest again. It "
          "frees memory for "
          "a bigger batch and costs time.");
  f.evidence = {{"kept_bytes", say("of activations kept"), kept_bytes, Quantity::bytes, Origin::exact},
                {"planned_bytes", say("of memory planned in all: arena, what persists, workspace"), planned,
                 Quantity::bytes, Origin::exact},
                {"blocks_count", say("blocks to choose from"), static_cast<double>(blocks.size()), Quantity::count,
                 Origin::exact},
                {"forward_ns", say("for the forward pass, which is computed once more"), forward_ns,
                 Quantity::duration_ns, Origin::measured}};
  f.gain_how = say("of n blocks, about 2 sqrt(n) stay in memory; the forward pass runs twice");
  f.change = RunChange::of_workload("checkpointing", "none", "sqrt");
  list.push_back(std::move(f));
}

}  // namespace profiler
