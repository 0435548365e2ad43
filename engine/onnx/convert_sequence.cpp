// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals: lists of names while the model is read; nothing of them remains in the graph.
#include <fmt/format.h>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// Longer sequences are a mistake or malice.
constexpr int64_t kLongestSequence = 1000;

/// A place in a sequence of `size` elements, `extra` ones allowed behind it; negative ones count from the end.
size_t read_place(NodeContext& node, size_t input, int64_t size, int64_t extra) {
  const int64_t place = node.constant_integer(input, "position");
  if (!node.failed() && (place < -size || place >= size + extra))
    node.fail(fmt::format("input {} (position): {} is outside of {} elements", input, place, size));
  if (node.failed()) return 0;
  return static_cast<size_t>(place < 0 ? place + size : place);
}

Slot computed(ValueId value) {
  Slot slot;
  slot.made_by = "an element of a sequence";
  slot.value = value;
  return slot;
}

std::vector<Slot> elements_of(const std::vector<ValueId>& values) {
  std::vector<Slot> elements;
  for (const ValueId value : values) elements.push_back(computed(value));
  return elements;
}

}  // namespace

void convert_sequence_empty(NodeContext& node) {
  node.ignore("dtype");
  node.set_sequence({});
}

void convert_sequence_construct(NodeContext& node) {
  std::vector<Slot> elements;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Slot* slot = node.input_slot(i);
    if (slot == nullptr) return;
    elements.push_back(*slot);
  }
  node.set_sequence(std::move(elements));
}

void convert_sequence_at(NodeContext& node) {
  std::vector<Slot> elements = node.sequence(0);
  const size_t place = read_place(node, 1, static_cast<int64_t>(elements.size()), 0);
  if (!node.failed()) node.set_alias(std::move(elements[place]));
}

void convert_sequence_insert(NodeContext& node) {
  std::vector<Slot> elements = node.sequence(0);
  const Slot* tensor = node.input_slot(1);
  const auto size = static_cast<int64_t>(elements.size());
  const size_t place = node.has_input(2) ? read_place(node, 2, size, 1) : elements.size();
  if (node.failed()) return;
  if (size >= kLongestSequence) return node.fail(fmt::format("a sequence has more than {} elements", kLongestSequence));
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(place), *tensor);
  node.set_sequence(std::move(elements));
}

void convert_sequence_erase(NodeContext& node) {
  std::vector<Slot> elements = node.sequence(0);
  const auto size = static_cast<int64_t>(elements.size());
  if (!node.failed() && size == 0) node.fail("the sequence is empty");
  const size_t place = node.has_input(1) ? read_place(node, 1, size, 0) : elements.size() - 1;
  if (node.failed()) return;
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(place));
  node.set_sequence(std::move(elements));
}

void convert_sequence_length(NodeContext& node) {
  const std::vector<Slot> elements = node.sequence(0);
  const Result<Tensor> length = integers_tensor({static_cast<int64_t>(elements.size())}, {});
  if (node.failed()) return;
  if (!length) return node.fail(length.error().message);
  node.set_constant(*length);
}

void convert_concat_from_sequence(NodeContext& node) {
  const bool new_axis = node.flag("new_axis", false);
  std::vector<Slot> elements = node.sequence(0);
  if (!node.failed() && elements.empty()) node.fail("the sequence is empty");
  std::vector<ValueId> values;
  for (Slot& element : elements) values.push_back(node.value_of(element));
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const int64_t axis = read_axis(node, "axis", 0, builder.type(values[0]).rank() + (new_axis ? 1 : 0));
  if (node.failed()) return;
  if (new_axis) {
    for (ValueId& value : values) value = ops::unsqueeze(builder, value, axis);
  }
  if (!node.failed())
    node.set_output(values.size() == 1 ? ops::copy(builder, values[0]) : ops::concat(builder, values, axis));
}

void convert_split_to_sequence(NodeContext& node) {
  const TensorType type = node.input_type(0);
  const int64_t axis = read_axis(node, "axis", 0, type.rank());
  bool keep = node.flag("keepdims", true);
  std::vector<int64_t> sizes;
  if (node.has_input(1)) sizes = node.constant_integers(1, "split");
  const bool one_size = node.has_input(1) && node.input_type(1).rank() == 0;
  if (node.failed()) return;
  const int64_t extent = type.shape[static_cast<size_t>(axis)];
  if (sizes.empty() || one_size) {
    const int64_t size = one_size ? sizes[0] : 1;
    if (size < 1 || extent / size > kLongestSequence)
      return node.fail(fmt::format("{} elements cannot be split by {}", extent, size));
    sizes.clear();
    for (int64_t begin = 0; begin < extent; begin += size) sizes.push_back(std::min(size, extent - begin));
  }
  if (node.has_input(1)) keep = true;
  const ValueId x = node.input(0);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  std::vector<ValueId> pieces = ops::split(builder, x, sizes, axis);
  if (node.failed()) return;
  if (!keep) {
    for (ValueId& piece : pieces) piece = ops::squeeze(builder, piece, axis);
  }
  node.set_sequence(elements_of(pieces));
}

/// One pass of the body for each element.
void convert_sequence_map(NodeContext& node) {
  const std::vector<Slot> first = node.sequence(0);
  std::vector<std::vector<Slot>> outputs(node.output_count());
  if (first.empty()) node.ignore("body");
  for (size_t i = 0; i < first.size() && !node.failed(); ++i) {
    std::vector<Slot> inputs;
    for (size_t k = 0; k < node.input_count(); ++k) {
      const Slot* slot = node.input_slot(k);
      if (slot == nullptr) return;
      if (slot->is_sequence && slot->elements.size() != first.size())
        return node.fail(
            fmt::format("input {} has {} elements, input 0 has {}", k, slot->elements.size(), first.size()));
      inputs.push_back(slot->is_sequence ? slot->elements[i] : *slot);
    }
    std::vector<Slot> made = node.inline_graph("body", std::move(inputs), std::to_string(i));
    if (node.failed()) return;
    if (made.size() != outputs.size()) return node.fail("the body has another number of outputs");
    for (size_t k = 0; k < made.size(); ++k) outputs[k].push_back(std::move(made[k]));
  }
  for (size_t k = 0; k < outputs.size(); ++k) node.set_sequence(std::move(outputs[k]), k);
}

void convert_optional(NodeContext& node) {
  node.ignore("type");
  if (node.has_input(0)) return convert_identity(node);
  Slot nothing;
  nothing.is_absent = true;
  node.set_alias(std::move(nothing));
}

void convert_optional_has_element(NodeContext& node) {
  bool there = node.has_input(0);
  if (there) {
    const Slot* slot = node.input_slot(0);
    if (slot == nullptr) return;
    there = !slot->is_absent;
  }
  const Result<Tensor> flag = Tensor::from_values({}, std::vector{there ? 1.0 : 0.0}, DType::boolean);
  if (!flag) return node.fail(flag.error().message);
  node.set_constant(*flag);
}

void convert_optional_get_element(NodeContext& node) {
  const Slot* slot = node.input_slot(0);
  if (slot == nullptr) return;
  if (slot->is_absent) return node.fail("input 0 is an optional that is not there");
  node.set_alias(*slot);
}

}  // namespace engine::onnx
