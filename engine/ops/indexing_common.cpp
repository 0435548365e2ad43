// SPDX-License-Identifier: Apache-2.0
// Positions, indices and moved bits.
#include "engine/ops/indexing_common.h"

#include <cstring>

#include "engine/ops/ops.h"
#include "engine/tensor/element.h"

namespace engine::ops {

void move_elements(const Tensor& x, std::span<const int64_t> sources, double missing, const Tensor& y) {
  const std::vector<int64_t> from = element_offsets(x.type()), to = element_offsets(y.type());
  CHECK(sources.size() == to.size() && x.dtype() == y.dtype());
  const int64_t size = size_bytes(y.dtype());
  for (size_t i = 0; i < to.size(); ++i) {
    std::byte* target = y.data() + to[i] * size;
    if (sources[i] == kNoElement) {
      store_element(y.dtype(), target, missing);
    } else {
      std::memcpy(target, x.data() + from[static_cast<size_t>(sources[i])] * size, static_cast<size_t>(size));
    }
  }
}

std::vector<int64_t> load_integers(const Tensor& tensor) {
  std::vector<int64_t> values = element_offsets(tensor.type());
  for (int64_t& value : values) {
    const std::byte* from = tensor.data() + value * size_bytes(tensor.dtype());
    convert_element(tensor.dtype(), from, DType::int64, reinterpret_cast<std::byte*>(&value));
  }
  return values;
}

void store_integers(const Tensor& tensor, std::span<const int64_t> values) {
  const std::vector<int64_t> to = element_offsets(tensor.type());
  CHECK(values.size() == to.size());
  for (size_t i = 0; i < to.size(); ++i) {
    convert_element(DType::int64, reinterpret_cast<const std::byte*>(&values[i]), tensor.dtype(),
                    tensor.data() + to[i] * size_bytes(tensor.dtype()));
  }
}

int64_t index_inside(int64_t index, int64_t extent) {
  if (index < -extent || index >= extent) return kNoElement;
  return index < 0 ? index + extent : index;
}

std::vector<int64_t> load_indices(const Tensor& tensor, int64_t extent) {
  std::vector<int64_t> indices = load_integers(tensor);
  for (int64_t& index : indices) index = index_inside(index, extent);
  return indices;
}

bool check_indices(OperandCheck& check, const TensorType& type, std::string_view operand) {
  return check.that(type.dtype == DType::int64 || type.dtype == DType::int32, "{} must be i64 or i32, got {}", operand,
                    name(type.dtype));
}

bool check_equal_dtypes(OperandCheck& check, std::span<const TensorType> inputs, std::string_view operand) {
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (!check.that(inputs[i].dtype == inputs[0].dtype, "dtypes differ: {} 0 is {}, {} {} is {}", operand,
                    name(inputs[0].dtype), operand, i, name(inputs[i].dtype))) {
      return false;
    }
  }
  return true;
}

TensorType dense_like(const TensorType& like, Shape shape) {
  CHECK(like.shape.size() == shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    if (like.shape[i] > 1 && like.strides[i] == 0) return TensorType::contiguous(like.dtype, std::move(shape));
  }
  Strides strides = dense_strides_like(shape, like.strides);
  return {like.dtype, std::move(shape), std::move(strides)};
}

bool check_result_type(OperandCheck& check, const TensorType& result) {
  return check.addressable("the result", result.dtype, result.shape) &&
         check.dense("the result", result.shape, result.strides);
}

int64_t named_bytes(const TensorType& x, double elements) {
  const int64_t all = x.distinct_bytes();
  const double named = elements * static_cast<double>(size_bytes(x.dtype));
  return named < static_cast<double>(all) ? static_cast<int64_t>(named) : all;
}

ValueId zeros(GraphBuilder& builder, DType dtype, const Shape& shape) {
  if (builder.failed()) return kNoValue;
  const double zero = 0;
  Result<Tensor> tensor = Tensor::from_values(Shape(shape.size(), 1), {&zero, 1}, dtype);
  if (!tensor) return builder.fail(tensor.error());
  return expand(builder, builder.constant("zero", std::move(*tensor), Role::gradient), shape);
}

}  // namespace engine::ops
