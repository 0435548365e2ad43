// SPDX-License-Identifier: Apache-2.0
// Ties copies to ops' operands and to leaves.
#include "profiler/record/copy_ties.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/to_device.h"

namespace profiler {

using engine::Node;
using engine::Value;
using engine::ValueId;

std::vector<bool> unchanging_values(const engine::Graph& graph) {
  std::vector<ValueId> roots(graph.values().size());
  std::vector<bool> unchanging(graph.values().size());
  for (const Value& value : graph.values()) {
    roots[value.id] = value.id;
    unchanging[value.id] = value.producer == engine::kNoNode;
  }
  for (const Node& node : graph.nodes()) {
    if (node.op->view != nullptr) roots[node.outputs[0]] = roots[node.inputs[0]];
    for (const int input : node.op->in_place) {
      if (input >= 0 && static_cast<size_t>(input) < node.inputs.size())
        unchanging[roots[node.inputs[static_cast<size_t>(input)]]] = false;
    }
  }
  std::vector<bool> result(unchanging.size());
  for (size_t id = 0; id < result.size(); ++id) result[id] = unchanging[roots[id]];
  return result;
}

void CopyTies::tie(GpuBatch& batch, int64_t steps_begin_ns) {
  std::vector<size_t> first_bytes;
  for (size_t i = 0; i < batch.records.copies.size(); ++i) {
    CopyRecord& copy = batch.records.copies[i];
    const Activity& activity = batch.activities[copy.activity];
    if (activity.op != kNoOp) {
      tie_to_op(activity, copy);
    } else if (activity.step != kNoStep) {
      continue;
    } else if (activity.start_ns >= steps_begin_ns) {
      copy.reason = builder_.intern("of a step that was not traced");
    } else if (copy.kind == CopyKind::host_to_device) {
      first_bytes.push_back(i);
    }
  }
  const auto start = [&](size_t i) { return batch.activities[batch.records.copies[i].activity].start_ns; };
  std::ranges::sort(first_bytes, {}, start);
  for (const size_t i : first_bytes) tie_to_leaf(batch.records.copies[i]);
}

void CopyTies::tie_to_op(const Activity& activity, CopyRecord& copy) {
  if (activity.op >= graph_.nodes().size()) return;
  const Node& node = graph_.node(activity.op);
  if (node.op == &engine::kToDevice) {
    const std::string why = node.attributes.get_string("reason", "");
    copy.tensor = node.inputs[0];
    copy.reason = builder_.intern(why == engine::kScalarReason     ? "hidden: 0-d operand fetched to another device"
                                  : why == engine::kGradientReason ? "gradient on its way to another device"
                                                                   : "asked for by to()");
    copy.content_version = unchanging_[copy.tensor] ? 1 : 0;
    return;
  }
  // The op's own work: what it reads where it reads one thing, else what it makes.
  copy.tensor = node.inputs.size() == 1 ? node.inputs[0] : node.outputs.empty() ? kNoTensor : node.outputs[0];
  copy.reason = builder_.intern(node.inputs.empty() ? fmt::format("input of the step, by {}", node.op->name)
                                                    : fmt::format("work of {}", node.op->name));
}

void CopyTies::tie_to_leaf(CopyRecord& copy) {
  copy.reason = builder_.intern("first bytes, before the first step");
  const auto bytes_of = [&](size_t id) {
    const Value& value = graph_.values()[id];
    return value.kind == engine::ValueKind::intermediate ? 0 : value.type.elements() * size_bytes(value.type.dtype);
  };
  while (leaf_ < graph_.values().size() && copied_bytes_ >= bytes_of(leaf_)) ++leaf_, copied_bytes_ = 0;
  lost_ = lost_ || leaf_ == graph_.values().size() || copy.bytes < 0 || copied_bytes_ + copy.bytes > bytes_of(leaf_);
  if (lost_) return;
  copied_bytes_ += copy.bytes;
  copy.tensor = static_cast<TensorId>(leaf_);
}

}  // namespace profiler
