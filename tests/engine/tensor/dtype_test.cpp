// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "engine/tensor/element.h"

namespace engine {
namespace {

TEST(DType, NamesAndSizes) {
  const int64_t sizes[] = {8, 4, 2, 2, 8, 4, 1, 1, 1};
  const char* names[] = {"f64", "f32", "bf16", "f16", "i64", "i32", "i8", "u8", "bool"};
  ASSERT_EQ(all_dtypes().size(), 9u);
  for (size_t i = 0; i < 9; ++i) {
    const DType dtype = all_dtypes()[i];
    EXPECT_EQ(static_cast<size_t>(dtype), i);
    EXPECT_EQ(size_bytes(dtype), sizes[i]);
    EXPECT_EQ(name(dtype), names[i]);
    EXPECT_EQ(parse_dtype(names[i]), dtype);
  }
  EXPECT_FALSE(parse_dtype("f33").has_value());
  EXPECT_FALSE(parse_dtype("").has_value());
  EXPECT_TRUE(is_floating(DType::bfloat16));
  EXPECT_FALSE(is_floating(DType::boolean));
}

/// The value of 16 bits by the definition of the format, in double.
double decode(uint16_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

/// All 65,536 values: decoded as the format says, and back to the same bits (NaN stays NaN with its
/// sign).
void check_all_bits(float (*to_float)(uint16_t), uint16_t (*from_float)(float), int exponent_bits, int mantissa_bits) {
  for (int i = 0; i < 65'536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const double expected = decode(bits, exponent_bits, mantissa_bits);
    const float actual = to_float(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(actual)) << i;
      ASSERT_TRUE(std::isnan(to_float(from_float(actual)))) << i;
      ASSERT_EQ(from_float(actual) & 0x8000, bits & 0x8000) << i;
    } else {
      ASSERT_EQ(static_cast<double>(actual), expected) << i;
      ASSERT_EQ(std::signbit(actual), (bits & 0x8000) != 0) << i;
      ASSERT_EQ(from_float(actual), bits) << i;
    }
  }
}

TEST(DType, AllHalvesConvert) { check_all_bits(half_to_float, float_to_half, 5, 10); }
TEST(DType, AllBfloat16Convert) { check_all_bits(bfloat16_to_float, float_to_bfloat16, 8, 7); }

/// Between each two neighbours: the middle goes to the even one, a hair beside it to the nearer.
void check_rounding(float (*to_float)(uint16_t), uint16_t (*from_float)(float), uint16_t largest_finite) {
  for (uint16_t bits = 0; bits < largest_finite; ++bits) {
    const float low = to_float(bits), high = to_float(static_cast<uint16_t>(bits + 1));
    const double middle = (static_cast<double>(low) + high) / 2;
    const auto exact = static_cast<float>(middle);
    const uint16_t even = bits % 2 == 0 ? bits : static_cast<uint16_t>(bits + 1);
    if (static_cast<double>(exact) == middle) {
      ASSERT_EQ(from_float(exact), even) << bits;
      ASSERT_EQ(from_float(-exact), even | 0x8000) << bits;
    }
    ASSERT_EQ(from_float(std::nextafter(exact, 0.0f)),
              static_cast<double>(std::nextafter(exact, 0.0f)) == middle ? even : bits)
        << bits;
    ASSERT_EQ(from_float(std::nextafter(exact, HUGE_VALF)), bits + 1) << bits;
  }
}

TEST(DType, HalvesRoundToNearestEven) { check_rounding(half_to_float, float_to_half, 0x7bff); }
TEST(DType, Bfloat16RoundToNearestEven) { check_rounding(bfloat16_to_float, float_to_bfloat16, 0x7f7f); }

TEST(DType, BeyondTheRangeIsInfinity) {
  EXPECT_EQ(float_to_half(65'519.996f), 0x7bff);
  EXPECT_EQ(float_to_half(65'520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(-1e30f), 0xfc00);
  EXPECT_EQ(float_to_half(HUGE_VALF), 0x7c00);
  EXPECT_EQ(float_to_bfloat16(3.4e38f), 0x7f80);
  EXPECT_EQ(float_to_half(1e-8f), 0);
  EXPECT_EQ(float_to_half(-1e-30f), 0x8000);
}

TEST(DType, NanPayloadsStayNan) {
  std::mt19937 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto draw = static_cast<uint32_t>(random());
    const uint32_t mantissa = (draw & 0x3fffffu) | 1u;
    const float value = std::bit_cast<float>(0x7f800000u | (draw & 0x80000000u) | mantissa);
    ASSERT_TRUE(std::isnan(half_to_float(float_to_half(value))));
    ASSERT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(value))));
  }
}

TEST(Element, IntegersAreCutAndHeldInRange) {
  const auto round_trip = [](DType dtype, double value) {
    std::byte bytes[8];
    store_element(dtype, bytes, value);
    return load_element(dtype, bytes);
  };
  EXPECT_EQ(round_trip(DType::int8, 200), 127);
  EXPECT_EQ(round_trip(DType::int8, -1e9), -128);
  EXPECT_EQ(round_trip(DType::int8, -2.9), -2);
  EXPECT_EQ(round_trip(DType::uint8, -1), 0);
  EXPECT_EQ(round_trip(DType::uint8, 255.7), 255);
  EXPECT_EQ(round_trip(DType::int32, 2147483647.0), 2147483647.0);
  EXPECT_EQ(round_trip(DType::int32, 2147483648.0), 2147483647.0);
  EXPECT_EQ(round_trip(DType::int64, 1e300), 0x1p63);
  EXPECT_EQ(round_trip(DType::int64, std::nan("")), 0);
  EXPECT_EQ(round_trip(DType::boolean, 0.5), 1);
  EXPECT_EQ(round_trip(DType::boolean, 0), 0);
  EXPECT_EQ(round_trip(DType::float64, 0.1), 0.1);
  EXPECT_EQ(round_trip(DType::float16, 1.0 / 3), static_cast<double>(half_to_float(0x3555)));
}

}  // namespace
}  // namespace engine
