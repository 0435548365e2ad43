// SPDX-License-Identifier: Apache-2.0
// Narrower formats that matrix products of GPUs may round their operands to, and the words by which a kernel's name says which it was.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace engine {

/// 8-bit floats. e4m3: 4 bits of exponent and 3 of mantissa, up to 448, both operands; e5m2: the first operand has 5 and 2, up to
/// 57344, since products of two such matrices are not to be had. Source: Micikevicius et al., "FP8 Formats for Deep Learning", 2022.
enum class Fp8 : uint8_t { off, e4m3, e5m2 };
inline constexpr std::array<std::string_view, 3> kFp8Names{"off", "e4m3", "e5m2"};
constexpr std::string_view name(Fp8 format) { return kFp8Names[static_cast<size_t>(format)]; }

/// "cuBLASLt ... workspace 33554432, fp8 e4m3 x e4m3, a scale per tensor".
inline constexpr std::string_view kInFp8 = ", fp8 ";
/// Where FP8 was asked for and cannot be: "...; not fp8: its 10 columns are no multiple of 16".
inline constexpr std::string_view kNotInFp8 = "; not fp8: ";
/// "cuBLASLt ... workspace 33554432 tf32".
inline constexpr std::string_view kInTf32 = " tf32";

}  // namespace engine
