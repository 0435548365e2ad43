// SPDX-License-Identifier: Apache-2.0
// cast on the CPU: every pair of dtypes bit by bit against convert_element, the 16-bit floats on all their values and
// on every tie, on each vector unit this machine has.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "engine/cpu/backend.h"
#include "engine/kernels/core/casting_simd.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/ops/casting.h"
#include "engine/tensor/element.h"

namespace engine {
namespace {

/// Every value worth a look, as doubles, 3 x 61 of them.
std::vector<double> awkward_values() {
  std::vector<double> values{0,          -0.0,       0.5,           -0.5,          0.999,      -0.999,    1,
                             -1,         1.5,        126.9,         127,           127.5,      128,       -127.9,
                             -128,       -128.9,     -129,          254.9,         255,        255.9,     256,
                             300,        -300,       65504,         65519,         65520,      65536,     2147483520,
                             2147483647, 2147483648, -2147483648.0, -2147483649.0, 4294967296, 9.3e18,    -9.3e18,
                             3.4e38,     3.5e38,     -3.5e38,       1e300,         1e-300,     1e-40,     1e-45,
                             6e-8,       3e-8,       2.9e-8,        1e-8,          HUGE_VAL,   -HUGE_VAL, std::nan("")};
  for (int i = 0; values.size() < 183; ++i)
    values.push_back((i % 2 == 0 ? 1 : -1) * std::ldexp(1.0 + 0.001 * i, i % 60 - 30));
  return values;
}

Tensor tensor_of(const TensorType& type) {
  auto storage = Storage::allocate_host(std::max<int64_t>(type.span_bytes(), 1));
  CHECK(storage.ok());
  return {*storage, type};
}

/// Runs the CPU's cast and the op's reference on x; both results must have equal bits.
void expect_equal_bits(Backend& backend, const Tensor& x, DType to) {
  Node node;
  node.op = &ops::kCast;
  node.attributes = {{"dtype", std::string(name(to))}};
  const std::vector<TensorType> inputs{x.type()};
  const auto types = ops::kCast.infer(inputs, node.attributes);
  ASSERT_TRUE(types.ok()) << types.error().message;
  const Tensor wanted = tensor_of((*types)[0]), got = tensor_of((*types)[0]);
  KernelArguments arguments{&node.attributes, {x}, {wanted}};
  ops::kCast.reference(arguments);
  auto prepared = backend.prepare({node, {&node.attributes, {x}, {got}}, nullptr, {}});
  ASSERT_TRUE(prepared.ok());
  SCOPED_TRACE((*prepared)->kernel_name());
  EXPECT_NE((*prepared)->kernel_name(), "reference");
  (*prepared)->run();
  const auto bytes = static_cast<size_t>(got.type().span_bytes());
  for (size_t i = 0; i < bytes; ++i) {
    ASSERT_EQ(got.data()[i], wanted.data()[i]) << "byte " << i << " of " << to_string(x.type()) << " to " << name(to);
  }
}

TEST(Casting, EveryPairOfTypesAgreesWithOneConversionPerElement) {
  auto backend = cpu::make_backend(1);
  ASSERT_TRUE(backend.ok());
  const std::vector<double> values = awkward_values();
  for (const DType from : all_dtypes()) {
    for (const TensorType& type : {TensorType::contiguous(from, {3, 61}), TensorType{from, {3, 61}, {1, 3}},
                                   TensorType{from, {3, 61}, {200, 3}}}) {
      const Tensor x = tensor_of(type);
      for (size_t i = 0; i < values.size(); ++i) x.set_flat(static_cast<int64_t>(i), values[i]);
      for (const DType to : all_dtypes()) expect_equal_bits(**backend, x, to);
    }
  }
}

TEST(Casting, LargeTensorsAreSplitOverThreads) {
  auto backend = cpu::make_backend(2);
  ASSERT_TRUE(backend.ok());
  const Tensor x = tensor_of(TensorType::contiguous(DType::float32, {100'003}));
  for (int64_t i = 0; i < 100'003; ++i)
    x.data_as<float>()[i] = std::ldexp(1.0f + 1e-5f * static_cast<float>(i), static_cast<int>(i % 40) - 20);
  for (const DType to : {DType::bfloat16, DType::float16, DType::float64, DType::int8})
    expect_equal_bits(**backend, x, to);
}

/// The casts of ONNX's own node generator and onnxruntime: the lowest bits stay.
TEST(Casting, BetweenIntegersTheLowestBitsStay) {
  const Tensor x = tensor_of(TensorType::contiguous(DType::int64, {7}));
  const int64_t numbers[] = {(int64_t{1} << 62) + 1,
                             -5,
                             300,
                             std::numeric_limits<int64_t>::min(),
                             std::numeric_limits<int64_t>::max(),
                             200,
                             -129};
  std::memcpy(x.data(), numbers, sizeof numbers);
  const double as_u8[] = {1, 251, 44, 0, 255, 200, 127}, as_i8[] = {1, -5, 44, 0, -1, -56, 127},
               as_i32[] = {1, -5, 300, 0, -1, 200, -129};
  auto backend = cpu::make_backend(1);
  ASSERT_TRUE(backend.ok());
  for (int64_t i = 0; i < 7; ++i) {
    std::byte out[8], through[8];
    for (const auto& [dtype, wanted] :
         {std::pair{DType::uint8, as_u8[i]}, {DType::int8, as_i8[i]}, {DType::int32, as_i32[i]}}) {
      convert_element(DType::int64, x.data() + 8 * i, dtype, out);
      EXPECT_EQ(load_element(dtype, out), wanted) << numbers[i] << " to " << name(dtype);
    }
    convert_element(DType::int64, x.data() + 8 * i, DType::int32, through);  // out of i32 as out of i64
    convert_element(DType::int32, through, DType::int8, out);
    EXPECT_EQ(load_element(DType::int8, out), as_i8[i]) << numbers[i];
    convert_element(DType::int64, x.data() + 8 * i, DType::int64, out);
    EXPECT_EQ(std::memcmp(out, x.data() + 8 * i, 8), 0);
  }
  // All bytes of either sign as the other, by the rows for vectors.
  for (const auto& [from, to] : {std::pair{DType::int8, DType::uint8}, {DType::uint8, DType::int8}}) {
    const Tensor bytes = tensor_of(TensorType::contiguous(from, {256}));
    for (size_t i = 0; i < 256; ++i) bytes.data()[i] = static_cast<std::byte>(i);
    expect_equal_bits(**backend, bytes, to);
    std::byte out[256];
    const cpu::ConvertRow row = cpu::find_convert_row(from, to);
    if (row == nullptr) continue;  // a unit of one lane, which converts one by one
    row(bytes.data(), out, 256);
    EXPECT_EQ(std::memcmp(out, bytes.data(), 256), 0) << name(from);
  }
}

/// Beyond 2^53, where rounding to a double first would land on the tie of two bfloat16.
TEST(Casting, LongIntegersAreRoundedOnceTo16Bits) {
  const int64_t big = int64_t{1} << 62, tie = int64_t{1} << 54, step = int64_t{1} << 55;
  const auto as_bf16 = [](int64_t value) {
    std::byte out[2];
    convert_element(DType::int64, reinterpret_cast<const std::byte*>(&value), DType::bfloat16, out);
    return load_element(DType::bfloat16, out);
  };
  EXPECT_EQ(as_bf16(big + tie), static_cast<double>(big));
  EXPECT_EQ(as_bf16(big + tie + 1), static_cast<double>(big + step));
  EXPECT_EQ(as_bf16(big + tie - 1), static_cast<double>(big));
  EXPECT_EQ(as_bf16(-big - tie - 1), -static_cast<double>(big + step));
  EXPECT_EQ(as_bf16(-big - tie + 1), -static_cast<double>(big));
  EXPECT_EQ(as_bf16(std::numeric_limits<int64_t>::min()), -0x1p63);
  EXPECT_EQ(as_bf16(std::numeric_limits<int64_t>::max()), 0x1p63);
}

/// The value of 16 bits by the definition of the format.
double decoded(uint16_t bits, int exponent_bits) {
  const int mantissa_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1),
            mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

/// The middle between each two neighbours goes to the even one, what lies beside it to the nearer, however near.
template <class From>
void check_ties(cpu::ConvertRow narrow, int exponent_bits) {
  const auto largest = static_cast<uint16_t>((((1 << exponent_bits) - 1) << (15 - exponent_bits)) - 1);
  std::vector<From> ties, below, above;
  for (uint16_t i = 0; i <= largest;
       ++i) {  // beyond the largest lies the first value that would not fit: infinity from the tie on
    const double low = decoded(i, exponent_bits);
    const double high = i == largest ? 2 * low - decoded(static_cast<uint16_t>(i - 1), exponent_bits)
                                     : decoded(static_cast<uint16_t>(i + 1), exponent_bits);
    ties.push_back(static_cast<From>((low + high) / 2));
    below.push_back(std::nextafter(ties.back(), From{0}));
    above.push_back(std::nextafter(ties.back(), std::numeric_limits<From>::infinity()));
  }
  const auto rounded = [&](std::vector<From> from, From sign) {
    for (From& value : from) value *= sign;
    std::vector<uint16_t> to(from.size());
    narrow(reinterpret_cast<const std::byte*>(from.data()), reinterpret_cast<std::byte*>(to.data()),
           static_cast<int64_t>(from.size()));
    return to;
  };
  for (const int negative : {0, 1}) {
    const From sign = negative != 0 ? From{-1} : From{1};
    const std::vector<uint16_t> on_tie = rounded(ties, sign), under = rounded(below, sign), over = rounded(above, sign);
    const int bit = negative << 15;
    for (int i = 0; i <= largest; ++i) {
      ASSERT_EQ(on_tie[static_cast<size_t>(i)], bit + (i % 2 == 0 ? i : i + 1)) << i;
      ASSERT_EQ(under[static_cast<size_t>(i)], bit + i) << i;
      ASSERT_EQ(over[static_cast<size_t>(i)], bit + i + 1) << i;
    }
  }
}

/// All 65,536 values to f32 and back, and the ties from f32 and from doubles.
void check_format(DType dtype, int exponent_bits) {
  const cpu::ConvertRow widen = cpu::find_convert_row(dtype, DType::float32),
                        narrow = cpu::find_convert_row(DType::float32, dtype);
  if (widen == nullptr || narrow == nullptr) return;  // a unit of one lane, which converts one by one
  std::vector<uint16_t> bits(65'536), back(65'536);
  std::iota(bits.begin(), bits.end(), uint16_t{0});
  std::vector<float> wide(65'536);
  widen(reinterpret_cast<const std::byte*>(bits.data()), reinterpret_cast<std::byte*>(wide.data()), 65'536);
  narrow(reinterpret_cast<const std::byte*>(wide.data()), reinterpret_cast<std::byte*>(back.data()), 65'536);
  for (size_t i = 0; i < 65'536; ++i) {
    const double exact = decoded(bits[i], exponent_bits);
    if (std::isnan(exact)) {
      ASSERT_TRUE(std::isnan(wide[i]) && std::isnan(decoded(back[i], exponent_bits))) << i;
      ASSERT_EQ(back[i] & 0x8000, bits[i] & 0x8000) << i;
    } else {
      ASSERT_EQ(static_cast<double>(wide[i]), exact) << i;
      ASSERT_EQ(back[i], bits[i]) << i;
    }
  }
  for (const uint32_t nan :
       {0x7fffffffu, 0xffffffffu, 0x7f800001u, 0xff800001u}) {  // a carry must not make them zero or infinite
    uint16_t to = 0;
    narrow(reinterpret_cast<const std::byte*>(&nan), reinterpret_cast<std::byte*>(&to), 1);
    ASSERT_TRUE(std::isnan(decoded(to, exponent_bits))) << std::hex << nan << " became " << to;
    ASSERT_EQ(to >> 15, nan >> 31);
  }
  check_ties<float>(narrow, exponent_bits);
  const cpu::ConvertRow from_double = cpu::find_convert_row(DType::float64, dtype);
  if (from_double != nullptr) check_ties<double>(from_double, exponent_bits);
}

TEST(Casting, AllHalvesAndAllBfloat16RoundAsTheFormatsSay) {
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    SCOPED_TRACE(hwy::TargetName(rest & -rest));
    hwy::DisableTargets(~(rest & -rest));
    if (cpu::vector_unit() == std::string(hwy::TargetName(rest & -rest))) {  // else the compiler left it out
      check_format(DType::float16, 5);
      check_format(DType::bfloat16, 8);
    }
  }
  hwy::DisableTargets(0);
}

/// Just above the middle of two halves, by less than f32 can tell: rounding twice would go down to the even one.
TEST(Casting, DoublesAreRoundedOnceTo16Bits) {
  std::byte out[2];
  const double tie = 1 + 0x1p-11;
  store_element(DType::float16, out, tie + 0x1p-40);
  EXPECT_EQ(load_element(DType::float16, out), 1 + 0x1p-10);
  store_element(DType::float16, out, tie);
  EXPECT_EQ(load_element(DType::float16, out), 1);
  store_element(DType::float16, out, -(tie + 0x1p-40));
  EXPECT_EQ(load_element(DType::float16, out), -(1 + 0x1p-10));
  store_element(DType::bfloat16, out, 1 + 0x1p-8 + 0x1p-45);
  EXPECT_EQ(load_element(DType::bfloat16, out), 1 + 0x1p-7);
}

TEST(Casting, RefusesAnUnknownType) {
  const std::vector<TensorType> inputs{TensorType::contiguous(DType::float32, {3})};
  const auto types = ops::kCast.infer(inputs, {{"dtype", std::string("f33")}});
  ASSERT_FALSE(types.ok());
  EXPECT_NE(types.error().message.find("f33"), std::string::npos) << types.error().message;
}

}  // namespace
}  // namespace engine
