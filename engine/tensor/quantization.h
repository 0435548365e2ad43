// SPDX-License-Identifier: Apache-2.0
// Rounding to 8-bit integers, for references and kernels alike.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace engine {

/// value to the nearest integer (ties to even) + zero_point, held in [low, high]; NaN becomes low.
inline int32_t quantized(double value, int32_t zero_point, int32_t low, int32_t high) {
  const double shifted = std::nearbyint(value) + zero_point;
  if (!(shifted > low)) return low;
  return shifted >= high ? high : static_cast<int32_t>(shifted);
}

/// x / scale rounded to f32 before anything else, as ONNX has it: 0.5 / 0.0196078438 is 25.5 there, in
/// doubles 25.499999.
inline double steps_of(double x, double scale) {
  return static_cast<double>(static_cast<float>(x) / static_cast<float>(scale));
}

/// A u8 scale and zero point.
struct DynamicRange {
  float scale = 1;
  int32_t zero_point = 0;
};

/// The finest scale that holds 0 and all of [low, high]; 1 when they are too close or too far apart for f32.
inline DynamicRange dynamic_range(double low, double high) {
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  const auto scale = static_cast<float>((high - low) / 255);
  if (!(scale > 0) || !std::isfinite(scale)) return {};
  return {scale, quantized(steps_of(-low, static_cast<double>(scale)), 0, 0, 255)};
}

/// Blocks of 32 neighbours with one scale, as llama.cpp's Q8_0 and Q4_0 have them. Of 8 bits: value = scale * q, q from
/// -127 to 127. Of 4 bits: value = scale * (q - 8), q from 0 to 15. Byte j holds q j below and q j + 16 above.
inline constexpr int64_t kBlock = 32;

/// Rounds a block to 8 bits (ties to even) and returns its scale. A scale of 0: all are 0; NaN: a value is not finite.
/// One code for all vector units, so that kernels and references round alike.
float round_block(const float* x, int8_t* to);

/// Weights to blocks, as llama.cpp rounds them; returns the scale as bits of f16. NaN: a value is not finite; infinite:
/// beyond the range of f16.
uint16_t block_of_8_bits(const float* x, int8_t* to);
/// `to`: 16 bytes.
uint16_t block_of_4_bits(const float* x, uint8_t* to);

}  // namespace engine
