// SPDX-License-Identifier: Apache-2.0
// Reads a node's inputs and attributes with every refusal in words.
#include "engine/onnx/node_context.h"

#include <fmt/format.h>

#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/text.h"
#include "engine/tensor/element.h"

namespace engine::onnx {
namespace {

using ::onnx::AttributeProto;

/// Shapes, axes and pads have one entry per axis or two; more is a mistake, not a shape.
constexpr int64_t kMostConstantIntegers = 4 * kLargestRank;

}  // namespace

NodeContext::NodeContext(Importer& importer, const ::onnx::NodeProto& node)
    : importer_(importer),
      node_(node),
      attribute_read_(static_cast<size_t>(node.attribute_size()), false) {}

void NodeContext::fail(std::string message) {
  if (!error_) error_ = std::move(message);
}

bool NodeContext::has_input(size_t i) const {
  return i < input_count() && !node_.input(static_cast<int>(i)).empty();
}

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
  return slot;
}

ValueId NodeContext::input(size_t i) {
  if (input_slot(i) == nullptr) return kNoValue;
  const std::string& name = node_.input(static_cast<int>(i));
  const Result<ValueId> value = importer_.value_of(name, *importer_.find(name));
  if (value) return *value;
  fail(fmt::format("input {}: {}", i, value.error().message));
  return kNoValue;
}

TensorType NodeContext::input_type(size_t i) {
  const Slot* slot = input_slot(i);
  if (slot == nullptr) return {};
  if (slot->constant) return slot->constant->type;
  return builder().type(slot->value);
}

std::vector<int64_t> NodeContext::constant_integers(size_t i, std::string_view what) {
  const Slot* slot = input_slot(i);
  if (slot == nullptr) return {};
  if (!slot->constant) {
    fail(fmt::format("input {} ({}) is computed at run time; it must be a constant", i, what));
    return {};
  }
  const Constant& constant = *slot->constant;
  const DType dtype = constant.type.dtype;
  if (constant.type.rank() > 1 || (dtype != DType::int64 && dtype != DType::int32)) {
    fail(fmt::format("input {} ({}) is {}; it must be a vector of i64", i, what,
                     to_string(constant.type)));
    return {};
  }
  const int64_t count = constant.type.elements();
  if (count > kMostConstantIntegers) {
    fail(fmt::format("input {} ({}) has {} elements, at most {} make sense", i, what, count,
                     kMostConstantIntegers));
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

const AttributeProto* NodeContext::find_attribute(std::string_view name) {
  for (int i = 0; i < node_.attribute_size(); ++i) {
    if (node_.attribute(i).name() != name) continue;
    attribute_read_[static_cast<size_t>(i)] = true;
    return &node_.attribute(i);
  }
  return nullptr;
}

const AttributeProto* NodeContext::find_attribute(std::string_view name,
                                                  AttributeProto::AttributeType type) {
  const AttributeProto* attribute = find_attribute(name);
  if (attribute == nullptr || attribute->type() == type) return attribute;
  fail(fmt::format("attribute {}: has type {}, must be {}", name,
                   AttributeProto::AttributeType_Name(attribute->type()),
                   AttributeProto::AttributeType_Name(type)));
  return nullptr;
}

void NodeContext::check_range(std::string_view name, int64_t value, int64_t lowest,
                              int64_t highest) {
  if (value >= lowest && value <= highest) return;
  fail(fmt::format("attribute {}: {} is not between {} and {}", name, value, lowest, highest));
}

int64_t NodeContext::integer(std::string_view name, int64_t fallback, int64_t lowest,
                             int64_t highest) {
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

std::vector<int64_t> NodeContext::integers(std::string_view name, std::vector<int64_t> fallback,
                                           int64_t lowest, int64_t highest) {
  const AttributeProto* attribute = find_attribute(name, AttributeProto::INTS);
  if (attribute == nullptr) return fallback;
  if (attribute->ints_size() > kMostConstantIntegers) {
    fail(fmt::format("attribute {}: has {} entries, at most {} make sense", name,
                     attribute->ints_size(), kMostConstantIntegers));
    return fallback;
  }
  for (const int64_t value : attribute->ints()) check_range(name, value, lowest, highest);
  return {attribute->ints().begin(), attribute->ints().end()};
}

std::optional<Tensor> NodeContext::tensor(std::string_view name) {
  const AttributeProto* attribute = find_attribute(name, AttributeProto::TENSOR);
  if (attribute == nullptr) return std::nullopt;
  Result<Tensor> tensor = to_tensor(attribute->t());
  if (tensor) return std::move(*tensor);
  fail(fmt::format("attribute {}: {}", name, tensor.error().message));
  return std::nullopt;
}

void NodeContext::set_output(ValueId value) {
  output_.emplace();
  output_->value = value;
}

void NodeContext::set_constant(Constant constant) {
  output_.emplace();
  output_->constant = std::move(constant);
}

void NodeContext::set_alias(const Slot& slot) { output_ = slot; }

Result<void> NodeContext::finish() {
  for (int i = 0; i < node_.attribute_size() && !failed(); ++i) {
    if (attribute_read_[static_cast<size_t>(i)]) continue;
    fail(fmt::format("attribute {}: is given twice, or is not supported here",
                     in_quotes(node_.attribute(i).name())));
  }
  if (error_) return refused_error(*error_);
  if (builder().failed()) return refused_error(builder().finish().error().message);

  CHECK(output_.has_value());
  if (node_.output_size() == 0 || node_.output(0).empty())
    return refused_error("output 0 is missing");
  output_->made_by = "an output of " + describe(node_);
  if (Result<void> defined = importer_.define(node_.output(0), std::move(*output_)); !defined)
    return defined;
  for (int i = 1; i < node_.output_size(); ++i) {
    if (node_.output(i).empty()) continue;
    importer_.drop(node_.output(i),
                   fmt::format("is output {} of {}, which is not supported", i, describe(node_)));
  }
  return {};
}

}  // namespace engine::onnx
