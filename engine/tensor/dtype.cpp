// SPDX-License-Identifier: Apache-2.0
// Names and sizes of element types; the 16-bit floats in integer arithmetic, so that every machine
// rounds alike.
#include "engine/tensor/dtype.h"

#include <array>
#include <bit>
#include <string>

namespace engine {
namespace {

struct Row {
  DType dtype;
  int64_t bytes;
  std::string_view name;
};
constexpr std::array<Row, 9> kRows{{{DType::float64, 8, "f64"},
                                    {DType::float32, 4, "f32"},
                                    {DType::bfloat16, 2, "bf16"},
                                    {DType::float16, 2, "f16"},
                                    {DType::int64, 8, "i64"},
                                    {DType::int32, 4, "i32"},
                                    {DType::int8, 1, "i8"},
                                    {DType::uint8, 1, "u8"},
                                    {DType::boolean, 1, "bool"}}};

constexpr std::array<DType, 9> kAll{DType::float64, DType::float32, DType::bfloat16, DType::float16, DType::int64,
                                    DType::int32,   DType::int8,    DType::uint8,    DType::boolean};

const Row& row(DType dtype) { return kRows[static_cast<size_t>(dtype)]; }

}  // namespace

std::span<const DType> all_dtypes() { return kAll; }
int64_t size_bytes(DType dtype) { return row(dtype).bytes; }
std::string_view name(DType dtype) { return row(dtype).name; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (const Row& candidate : kRows) {
    if (candidate.name == text) return candidate.dtype;
  }
  return std::nullopt;
}

bool is_floating(DType dtype) {
  return dtype == DType::float64 || dtype == DType::float32 || dtype == DType::bfloat16 || dtype == DType::float16;
}

float half_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24, exact in binary32
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
  }
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));  // infinity, NaN with its payload
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {  // NaN: keep the payload's top bits and make it quiet
    return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // 65,520 and more round to infinity
  if (magnitude < 0x38800000u) {                        // below 2^-14: subnormal, in units of 2^-24
    const int shift = 126 - static_cast<int>(magnitude >> 23);
    if (shift > 25) return sign;
    const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const uint32_t kept = mantissa >> shift;
    const uint32_t rest = mantissa & ((1u << shift) - 1);
    const uint32_t half = 1u << (shift - 1);
    const uint32_t up = rest > half || (rest == half && (kept & 1u)) ? 1u : 0u;
    return static_cast<uint16_t>(sign | (kept + up));
  }
  // Normal: re-bias and round to nearest even; a carry out of the mantissa raises the exponent as
  // it should.
  const uint32_t rebased = magnitude - (112u << 23);
  return static_cast<uint16_t>(sign | ((rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13));
}

float bfloat16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t float_to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);  // NaN, made quiet
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace engine
