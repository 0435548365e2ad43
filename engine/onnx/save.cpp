// SPDX-License-Identifier: Apache-2.0
// The frame of a model that is being written: leaves, nodes in order, outputs.
#include "engine/onnx/save.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/onnx/node_writer.h"
#include "engine/onnx/own_metadata.h"
#include "engine/onnx/text.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// Whether every op has to stay as it is: its graph overwrites values, or computes gradients.
bool keeps_every_op(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) {
    return node.phase != Phase::forward ||
           std::ranges::any_of(node.op->in_place, [](int operand) { return operand >= 0; });
  });
}

Result<void> check_ops(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (node.op->name == "fused")
      return refused_error(
          fmt::format("[save] {} is a fused op: save the graph without fusion", printable(node.layer)));
    if (find_op(node.op->name) != node.op)
      return refused_error(
          fmt::format("[save] {} is an op that no file can name: it works on what this process holds", node.op->name));
  }
  return {};
}

void set_type(::onnx::ValueInfoProto& info, const std::string& name, const TensorType& type) {
  info.set_name(name);
  ::onnx::TypeProto::Tensor& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx_type(type.dtype));
  tensor.mutable_shape();
  for (const int64_t extent : type.shape) tensor.mutable_shape()->add_dim()->set_dim_value(extent);
}

LeafNote note_of(const Value& value) {
  const bool rows = value.type == TensorType::contiguous(value.type.dtype, value.type.shape);
  return {value.kind, value.role, value.fill, rows ? Strides{} : value.type.strides};
}

/// `exact`: whoever reads the file needs to know parameters from constants.
void add_leaf(ModelWriter& model, const Value& value, bool exact) {
  if (value.kind == ValueKind::input) {
    ::onnx::ValueInfoProto& info = *model.proto().add_input();
    set_type(info, model.name_of(value.id), value.type);
    add_note(info, note_of(value));
    if (!value.data.defined()) return;
    // Given elements are the input's default: an initializer of its name.
    return add_note(*model.add_initializer(model.name_of(value.id), value.data), note_of(value));
  }
  const Result<Tensor> data = model.data_of(value);
  if (!data) return model.fail(data.error());
  ::onnx::TensorProto* const tensor = model.add_initializer(model.name_of(value.id), *data);
  if (exact) add_note(*tensor, note_of(value));
}

/// The op under its own name, with all it has.
void add_own(NodeWriter& writer) {
  const Node& node = writer.node();
  ::onnx::NodeProto& proto = writer.add(node.op->name, writer.inputs(), node.outputs.size() - 1);
  proto.set_domain(std::string(kOwnDomain));
  for (const auto& [key, item] : node.attributes.items()) {
    if (const auto* whole = std::get_if<int64_t>(&item)) set(proto, key, *whole);
    if (const auto* list = std::get_if<std::vector<int64_t>>(&item)) set(proto, key, *list);
    if (const auto* text = std::get_if<std::string>(&item)) set_text(proto, key, *text);
    if (const auto* real = std::get_if<double>(&item)) {  // ONNX's own reals have 32 bits
      ::onnx::AttributeProto& attribute = *proto.add_attribute();
      attribute.set_name(key);
      attribute.set_type(::onnx::AttributeProto::TENSOR);
      attribute.mutable_t()->set_data_type(::onnx::TensorProto::DOUBLE);
      attribute.mutable_t()->add_double_data(*real);
    }
  }
}

void add_node(ModelWriter& model, const Node& node, bool exact, std::map<std::string, int64_t>& own) {
  const int first = model.proto().node_size(), constants = model.proto().initializer_size();
  NodeWriter writer(model, node);
  const Standard standard = exact ? nullptr : find_standard(node.op->name);
  if (standard == nullptr || !standard(writer) || !writer.holds()) {
    model.take_back(first, constants);
    add_own(writer);
    ++own[std::string(node.op->name)];
  }
  NodeNote note{node.layer, node.phase, {}};
  if (exact) {
    for (const ValueId id : node.outputs) note.roles.push_back(model.graph().value(id).role);
  }
  for (int i = first; i < model.proto().node_size(); ++i) add_note(*model.proto().mutable_node(i), note);
}

/// ONNX' outputs are results of nodes, each once. `exact`: whoever reads the file marks the value itself.
void add_outputs(ModelWriter& model, bool exact) {
  for (const ValueId id : model.graph().outputs()) {
    const Value& value = model.graph().value(id);
    std::string name = model.name_of(id);
    if (value.kind != ValueKind::intermediate) {
      ::onnx::NodeProto& node = *model.proto().add_node();
      node.set_op_type("Identity");
      node.add_input(name);
      name = model.unique(name + ".output");
      node.add_output(name);
      node.set_name(name);
    }
    ::onnx::ValueInfoProto& output = *model.proto().add_output();
    set_type(output, name, value.type);
    if (exact) mark_exact(output);
  }
}

/// What nodes read, and outputs: some rules write a leaf's elements in another order instead of the leaf.
std::set<std::string> read_names(const ::onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const ::onnx::NodeProto& node : graph.node()) names.insert(node.input().begin(), node.input().end());
  for (const ::onnx::ValueInfoProto& output : graph.output()) names.insert(output.name());
  return names;
}

/// Takes the nodes away that only made what rules wrote as constants; what is read then.
std::set<std::string> drop_unread(ModelWriter& model) {
  std::set<std::string> was_read;
  for (const Value& value : model.graph().values()) {
    if (model.used(value.id)) was_read.insert(model.name_of(value.id));
  }
  auto& nodes = *model.proto().mutable_node();
  for (;;) {
    std::set<std::string> read = read_names(model.proto());
    const auto dead = [&](const ::onnx::NodeProto& node) {
      return std::ranges::any_of(node.output(), [&](const std::string& name) { return was_read.contains(name); }) &&
             std::ranges::none_of(node.output(), [&](const std::string& name) { return read.contains(name); });
    };
    const auto gone = std::ranges::remove_if(nodes, dead);
    if (gone.empty()) return read;
    nodes.DeleteSubrange(static_cast<int>(gone.begin() - nodes.begin()), static_cast<int>(gone.size()));
  }
}

/// Takes the constants away that no node reads any more. Leaves of the graph are not there yet.
void drop_constants(::onnx::GraphProto& graph, const std::set<std::string>& read) {
  auto& constants = *graph.mutable_initializer();
  const auto gone = std::ranges::remove_if(
      constants, [&](const ::onnx::TensorProto& tensor) { return !read.contains(tensor.name()); });
  constants.DeleteSubrange(static_cast<int>(gone.begin() - constants.begin()), static_cast<int>(gone.size()));
}

/// The version of the format that came with an opset (onnx/onnx, docs/Versioning.md); 10 is the first whose nodes have
/// metadata.
int64_t ir_version(int64_t opset) { return opset >= 25 ? 13 : opset >= 24 ? 12 : opset >= 23 ? 11 : 10; }

}  // namespace

Result<SavedModel> save_model(const Graph& graph, const std::string& title, uint64_t seed) {
  if (Result<void> known = check_ops(graph); !known) return known.error();
  if (graph.outputs().empty())
    return refused_error("[save] the graph has no output, and an ONNX model needs one: save as .json");
  SavedModel saved;
  ModelWriter model(graph, seed);
  const bool exact = saved.whole = keeps_every_op(graph);
  model.proto().set_name(title);
  for (const Node& node : graph.nodes()) {
    add_node(model, node, exact, saved.own);
    if (model.error()) return *model.error();
  }
  add_outputs(model, exact);
  const std::set<std::string> read = drop_unread(model);
  drop_constants(model.proto(), read);
  for (const Value& value : graph.values()) {
    const bool needed = value.kind == ValueKind::input || exact || read.contains(model.name_of(value.id));
    if (value.kind != ValueKind::intermediate && needed) add_leaf(model, value, exact);
    if (model.error()) return *model.error();
  }
  saved.opset = model.opset();
  saved.nodes = model.proto().node_size();
  model.model().set_ir_version(ir_version(model.opset()));
  model.model().set_producer_name("tensortide");
  model.model().add_opset_import()->set_version(model.opset());
  if (!saved.own.empty()) {
    ::onnx::OperatorSetIdProto& domain = *model.model().add_opset_import();
    domain.set_domain(std::string(kOwnDomain));
    domain.set_version(kOwnVersion);
  }
  if (!model.model().SerializeToString(&saved.bytes))
    return refused_error("[save] the model is too large for an ONNX file: save as .json");
  return saved;
}

}  // namespace engine::onnx
