// SPDX-License-Identifier: Apache-2.0
// fuse: results that the next op reads and nobody else needs, in ops that move few bytes beyond the compulsory ones.
#include <algorithm>
#include <map>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/memory/op_access.h"

namespace profiler {
namespace {

struct Use {
  uint32_t written_by = UINT32_MAX;  ///< operand
  std::vector<uint32_t> read_by;     ///< operands
};

/// Who writes and reads each tensor; views and in-place outputs count as their root.
std::map<TensorId, Use> uses_of(const Capture& capture) {
  std::vector<TensorId> root(capture.tensors().size());
  for (const TensorRecord& t : capture.tensors())
    root[t.id] = t.alias_of == kNoTensor || t.alias_of >= t.id ? t.id : root[t.alias_of];
  std::map<TensorId, Use> uses;
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    for (uint32_t i = op.first_operand; i < op.first_operand + op.operand_count; ++i) {
      const OperandRecord& o = capture.operands()[i];
      Use& use = uses[root[o.tensor]];
      if (o.written_bytes > 0) use.written_by = i;
      if (o.read_bytes > 0) use.read_by.push_back(i);
    }
  }
  return uses;
}

bool elementwise(const Capture& capture, const OpRecord& op, const OperandRecord& read) {
  if (op.view || is_matrix_product(capture.name(op.type)) || sweeps_over_inputs(capture.name(op.type)) > 1)
    return false;
  const auto outputs = capture.operands(op);
  const auto output = std::ranges::find_if(outputs, &OperandRecord::output);
  return output != outputs.end() && capture.tensors()[output->tensor].shape == capture.tensors()[read.tensor].shape;
}

}  // namespace

void find_fusible(const FindingInput& in, FindingList& list) {
  if (!in.a.model.known || in.argument("fuse") == "on") return;
  const bool eager = in.argument("graph") == "eager";
  RunFinding f;
  double saved = 0;
  size_t pairs = 0;
  std::map<OpId, double> part;  // bytes an op no longer moves through its binding level
  for (const auto& [tensor, use] : uses_of(in.capture)) {
    if (use.written_by == UINT32_MAX || use.read_by.size() != 1) continue;
    const OperandRecord &made = in.capture.operands()[use.written_by],
                        &read = in.capture.operands()[use.read_by.front()];
    const OpRecord& consumer = in.capture.ops()[read.op];
    if (made.op >= read.op || made.role != Role::activation || !elementwise(in.capture, consumer, read)) continue;
    for (const auto& [op, operand] : {std::pair{made.op, use.written_by}, std::pair{read.op, use.read_by.front()}}) {
      const LevelLimit* level = in.a.verdicts[op].bound == Bound::memory ? in.binding(op) : nullptr;
      if (level == nullptr) continue;
      const TrafficModel::OperandLevel& moved = in.a.model.operand_levels[operand][level->link];
      part[op] += moved.read + moved.written;
      saved += moved.read + moved.written;
    }
    if (!part.contains(read.op)) continue;
    ++pairs;
    if (std::ranges::find(f.ops, read.op) == f.ops.end()) f.ops.push_back(read.op);
  }
  for (const auto& [op, bytes] : part) {
    const double all = in.modelled_bytes(op, *in.binding(op));  // shares within one source
    if (all > 0) f.gain_ns += in.gain_ns(op, std::max(0.0, 1 - bytes / all));
  }
  if (f.ops.empty()) return;
  std::ranges::stable_sort(f.ops, std::greater{}, [&](OpId op) { return in.time(op); });
  f.sentence = say("{} read results that only they use: {} through the links that bind.", in.types(f.ops),
                   format_quantity(saved, Quantity::bytes));
  f.advice = say("Fuse them with the ops before, so that these bytes stay in registers.");
  f.evidence = {{"saved_bytes", say("written and read again"), saved, Quantity::bytes, Origin::modelled},
                {"pairs_count", say("pairs of ops"), static_cast<double>(pairs), Quantity::count, Origin::exact},
                {"time_ns", say("spent in the reading ops per step"), in.sum_time(f.ops), Quantity::duration_ns,
                 Origin::measured}};
  f.gain_how = say("each op's time without the bytes that fusion saves, down to its next limit");
  if (eager) f.no_change = say("Eager mode runs op by op: fusion takes `--graph static`.");
  else f.change = RunChange::of_run("fuse", "off", "on");
  list.push_back(std::move(f));
}

}  // namespace profiler
