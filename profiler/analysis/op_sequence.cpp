// SPDX-License-Identifier: Apache-2.0
// Op sequences from the activities of each step.
#include "profiler/analysis/op_sequence.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "profiler/base/say.h"
#include "profiler/base/words.h"

namespace profiler {

std::vector<StepSequence> op_sequences(const Capture& capture) {
  std::vector<StepSequence> sequences;
  std::unordered_map<uint32_t, size_t> place;
  for (const StepRecord& step : capture.steps()) {
    if (!step.traced || step.warmup) continue;
    place.emplace(step.index, sequences.size());
    sequences.push_back({.step = step.index, .ops = {}});
  }
  const ActivityColumns& activities = capture.activities();  // ascending by start
  for (size_t i = 0; i < activities.size(); ++i) {
    const Activity a = activities.row(i);
    if (a.kind != ActivityKind::op || a.op == kNoOp) continue;
    if (const auto at = place.find(a.step); at != place.end()) sequences[at->second].ops.push_back(a.op);
  }
  std::erase_if(sequences, [](const StepSequence& s) { return s.ops.empty(); });
  for (StepSequence& s : sequences) {
    const std::vector<OpId>& first = sequences.front().ops;
    const auto [mine, theirs] = std::ranges::mismatch(s.ops, first);
    s.apart_at = static_cast<size_t>(mine - s.ops.begin());
    s.same = mine == s.ops.end() && theirs == first.end();
  }
  return sequences;
}

Table sequence_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  Table table;
  table.name = "sequence";
  table.columns = {{"step_count", "Step", Quantity::count, Origin::exact, "Index of the step"},
                   {"ops_count", "Ops", Quantity::count, Origin::exact, "Ops that ran in it"},
                   {"same", "As the first step", Quantity::text, Origin::exact, "Whether op after op is the same"},
                   {"apart_count", "First difference at", Quantity::count, Origin::exact,
                    "Place of the first op that differs, counted from 1"},
                   {"op", "Op there", Quantity::text, Origin::exact, "What this step ran at that place"}};
  for (const StepSequence& s : op_sequences(capture)) {
    const bool has_op = !s.same && s.apart_at < s.ops.size();
    table.rows.push_back({static_cast<double>(s.step), static_cast<double>(s.ops.size()),
                          std::string(s.same ? "yes" : "no"),
                          s.same ? Cell() : Cell(static_cast<double>(s.apart_at + 1)),
                          has_op ? Cell(std::string(capture.name(capture.ops()[s.ops[s.apart_at]].name))) : Cell()});
  }
  return table;
}

std::vector<std::string> sequence_sentences(const Analyzed& analyzed) {
  const std::vector<StepSequence> sequences = op_sequences(*analyzed.capture);
  if (sequences.empty()) return {};
  const std::string ops = counted(sequences.front().ops.size(), "op");
  const auto same = static_cast<size_t>(std::ranges::count(sequences, true, &StepSequence::same));
  if (sequences.size() == 1) return {say("One step was recorded, with {}.", ops)};
  if (same == sequences.size())
    return {say("All {} recorded steps ran the same {} in the same order.", sequences.size(), ops)};
  return {say("{} of {} recorded steps ran the {} of the first one in the same order; {} ran others.", same,
              sequences.size(), ops, sequences.size() - same)};
}

}  // namespace profiler
