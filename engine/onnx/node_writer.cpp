// SPDX-License-Identifier: Apache-2.0
// Names, constants and attributes of a model that is being written.
#include "engine/onnx/node_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/check.h"
#include "engine/graph/leaf.h"
#include "engine/onnx/text.h"

namespace engine::onnx {
namespace {

/// A protobuf message has at most 2^31 - 1 bytes; the rest is for names and nodes.
constexpr int64_t kMostBytes = std::numeric_limits<int32_t>::max() - (int64_t{1} << 26);

}  // namespace

ModelWriter::ModelWriter(const Graph& graph, uint64_t seed)
    : graph_(graph), seed_(seed), names_(graph.values().size()), used_(graph.values().size()) {
  for (const Value& value : graph.values())
    names_[value.id] = unique(value.name.empty() ? fmt::format("value_{}", value.id) : value.name);
  for (const Node& node : graph.nodes()) {
    for (const ValueId id : node.inputs) used_[id] = true;
  }
  for (const ValueId id : graph.outputs()) used_[id] = true;
}

std::string ModelWriter::unique(const std::string& wanted) {
  std::string name = wanted;
  for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
  return name;
}

void ModelWriter::fail(Error error) {
  if (!error_) error_ = std::move(error);
}

Result<Tensor> ModelWriter::data_of(const Value& leaf) const { return starting_data(leaf, seed_); }

::onnx::TensorProto* ModelWriter::add_initializer(const std::string& name, const Tensor& tensor) {
  ::onnx::TensorProto* const proto = this->proto().add_initializer();
  const int64_t bytes = tensor.type().elements() * size_bytes(tensor.dtype());
  bytes_ += bytes;
  if (bytes_ > kMostBytes) {
    fail(
        refused_error("[save] the weights have over 2 GB, and an ONNX file holds no more: save as .json, which keeps "
                      "how they start"));
    return proto;
  }
  const Result<Tensor> rows = tensor.contiguous();
  if (!rows) {
    fail(rows.error());
    return proto;
  }
  proto->set_name(name);
  proto->set_data_type(onnx_type(tensor.dtype()));
  for (const int64_t extent : tensor.shape()) proto->add_dims(extent);
  proto->set_raw_data(rows->data(), static_cast<size_t>(bytes));
  return proto;
}

void ModelWriter::take_back(int nodes, int initializers) {
  for (int i = initializers; i < proto().initializer_size(); ++i)
    bytes_ -= static_cast<int64_t>(proto().initializer(i).raw_data().size());
  const auto cut = [](auto& list, int size) { list.DeleteSubrange(size, list.size() - size); };
  cut(*proto().mutable_node(), nodes);
  cut(*proto().mutable_initializer(), initializers);
}

int onnx_type(DType dtype) {
  using ::onnx::TensorProto;
  switch (dtype) {
    case DType::float64: return TensorProto::DOUBLE;
    case DType::float32: return TensorProto::FLOAT;
    case DType::bfloat16: return TensorProto::BFLOAT16;
    case DType::float16: return TensorProto::FLOAT16;
    case DType::int64: return TensorProto::INT64;
    case DType::int32: return TensorProto::INT32;
    case DType::int8: return TensorProto::INT8;
    case DType::uint8: return TensorProto::UINT8;
    case DType::boolean: return TensorProto::BOOL;
  }
  return TensorProto::UNDEFINED;
}

namespace {

::onnx::AttributeProto& new_attribute(::onnx::NodeProto& node, std::string_view name,
                                      ::onnx::AttributeProto::AttributeType type) {
  ::onnx::AttributeProto* const attribute = node.add_attribute();
  attribute->set_name(std::string(name));
  attribute->set_type(type);
  return *attribute;
}

}  // namespace

void set(::onnx::NodeProto& node, std::string_view attribute, int64_t value) {
  new_attribute(node, attribute, ::onnx::AttributeProto::INT).set_i(value);
}

void set(::onnx::NodeProto& node, std::string_view attribute, const std::vector<int64_t>& values) {
  ::onnx::AttributeProto& list = new_attribute(node, attribute, ::onnx::AttributeProto::INTS);
  for (const int64_t value : values) list.add_ints(value);
}

void set_real(::onnx::NodeProto& node, std::string_view attribute, double value) {
  new_attribute(node, attribute, ::onnx::AttributeProto::FLOAT).set_f(static_cast<float>(value));
}

void set_text(::onnx::NodeProto& node, std::string_view attribute, std::string_view value) {
  new_attribute(node, attribute, ::onnx::AttributeProto::STRING).set_s(std::string(value));
}

NodeWriter::NodeWriter(ModelWriter& model, const Node& node)
    : model_(model), node_(node), first_(model.proto().node_size()) {
  for (size_t i = 0; i < node.inputs.size(); ++i) note(input(i), input_type(i).dtype);
  for (size_t i = 0; i < node.outputs.size(); ++i) note(output(i), output_type(i).dtype);
}

bool NodeWriter::holds() {
  if (lossy_) return false;
  for (int i = first_; i < model_.proto().node_size(); ++i) {
    const ::onnx::NodeProto& node = model_.proto().node(i);
    const auto dtype = dtypes_.find(node.input(static_cast<int>(typed_input(node.op_type()))));
    CHECK(dtype != dtypes_.end());
    const std::optional<int64_t> opset = opset_of(node.op_type(), dtype->second);
    if (!opset) return false;
    need_opset(*opset);
  }
  model_.need_opset(opset_);
  return true;
}

std::optional<Result<Tensor>> NodeWriter::known(size_t i) const {
  const Graph& graph = model_.graph();
  const Value* value = &graph.value(node_.inputs.at(i));
  const Shape& shape = value->type.shape;
  while (value->producer != kNoNode) {
    const Node& node = graph.node(value->producer);
    const bool same_elements = node.op->name == "unsqueeze" || node.op->name == "squeeze" || node.op->name == "reshape";
    if (!same_elements) return std::nullopt;
    value = &graph.value(node.inputs[0]);
  }
  if (value->kind == ValueKind::input || value->kind == ValueKind::intermediate) return std::nullopt;
  Result<Tensor> data = model_.data_of(*value);
  if (data) data = data->contiguous();
  return data ? data->reshape(shape) : data;
}

namespace {

/// What the op's list of attributes gives where a node says nothing.
template <class T>
T fallback_of(const Op& op, std::string_view key, T none) {
  for (const AttributeSpec& spec : op.attributes) {
    if (spec.key == key && spec.fallback && std::holds_alternative<T>(*spec.fallback))
      return std::get<T>(*spec.fallback);
  }
  return none;
}

}  // namespace

int64_t NodeWriter::whole(std::string_view key) const {
  return node_.attributes.get_int(key, fallback_of<int64_t>(*node_.op, key, 0));
}
double NodeWriter::real(std::string_view key) {
  const double value = node_.attributes.get_double(key, fallback_of<double>(*node_.op, key, 0));
  // ONNX' real attributes have 32 bits: too few beside elements of 64.
  const bool wide = !node_.inputs.empty() && input_type(0).dtype == DType::float64;
  lossy_ = lossy_ || (wide && static_cast<double>(static_cast<float>(value)) != value && !std::isnan(value));
  return value;
}
std::string NodeWriter::word(std::string_view key) const {
  return node_.attributes.get_string(key, fallback_of<std::string>(*node_.op, key, {}));
}
std::vector<int64_t> NodeWriter::list(std::string_view key) const {
  return node_.attributes.get_ints(key, fallback_of<std::vector<int64_t>>(*node_.op, key, {}));
}

std::vector<std::string> NodeWriter::inputs() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < input_count(); ++i) names.push_back(input(i));
  return names;
}

::onnx::NodeProto& NodeWriter::new_node(std::string_view op_type, const std::vector<std::string>& inputs) {
  ::onnx::NodeProto& node = *model_.proto().add_node();
  node.set_op_type(std::string(op_type));
  for (const std::string& name : inputs) node.add_input(name);
  return node;
}

::onnx::NodeProto& NodeWriter::add(std::string_view op_type, const std::vector<std::string>& inputs, size_t last) {
  ::onnx::NodeProto& node = new_node(op_type, inputs);
  for (size_t i = 0; i <= last; ++i) node.add_output(output(i));
  node.set_name(node.output(0));
  return node;
}

::onnx::NodeProto& NodeWriter::step(std::string_view op_type, const std::vector<std::string>& inputs) {
  ::onnx::NodeProto& node = new_node(op_type, inputs);
  node.add_output(model_.unique(fmt::format("{}.{}", output(0), op_type)));
  node.set_name(node.output(0));
  note(node.output(0), op_type == "Equal" ? DType::boolean : dtypes_.at(inputs.at(typed_input(op_type))));
  return node;
}

std::string NodeWriter::constant(const std::string& wanted, const Result<Tensor>& tensor) {
  const std::string name = model_.unique(wanted);
  if (tensor) {
    model_.add_initializer(name, *tensor);
    note(name, tensor->dtype());
  } else {
    model_.fail(tensor.error());
  }
  return name;
}

std::string NodeWriter::integers(const std::vector<int64_t>& values, bool scalar) {
  const Shape shape = scalar ? Shape{} : Shape{static_cast<int64_t>(values.size())};
  Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(DType::int64, shape));
  if (tensor) std::ranges::copy(values, tensor->data_as<int64_t>());
  return constant(output(0) + ".constant", tensor);
}

std::string NodeWriter::scalar(double value, DType dtype) {
  const Result<Tensor> tensor = Tensor::from_values({}, std::span(&value, 1), dtype);
  // Elements of 32 bits and more hold a number as near as the op's results do.
  if (tensor && size_bytes(dtype) < 4 && tensor->get_flat(0) != value && !std::isnan(value)) lossy_ = true;
  return constant(output(0) + ".constant", tensor);
}

std::string NodeWriter::vector(const std::vector<double>& values, DType dtype) {
  return constant(output(0) + ".constant", Tensor::from_values({static_cast<int64_t>(values.size())}, values, dtype));
}

}  // namespace engine::onnx
