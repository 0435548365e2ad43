// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "engine/tensor/decimal.h"

namespace engine {
namespace {

StoredNumber inspect(std::string_view text, DType dtype, const Quantization& quantization = {}) {
  const auto number = inspect_number(text, dtype, quantization);
  EXPECT_TRUE(number.ok()) << (number ? "" : number.error().message);
  return number ? *number : StoredNumber{};
}

TEST(Number, OnePointFourInEveryFormat) {
  const StoredNumber half = inspect("1.4", DType::float16);
  EXPECT_EQ(half.sign + "|" + half.exponent + "|" + half.fraction, "0|01111|0110011010");
  EXPECT_EQ(half.bits, 0x3d9au);
  EXPECT_EQ(half.value, "1.400390625");
  EXPECT_EQ(half.error, "0.000390625");
  EXPECT_NEAR(half.relative_error, 0.000390625 / 1.4, 1e-15);
  EXPECT_EQ(half.spacing, "0.0009765625");
  EXPECT_EQ(half.below, "1.3994140625");
  EXPECT_EQ(half.above, "1.4013671875");
  EXPECT_EQ(half.largest, "65504");
  EXPECT_EQ(half.smallest_normal, "0.00006103515625");
  EXPECT_EQ(half.smallest_subnormal, "5.9604644775390625e-8");
  EXPECT_EQ(half.kind, NumberKind::normal);
  EXPECT_EQ(inspect("1.4", DType::bfloat16).value, "1.3984375");
  EXPECT_EQ(inspect("1.4", DType::bfloat16).error, "-0.0015625");
  EXPECT_EQ(inspect("1.4", DType::float32).value, "1.39999997615814208984375");
  EXPECT_EQ(inspect("1.4", DType::float64).value, "1.399999999999999911182158029987476766109466552734375");
  EXPECT_EQ(inspect("1.4", DType::float64).error, "-8.8817841970012523233890533447265625e-17");
}

TEST(Number, TheEndsOfHalf) {
  EXPECT_EQ(inspect("65504", DType::float16).value, "65504");
  EXPECT_EQ(inspect("65504", DType::float16).above, "inf");
  EXPECT_EQ(inspect("65504", DType::float16).spacing, "32");
  EXPECT_EQ(inspect("65519.99999999999999999999999", DType::float16).value, "65504");
  const StoredNumber over = inspect("65520", DType::float16);
  EXPECT_EQ(over.value, "inf");
  EXPECT_TRUE(over.overflowed);
  EXPECT_EQ(over.error, "");
  EXPECT_EQ(over.below, "65504");
  EXPECT_TRUE(inspect("-70000", DType::float16).overflowed);
  EXPECT_EQ(inspect("-70000", DType::float16).above, "-65504");
  EXPECT_FALSE(inspect("inf", DType::float16).overflowed);
}

TEST(Number, SmallNumbers) {
  const StoredNumber gone = inspect("1e-8", DType::float16);
  EXPECT_EQ(gone.value, "0");
  EXPECT_TRUE(gone.underflowed);
  EXPECT_EQ(gone.error, "-1e-8");
  EXPECT_EQ(gone.above, "5.9604644775390625e-8");
  EXPECT_EQ(gone.below, "-5.9604644775390625e-8");
  EXPECT_EQ(inspect("2.98023223876953125e-8", DType::float16).value, "0");  // half of the smallest: to even
  EXPECT_EQ(inspect("2.980232238769531250000000000000000001e-8", DType::float16).bits, 1u);
  const StoredNumber subnormal = inspect("-6e-8", DType::float16);
  EXPECT_EQ(subnormal.kind, NumberKind::subnormal);
  EXPECT_EQ(subnormal.bits, 0x8001u);
  EXPECT_EQ(subnormal.above, "-0");
  EXPECT_EQ(inspect("-0", DType::float32).value, "-0");
  EXPECT_EQ(inspect("0", DType::bfloat16).error, "0");
  EXPECT_EQ(inspect("5e-324", DType::float64).bits, 1u);
  EXPECT_EQ(inspect("5e-324", DType::float64).value.size(), 751u + 1 + 5);  // all its digits, a point, "e-324"
  EXPECT_EQ(inspect("1e-4000", DType::float64).value, "0");
  EXPECT_TRUE(inspect("1e4000", DType::float64).overflowed);
  EXPECT_NEAR(inspect("5e-324", DType::float64).relative_error, 0.01187, 1e-5);
  EXPECT_EQ(inspect("1e-400", DType::float64).relative_error, 1) << "all of it is gone";
}

/// Just above the middle of two halves, by less than f64 can tell.
TEST(Number, IsRoundedOnceFromTheExactDecimal) {
  EXPECT_EQ(inspect("1.00048828125", DType::float16).value, "1");
  EXPECT_EQ(inspect("1.000488281250000000000000000000000001", DType::float16).value, "1.0009765625");
  EXPECT_EQ(inspect("-1.000488281250000000000000000000000001", DType::float16).value, "-1.0009765625");
  EXPECT_EQ(inspect("1.000488281249999999999999999999999999", DType::float16).value, "1");
  EXPECT_EQ(inspect("1.000000059604644775390625", DType::float32).value, "1");
  EXPECT_EQ(inspect("1.0000000596046447753906250000000000001", DType::float32).value, "1.00000011920928955078125");
}

TEST(Number, NotANumberAndInfinity) {
  const StoredNumber nan = inspect("nan", DType::float16);
  EXPECT_EQ(nan.kind, NumberKind::nan);
  EXPECT_EQ(nan.value, "nan");
  EXPECT_TRUE(nan.error.empty() && nan.spacing.empty() && nan.above.empty());
  EXPECT_TRUE(std::isnan(nan.relative_error));
  EXPECT_EQ(inspect("-inf", DType::float32).value, "-inf");
}

TEST(Number, QuantizedBytes) {
  const Quantization by{"0.1", 3};
  const StoredNumber number = inspect("1.44", DType::int8, by);
  EXPECT_EQ(number.bits, 17u);  // 14 + 3
  EXPECT_EQ(number.value, "1.4");
  EXPECT_EQ(number.error, "-0.04");
  EXPECT_EQ(number.spacing, "0.1");
  EXPECT_EQ(number.below, "1.3");
  EXPECT_EQ(inspect("1.45", DType::int8, by).value, "1.4");  // a tie, to the even integer 14
  EXPECT_EQ(inspect("1.35", DType::int8, by).value, "1.4");
  EXPECT_EQ(inspect("-1.35", DType::int8, by).value, "-1.4");
  const StoredNumber low = inspect("-100", DType::int8, by);
  EXPECT_EQ(low.bits, 0x80u);
  EXPECT_EQ(low.fraction, "10000000");
  EXPECT_TRUE(low.overflowed);
  EXPECT_EQ(low.value, "-13.1");
  EXPECT_EQ(inspect("1e300", DType::uint8, by).value, "25.2");
  EXPECT_EQ(inspect("inf", DType::uint8, by).value, "25.2");
  EXPECT_TRUE(inspect("0.01", DType::uint8, by).underflowed);
}

TEST(Number, BadTextIsRefusedInWords) {
  for (const char* text : {"", "abc", "1.4.1", "1e", "e5", ".", "--1", "0x10", "1,4", "1.4 ", "nano",
                           "1e99999999999999999999", "1e4001"}) {
    const auto number = inspect_number(text, DType::float32);
    ASSERT_FALSE(number.ok()) << text;
    EXPECT_NE(number.error().message.find(std::string("\"") + text + "\""), std::string::npos)
        << number.error().message;
  }
  EXPECT_FALSE(inspect_number(std::string(2000, '7'), DType::float32).ok());
  EXPECT_FALSE(inspect_number("1", DType::int32).ok());
  EXPECT_FALSE(inspect_number("1", DType::int8, {"0", 0}).ok());
  EXPECT_FALSE(inspect_number("1", DType::int8, {"-1", 0}).ok());
  EXPECT_FALSE(inspect_number("1", DType::int8, {"one", 0}).ok());
  EXPECT_FALSE(inspect_number("1", DType::uint8, {"1", -1}).ok());
  EXPECT_FALSE(inspect_number("nan", DType::uint8).ok());
}

/// Bits drawn at random, printed exactly, read by the C library and by us: the same bits.
TEST(Number, ExactValuesReadBackToTheSameBits) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 60; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
    const int exponent = static_cast<int>((bits >> 52) & 0x7ffu);
    const std::string text = Decimal::binary(exponent == 0 ? fraction : fraction + (uint64_t{1} << 52),
                                             std::max(exponent, 1) - 1075, std::signbit(value))
                                 .to_string();
    ASSERT_EQ(std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr)), bits) << text;
    const StoredNumber number = inspect(text, DType::float64);
    ASSERT_EQ(number.bits, bits) << text;
    ASSERT_EQ(number.error, "0") << text;
  }
}

TEST(Decimal, Arithmetic) {
  const auto d = [](std::string_view text) { return *Decimal::parse(text); };
  EXPECT_EQ((d("1.5") - d("2.25")).to_string(), "-0.75");
  EXPECT_EQ((d("-1.5") - d("2.25")).to_string(), "-3.75");
  EXPECT_EQ((d("1e30") - d("1")).to_string(), "9.99999999999999999999999999999e29");
  EXPECT_EQ((d("0.1") - d("0.1")).to_string(), "0");
  EXPECT_EQ(d("100200").to_string(), "100200");
  EXPECT_EQ(d("+1.50").to_string(), "1.5");
  EXPECT_EQ(d("0.0000001").to_string(), "0.0000001");
  EXPECT_EQ(d("0.00000001").to_string(), "1e-8");
  EXPECT_EQ(d("1.25").times(-8).to_string(), "-10");
  EXPECT_TRUE(d("-2") < d("1") && d("-2") < d("-1.5") && d("10") > d("9.99") && d("0") == d("-0"));
  EXPECT_EQ(Decimal(INT64_MIN).to_string(), "-9223372036854775808");
}

}  // namespace
}  // namespace engine
