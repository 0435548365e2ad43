// SPDX-License-Identifier: Apache-2.0
// Operands gathered and converted for the inner loops of elementwise kernels.
#include "engine/cpu/elementwise_rows.h"

#include <limits>

#include "engine/cpu/casting.h"
#include "engine/cpu/copy.h"
#include "engine/tensor/element.h"

namespace engine::cpu {
namespace {

/// `function`: the op, or the one whose gradient it is. The constants of inner loops that need none of them are not read.
std::vector<double> constants_of_function(std::string_view function, std::string_view op, const Attributes& a) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto value = [&](const char* key, double fallback) { return a.get_double(key, fallback); };
  if (function == "gelu") return {a.get_string("approximate", "none") == "tanh" ? 1.0 : 0.0};
  if (function == "elu") return {value("alpha", 1), 1, 1};
  if (function == "selu") return {value("alpha", 1.6732632423543772), value("gamma", 1.0507009873554805), 1};
  if (function == "celu") return {value("alpha", 1), 1, 1 / value("alpha", 1)};
  if (function == "leaky_relu") return {value("alpha", 0.01)};
  if (function == "hard_sigmoid") return {value("alpha", 0.2), value("beta", 0.5)};
  if (function == "thresholded_relu") return {value("alpha", 1)};
  if (function == "shrink") return {value("bias", 0), value("lambda", 0.5)};
  if (function == "clip") return {value("min", -kInfinity), value("max", kInfinity)};
  if (op == "is_inf")
    return {static_cast<double>(a.get_int("detect_positive", 1)), static_cast<double>(a.get_int("detect_negative", 1))};
  if (op == "asin_grad" || op == "maximum_grad") return {1};
  if (op == "acos_grad" || op == "minimum_grad") return {-1};
  return {};
}

}  // namespace

std::vector<double> elementwise_constants(std::string_view op, const Attributes& a) {
  if (op == "scale") return {a.get_double("factor", 1), a.get_double("shift", 0)};
  if (op == "scaled_add") return {a.get_double("factor", 1)};
  if (op == "modulo") return {static_cast<double>(a.get_int("fmod", 0) != 0)};
  if (op == "bit_shift") return {a.get_string("direction", "left") == "right" ? 1.0 : 0.0};
  if (op == "sgd") return {a.get_double("rate", 0), a.get_double("weight_decay", 0)};
  if (op == "sgd_momentum")
    return {a.get_double("rate", 0), a.get_double("momentum", 0), a.get_double("weight_decay", 0),
            static_cast<double>(a.get_int("nesterov", 0))};
  return constants_of_function(op.ends_with("_grad") ? op.substr(0, op.size() - 5) : op, op, a);
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
