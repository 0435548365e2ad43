// SPDX-License-Identifier: Apache-2.0
// Walks a ModelProto once: header, operators, initializers, inputs, nodes, outputs.
#include "engine/onnx/importer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/text.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// 22 is the newest set looked at. Of all sets, attributes that no conversion knows are refused, so
/// that an operator is never read as an older or newer one of its name.
constexpr int64_t kOldestOpset = 1;
constexpr int64_t kNewestOpset = 22;

/// Unsupported operators that a message lists: more than any real model has, but a hostile one has
/// no bound.
constexpr size_t kMostListed = 100;

/// The highest version of the default operator domain; nothing when none is given.
std::optional<int64_t> default_opset(const ::onnx::ModelProto& model) {
  std::optional<int64_t> version;
  for (const ::onnx::OperatorSetIdProto& entry : model.opset_import()) {
    if (!entry.domain().empty() && entry.domain() != "ai.onnx") continue;
    version = std::max(version.value_or(entry.version()), entry.version());
  }
  return version;
}

}  // namespace

std::string describe(const ::onnx::NodeProto& node) {
  std::string_view name = node.name();
  if (name.empty() && node.output_size() > 0) name = node.output(0);
  return fmt::format("node {} ({})", in_quotes(name), printable(node.op_type()));
}

Result<Model> Importer::run() {
  for (const auto part :
       {&Importer::check_header, &Importer::check_operators, &Importer::add_initializers,
        &Importer::add_inputs, &Importer::add_nodes, &Importer::add_outputs}) {
    if (Result<void> done = (this->*part)(); !done) return done.error();
  }
  Result<Graph> graph = builder_.finish();
  if (!graph) return graph.error();
  return Model{std::move(*graph),   printable(model_.producer_name()),
               model_.ir_version(), opset_,
               std::move(inputs_),  std::move(notes_)};
}

Result<void> Importer::check_header() {
  if (!model_.has_graph()) return refused_error("is no ONNX model: it has no field graph");
  if (model_.ir_version() < 1) {
    return refused_error(fmt::format("field ir_version: {} is not positive", model_.ir_version()));
  }
  const std::optional<int64_t> opset = default_opset(model_);
  if (!opset)
    return refused_error(
        "field opset_import: no version of the default operators is given; the file may be "
        "truncated");
  if (*opset < kOldestOpset || *opset > kNewestOpset) {
    return refused_error(
        fmt::format("field opset_import: opset {} is not between {} and {}, which we know", *opset,
                    kOldestOpset, kNewestOpset));
  }
  opset_ = *opset;
  if (model_.graph().node_size() == 0)
    return refused_error("field graph.node: the graph is empty, there is nothing to run");
  if (model_.training_info_size() > 0)
    note("training_info is ignored: imported models run inference");
  return {};
}

Result<void> Importer::check_operators() {
  std::map<std::string, int64_t> unsupported;
  for (const ::onnx::NodeProto& node : model_.graph().node()) {
    if (find_operator(node.domain(), node.op_type()) != nullptr) continue;
    const std::string domain = node.domain().empty() ? "" : printable(node.domain()) + ".";
    ++unsupported[domain + printable(node.op_type())];
  }
  if (unsupported.empty()) return {};
  std::vector<std::string> counted;
  for (const auto& [name, count] : unsupported) {
    if (counted.size() == kMostListed) {
      counted.push_back(fmt::format("and {} others", unsupported.size() - kMostListed));
      break;
    }
    counted.push_back(fmt::format("{} ({}x)", name, count));
  }
  return refused_error(
      fmt::format("these operators are not supported: {}", fmt::join(counted, ", ")));
}

Slot* Importer::find(const std::string& name) {
  const auto found = slots_.find(name);
  return found == slots_.end() ? nullptr : &found->second;
}

Result<void> Importer::define(const std::string& name, Slot slot) {
  const auto [entry, is_new] = slots_.try_emplace(name, std::move(slot));
  if (is_new) return {};
  return refused_error(fmt::format("name {} is given twice: it is {} already", in_quotes(name),
                                   entry->second.made_by));
}

std::string Importer::why_missing(const std::string& name) const {
  if (const auto dropped = dropped_.find(name); dropped != dropped_.end()) return dropped->second;
  const auto later = made_later_.find(name);
  if (later == made_later_.end()) return "is undefined: no input, initializer or node of that name";
  return fmt::format(
      "is made only later, by {}: the graph has a cycle, or its nodes are not in topological order",
      later->second);
}

Result<void> Importer::load(const std::string& name, Slot& slot) {
  if (slot.initializer == nullptr || slot.constant) return {};
  Result<Tensor> tensor = to_tensor(*slot.initializer);
  if (!tensor)
    return refused_error(
        fmt::format("initializer {}: {}", in_quotes(name), tensor.error().message));
  slot.constant = Constant{tensor->type(), std::nullopt, std::move(*tensor)};
  return {};
}

Result<ValueId> Importer::value_of(const std::string& name, Slot& slot) {
  if (slot.value != kNoValue) return slot.value;
  CHECK(slot.constant.has_value());
  const Constant& constant = *slot.constant;
  // One value for all elements stays a fill: models without trained weights then cost no memory
  // before they are run.
  if (constant.uniform) {
    slot.value = builder_.parameter(printable(name), constant.type,
                                    Fill{Fill::Kind::constant, *constant.uniform, 0});
  } else {
    slot.value = builder_.constant(printable(name), constant.data);
  }
  if (builder_.failed()) return refused_error(builder_.finish().error().message);
  return slot.value;
}

Result<void> Importer::add_initializers() {
  const ::onnx::GraphProto& graph = model_.graph();
  if (graph.sparse_initializer_size() > 0) {
    return refused_error(
        fmt::format("field graph.sparse_initializer: {} sparse tensors are not supported",
                    graph.sparse_initializer_size()));
  }
  for (const ::onnx::TensorProto& tensor : graph.initializer()) {
    if (tensor.name().empty())
      return refused_error("field graph.initializer: a tensor has no name");
    Slot slot;
    slot.made_by = "an initializer";
    slot.initializer = &tensor;
    if (Result<void> defined = define(tensor.name(), std::move(slot)); !defined) return defined;
  }
  return {};
}

Result<Shape> Importer::input_shape(const ::onnx::ValueInfoProto& info) {
  const ::onnx::TensorShapeProto& proto = info.type().tensor_type().shape();
  Shape shape;
  for (int axis = 0; axis < proto.dim_size(); ++axis) {
    const ::onnx::TensorShapeProto::Dimension& dim = proto.dim(axis);
    int64_t extent = dim.dim_value();
    if (axis == 0 && options_.batch > 0) {
      if (dim.has_dim_value()) replaced_batch_ = extent;
      extent = options_.batch;
    } else if (axis == 0 && !dim.has_dim_value()) {
      extent = 1;
      note(fmt::format("input {}: its leading dimension {} is open; 1 is taken",
                       in_quotes(info.name()), in_quotes(dim.dim_param())));
    } else if (!dim.has_dim_value()) {
      return refused_error(fmt::format("dimension {} ({}) is open; only the leading one may be",
                                       axis, in_quotes(dim.dim_param())));
    }
    if (extent < 1)
      return refused_error(fmt::format("dimension {} = {} is not positive", axis, extent));
    shape.push_back(extent);
  }
  return shape;
}

Result<void> Importer::add_input(const ::onnx::ValueInfoProto& info) {
  if (!info.type().has_tensor_type())
    return refused_error(
        "field type: is no tensor; sequences, maps and optionals are not supported");
  if (!info.type().tensor_type().has_shape()) return refused_error("field type.shape: is missing");
  if (info.type().tensor_type().shape().dim_size() > kLargestRank) {
    return refused_error(fmt::format("field type.shape: {} axes, at most {} are supported",
                                     info.type().tensor_type().shape().dim_size(), kLargestRank));
  }
  const Result<DType> dtype = to_dtype(info.type().tensor_type().elem_type());
  if (!dtype) return dtype.error();
  Result<Shape> shape = input_shape(info);
  if (!shape) return shape.error();
  if (Result<void> fits = check_shape(*shape, *dtype); !fits) return fits.error();
  // The onnx runner's dummy input: arange(n) / n, by which the reference outputs of models without
  // data were made.
  const Fill fill{Fill::Kind::arange, 0, static_cast<double>(*element_count(*shape))};
  Slot slot;
  slot.made_by = "a graph input";
  slot.value =
      builder_.input(printable(info.name()), TensorType::channels_last(*dtype, *shape), fill);
  inputs_.push_back(slot.value);
  return define(info.name(), std::move(slot));
}

Result<void> Importer::add_inputs() {
  for (const ::onnx::ValueInfoProto& info : model_.graph().input()) {
    const Slot* known = find(info.name());
    if (known != nullptr && known->initializer != nullptr)
      continue;  // up to IR version 3 initializers are listed as inputs
    if (info.name().empty()) return refused_error("field graph.input: an input has no name");
    if (Result<void> added = add_input(info); !added) {
      return refused_error(
          fmt::format("input {}: {}", in_quotes(info.name()), added.error().message));
    }
  }
  return {};
}

Result<void> Importer::add_nodes() {
  for (const ::onnx::NodeProto& node : model_.graph().node()) {
    for (const std::string& output : node.output()) made_later_.try_emplace(output, describe(node));
  }
  for (const ::onnx::NodeProto& node : model_.graph().node()) {
    const std::string& layer =
        node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
    builder_.set_layer(printable(layer));
    NodeContext context(*this, node);
    find_operator(node.domain(), node.op_type())->convert(context);
    if (Result<void> finished = context.finish(); !finished) {
      return refused_error(fmt::format("{}: {}", describe(node), finished.error().message));
    }
  }
  builder_.set_layer("");
  return {};
}

Result<void> Importer::add_outputs() {
  if (model_.graph().output_size() == 0)
    return refused_error("field graph.output: the graph has no output");
  for (const ::onnx::ValueInfoProto& info : model_.graph().output()) {
    const std::string where = fmt::format("output {}: ", in_quotes(info.name()));
    Slot* slot = find(info.name());
    if (slot == nullptr) return refused_error(where + why_missing(info.name()));
    if (Result<void> loaded = load(info.name(), *slot); !loaded)
      return refused_error(where + loaded.error().message);
    Result<ValueId> value = value_of(info.name(), *slot);
    if (!value) return refused_error(where + value.error().message);
    // Only what a node makes can be an output of the graph.
    const bool computed = builder_.graph().value(*value).kind == ValueKind::intermediate;
    builder_.mark_output(computed ? *value : ops::copy(builder_, *value));
  }
  return {};
}

}  // namespace engine::onnx
