// SPDX-License-Identifier: Apache-2.0
// Functions of the model: a node that calls one is replaced by the function's nodes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/onnx/importer.h"
#include "engine/onnx/text.h"

namespace engine::onnx {
namespace {

/// What the call gives an attribute of the function, or its default; null: neither.
const ::onnx::AttributeProto* given(const ::onnx::NodeProto& node, const ::onnx::FunctionProto& function,
                                    const std::string& name) {
  for (const ::onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  for (const ::onnx::AttributeProto& attribute : function.attribute_proto()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

/// Puts the call's attributes in where nodes of the body, at any depth, refer to them; without a value they go.
template <class Nodes>
void settle_attributes(Nodes& nodes, const ::onnx::NodeProto& call, const ::onnx::FunctionProto& function) {
  for (::onnx::NodeProto& node : nodes) {
    for (int i = node.attribute_size() - 1; i >= 0; --i) {
      ::onnx::AttributeProto& attribute = *node.mutable_attribute(i);
      if (attribute.has_g()) settle_attributes(*attribute.mutable_g()->mutable_node(), call, function);
      if (attribute.ref_attr_name().empty()) continue;
      const ::onnx::AttributeProto* value = given(call, function, attribute.ref_attr_name());
      if (value == nullptr) {
        node.mutable_attribute()->DeleteSubrange(i, 1);
        continue;
      }
      const std::string name = attribute.name();
      attribute = *value;
      attribute.set_name(name);
    }
  }
}

}  // namespace

const ::onnx::FunctionProto* find_function(const ::onnx::ModelProto& model, const ::onnx::NodeProto& node) {
  for (const ::onnx::FunctionProto& function : model.functions()) {
    if (function.name() == node.op_type() && function.domain() == node.domain()) return &function;
  }
  return nullptr;
}

Result<void> Importer::add_function(const ::onnx::NodeProto& node, const ::onnx::FunctionProto& function) {
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size()) {
    return refused_error(fmt::format("function {} has {} inputs and {} outputs, the node has {} and {}",
                                     in_quotes(function.name()), function.input_size(), function.output_size(),
                                     node.input_size(), node.output_size()));
  }
  ::onnx::GraphProto& body = bodies_.emplace_back();
  std::set<std::string> absent;  // inputs that the call leaves out
  std::vector<Slot> inputs;
  for (int i = 0; i < function.input_size(); ++i) {
    const std::string name = i < node.input_size() ? node.input(i) : std::string();
    if (name.empty()) {
      absent.insert(function.input(i));
      continue;
    }
    Slot* slot = find(name);
    if (slot == nullptr) return refused_error(fmt::format("input {} {}", in_quotes(name), why_missing(name)));
    if (Result<void> loaded = load(name, *slot); !loaded) return loaded;
    // A constant that enters the graph does so once, for all who read it.
    if (slot->constant && slot->constant->type.elements() > 0 && slot->value == kNoValue && !slot->learned.empty()) {
      if (const Result<ValueId> value = value_of(name, *slot); !value) return value.error();
    }
    inputs.push_back(*slot);
    body.add_input()->set_name(function.input(i));
  }
  *body.mutable_node() = function.node();
  settle_attributes(*body.mutable_node(), node, function);
  for (::onnx::NodeProto& inner : *body.mutable_node()) {
    for (std::string& input : *inner.mutable_input()) {
      if (absent.contains(input)) input.clear();
    }
  }
  for (int i = 0; i < node.output_size(); ++i) body.add_output()->set_name(function.output(i));
  const int64_t outer_opset = opset_;
  for (const ::onnx::OperatorSetIdProto& entry : function.opset_import()) {
    if (entry.domain().empty() || entry.domain() == "ai.onnx") opset_ = entry.version();
  }
  Result<std::vector<Slot>> outputs = inline_graph(body, std::move(inputs), printable(function.name()));
  opset_ = outer_opset;
  if (!outputs) return outputs.error();
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    if (Result<void> defined = define(node.output(i), std::move((*outputs)[static_cast<size_t>(i)])); !defined)
      return defined;
  }
  return {};
}

}  // namespace engine::onnx
