// SPDX-License-Identifier: Apache-2.0
// Lifetimes of the capture's tensors, summed along the ops.
#include "profiler/analysis/tape.h"

#include <algorithm>

#include "profiler/base/say.h"
#include "profiler/memory/byte_ranges.h"

namespace profiler {

std::vector<TapeTensor> Tape::stored(OpId op) const {
  const auto [begin, end] = std::ranges::equal_range(tensors, op, {}, &TapeTensor::first);
  return {begin, end};
}

std::vector<TapeTensor> Tape::freed(OpId op) const {
  std::vector<TapeTensor> list;
  for (const TapeTensor& t : tensors) {
    if (t.first > op) break;
    if (t.last == op) list.push_back(t);
  }
  return list;
}

std::string no_tape_words(const Capture& capture) {
  if (!capture.run().source.empty()) return say("An imported trace does not hold when tensors are stored and freed.");
  if (capture.ops().empty()) return say("The run ended before its plan was recorded.");
  return capture.tensors().empty() ? say("The capture holds no tensors.") : std::string();
}

Tape tape(const Capture& capture) {
  Tape tape;
  if (!no_tape_words(capture).empty()) return tape;
  const size_t ops = capture.ops().size();
  const ByteRanges ranges(capture);
  std::vector<TapeTensor> lives(capture.tensors().size());
  for (const TensorRecord& t : capture.tensors()) {
    const TensorId root = ranges.root(t.id);
    TapeTensor& life = lives[root];
    if (life.tensor == kNoTensor) life = {root, t.first_op, t.last_op, capture.tensors()[root].size_bytes, false};
    life.first = std::min(life.first, t.first_op);
    life.last = std::max(life.last, t.last_op);
  }
  tape.live_bytes.assign(ops, 0);
  tape.kept_bytes.assign(ops, 0);
  std::vector<double> live(ops + 1, 0), kept(ops + 1, 0);
  for (TapeTensor& life : lives) {
    if (life.tensor == kNoTensor) continue;
    const auto bytes = static_cast<double>(life.size_bytes);
    if (capture.tensors()[life.tensor].persistent) {
      tape.persistent_bytes += bytes;
      continue;
    }
    if (life.first >= ops || life.first > life.last) continue;
    life.last = std::min(life.last, static_cast<OpId>(ops - 1));
    life.kept = capture.ops()[life.first].phase == Phase::forward && capture.ops()[life.last].phase != Phase::forward;
    live[life.first] += bytes;
    live[life.last + 1] -= bytes;
    if (life.kept) kept[life.first] += bytes, kept[life.last + 1] -= bytes;
    tape.tensors.push_back(life);
  }
  std::ranges::stable_sort(tape.tensors, {}, &TapeTensor::first);
  double now = 0, now_kept = 0;
  for (size_t op = 0; op < ops; ++op) {
    tape.live_bytes[op] = now += live[op];
    tape.kept_bytes[op] = now_kept += kept[op];
    tape.peak_kept_bytes = std::max(tape.peak_kept_bytes, now_kept);
    if (tape.peak_op != kNoOp && now <= tape.peak_bytes) continue;
    tape.peak_op = static_cast<OpId>(op);
    tape.peak_bytes = now;
  }
  return tape;
}

Table tape_table(const Capture& capture) {
  Table table{"tape",
              {{"op", "Op", Quantity::text, Origin::exact, "Op in the order of the step"},
               {"phase", "Phase", Quantity::text, Origin::exact, "Forward, backward or update"},
               {"stored_bytes", "Stored", Quantity::bytes, Origin::exact, "Bytes of tensors stored when it begins"},
               {"freed_bytes", "Freed", Quantity::bytes, Origin::exact, "Bytes of tensors freed when it has ended"},
               {"live_bytes", "Alive", Quantity::bytes, Origin::exact,
                "Bytes alive while it runs, without weights, inputs and optimiser state"},
               {"kept_bytes", "Kept for backward", Quantity::bytes, Origin::exact,
                "Bytes of forward results alive that the backward pass reads"}},
              {},
              {}};
  const Tape t = tape(capture);
  std::vector<double> stored(t.live_bytes.size(), 0), freed(t.live_bytes.size(), 0);
  for (const TapeTensor& tensor : t.tensors) {
    stored[tensor.first] += static_cast<double>(tensor.size_bytes);
    freed[tensor.last] += static_cast<double>(tensor.size_bytes);
  }
  for (size_t op = 0; op < t.live_bytes.size(); ++op) {
    const OpRecord& record = capture.ops()[op];
    table.rows.push_back({std::string(capture.name(record.name)), std::string(name(record.phase)), stored[op],
                          freed[op], t.live_bytes[op], t.kept_bytes[op]});
    table.row_ops.push_back(static_cast<uint32_t>(op));
  }
  return table;
}

}  // namespace profiler
