// SPDX-License-Identifier: Apache-2.0
// Narrower formats that products may have: what they round operands to, or integers they sum.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace engine {

/// 8-bit floats. e4m3: 4 bits of exponent and 3 of mantissa, up to 448, for both operands. e5m2: the first operand has
/// 5 and 2, up to 57344; libraries have no GEMM of two e5m2 matrices. Source: Micikevicius et al., "FP8 Formats for
/// Deep Learning", 2022.
enum class Fp8 : uint8_t { off, e4m3, e5m2 };
inline constexpr std::array<std::string_view, 3> kFp8Names{"off", "e4m3", "e5m2"};
constexpr std::string_view name(Fp8 format) { return kFp8Names[static_cast<size_t>(format)]; }

/// What a product multiplies, in the order of how narrow it is.
enum class ProductFormat : uint8_t {
  as_it_is,  ///< nothing narrower than their dtype
  tf32,      ///< 10 bits of mantissa
  fp8,       ///< 8 bits, with a scale per tensor
  int8,      ///< 8-bit integers with sums of 32 bits, whatever x was: quantised operands, or blocks that meet rounded x
};
inline constexpr std::array<std::string_view, 4> kProductFormatNames{"as it is", "tf32", "fp8", "int8"};
constexpr std::string_view name(ProductFormat format) { return kProductFormatNames[static_cast<size_t>(format)]; }

}  // namespace engine
