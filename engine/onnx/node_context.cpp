// SPDX-License-Identifier: Apache-2.0
// Reads a node's inputs and attributes with every refusal in words.
#include "engine/onnx/node_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/onnx/fold.h"
#include "engine/onnx/narrow_types.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/text.h"
#include "engine/tensor/element.h"

namespace engine::onnx {
namespace {

using ::onnx::AttributeProto;

/// Shapes, axes and pads have one entry per axis or two; more is a mistake, not a shape.
constexpr int64_t kMostConstantIntegers = 4 * kLargestRank;

/// What may be done with values that another type holds: nothing that rounds, wraps or saturates as their own would.
bool takes_narrow(std::string_view op_type) {
  constexpr std::array<std::string_view, 13> kTakers{
      "Cast",     "Concat",  "Constant", "DequantizeLinear", "Flatten",   "Gather",   "GatherBlockQuantized",
      "Identity", "Reshape", "Slice",    "Squeeze",          "Transpose", "Unsqueeze"};
  return std::ranges::find(kTakers, op_type) != kTakers.end();
}

}  // namespace

NodeContext::NodeContext(Importer& importer, const ::onnx::NodeProto& node, GraphBuilder* apart)
    : importer_(importer),
      node_(node),
      attribute_read_(static_cast<size_t>(node.attribute_size()), false),
      apart_(apart),
      outputs_(static_cast<size_t>(node.output_size())) {}

void NodeContext::fail(std::string message) {
  if (!error_) error_ = std::move(message);
}

bool NodeContext::has_input(size_t i) const { return i < input_count() && !node_.input(static_cast<int>(i)).empty(); }

const Slot* NodeContext::input_slot(size_t i) {
  if (failed()) return nullptr;
  if (!has_input(i)) {
    fail(fmt::format("input {} is missing", i));
    return nullptr;
  }
  const std::string& name = node_.input(static_cast<int>(i));
  Slot* slot = importer_.find(name);
  if (slot == nullptr) {
    fail(fmt::format("input {} {} {}", i, in_quotes(name), importer_.why_missing(name)));
    return nullptr;
  }
  if (Result<void> loaded = importer_.load(name, *slot); !loaded) {
    fail(fmt::format("input {}: {}", i, loaded.error().message));
    return nullptr;
  }
  if (!slot->narrow.empty() && !takes_narrow(node_.op_type())) {
    fail(fmt::format("input {} {} is {}, which is supported in DequantizeLinear and Cast only", i, in_quotes(name),
                     slot->narrow));
    return nullptr;
  }
  return slot;
}

std::string_view NodeContext::narrow(size_t i) {
  const Slot* slot = has_input(i) ? input_slot(i) : nullptr;
  return slot == nullptr ? std::string_view() : slot->narrow;
}

/// A constant as a leaf of the graph apart; `name` is for messages.
ValueId NodeContext::value_apart(const std::string& name, const Slot& slot) {
  if (slot.is_sequence || slot.is_absent) {
    fail(fmt::format("{} is no tensor but {}", in_quotes(name),
                     slot.is_sequence ? "a sequence" : "an optional that is not there"));
    return kNoValue;
  }
  CHECK(slot.constant.has_value());
  const Result<Tensor> tensor = materialize(*slot.constant);
  if (tensor) return apart_->constant(printable(name), *tensor);
  fail(fmt::format("{}: {}", in_quotes(name), tensor.error().message));
  return kNoValue;
}

ValueId NodeContext::value_of(Slot& slot) {
  if (failed()) return kNoValue;
  if (apart_ != nullptr) return value_apart("element", slot);
  const Result<ValueId> value = importer_.value_of(slot.made_by, slot);
  if (value) return *value;
  fail(value.error().message);
  return kNoValue;
}

ValueId NodeContext::input(size_t i) {
  const Slot* slot = input_slot(i);
  if (slot == nullptr) return kNoValue;
  const std::string& name = node_.input(static_cast<int>(i));
  if (apart_ != nullptr) return value_apart(name, *slot);
  const Result<ValueId> value = importer_.value_of(name, *importer_.find(name));
  if (value) return *value;
  fail(fmt::format("input {}: {}", i, value.error().message));
  return kNoValue;
}

TensorType NodeContext::input_type(size_t i) {
  const Slot* slot = input_slot(i);
  if (slot == nullptr) return {};
  if (slot->constant) return slot->constant->type;
  if (slot->value != kNoValue) return importer_.builder().type(slot->value);
  fail(fmt::format("input {} is no tensor but {}", i,
                   slot->is_sequence ? "a sequence" : "an optional that is not there"));
  return {};
}

std::optional<Tensor> NodeContext::constant_tensor(size_t i) {
  const Slot* slot = input_slot(i);
  if (slot == nullptr || !slot->constant || slot->constant->type.elements() > kLargestFolded) return std::nullopt;
  Result<Tensor> tensor = materialize(*slot->constant);
  if (tensor) return std::move(*tensor);
  fail(fmt::format("input {}: {}", i, tensor.error().message));
  return std::nullopt;
}

/// The slot of an input that is computed at run time, where its elements can be had; null: it is constant, or they
/// cannot.
Slot* NodeContext::computed_slot(size_t i) {
  const Slot* slot = input_slot(i);
  if (slot == nullptr || slot->constant || slot->value == kNoValue || !importer_.evaluates()) return nullptr;
  return importer_.find(node_.input(static_cast<int>(i)));
}

/// The elements of a value that decides about the graph, and a check of them in each step.
std::optional<Tensor> NodeContext::guarded_tensor(Slot& slot, std::string_view what) {
  Result<Tensor> tensor = importer_.elements_of(slot, node_.op_type());
  Result<void> guarded;
  if (tensor) guarded = importer_.guard(slot);
  if (tensor && guarded) return std::move(*tensor);
  fail(fmt::format("{} is computed at run time: {}", what, (tensor ? guarded.error() : tensor.error()).message));
  return std::nullopt;
}

std::optional<Tensor> NodeContext::constant_elements(size_t i, std::string_view what) {
  const Slot* slot = input_slot(i);
  if (slot != nullptr && !slot->constant)
    fail(fmt::format("input {} ({}) is computed at run time; it must be a constant", i, what));
  return failed() ? std::nullopt : elements(i, what);
}

std::optional<Tensor> NodeContext::elements(size_t i, std::string_view what) {
  const Slot* slot = input_slot(i);
  if (slot == nullptr) return std::nullopt;
  if (slot->constant) {
    Result<Tensor> tensor = materialize(*slot->constant);
    if (tensor) return std::move(*tensor);
    fail(fmt::format("input {}: {}", i, tensor.error().message));
    return std::nullopt;
  }
  if (Slot* const computed = computed_slot(i); computed != nullptr) {
    Result<Tensor> tensor = importer_.elements_of(*computed, node_.op_type());
    if (tensor) return std::move(*tensor);
    fail(fmt::format("input {} ({}): {}", i, what, tensor.error().message));
    return std::nullopt;
  }
  return known_tensor(i, what);
}

std::vector<ValueId> NodeContext::append_sized(const Op& op, std::vector<ValueId> inputs, Attributes attributes) {
  std::vector<ValueId> made = builder().append(op, std::move(inputs), std::move(attributes));
  if (failed()) return made;
  if (apart_ == nullptr) importer_.check_each_step(made.back());
  made.pop_back();
  return made;
}

bool NodeContext::known_flag(Slot& slot, std::string_view what) {
  if (failed()) return false;
  if (slot.constant && slot.constant->type.elements() == 1) {
    const Result<Tensor> tensor = materialize(*slot.constant);
    if (tensor) return tensor->get_flat(0) != 0;
    fail(tensor.error().message);
    return false;
  }
  const bool one = slot.value != kNoValue && importer_.builder().type(slot.value).elements() == 1;
  if (!one || slot.constant || !importer_.evaluates()) {
    fail(fmt::format("{} is computed at run time; it must be known when the model is read", what));
    return false;
  }
  const std::optional<Tensor> tensor = guarded_tensor(slot, what);
  return tensor && tensor->get_flat(0) != 0;
}

std::optional<Tensor> NodeContext::known_tensor(size_t i, std::string_view what) {
  if (Slot* const computed = computed_slot(i); computed != nullptr)
    return guarded_tensor(*computed, fmt::format("input {} ({})", i, what));
  std::optional<Tensor> tensor = constant_tensor(i);
  if (!tensor && !failed()) {
    fail(fmt::format("input {} ({}) is computed at run time, or large; it must be a small constant{}", i, what,
                     how_to_know(i)));
  }
  return failed() ? std::nullopt : tensor;
}

std::vector<double> NodeContext::constant_reals(size_t i, std::string_view what) {
  const std::optional<Tensor> tensor = known_tensor(i, what);
  if (!tensor) return {};
  std::vector<double> values(static_cast<size_t>(tensor->type().elements()));
  for (size_t k = 0; k < values.size(); ++k) values[k] = tensor->get_flat(static_cast<int64_t>(k));
  return values;
}

double NodeContext::constant_real(size_t i, std::string_view what) {
  const std::vector<double> values = constant_reals(i, what);
  if (!failed() && values.size() != 1)
    fail(fmt::format("input {} ({}) has {} elements, must have one", i, what, values.size()));
  return failed() ? 0 : values[0];
}

int64_t NodeContext::constant_integer(size_t i, std::string_view what) {
  const std::vector<int64_t> values = constant_integers(i, what);
  if (!failed() && values.size() != 1)
    fail(fmt::format("input {} ({}) has {} elements, must have one", i, what, values.size()));
  return failed() ? 0 : values[0];
}

std::optional<Shape> NodeContext::places_of(size_t i) {
  const Slot* slot = input_slot(i);
  return slot == nullptr ? std::nullopt : slot->places_in;
}

std::vector<Slot> NodeContext::sequence(size_t i) {
  const Slot* slot = input_slot(i);
  if (slot == nullptr) return {};
  if (slot->is_sequence) return slot->elements;
  fail(fmt::format("input {} is no sequence", i));
  return {};
}

/// Advice where an input of the graph decides about extents.
std::string NodeContext::how_to_know(size_t i) {
  const Slot* slot = input_slot(i);
  if (slot == nullptr || slot->made_by != "a graph input") return "";
  return fmt::format(": the graph input {0} decides about extents, give its elements (as in {0}=2,3)",
                     printable(node_.input(static_cast<int>(i))));
}

std::vector<int64_t> NodeContext::constant_integers(size_t i, std::string_view what) {
  const Slot* slot = input_slot(i);
  if (slot == nullptr) return {};
  Slot* const computed = computed_slot(i);
  if (!slot->constant && computed == nullptr) {
    fail(fmt::format("input {} ({}) is computed at run time; it must be a constant{}", i, what, how_to_know(i)));
    return {};
  }
  std::optional<Constant> seen;
  if (computed != nullptr) {
    const std::optional<Tensor> tensor = guarded_tensor(*computed, fmt::format("input {} ({})", i, what));
    if (!tensor) return {};
    seen = Constant{tensor->type(), std::nullopt, *tensor};
  }
  const Constant& constant = seen ? *seen : *slot->constant;
  const DType dtype = constant.type.dtype;
  if (constant.type.rank() > 1 || (dtype != DType::int64 && dtype != DType::int32)) {
    fail(fmt::format("input {} ({}) is {}; it must be a vector of i64", i, what, to_string(constant.type)));
    return {};
  }
  const int64_t count = constant.type.elements();
  if (count > kMostConstantIntegers) {
    fail(fmt::format("input {} ({}) has {} elements, at most {} make sense", i, what, count, kMostConstantIntegers));
    return {};
  }
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (size_t k = 0; k < values.size(); ++k) {
    if (constant.uniform) {
      // 2^63 - 1 ("to the end") is 2^63 as a double: stored as any double is, held in the range.
      store_element(DType::int64, reinterpret_cast<std::byte*>(&values[k]), *constant.uniform);
    } else if (dtype == DType::int64) {
      values[k] = constant.data.data_as<int64_t>()[k];
    } else {
      values[k] = constant.data.data_as<int32_t>()[k];
    }
  }
  return values;
}

bool NodeContext::has_attribute(std::string_view name) const {
  for (const AttributeProto& attribute : node_.attribute()) {
    if (attribute.name() == name) return true;
  }
  return false;
}

std::vector<std::string> NodeContext::attribute_names() const {
  std::vector<std::string> names;
  for (const AttributeProto& attribute : node_.attribute()) names.push_back(attribute.name());
  return names;
}

std::string NodeContext::output_name(size_t i) const {
  return i < output_count() ? printable(node_.output(static_cast<int>(i))) : std::string();
}

const AttributeProto* NodeContext::find_attribute(std::string_view name) {
  for (int i = 0; i < node_.attribute_size(); ++i) {
    if (node_.attribute(i).name() != name) continue;
    attribute_read_[static_cast<size_t>(i)] = true;
    return &node_.attribute(i);
  }
  return nullptr;
}

const AttributeProto* NodeContext::find_attribute(std::string_view name, AttributeProto::AttributeType type) {
  const AttributeProto* attribute = find_attribute(name);
  if (attribute == nullptr || attribute->type() == type) return attribute;
  fail(fmt::format("attribute {}: has type {}, must be {}", name, AttributeProto::AttributeType_Name(attribute->type()),
                   AttributeProto::AttributeType_Name(type)));
  return nullptr;
}

void NodeContext::check_range(std::string_view name, int64_t value, int64_t lowest, int64_t highest) {
  if (value >= lowest && value <= highest) return;
  fail(fmt::format("attribute {}: {} is not between {} and {}", name, value, lowest, highest));
}

int64_t NodeContext::integer(std::string_view name, int64_t fallback, int64_t lowest, int64_t highest) {
  const AttributeProto* attribute = find_attribute(name, AttributeProto::INT);
  if (attribute == nullptr) return fallback;
  check_range(name, attribute->i(), lowest, highest);
  return attribute->i();
}

double NodeContext::real(std::string_view name, double fallback) {
  const AttributeProto* attribute = find_attribute(name, AttributeProto::FLOAT);
  return attribute == nullptr ? fallback : static_cast<double>(attribute->f());
}

std::string NodeContext::text(std::string_view name, std::string_view fallback) {
  const AttributeProto* attribute = find_attribute(name, AttributeProto::STRING);
  return attribute == nullptr ? std::string(fallback) : attribute->s();
}

std::vector<int64_t> NodeContext::integers(std::string_view name, std::vector<int64_t> fallback, int64_t lowest,
                                           int64_t highest) {
  const AttributeProto* attribute = find_attribute(name, AttributeProto::INTS);
  if (attribute == nullptr) return fallback;
  if (attribute->ints_size() > kMostConstantIntegers) {
    fail(fmt::format("attribute {}: has {} entries, at most {} make sense", name, attribute->ints_size(),
                     kMostConstantIntegers));
    return fallback;
  }
  for (const int64_t value : attribute->ints()) check_range(name, value, lowest, highest);
  return {attribute->ints().begin(), attribute->ints().end()};
}

std::vector<double> NodeContext::reals(std::string_view name, std::vector<double> fallback) {
  const AttributeProto* attribute = find_attribute(name, AttributeProto::FLOATS);
  if (attribute == nullptr) return fallback;
  return {attribute->floats().begin(), attribute->floats().end()};
}

std::vector<std::string> NodeContext::texts(std::string_view name) {
  const AttributeProto* attribute = find_attribute(name, AttributeProto::STRINGS);
  if (attribute == nullptr) return {};
  return {attribute->strings().begin(), attribute->strings().end()};
}

std::optional<Tensor> NodeContext::tensor(std::string_view name) {
  const AttributeProto* attribute = find_attribute(name, AttributeProto::TENSOR);
  if (attribute == nullptr) return std::nullopt;
  Result<Tensor> tensor = to_tensor(attribute->t(), importer_.folder());
  if (const NarrowType* narrow = narrow_type(attribute->t().data_type())) narrow_ = narrow->name;
  if (tensor) return std::move(*tensor);
  fail(fmt::format("attribute {}: {}", name, tensor.error().message));
  return std::nullopt;
}

NodeContext::Output& NodeContext::output(size_t i) {
  if (i >= outputs_.size()) outputs_.resize(i + 1);
  return outputs_[i].emplace();
}

bool NodeContext::has_output(size_t i) const {
  return i < output_count() && !node_.output(static_cast<int>(i)).empty();
}

void NodeContext::set_output(ValueId value, size_t i) { output(i).value = value; }

void NodeContext::set_constant(Constant constant, size_t i) {
  Slot& slot = output(i).slot.emplace();
  slot.constant = std::move(constant);
  slot.narrow = narrow_;
}

void NodeContext::set_constant(Tensor tensor, size_t i) {
  const TensorType type = tensor.type();
  set_constant(Constant{type, std::nullopt, std::move(tensor)}, i);
}

void NodeContext::set_alias(Slot slot, size_t i) { output(i).slot = std::move(slot); }

void NodeContext::set_sequence(std::vector<Slot> elements, size_t i) {
  Slot& slot = output(i).slot.emplace();
  slot.is_sequence = true;
  slot.elements = std::move(elements);
}

void NodeContext::set_places(Shape shape, size_t i) { outputs_.at(i).value().places_in = std::move(shape); }

std::vector<Slot> NodeContext::inline_graph(std::string_view attribute, std::vector<Slot> inputs,
                                            const std::string& label) {
  const AttributeProto* graph = find_attribute(attribute, AttributeProto::GRAPH);
  if (graph == nullptr) fail(fmt::format("attribute {}: is missing", attribute));
  if (failed()) return {};
  Result<std::vector<Slot>> outputs = importer_.inline_graph(graph->g(), std::move(inputs), label);
  if (outputs) return std::move(*outputs);
  fail(outputs.error().message);
  return {};
}

/// Turns outputs that are values of the graph apart into constants, elements of sequences too; false when that is too
/// much work.
Result<bool> NodeContext::compute_apart() {
  std::vector<Slot*> slots;
  std::vector<ValueId> wanted;
  const auto want = [&](Slot& slot, ValueId value) {
    slots.push_back(&slot);
    wanted.push_back(value);
  };
  for (std::optional<Output>& output : outputs_) {
    if (!output) continue;
    if (!output->slot) want(output->slot.emplace(), output->value);
    for (Slot& element : output->slot->elements) {
      if (!element.constant) want(element, std::exchange(element.value, kNoValue));
    }
  }
  if (wanted.empty()) return true;
  const Result<std::vector<Tensor>> tensors =
      evaluate(apart_->graph(), wanted, [&](double work) { return importer_.spend_folding(work); });
  if (!tensors) return tensors.error();
  if (tensors->empty()) return false;
  for (size_t i = 0; i < slots.size(); ++i)
    slots[i]->constant = Constant{(*tensors)[i].type(), std::nullopt, (*tensors)[i]};
  return true;
}

/// What of a constant output is learned: what its inputs hold; of tensors within a node, the floating ones of more than
/// one element.
std::vector<std::shared_ptr<int64_t>> NodeContext::learned_of_outputs(const Slot& slot) {
  std::vector<std::shared_ptr<int64_t>> learned;
  if (!slot.constant || !is_floating(slot.constant->type.dtype)) return learned;
  const int64_t elements = slot.constant->type.elements();
  const bool own = node_.op_type() == "Constant" || (node_.op_type() == "ConstantOfShape" && importer_.is_light());
  if (own && elements > 1) learned.push_back(std::make_shared<int64_t>(elements));
  for (const std::string& name : node_.input()) {
    const Slot* input = name.empty() ? nullptr : importer_.find(name);
    if (input != nullptr) learned.insert(learned.end(), input->learned.begin(), input->learned.end());
  }
  return learned;
}

/// Operators that move values hand on what their inputs stand for.
std::string_view NodeContext::kept_narrow() {
  if (!takes_narrow(op_type()) || op_type() == "Cast" || op_type() == "DequantizeLinear" ||
      op_type() == "GatherBlockQuantized")
    return {};
  for (size_t i = 0; i < input_count(); ++i) {
    const Slot* slot = has_input(i) ? importer_.find(node_.input(static_cast<int>(i))) : nullptr;
    if (slot != nullptr && !slot->narrow.empty()) return slot->narrow;
  }
  return {};
}

Result<bool> NodeContext::finish() {
  for (int i = 0; i < node_.attribute_size() && !failed(); ++i) {
    if (attribute_read_[static_cast<size_t>(i)]) continue;
    fail(fmt::format("attribute {}: is given twice, or is not supported here", in_quotes(node_.attribute(i).name())));
  }
  if (error_) return refused_error(*error_);
  if (builder().failed()) return refused_error(builder().finish().error().message);
  if (node_.output_size() == 0 || std::ranges::all_of(node_.output(), &std::string::empty))
    return refused_error("output 0 is missing");
  if (apart_ != nullptr) {
    const Result<bool> computed = compute_apart();
    if (!computed || !*computed) return computed;
  }
  for (std::string& text : notes_) importer_.note(std::move(text));
  for (int i = 0; i < node_.output_size(); ++i) {
    const std::string& name = node_.output(i);
    if (name.empty()) continue;
    const auto place = static_cast<size_t>(i);
    if (place >= outputs_.size() || !outputs_[place]) {
      importer_.drop(name, fmt::format("is output {} of {}, which is not supported", i, describe(node_)));
      continue;
    }
    Slot slot;
    if (outputs_[place]->slot) slot = std::move(*outputs_[place]->slot);
    else slot.value = outputs_[place]->value;
    if (apart_ != nullptr || (slot.constant && slot.learned.empty() && input_count() > 0))
      slot.learned = learned_of_outputs(slot);
    if (slot.narrow.empty()) slot.narrow = kept_narrow();
    if (outputs_[place]->places_in) slot.places_in = std::move(outputs_[place]->places_in);
    slot.made_by = "an output of " + describe(node_);
    slot.initializer = nullptr;
    if (Result<void> defined = importer_.define(name, std::move(slot)); !defined) return defined.error();
  }
  return true;
}

}  // namespace engine::onnx
