// SPDX-License-Identifier: Apache-2.0
// Where a model's graph begins and ends: initializers, inputs with their open dimensions, outputs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/onnx/importer.h"
#include "engine/onnx/input_fill.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/text.h"
#include "engine/ops/ops.h"
#include "engine/tensor/element.h"

namespace engine::onnx {

Result<void> Importer::add_initializers(const ::onnx::GraphProto& graph) {
  if (graph.sparse_initializer_size() > 0) {
    return refused_error(fmt::format("field graph.sparse_initializer: {} sparse tensors are not supported",
                                     graph.sparse_initializer_size()));
  }
  for (const ::onnx::TensorProto& tensor : graph.initializer()) {
    if (tensor.name().empty()) return refused_error("field graph.initializer: a tensor has no name");
    Slot slot;
    slot.made_by = "an initializer";
    slot.initializer = &tensor;
    if (Result<void> defined = define(tensor.name(), std::move(slot)); !defined) return defined;
  }
  return {};
}

/// Gives the symbolic dimensions their extents: those that were asked for, the batch to those that lead an input.
Result<void> Importer::name_extents() {
  for (const auto& [name, numbers] : options_.numbers) {
    if (numbers.size() == 1) extents_[name] = numbers.front();
  }
  for (const ::onnx::ValueInfoProto& info : model_.graph().input()) {
    const ::onnx::TensorShapeProto& shape = info.type().tensor_type().shape();
    if (shape.dim_size() == 0 || shape.dim(0).has_dim_value() || options_.known.contains(info.name())) continue;
    const std::string& name = shape.dim(0).dim_param();
    if (options_.batch > 0) {
      extents_[name] = options_.batch;
    } else if (extents_.try_emplace(name, 1).second) {
      note(fmt::format("input {}: its leading dimension {} is open; 1 is taken", in_quotes(info.name()),
                       in_quotes(name)));
    }
  }
  return {};
}

/// An extent that the file leaves open.
Result<int64_t> Importer::open_extent(const ::onnx::ValueInfoProto& info, int axis) {
  const std::string& name = info.type().tensor_type().shape().dim(axis).dim_param();
  const auto known = extents_.find(name);
  if (known != extents_.end() && (axis == 0 || !name.empty())) {
    used_numbers_.insert(name);
    return known->second;
  }
  if (name.empty()) {
    return refused_error(fmt::format("dimension {} is open and has no name; the model must say how large it is", axis));
  }
  open_dimensions_.try_emplace(name, fmt::format("dimension {} of input {}", axis, in_quotes(info.name())));
  return 1;
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
    } else if (!dim.has_dim_value()) {
      const Result<int64_t> open = open_extent(info, axis);
      if (!open) return open.error();
      extent = *open;
    }
    if (extent < 1) return refused_error(fmt::format("dimension {} = {} is not positive", axis, extent));
    shape.push_back(extent);
  }
  return shape;
}

Result<void> Importer::add_input(const ::onnx::ValueInfoProto& info) {
  if (!info.type().has_tensor_type())
    return refused_error("field type: is no tensor; sequences, maps and optionals are not supported");
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
  // data were made. Of integers it would make zeros.
  const Fill fill = is_floating(*dtype) ? Fill{Fill::Kind::arange, 0, static_cast<double>(*element_count(*shape))}
                                        : integer_fill(model_.graph(), info.name());
  Slot slot;
  slot.made_by = "a graph input";
  slot.value = builder_.input(printable(info.name()), TensorType::channels_last(*dtype, *shape), fill);
  inputs_.push_back(slot.value);
  return define(info.name(), std::move(slot));
}

Result<void> Importer::add_known(const std::string& name, const KnownInput& known) {
  const auto as_constant = [&](const Tensor& tensor) {
    Slot slot;
    slot.made_by = "a graph input";
    slot.constant = Constant{tensor.type(), std::nullopt, tensor};
    return slot;
  };
  if (!known.is_sequence && known.tensors.size() == 1) return define(name, as_constant(known.tensors.front()));
  Slot slot;
  slot.made_by = "a graph input";
  slot.is_sequence = known.is_sequence;
  slot.is_absent = !known.is_sequence;
  for (const Tensor& tensor : known.tensors) slot.elements.push_back(as_constant(tensor));
  return define(name, std::move(slot));
}

/// The numbers given for an input of integers, in its declared rank.
Result<KnownInput> Importer::numbers_input(const ::onnx::ValueInfoProto& info,
                                           const std::vector<int64_t>& numbers) const {
  if (!info.type().has_tensor_type()) return refused_error("is no tensor: it cannot be given by numbers");
  const Result<DType> dtype = to_dtype(info.type().tensor_type().elem_type());
  if (!dtype) return dtype.error();
  if (is_floating(*dtype))
    return usage_error(fmt::format("is of {}: only inputs of integers can be given by numbers", name(*dtype)));
  const bool scalar = info.type().tensor_type().has_shape() && info.type().tensor_type().shape().dim_size() == 0;
  if (scalar && numbers.size() != 1)
    return usage_error(fmt::format("is a scalar, {} numbers are given", numbers.size()));
  const Shape shape = scalar ? Shape{} : Shape{static_cast<int64_t>(numbers.size())};
  Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(*dtype, shape));
  if (!tensor) return tensor.error();
  for (size_t i = 0; i < numbers.size(); ++i) {
    convert_element(DType::int64, reinterpret_cast<const std::byte*>(&numbers[i]), *dtype,
                    tensor->data() + i * static_cast<size_t>(size_bytes(*dtype)));
    int64_t held = 0;
    convert_element(*dtype, tensor->data() + i * static_cast<size_t>(size_bytes(*dtype)), DType::int64,
                    reinterpret_cast<std::byte*>(&held));
    if (*dtype != DType::boolean && held != numbers[i])
      return usage_error(fmt::format("is of {}, which does not hold {}", name(*dtype), numbers[i]));
  }
  return KnownInput{{std::move(*tensor)}, false};
}

/// Every open dimension has an extent, and every number was of use.
Result<void> Importer::check_numbers() const {
  std::vector<std::string> open;
  for (const auto& [name, place] : open_dimensions_) open.push_back(fmt::format("{} ({})", in_quotes(name), place));
  if (!open.empty()) {
    return refused_error(fmt::format("these dimensions are open and must be given, as in --set {}=128: {}",
                                     printable(open_dimensions_.begin()->first), fmt::join(open, ", ")));
  }
  for (const auto& [name, numbers] : options_.numbers) {
    if (!used_numbers_.contains(name))
      return usage_error(fmt::format("the model has no open dimension and no input named {}", in_quotes(name)));
  }
  return {};
}

Result<void> Importer::add_inputs() {
  if (Result<void> named = name_extents(); !named) return named;
  for (const ::onnx::ValueInfoProto& info : model_.graph().input()) {
    const Slot* defined = find(info.name());
    if (defined != nullptr && defined->initializer != nullptr)
      continue;  // up to IR version 3 initializers are listed as inputs
    if (info.name().empty()) return refused_error("field graph.input: an input has no name");
    const auto known = options_.known.find(info.name());
    const auto numbers = options_.numbers.find(info.name());
    const Result<void> added = [&]() -> Result<void> {
      if (known != options_.known.end()) return add_known(info.name(), known->second);
      if (numbers == options_.numbers.end()) return add_input(info);
      used_numbers_.insert(info.name());
      const Result<KnownInput> given = numbers_input(info, numbers->second);
      return given ? add_known(info.name(), *given) : given.error();
    }();
    if (!added) {
      return Error{added.error().kind, fmt::format("input {}: {}", in_quotes(info.name()), added.error().message)};
    }
  }
  return check_numbers();
}

Result<ValueId> Importer::add_output_value(const std::string& name, Slot& slot) {
  const Result<ValueId> value = value_of(name, slot);
  if (!value) return value;
  // Only what a node makes can be an output of the graph, and each only once.
  const std::vector<ValueId>& taken = builder_.graph().outputs();
  const bool computed =
      builder_.graph().value(*value).kind == ValueKind::intermediate && std::ranges::find(taken, *value) == taken.end();
  const TensorType& type = builder_.type(*value);
  bool repeats = false;
  for (size_t axis = 0; axis < type.shape.size(); ++axis) repeats = repeats || (type.shape[axis] > 1 && type.strides[axis] == 0);
  // A view that repeats elements gets memory of its own: what a step needs then says how large the result is.
  const ValueId output = !computed      ? ops::copy(builder_, *value)
                         : repeats      ? ops::contiguous(builder_, *value)
                                        : *value;
  builder_.mark_output(output);
  if (builder_.failed()) return refused_error(builder_.finish().error().message);
  return output;
}

Result<void> Importer::add_outputs() {
  if (model_.graph().output_size() == 0) return refused_error("field graph.output: the graph has no output");
  for (const ::onnx::ValueInfoProto& info : model_.graph().output()) {
    const std::string where = fmt::format("output {}: ", in_quotes(info.name()));
    Slot* slot = find(info.name());
    if (slot == nullptr) return refused_error(where + why_missing(info.name()));
    ModelOutput output{printable(info.name()), {}, slot->is_sequence};
    const auto add = [&](Slot& each) -> Result<void> {
      const Result<ValueId> value = add_output_value(info.name(), each);
      if (!value) return refused_error(where + value.error().message);
      output.values.push_back(*value);
      return {};
    };
    if (slot->is_sequence) {
      for (Slot& element : slot->elements) {
        if (Result<void> added = add(element); !added) return added;
      }
    } else if (Result<void> added = add(*slot); !added) {
      return added;
    }
    outputs_.push_back(std::move(output));
  }
  return {};
}

}  // namespace engine::onnx
