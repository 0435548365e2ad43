// SPDX-License-Identifier: Apache-2.0
// Dtypes: names, sizes, and the conversions of the 16-bit floats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace engine {

enum class DType : uint8_t { float64, float32, bfloat16, float16, int64, int32, int8, uint8, boolean };

/// All dtypes in the order of the enumeration.
std::span<const DType> all_dtypes();
/// Bytes of one element: 8, 4, 2, 2, 8, 4, 1, 1, 1.
int64_t size_bytes(DType);
/// "f64" "f32" "bf16" "f16" "i64" "i32" "i8" "u8" "bool".
std::string_view name(DType);
/// The inverse of `name`; nothing for an unknown name.
std::optional<DType> parse_dtype(std::string_view);
bool is_floating(DType);

/// IEEE binary16 and bfloat16 <-> binary32; to 16 bits rounds to nearest even, NaN stays NaN.
float half_to_float(uint16_t bits);
uint16_t float_to_half(float);
float bfloat16_to_float(uint16_t bits);
uint16_t float_to_bfloat16(float);

}  // namespace engine
