// SPDX-License-Identifier: Apache-2.0
// One element of any dtype, read and written as double.
#include "engine/tensor/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace engine {
namespace {

template <class T>
T load_as(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <class T>
void store_as(std::byte* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

template <class T>
T clamp_to(double value) {
  if (std::isnan(value)) return 0;
  // max() + 1 is a power of two, so exact in double for every T.
  if (value >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

/// The neighbour of `value` in binary32 whose last bit is odd, unless `value` is a binary32 itself:
/// rounding that to 16 bits gives what rounding `value` at once would.
/// Source: Boldo, Melquiond, "When double rounding is odd", IMACS 2005.
float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || !std::isfinite(nearest)) return nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(value)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

int64_t load_integer(DType dtype, const std::byte* address) {
  if (dtype == DType::int64) return load_as<int64_t>(address);
  return static_cast<int64_t>(load_element(dtype, address));
}

/// A double that rounds to 16 bits as `value` does: beyond 2^53 the neighbour whose last bit is odd.
double round_to_odd(int64_t value) {
  constexpr int64_t kExact = int64_t{1} << 53, kStep = 1 << 11;
  if (value >= -kExact && value <= kExact) return static_cast<double>(value);
  const bool exact = (value & (kStep - 1)) == 0;
  return static_cast<double>(exact ? value : (value & ~(kStep - 1)) | kStep);
}

}  // namespace

double load_element(DType dtype, const std::byte* address) {
  switch (dtype) {
    case DType::float64: return load_as<double>(address);
    case DType::float32: return load_as<float>(address);
    case DType::bfloat16: return bfloat16_to_float(load_as<uint16_t>(address));
    case DType::float16: return half_to_float(load_as<uint16_t>(address));
    case DType::int64: return static_cast<double>(load_as<int64_t>(address));
    case DType::int32: return load_as<int32_t>(address);
    case DType::int8: return load_as<int8_t>(address);
    case DType::uint8: return load_as<uint8_t>(address);
    case DType::boolean: return load_as<uint8_t>(address) != 0 ? 1 : 0;
  }
  return 0;
}

void store_element(DType dtype, std::byte* address, double value) {
  switch (dtype) {
    case DType::float64: return store_as(address, value);
    case DType::float32: return store_as(address, static_cast<float>(value));
    case DType::bfloat16: return store_as(address, float_to_bfloat16(round_to_odd(value)));
    case DType::float16: return store_as(address, float_to_half(round_to_odd(value)));
    case DType::int64: return store_as(address, clamp_to<int64_t>(value));
    case DType::int32: return store_as(address, clamp_to<int32_t>(value));
    case DType::int8: return store_as(address, clamp_to<int8_t>(value));
    case DType::uint8: return store_as(address, clamp_to<uint8_t>(value));
    case DType::boolean: return store_as<uint8_t>(address, value != 0 ? 1 : 0);
  }
}

void convert_element(DType from_dtype, const std::byte* from, DType to_dtype, std::byte* to) {
  if (from_dtype == to_dtype) {
    std::memcpy(to, from, static_cast<size_t>(size_bytes(from_dtype)));
    return;
  }
  if (is_floating(from_dtype)) return store_element(to_dtype, to, load_element(from_dtype, from));
  const int64_t value = load_integer(from_dtype, from);
  switch (to_dtype) {
    case DType::int64: return store_as(to, value);
    case DType::int32: return store_as(to, static_cast<int32_t>(value));
    case DType::int8: return store_as(to, static_cast<int8_t>(value));
    case DType::uint8: return store_as(to, static_cast<uint8_t>(value));
    case DType::boolean: return store_as<uint8_t>(to, value != 0 ? 1 : 0);
    case DType::float32: return store_as(to, static_cast<float>(value));
    case DType::bfloat16:
    case DType::float16: return store_element(to_dtype, to, round_to_odd(value));
    default: return store_element(to_dtype, to, static_cast<double>(value));
  }
}

}  // namespace engine
