// SPDX-License-Identifier: Apache-2.0
// Operands gathered and converted for the inner loops of elementwise kernels.
#include "engine/kernels/elementwise/elementwise_rows.h"

#include "engine/kernels/core/casting.h"
#include "engine/kernels/core/copy.h"
#include "engine/tensor/element.h"

namespace engine::cpu {

std::vector<double> elementwise_constants(const Op& op, const Attributes& attributes) {
  if (op.name == "asin_grad" || op.name == "maximum_grad") return {1};
  if (op.name == "acos_grad" || op.name == "minimum_grad") return {-1};
  const std::vector<double> numbers = attribute_numbers(op, attributes);
  // One loop for three: gamma * (x, or alpha * (exp(x * inverse) - 1)). Its constants: alpha, gamma, inverse.
  const std::string_view function = op.name.ends_with("_grad") ? op.name.substr(0, op.name.size() - 5) : op.name;
  if (function == "elu") return {numbers[0], 1, 1};
  if (function == "selu") return {numbers[0], numbers[1], 1};
  if (function == "celu") return {numbers[0], 1, 1 / numbers[0]};
  return numbers;
}

RowFunction find_elementwise_row(std::string_view op, DType dtype) {
  if (const RowFunction found = find_row_function(op, dtype, false); found != nullptr) return found;
  if (const RowFunction found = find_function_row(op, dtype); found != nullptr) return found;
  return find_whole_row(op, dtype);
}

void convert_elements(DType from_dtype, const std::byte* from, DType to_dtype, std::byte* to, int64_t count) {
  if (const ConvertRow row = any_convert_row(from_dtype, to_dtype); row != nullptr) return row(from, to, count);
  for (int64_t i = 0; i < count; ++i)
    convert_element(from_dtype, from + i * size_bytes(from_dtype), to_dtype, to + i * size_bytes(to_dtype));
}

const std::byte* Passage::read(const std::byte* at, int64_t count, std::byte* buffer) const {
  if (direct()) return at;
  if (single) count = 1;
  alignas(64) std::byte gathered[kChunk * 8];
  if (stride != bytes()) {
    std::byte* to = dtype == computed ? buffer : gathered;
    copy_row(at, stride, to, bytes(), count, bytes());
    at = to;
  }
  if (dtype != computed) convert_elements(dtype, at, computed, buffer, count);
  return buffer;
}

void Passage::write(std::byte* buffer, int64_t count, std::byte* at) const {
  if (stride == bytes()) return convert_elements(computed, buffer, dtype, at, count);
  alignas(64) std::byte narrow[kChunk * 8];
  if (dtype != computed) convert_elements(computed, buffer, dtype, narrow, count);
  copy_row(dtype == computed ? buffer : narrow, bytes(), at, stride, count, bytes());
}

}  // namespace engine::cpu
