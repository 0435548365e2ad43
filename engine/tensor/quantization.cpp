// SPDX-License-Identifier: Apache-2.0
// Rounding of blocks.
#include "engine/tensor/quantization.h"

#include "engine/tensor/dtype.h"

namespace engine {

float round_block(const float* x, int8_t* to) {
  constexpr float kRound = 12582912;  // 1.5 * 2^23: adding it rounds to whole numbers
  float largest = 0;
  for (int64_t i = 0; i < kBlock; ++i) largest = std::max(largest, std::abs(x[i]));
  const float scale = largest / 127, inverse = scale > 0 ? 1 / scale : 0;
  for (int64_t i = 0; i < kBlock; ++i) {
    const float steps = x[i] * inverse + kRound;
    to[i] = static_cast<int8_t>(static_cast<int32_t>(steps - kRound));
  }
  return scale;
}

uint16_t block_of_8_bits(const float* x, int8_t* to) {
  float largest = 0;
  for (int64_t i = 0; i < kBlock; ++i) largest = std::max(largest, std::abs(x[i]));
  const float scale = largest / 127, inverse = scale > 0 ? 1 / scale : 0;
  for (int64_t i = 0; i < kBlock; ++i)
    to[i] = static_cast<int8_t>(std::clamp(std::round(x[i] * inverse), -127.0F, 127.0F));
  return float_to_half(scale);
}

uint16_t block_of_4_bits(const float* x, uint8_t* to) {
  float extreme = 0;
  for (int64_t i = 0; i < kBlock; ++i) {
    if (std::abs(x[i]) > std::abs(extreme)) extreme = x[i];
  }
  const float scale = extreme / -8, inverse = scale != 0 ? 1 / scale : 0;
  const auto step = [&](int64_t i) { return static_cast<uint8_t>(std::clamp(x[i] * inverse + 8.5F, 0.0F, 15.0F)); };
  for (int64_t i = 0; i < kBlock / 2; ++i) to[i] = static_cast<uint8_t>(step(i) | step(i + kBlock / 2) << 4);
  return float_to_half(scale);
}

}  // namespace engine
