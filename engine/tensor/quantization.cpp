// SPDX-License-Identifier: Apache-2.0
// Rounding of blocks.
#include "engine/tensor/quantization.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/tensor/dtype.h"

namespace engine {
namespace {

/// Largest magnitude of the block; NaN where one of its values is: as integers, bits of NaN are above all others.
float largest_of(const float* x) {
  uint32_t largest = 0;
  for (int64_t i = 0; i < kBlock; ++i) largest = std::max(largest, std::bit_cast<uint32_t>(x[i]) & 0x7fffffffU);
  return std::bit_cast<float>(largest);
}

/// 0 where values cannot be divided by the scale: it is no number, or so small that its inverse is none.
float inverse_of(float scale) {
  return std::isfinite(scale) && std::abs(scale) >= std::numeric_limits<float>::min() ? 1 / scale : 0;
}

}  // namespace

float round_block(const float* x, int8_t* to) {
  constexpr float kRound = 12582912;  // 1.5 * 2^23: adding it rounds to whole numbers
  const float largest = largest_of(x), scale = largest / 127, inverse = inverse_of(scale);
  if (inverse == 0) {
    std::fill_n(to, kBlock, int8_t{0});
    return std::isfinite(largest) ? 0 : std::numeric_limits<float>::quiet_NaN();
  }
  for (int64_t i = 0; i < kBlock; ++i) {
    const float steps = x[i] * inverse + kRound;
    to[i] = static_cast<int8_t>(static_cast<int32_t>(steps - kRound));
  }
  return scale;
}

uint16_t block_of_8_bits(const float* x, int8_t* to) {
  const float largest = largest_of(x), scale = largest / 127, inverse = inverse_of(scale);
  if (inverse == 0) {
    std::fill_n(to, kBlock, int8_t{0});
    return float_to_half(std::isfinite(largest) ? 0 : std::numeric_limits<float>::quiet_NaN());
  }
  for (int64_t i = 0; i < kBlock; ++i)
    to[i] = static_cast<int8_t>(std::clamp(std::round(x[i] * inverse), -127.0F, 127.0F));
  return float_to_half(scale);
}

uint16_t block_of_4_bits(const float* x, uint8_t* to) {
  const float largest = largest_of(x);
  float extreme = 0;
  for (int64_t i = 0; i < kBlock; ++i) {
    if (std::abs(x[i]) > std::abs(extreme)) extreme = x[i];
  }
  const float scale = extreme / -8, inverse = std::isfinite(largest) ? inverse_of(scale) : 0;
  const auto step = [&](int64_t i) { return static_cast<uint8_t>(std::clamp(x[i] * inverse + 8.5F, 0.0F, 15.0F)); };
  for (int64_t i = 0; i < kBlock / 2; ++i) to[i] = static_cast<uint8_t>(step(i) | step(i + kBlock / 2) << 4);
  if (inverse == 0) return float_to_half(std::isfinite(largest) ? 0 : std::numeric_limits<float>::quiet_NaN());
  return float_to_half(scale);
}

}  // namespace engine
