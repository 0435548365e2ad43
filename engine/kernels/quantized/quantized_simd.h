// SPDX-License-Identifier: Apache-2.0
// Inner products of 16-bit integers with 32-bit sums, and what goes to and from 8 bits, compiled for every vector width
// and chosen at run time (Highway).
#pragma once

#include <cstdint>

namespace engine::cpu {

/// sums[j] = sum over i in [0, length) of a[i] * b[j * length + i], for j in [0, count). |a| and |b| at most 255; the
/// sums are exact and held in the range of i32.
using InnerProducts = void (*)(const int16_t* a, const int16_t* b, int64_t length, int64_t count, int32_t* sums);
InnerProducts inner_products();

/// to[o] = quantized((sums[o] + bias[o]) * factors[o], zero, low, low + 255), for o in [0, count):
/// engine/tensor/quantization.h.
using QuantizeSums = void (*)(const int32_t* sums, const double* bias, const double* factors, double zero, double low,
                              int64_t count, uint8_t* to);
QuantizeSums quantize_sums();

/// to[i] = (from[i] - zero) * scale; and the way back, to one of the 256 integers from `low` on.
struct QuantizeLoops {
  /// The least and the greatest of from[0, count) and 0; NaN counts for neither.
  void (*ends)(const float* from, int64_t count, float* least, float* greatest);
  void (*to_bytes)(const float* from, int64_t count, double scale, double zero, double low, uint8_t* to);
  void (*from_u8)(const uint8_t* from, int64_t count, double scale, double zero, float* to);
  void (*from_i8)(const int8_t* from, int64_t count, double scale, double zero, float* to);
  void (*from_i32)(const int32_t* from, int64_t count, double scale, double zero, float* to);
};
QuantizeLoops quantize_loops();

}  // namespace engine::cpu
