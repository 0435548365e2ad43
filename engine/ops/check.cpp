// SPDX-License-Identifier: Apache-2.0
// The checks infer functions share.
#include "engine/ops/check.h"

#include <algorithm>
#include <limits>

#include "engine/base/memory.h"

namespace engine::ops {

bool OperandCheck::operand_count() {
  const size_t most = names_.size(), least = most - optional_;
  const std::string expected = least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  return that(inputs_.size() >= least && inputs_.size() <= most, "takes {} operands ({}), got {}", expected,
              fmt::join(names_, ", "), inputs_.size());
}

bool OperandCheck::same_dtype(size_t first, size_t end) {
  for (size_t i = first + 1; i < std::min(end, inputs_.size()); ++i) {
    if (!that(inputs_[i].dtype == inputs_[first].dtype, "dtypes differ: {} is {}, {} is {}", names_[first],
              name(inputs_[first].dtype), names_[i], name(inputs_[i].dtype))) {
      return false;
    }
  }
  return true;
}

bool OperandCheck::numeric(size_t operand) {
  return that(inputs_[operand].dtype != DType::boolean, "{} must be a number type, got bool", names_[operand]);
}

bool OperandCheck::floating(size_t operand) {
  return that(is_floating(inputs_[operand].dtype), "{} must be a floating type (f64, f32, bf16, f16), got {}",
              names_[operand], name(inputs_[operand].dtype));
}

bool OperandCheck::rank(size_t operand, int64_t rank) {
  const TensorType& type = inputs_[operand];
  return that(type.rank() == rank, "{} must have rank {}, got rank {} ({})", names_[operand], rank, type.rank(),
              to_string(type.shape));
}

bool OperandCheck::shape(size_t operand, const Shape& expected, std::string_view because) {
  const TensorType& type = inputs_[operand];
  return that(type.shape == expected, "{} must be {} ({}), got {}", names_[operand], to_string(expected), because,
              to_string(type.shape));
}

bool OperandCheck::addressable(std::string_view result, DType dtype, const Shape& shape) {
  const auto count = element_count(shape);
  if (count && *count <= std::numeric_limits<int64_t>::max() / size_bytes(dtype)) return true;
  double bytes = static_cast<double>(size_bytes(dtype));
  for (const int64_t extent : shape) bytes *= static_cast<double>(extent);
  kind_ = ErrorKind::refused;
  return that(false, "{} {} {} would need {}, more than 63 bits can address: make the batch or the shape smaller",
              result, name(dtype), to_string(shape), format_bytes(bytes));
}

bool OperandCheck::dense(std::string_view result, const Shape& shape, const Strides& strides) {
  return that(is_dense(shape, strides), "strides {{{}}} are not a dense layout of {} {}", fmt::join(strides, ", "),
              result, to_string(shape));
}

bool OperandCheck::axis(int64_t& axis, int64_t rank) {
  if (!that(axis >= -rank && axis < rank, "axis {} is outside of rank {}", axis, rank)) return false;
  if (axis < 0) axis += rank;
  return true;
}

}  // namespace engine::ops
