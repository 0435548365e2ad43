// SPDX-License-Identifier: Apache-2.0
// Formats of 2 to 32 bits: integers by sign extension, floats by tables.
#include "engine/onnx/narrow_types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/onnx/onnx.pb.h"
#include "engine/tensor/element.h"

namespace engine::onnx {
namespace {

/// Numbers of TensorProto.DataType from onnx.proto of ONNX 1.23; the file in this folder is older.
constexpr std::array kNarrow{
    NarrowType{4, "UINT16", 16, DType::int32},
    NarrowType{5, "INT16", 16, DType::int32},
    NarrowType{12, "UINT32", 32, DType::int64},
    NarrowType{17, "FLOAT8E4M3FN", 8, DType::float16},
    NarrowType{18, "FLOAT8E4M3FNUZ", 8, DType::float16},
    NarrowType{19, "FLOAT8E5M2", 8, DType::float16},
    NarrowType{20, "FLOAT8E5M2FNUZ", 8, DType::float16},
    NarrowType{21, "UINT4", 4, DType::uint8},
    NarrowType{22, "INT4", 4, DType::int8},
    NarrowType{23, "FLOAT4E2M1", 4, DType::float16},
    NarrowType{24, "FLOAT8E8M0", 8, DType::float32},
    NarrowType{25, "UINT2", 2, DType::uint8},
    NarrowType{26, "INT2", 2, DType::int8},
};

/// Sign, exponent, mantissa; the lowest exponent is that of subnormal numbers.
double small_float(uint32_t code, int exponent_bits, int mantissa_bits, int bias) {
  const double sign = (code >> (exponent_bits + mantissa_bits) & 1) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>(code >> mantissa_bits & ((1u << exponent_bits) - 1));
  const double mantissa = std::ldexp(code & ((1u << mantissa_bits) - 1), -mantissa_bits);
  return sign * (exponent == 0 ? std::ldexp(mantissa, 1 - bias) : std::ldexp(1 + mantissa, exponent - bias));
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

/// OCP's and Graphcore's 8-bit floats, OCP's 4-bit floats and 8-bit scales.
double float_of(int32_t data_type, uint32_t code) {
  switch (data_type) {
    case 17: return (code & 0x7F) == 0x7F ? kNaN : small_float(code, 4, 3, 7);
    case 18: return code == 0x80 ? kNaN : small_float(code, 4, 3, 8);
    case 19:
      if ((code & 0x7C) != 0x7C) return small_float(code, 5, 2, 15);
      return (code & 3) != 0 ? kNaN : (code & 0x80) != 0 ? -kInfinity : kInfinity;
    case 20: return code == 0x80 ? kNaN : small_float(code, 5, 2, 16);
    case 23: return small_float(code, 2, 1, 1);
    default: return code == 0xFF ? kNaN : std::ldexp(1.0, static_cast<int>(code) - 127);
  }
}

bool is_signed(const NarrowType& type) { return type.name.starts_with("INT"); }

double value_of(const NarrowType& type, uint32_t code) {
  if (is_floating(type.held)) return float_of(type.data_type, code);
  const bool negative = is_signed(type) && (code >> (type.bits - 1) & 1) != 0;
  return static_cast<double>(code) - (negative ? std::ldexp(1.0, type.bits) : 0);
}

}  // namespace

const NarrowType* narrow_type(int32_t data_type) {
  const auto* const found = std::ranges::find(kNarrow, data_type, &NarrowType::data_type);
  return found == kNarrow.end() ? nullptr : &*found;
}

void widen(const NarrowType& type, std::span<const std::byte> packed, const Tensor& to) {
  const int64_t elements = to.type().elements(), size = size_bytes(type.held);
  CHECK(to.dtype() == type.held && static_cast<int64_t>(packed.size()) == type.packed_bytes(elements));
  std::byte* const out = to.data();
  if (type.bits > 8) {
    for (int64_t i = 0; i < elements; ++i) {
      uint32_t code = 0;
      for (int64_t b = type.bits / 8; b-- > 0;)
        code = code << 8 | std::to_integer<uint32_t>(packed[static_cast<size_t>(i * type.bits / 8 + b)]);
      store_element(type.held, out + i * size, value_of(type, code));
    }
    return;
  }
  const int64_t codes = int64_t{1} << type.bits, per_byte = 8 / type.bits;
  std::vector<std::byte> table(static_cast<size_t>(codes * size));
  for (int64_t code = 0; code < codes; ++code)
    store_element(type.held, table.data() + code * size, value_of(type, static_cast<uint32_t>(code)));
  for (int64_t i = 0; i < elements; ++i) {
    const auto byte = std::to_integer<uint32_t>(packed[static_cast<size_t>(i / per_byte)]);
    const int64_t code = byte >> (i % per_byte * type.bits) & (codes - 1);
    std::copy_n(table.data() + code * size, size, out + i * size);
  }
}

}  // namespace engine::onnx
