// SPDX-License-Identifier: Apache-2.0
// cast: loops over two strided tensors around the vector conversions of casting_simd.cpp, and around plain ones of
// integers and doubles.
#include "engine/kernels/core/casting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/tensor/element.h"

namespace engine::cpu {
namespace {

class CastOp final : public PreparedOp {
 public:
  CastOp(CastLoops loops, std::string name) : loops_(std::move(loops)), name_(std::move(name)) {}
  void run() override { loops_.run(); }
  KernelFacts facts() const override { return {.name = name_}; }

 private:
  CastLoops loops_;
  std::string name_;
};

std::unique_ptr<PreparedOp> prepare_cast(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  CastLoops loops(x, y, context.threads);
  std::string shown = fmt::format("own {} to {}", name(x.dtype()), name(y.dtype()));
  shown += loops.vectorized() ? fmt::format(" ({})", vector_unit()) : loops.has_row() ? ", plain loop" : ", one by one";
  return std::make_unique<CastOp>(std::move(loops), std::move(shown));
}

/// As convert_element() has it, of integers (`bool`: 0 or 1), doubles, and f32 to 64-bit integers.
template <class From, class To>
To converted(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    const auto real = static_cast<double>(value);
    if (!(real == real)) return 0;
    if (real >= std::ldexp(1.0, std::numeric_limits<To>::digits)) return std::numeric_limits<To>::max();
    if (real <= static_cast<double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    return static_cast<To>(real);
  } else {
    return static_cast<To>(value);
  }
}

/// Of bool any byte but 0 is 1.
template <class T>
using StoredAs = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

template <class From, class To>
void convert_row(const std::byte* from, std::byte* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    StoredAs<From> value;
    std::memcpy(&value, from + i * static_cast<int64_t>(sizeof(value)), sizeof(value));
    const From meant = std::is_same_v<From, bool> ? static_cast<From>(value != 0) : static_cast<From>(value);
    const auto result = static_cast<StoredAs<To>>(converted<From, To>(meant));
    std::memcpy(to + i * static_cast<int64_t>(sizeof(result)), &result, sizeof(result));
  }
}

template <class From>
ConvertRow plain_row_from(DType to) {
  switch (to) {
    case DType::float64: return convert_row<From, double>;
    case DType::float32: return convert_row<From, float>;
    case DType::int64: return convert_row<From, int64_t>;
    case DType::int32: return convert_row<From, int32_t>;
    case DType::int8: return convert_row<From, int8_t>;
    case DType::uint8: return convert_row<From, uint8_t>;
    case DType::boolean: return convert_row<From, bool>;
    default: return nullptr;  // 16-bit floats are rounded once from all bits
  }
}

/// What casting_simd.cpp has no vectors for; null: there is none here, either.
ConvertRow plain_row(DType from, DType to) {
  if (from == to) return nullptr;
  switch (from) {
    case DType::int64: return plain_row_from<int64_t>(to);
    case DType::int32: return plain_row_from<int32_t>(to);
    case DType::int8: return plain_row_from<int8_t>(to);
    case DType::uint8: return plain_row_from<uint8_t>(to);
    case DType::boolean: return plain_row_from<bool>(to);
    case DType::float64: return plain_row_from<double>(to);
    case DType::float32: return plain_row_from<float>(to);
    default: return nullptr;
  }
}

constexpr Kernel kKernels[] = {{"cast", prepare_cast}};

}  // namespace

CastLoops::CastLoops(const Tensor& from, const Tensor& to, int threads)
    : from_(from.dtype()), to_(to.dtype()), threads_(threads) {
  const TensorType types[] = {to.type(), from.type()};
  loops_ = make_tiled_loops(to.shape(), types, 0);
  convert_ = any_convert_row(from_, to_);
  vectorized_ = find_convert_row(from_, to_) != nullptr;
  base_[0] = to.data();
  base_[1] = from.data();
  const bool side_by_side = loops_.inner_stride[0] == size_bytes(to_) && loops_.inner_stride[1] == size_bytes(from_);
  constexpr int64_t kShortRow = 32;
  by_blocks_ = convert_ != nullptr && loops_.outer.size() <= kMostBlockAxes &&
               (!side_by_side || has_short_rows(loops_, kShortRow));
  if (!by_blocks_ && !side_by_side) convert_ = nullptr;
  if (!by_blocks_) return;
  result_ = NestOperand::of(loops_, 0, size_bytes(to_));
  operand_ = NestOperand::of(loops_, 1, size_bytes(from_));
}

void CastLoops::run_blocks() const {
  const int64_t elements = loops_.rows() * loops_.inner;
  const bool dense = lies(loops_, 0, size_bytes(to_)) == Lies::together;
  parallel_parts(threads_, elements, kChunk, elements, [&](int64_t begin, int64_t end) {
    alignas(64) std::byte gathered[kChunk * 8], converted_ones[kChunk * 8];
    for (int64_t first = begin; first < end; first += kChunk) {
      const int64_t many = std::min(kChunk, end - first);
      operand_.gather(base_[1], first, many, gathered);
      convert_(gathered, dense ? base_[0] + first * size_bytes(to_) : converted_ones, many);
      if (!dense) result_.scatter(converted_ones, first, many, base_[0]);
    }
  });
}

void CastLoops::run() const {
  if (by_blocks_) return run_blocks();
  run_loops(loops_, base_, threads_, [this](const Addresses& at, int64_t count) {
    if (convert_ != nullptr) return convert_(at[1], at[0], count);
    for (int64_t i = 0; i < count; ++i) {
      convert_element(from_, at[1] + i * loops_.inner_stride[1], to_, at[0] + i * loops_.inner_stride[0]);
    }
  });
}

ConvertRow any_convert_row(DType from, DType to) {
  const ConvertRow vectors = find_convert_row(from, to);
  return vectors != nullptr ? vectors : plain_row(from, to);
}

std::span<const Kernel> casting_kernels() { return kKernels; }

}  // namespace engine::cpu
