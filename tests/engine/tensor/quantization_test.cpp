// SPDX-License-Identifier: Apache-2.0
// Blocks: what is not finite, very small or very large stays so, and never becomes an ordinary number.
#include "engine/tensor/quantization.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "engine/tensor/dtype.h"

namespace engine {
namespace {

using Block = std::array<float, kBlock>;

Block ramp(float unit) {
  Block x{};
  for (size_t i = 0; i < x.size(); ++i) x[i] = unit * (static_cast<float>(i) - 16);
  return x;
}

TEST(Blocks, NoNumberAndInfinityMakeTheScaleNoNumber) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    for (const size_t at : {size_t{0}, size_t{7}, size_t{31}}) {
      Block x = ramp(1);
      x[at] = bad;
      std::array<int8_t, kBlock> bytes{};
      std::array<uint8_t, kBlock / 2> halves{};
      EXPECT_TRUE(std::isnan(round_block(x.data(), bytes.data()))) << bad << " at " << at;
      EXPECT_TRUE(std::isnan(half_to_float(block_of_8_bits(x.data(), bytes.data())))) << bad << " at " << at;
      EXPECT_TRUE(std::isnan(half_to_float(block_of_4_bits(x.data(), halves.data())))) << bad << " at " << at;
    }
  }
}

TEST(Blocks, WhatIsTooSmallForAScaleIsZero) {
  for (const float unit : {0.0F, 1e-45F, 1e-40F, 1e-39F}) {
    const Block x = ramp(unit);
    std::array<int8_t, kBlock> bytes{};
    EXPECT_EQ(round_block(x.data(), bytes.data()), 0) << unit;
    for (const int8_t byte : bytes) EXPECT_EQ(byte, 0) << unit;
  }
}

TEST(Blocks, ScalesBeyondF16AreInfinite) {
  const Block x = ramp(1e7F);
  std::array<int8_t, kBlock> bytes{};
  std::array<uint8_t, kBlock / 2> halves{};
  EXPECT_TRUE(std::isinf(half_to_float(block_of_8_bits(x.data(), bytes.data()))));
  EXPECT_TRUE(std::isinf(half_to_float(block_of_4_bits(x.data(), halves.data()))));
}

TEST(Blocks, OrdinaryOnesAreWithinHalfAStep) {
  const Block x = ramp(0.25F);
  std::array<int8_t, kBlock> bytes{};
  std::array<uint8_t, kBlock / 2> halves{};
  const float scale = round_block(x.data(), bytes.data()),
              of_8 = half_to_float(block_of_8_bits(x.data(), bytes.data())),
              of_4 = half_to_float(block_of_4_bits(x.data(), halves.data()));
  EXPECT_FLOAT_EQ(scale, 4.0F / 127);
  for (size_t i = 0; i < x.size(); ++i) {
    const int q = i < 16 ? halves[i] & 15 : halves[i - 16] >> 4;
    EXPECT_NEAR(of_8 * static_cast<float>(bytes[i]), x[i], 0.51F * of_8);
    EXPECT_NEAR(of_4 * static_cast<float>(q - 8), x[i], 0.51F * std::abs(of_4));
  }
}

}  // namespace
}  // namespace engine
