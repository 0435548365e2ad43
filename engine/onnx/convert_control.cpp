// SPDX-License-Identifier: Apache-2.0
// Branches and loops, resolved at import: conditions and trip counts must be known, passes are written one after another.
#include <fmt/format.h>

#include <limits>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/fold.h"
#include "engine/onnx/operators.h"
#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// Passes that all loops of one node may have.
constexpr int64_t kMostPasses = 10'000;

Slot constant_slot(Tensor tensor) {
  Slot slot;
  slot.made_by = "a loop";
  const TensorType type = tensor.type();
  slot.constant = Constant{type, std::nullopt, std::move(tensor)};
  return slot;
}

/// The one bool a slot is known to hold; fails otherwise.
bool known_flag(NodeContext& node, const Slot& slot, std::string_view what) {
  if (!slot.constant || slot.constant->type.elements() != 1) {
    node.fail(fmt::format("{} is computed at run time; it must be known when the model is read", what));
    return false;
  }
  const Result<Tensor> tensor = materialize(*slot.constant);
  if (tensor) return tensor->get_flat(0) != 0;
  node.fail(tensor.error().message);
  return false;
}

Slot input_copy(NodeContext& node, size_t i) {
  const Slot* slot = node.input_slot(i);
  return slot == nullptr ? Slot{} : *slot;
}

/// The passes' results as one tensor with a new axis; known ones stay known when they are small.
void set_stacked(NodeContext& node, std::vector<Slot>& passes, int64_t axis, size_t output) {
  if (passes.empty()) return node.fail(fmt::format("output {}: a loop without a pass has no shape to give it", output));
  std::vector<ValueId> values;
  for (Slot& pass : passes) {
    const ValueId value = node.value_of(pass);
    if (node.failed()) return;
    if (axis > node.builder().type(value).rank()) return node.fail(fmt::format("output {}: axis {} is beyond its axes", output, axis));
    values.push_back(ops::unsqueeze(node.builder(), value, axis));
  }
  if (node.failed()) return;
  node.set_output(values.size() == 1 ? values[0] : ops::concat(node.builder(), values, axis), output);
}

}  // namespace

void convert_if(NodeContext& node) {
  const Slot condition = input_copy(node, 0);
  if (node.failed()) return;
  const bool holds = known_flag(node, condition, "input 0 (cond)");
  if (node.failed()) return;
  node.ignore(holds ? "else_branch" : "then_branch");
  std::vector<Slot> outputs = node.inline_graph(holds ? "then_branch" : "else_branch", {}, holds ? "then" : "else");
  if (node.failed()) return;
  if (outputs.size() != node.output_count())
    return node.fail(fmt::format("the branch has {} outputs, the node {}", outputs.size(), node.output_count()));
  for (size_t i = 0; i < outputs.size(); ++i) node.set_alias(std::move(outputs[i]), i);
}

void convert_loop(NodeContext& node) {
  const int64_t trips = node.has_input(0) ? node.constant_integer(0, "M") : std::numeric_limits<int64_t>::max();
  bool going = !node.has_input(1) || known_flag(node, input_copy(node, 1), "input 1 (cond)");
  std::vector<Slot> carried;
  for (size_t i = 2; i < node.input_count(); ++i) carried.push_back(input_copy(node, i));
  if (node.failed()) return;
  if (node.output_count() < carried.size()) return node.fail("has fewer outputs than values that it carries");
  std::vector<std::vector<Slot>> stacked(node.output_count() - carried.size());
  if (trips <= 0 || !going) node.ignore("body");
  for (int64_t pass = 0; pass < trips && going; ++pass) {
    if (pass == kMostPasses) return node.fail(fmt::format("loops more than {} times", kMostPasses));
    const Result<Tensor> number = integers_tensor({pass}, {});
    const Result<Tensor> flag = Tensor::from_values({}, std::vector{1.0}, DType::boolean);
    if (!number || !flag) return node.fail("not enough memory");
    std::vector<Slot> inputs{constant_slot(*number), constant_slot(*flag)};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    std::vector<Slot> outputs = node.inline_graph("body", std::move(inputs), std::to_string(pass));
    if (node.failed()) return;
    if (outputs.size() != 1 + carried.size() + stacked.size())
      return node.fail(fmt::format("the body has {} outputs, must have {}", outputs.size(), 1 + carried.size() + stacked.size()));
    going = known_flag(node, outputs[0], "the body's condition");
    if (node.failed()) return;
    for (size_t i = 0; i < carried.size(); ++i) carried[i] = std::move(outputs[1 + i]);
    for (size_t i = 0; i < stacked.size(); ++i) stacked[i].push_back(std::move(outputs[1 + carried.size() + i]));
  }
  for (size_t i = 0; i < carried.size(); ++i) node.set_alias(carried[i], i);
  for (size_t i = 0; i < stacked.size(); ++i) set_stacked(node, stacked[i], 0, carried.size() + i);
}

/// Opset 9 on; before, Scan had a batch axis and lengths.
void convert_scan(NodeContext& node) {
  const bool old = node.opset() < 9;
  const size_t first = old ? 1 : 0;
  if (old && node.has_input(0)) return node.fail("input 0 (sequence_lens): is not supported");
  const auto scanned = static_cast<size_t>(node.integer("num_scan_inputs", 0, 1, 1 << 16));
  if (node.failed()) return;
  if (scanned + first > node.input_count()) return node.fail("attribute num_scan_inputs: there are fewer inputs");
  const size_t states = node.input_count() - first - scanned;
  if (node.output_count() < states) return node.fail("has fewer outputs than states");
  const size_t stacks = node.output_count() - states;
  const char* directions_in = old ? "directions" : "scan_input_directions";
  const std::vector<int64_t> directions = node.integers(directions_in, std::vector<int64_t>(scanned, 0), 0, 1);
  const std::vector<int64_t> axes = node.integers("scan_input_axes", std::vector<int64_t>(scanned, 0), -kMostPasses, kMostPasses);
  const std::vector<int64_t> out_directions = node.integers("scan_output_directions", std::vector<int64_t>(stacks, 0), 0, 1);
  const std::vector<int64_t> out_axes = node.integers("scan_output_axes", std::vector<int64_t>(stacks, 0), 0, kMostPasses);
  if (node.failed()) return;
  if (directions.size() != scanned || axes.size() != scanned || out_directions.size() != stacks || out_axes.size() != stacks)
    return node.fail("attributes of axes and directions: need one entry for each scanned input or output");
  GraphBuilder& builder = node.builder();
  std::vector<Slot> carried;
  std::vector<ValueId> sequences;
  int64_t batch = 1, steps = -1;
  for (size_t i = first; i < node.input_count(); ++i) {
    if (old) batch = node.input_type(i).rank() > 0 ? node.input_type(i).shape[0] : 0;
    if (old && !node.failed() && batch != 1) node.fail("opset 8 scans more than one sample; only one is supported");
    if (i < first + states) {
      carried.push_back(input_copy(node, i));
      if (!old || node.failed()) continue;
      carried.back() = Slot{};
      carried.back().value = ops::squeeze(builder, node.input(i), 0);
      continue;
    }
    ValueId x = node.input(i);
    if (node.failed()) return;
    if (old) x = ops::squeeze(builder, x, 0);
    const size_t k = i - first - states;
    const int64_t axis = front_axis(node, axes[k], node.failed() ? 0 : builder.type(x).rank(), "attribute scan_input_axes");
    if (node.failed()) return;
    const Shape shape = builder.type(x).shape;
    const int64_t extent = shape[static_cast<size_t>(axis)];
    if (steps >= 0 && steps != extent) return node.fail(fmt::format("the scanned inputs have {} and {} steps", steps, extent));
    steps = extent;
    std::vector<int64_t> order{axis};
    for (int64_t other = 0; other < static_cast<int64_t>(shape.size()); ++other) {
      if (other != axis) order.push_back(other);
    }
    sequences.push_back(ops::permute(builder, x, order));
  }
  if (node.failed()) return;
  if (steps > kMostPasses) return node.fail(fmt::format("scans more than {} steps", kMostPasses));
  std::vector<std::vector<Slot>> stacked(stacks);
  if (steps == 0) node.ignore("body");
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<Slot> inputs = carried;
    for (size_t k = 0; k < scanned; ++k) {
      const int64_t place = directions[k] == 0 ? step : steps - 1 - step;
      Slot slot;
      slot.made_by = "a step of a scan";
      slot.value = ops::squeeze(builder, ops::slice(builder, sequences[k], 0, place, place + 1), 0);
      inputs.push_back(std::move(slot));
    }
    if (node.failed()) return;
    std::vector<Slot> outputs = node.inline_graph("body", std::move(inputs), std::to_string(step));
    if (node.failed()) return;
    if (outputs.size() != states + stacks)
      return node.fail(fmt::format("the body has {} outputs, must have {}", outputs.size(), states + stacks));
    for (size_t i = 0; i < states; ++i) carried[i] = std::move(outputs[i]);
    for (size_t i = 0; i < stacks; ++i) {
      auto& stack = stacked[i];
      stack.insert(out_directions[i] == 0 ? stack.end() : stack.begin(), std::move(outputs[states + i]));
    }
  }
  for (size_t i = 0; i < states; ++i) {
    if (!old) node.set_alias(carried[i], i);
    else node.set_output(ops::unsqueeze(builder, node.value_of(carried[i]), 0), i);
  }
  for (size_t i = 0; i < stacks; ++i) {
    if (!old) {
      set_stacked(node, stacked[i], out_axes[i], states + i);
      continue;
    }
    std::vector<ValueId> values;
    for (Slot& slot : stacked[i]) values.push_back(ops::unsqueeze(builder, node.value_of(slot), 0));
    if (node.failed() || values.empty()) return node.fail("a scan without a step has no shape to give");
    const ValueId joined = values.size() == 1 ? values[0] : ops::concat(builder, values, 0);
    node.set_output(ops::unsqueeze(builder, joined, 0), states + i);
  }
}

}  // namespace engine::onnx
