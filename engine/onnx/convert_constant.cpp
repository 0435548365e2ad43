// SPDX-License-Identifier: Apache-2.0
// Operators that are folded at import: constants, shapes, and those that do nothing at inference.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/memory.h"
#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"

namespace engine::onnx {
namespace {

void set_integers(NodeContext& node, const std::vector<int64_t>& values, Shape shape) {
  Result<Tensor> tensor = integers_tensor(values, std::move(shape));
  if (!tensor) return node.fail(tensor.error().message);
  node.set_constant(std::move(*tensor));
}

}  // namespace

void convert_constant(NodeContext& node) {
  if (node.has_attribute("value_int"))
    return set_integers(node, {node.integer("value_int", 0, kLowestInt, kHighestInt)}, {});
  if (node.has_attribute("value_ints")) {
    const std::vector<int64_t> values = node.integers("value_ints", {}, kLowestInt, kHighestInt);
    return set_integers(node, values, {static_cast<int64_t>(values.size())});
  }
  if (node.has_attribute("value_float")) {
    return node.set_constant(Constant{TensorType::contiguous(DType::float32, {}), node.real("value_float", 0), {}});
  }
  if (node.has_attribute("value_floats")) {
    const std::vector<double> values = node.reals("value_floats", {});
    Result<Tensor> tensor = Tensor::from_values({static_cast<int64_t>(values.size())}, values, DType::float32);
    if (!tensor) return node.fail(tensor.error().message);
    return node.set_constant(std::move(*tensor));
  }
  std::optional<Tensor> tensor = node.tensor("value");
  if (!tensor) return node.fail("attribute value: is missing or has a form that is not supported");
  node.set_constant(std::move(*tensor));
}

void convert_constant_of_shape(NodeContext& node) {
  const std::vector<int64_t> extents = node.constant_integers(0, "shape");
  const std::optional<Tensor> value = node.tensor("value");
  if (value && value->type().elements() != 1) {
    node.fail(fmt::format("attribute value: has {} elements, must have one", value->type().elements()));
  }
  if (node.failed()) return;
  const DType dtype = value ? value->dtype() : DType::float32;
  const Shape shape(extents.begin(), extents.end());
  if (Result<void> fits = check_shape(shape, dtype); !fits)
    return node.fail("input 0 (shape): " + fits.error().message);
  const TensorType type = TensorType::contiguous(dtype, shape);
  const int64_t bytes = type.span_bytes();
  const HostMemory memory = host_memory();
  if (memory.total_bytes > 0 && bytes > memory.total_bytes) {
    return node.fail(fmt::format("input 0 (shape): {} needs {}, this machine has {}", to_string(type),
                                 format_bytes(static_cast<double>(bytes)),
                                 format_bytes(static_cast<double>(memory.total_bytes))));
  }
  node.set_constant(Constant{type, value ? value->get_flat(0) : 0.0, {}});
}

void convert_identity(NodeContext& node) {
  if (const Slot* slot = node.input_slot(0)) node.set_alias(*slot);
}

/// The mask of an inference: everything is kept.
void set_full_mask(NodeContext& node) {
  const TensorType type = node.input_type(0);
  const ValueId mask = filled(node, 1, node.opset() < 10 ? type.dtype : DType::boolean, type.shape);
  if (!node.failed()) node.set_output(mask, 1);
}

void convert_dropout(NodeContext& node) {
  double ratio = node.opset() < 12 ? node.real("ratio", 0.5) : 0.5;
  node.ignore("seed");
  ignore_old(node);
  if (node.opset() < 7 && !node.flag("is_test", false))
    return node.fail("attribute is_test: must be 1; imported models run inference");
  bool training = false;
  if (node.has_input(2)) training = node.constant_real(2, "training_mode") != 0;
  if (training && node.has_input(1)) ratio = node.constant_real(1, "ratio");
  if (node.failed()) return;
  if (training && ratio != 0)
    return node.fail("input 2 (training_mode): random elements are not dropped; imported models run inference");
  convert_identity(node);
  if (node.has_output(1)) set_full_mask(node);
}

void convert_shape(NodeContext& node) {
  const TensorType type = node.input_type(0);
  const int64_t rank = type.rank();
  const auto position = [rank](int64_t index) {
    return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank);
  };
  const int64_t start = position(node.integer("start", 0, -kLargestRank, kLargestRank));
  const int64_t end = position(node.integer("end", rank, -kLargestRank, kLargestRank));
  if (node.failed()) return;
  std::vector<int64_t> extents;
  for (int64_t axis = start; axis < end; ++axis) extents.push_back(type.shape[static_cast<size_t>(axis)]);
  const auto count = static_cast<int64_t>(extents.size());
  set_integers(node, extents, {count});
}

void convert_size(NodeContext& node) {
  const TensorType type = node.input_type(0);
  if (node.failed()) return;
  const Result<Tensor> size = integers_tensor({type.elements()}, {});
  if (!size) return node.fail(size.error().message);
  node.set_constant(*size);
}

}  // namespace engine::onnx
