// SPDX-License-Identifier: Apache-2.0
// One element of any dtype, read and written as double.
#include "engine/tensor/element.h"

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
  if (value >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

}  // namespace

double load_element(DType dtype, const std::byte* address) {
  switch (dtype) {
    case DType::float64:
      return load_as<double>(address);
    case DType::float32:
      return load_as<float>(address);
    case DType::bfloat16:
      return bfloat16_to_float(load_as<uint16_t>(address));
    case DType::float16:
      return half_to_float(load_as<uint16_t>(address));
    case DType::int64:
      return static_cast<double>(load_as<int64_t>(address));
    case DType::int32:
      return load_as<int32_t>(address);
    case DType::int8:
      return load_as<int8_t>(address);
    case DType::uint8:
      return load_as<uint8_t>(address);
    case DType::boolean:
      return load_as<uint8_t>(address) != 0 ? 1 : 0;
  }
  return 0;
}

void store_element(DType dtype, std::byte* address, double value) {
  switch (dtype) {
    case DType::float64:
      return store_as(address, value);
    case DType::float32:
      return store_as(address, static_cast<float>(value));
    case DType::bfloat16:
      return store_as(address, float_to_bfloat16(static_cast<float>(value)));
    case DType::float16:
      return store_as(address, float_to_half(static_cast<float>(value)));
    case DType::int64:
      return store_as(address, clamp_to<int64_t>(value));
    case DType::int32:
      return store_as(address, clamp_to<int32_t>(value));
    case DType::int8:
      return store_as(address, clamp_to<int8_t>(value));
    case DType::uint8:
      return store_as(address, clamp_to<uint8_t>(value));
    case DType::boolean:
      return store_as<uint8_t>(address, value != 0 ? 1 : 0);
  }
}

}  // namespace engine
