// SPDX-License-Identifier: Apache-2.0
// Branches and loops, resolved at import: conditions and trip counts must be known, passes are written one after
// another.
#include <fmt/format.h>

#include <limits>

#include "engine/onnx/convert_words.h"
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

Slot input_copy(NodeContext& node, size_t i) {
  const Slot* slot = node.input_slot(i);
  return slot == nullptr ? Slot{} : *slot;
}

/// The passes' results as one tensor with a new axis, which may count from the end.
ValueId stack(NodeContext& node, std::vector<Slot>& passes, int64_t axis) {
  if (passes.empty()) node.fail("a loop without a pass has no shape to give to what it would have stacked");
  std::vector<ValueId> values;
  for (Slot& pass : passes) {
    const ValueId value = node.value_of(pass);
    if (node.failed()) return kNoValue;
    const int64_t place = front_axis(node, axis, node.builder().type(value).rank() + 1, "the stacked axis");
    if (node.failed()) return kNoValue;
    values.push_back(ops::unsqueeze(node.builder(), value, place));
  }
  if (node.failed()) return kNoValue;
  const int64_t place = front_axis(node, axis, node.builder().type(values[0]).rank(), "the stacked axis");
  return values.size() == 1 ? values[0] : ops::concat(node.builder(), values, place);
}

/// A Scan while it is written: states handed from step to step, sequences cut into steps, results stacked.
class ScanWriter {
 public:
  explicit ScanWriter(NodeContext& node) : node_(node), old_(node.opset() < 9), first_(old_ ? 1 : 0) {}
  void write() {
    read_counts();
    if (!node_.failed()) read_inputs();
    if (!node_.failed()) walk();
    if (!node_.failed()) set_outputs();
  }

 private:
  GraphBuilder& builder() { return node_.builder(); }
  std::vector<int64_t> read_list(std::string_view name, size_t count, int64_t highest);
  void read_counts();
  void read_inputs();
  void read_sequence(size_t k);
  void walk();
  void set_outputs();
  /// Opset 8 scans a batch of samples; only one is supported, whose axis comes off here.
  ValueId without_batch(size_t i);

  NodeContext& node_;
  bool old_;
  size_t first_, scanned_ = 0, states_ = 0, stacks_ = 0;
  std::vector<int64_t> directions_, axes_, out_directions_, out_axes_;
  std::vector<Slot> carried_;
  std::vector<ValueId> sequences_;  ///< the scanned axis first
  std::vector<std::vector<Slot>> stacked_;
  int64_t steps_ = -1;
};

std::vector<int64_t> ScanWriter::read_list(std::string_view name, size_t count, int64_t highest) {
  const std::vector<int64_t> list = node_.integers(name, std::vector<int64_t>(count, 0), -highest, highest);
  if (list.size() != count)
    node_.fail(fmt::format("attribute {}: has {} entries, must have {}", name, list.size(), count));
  return list;
}

void ScanWriter::read_counts() {
  if (old_ && node_.has_input(0)) return node_.fail("input 0 (sequence_lens): is not supported");
  scanned_ = static_cast<size_t>(node_.integer("num_scan_inputs", 0, 1, 1 << 16));
  if (node_.failed()) return;
  if (scanned_ + first_ > node_.input_count()) return node_.fail("attribute num_scan_inputs: there are fewer inputs");
  states_ = node_.input_count() - first_ - scanned_;
  if (node_.output_count() < states_) return node_.fail("has fewer outputs than states");
  stacks_ = node_.output_count() - states_;
  directions_ = read_list(old_ ? "directions" : "scan_input_directions", scanned_, 1);
  axes_ = read_list("scan_input_axes", scanned_, kMostPasses);
  out_directions_ = read_list("scan_output_directions", stacks_, 1);
  out_axes_ = read_list("scan_output_axes", stacks_, kMostPasses);
  stacked_.resize(stacks_);
}

ValueId ScanWriter::without_batch(size_t i) {
  const Shape shape = node_.input_type(i).shape;
  if (!node_.failed() && (shape.empty() || shape[0] != 1))
    node_.fail(fmt::format("input {}: opset 8 scans a batch of samples; only one sample is supported", i));
  const ValueId value = node_.input(i);
  return node_.failed() ? kNoValue : ops::squeeze(builder(), value, 0);
}

void ScanWriter::read_inputs() {
  for (size_t i = first_; i < first_ + states_; ++i) {
    carried_.push_back(old_ ? Slot{} : input_copy(node_, i));
    if (old_) carried_.back().value = without_batch(i);
  }
  for (size_t k = 0; k < scanned_ && !node_.failed(); ++k) read_sequence(k);
  if (steps_ > kMostPasses) node_.fail(fmt::format("scans more than {} steps", kMostPasses));
}

void ScanWriter::read_sequence(size_t k) {
  const size_t i = first_ + states_ + k;
  const ValueId x = old_ ? without_batch(i) : node_.input(i);
  if (node_.failed()) return;
  const Shape shape = builder().type(x).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t axis = front_axis(node_, axes_[k], rank, "attribute scan_input_axes");
  if (node_.failed()) return;
  const int64_t extent = shape[static_cast<size_t>(axis)];
  if (steps_ >= 0 && steps_ != extent)
    return node_.fail(fmt::format("the scanned inputs have {} and {} steps", steps_, extent));
  steps_ = extent;
  std::vector<int64_t> order{axis};
  for (int64_t other = 0; other < rank; ++other) {
    if (other != axis) order.push_back(other);
  }
  sequences_.push_back(ops::permute(builder(), x, order));
}

void ScanWriter::walk() {
  if (steps_ == 0) node_.ignore("body");
  for (int64_t step = 0; step < steps_; ++step) {
    std::vector<Slot> inputs = carried_;
    for (size_t k = 0; k < scanned_; ++k) {
      const int64_t place = directions_[k] == 0 ? step : steps_ - 1 - step;
      Slot& slot = inputs.emplace_back();
      slot.made_by = "a step of a scan";
      slot.value = ops::squeeze(builder(), ops::slice(builder(), sequences_[k], 0, place, place + 1), 0);
    }
    if (node_.failed()) return;
    std::vector<Slot> outputs = node_.inline_graph("body", std::move(inputs), std::to_string(step));
    if (node_.failed()) return;
    if (outputs.size() != states_ + stacks_)
      return node_.fail(fmt::format("the body has {} outputs, must have {}", outputs.size(), states_ + stacks_));
    for (size_t i = 0; i < states_; ++i) carried_[i] = std::move(outputs[i]);
    for (size_t i = 0; i < stacks_; ++i) {
      std::vector<Slot>& stack = stacked_[i];
      stack.insert(out_directions_[i] == 0 ? stack.end() : stack.begin(), std::move(outputs[states_ + i]));
    }
  }
}

void ScanWriter::set_outputs() {
  for (size_t i = 0; i < states_ && !node_.failed(); ++i) {
    if (!old_) {
      node_.set_alias(carried_[i], i);
      continue;
    }
    const ValueId value = node_.value_of(carried_[i]);
    if (!node_.failed()) node_.set_output(ops::unsqueeze(builder(), value, 0), i);
  }
  for (size_t i = 0; i < stacks_; ++i) {
    const ValueId value = stack(node_, stacked_[i], old_ ? 0 : out_axes_[i]);
    if (node_.failed()) return;
    node_.set_output(old_ ? ops::unsqueeze(builder(), value, 0) : value, states_ + i);
  }
}

}  // namespace

void convert_if(NodeContext& node) {
  Slot condition = input_copy(node, 0);
  if (node.failed()) return;
  const bool holds = node.known_flag(condition, "input 0 (cond)");
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
  bool going = true;
  if (node.has_input(1)) {
    Slot condition = input_copy(node, 1);
    going = node.known_flag(condition, "input 1 (cond)");
  }
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
      return node.fail(
          fmt::format("the body has {} outputs, must have {}", outputs.size(), 1 + carried.size() + stacked.size()));
    going = node.known_flag(outputs[0], "the body's condition");
    if (node.failed()) return;
    for (size_t i = 0; i < carried.size(); ++i) carried[i] = std::move(outputs[1 + i]);
    for (size_t i = 0; i < stacked.size(); ++i) stacked[i].push_back(std::move(outputs[1 + carried.size() + i]));
  }
  for (size_t i = 0; i < carried.size(); ++i) node.set_alias(carried[i], i);
  for (size_t i = 0; i < stacked.size(); ++i) {
    const ValueId value = stack(node, stacked[i], 0);
    if (!node.failed()) node.set_output(value, carried.size() + i);
  }
}

void convert_scan(NodeContext& node) { ScanWriter(node).write(); }

}  // namespace engine::onnx
