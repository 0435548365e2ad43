// SPDX-License-Identifier: Apache-2.0
// One number as each dtype stores it: its bits, its exact value in decimal, its neighbours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/tensor/dtype.h"

namespace engine {

/// What became of a number on its way into a format.
enum class NumberKind : uint8_t { zero, subnormal, normal, infinite, nan, integer };
std::string_view name(NumberKind);

/// How an integer stands for a real number: value = (integer - zero_point) * scale.
struct Quantization {
  std::string scale = "1";  ///< a positive decimal
  int64_t zero_point = 0;   ///< within the range of the integer type
};

/// A number in one format. Values are exact decimal expansions ("1.400390625"), "inf", "-inf" or "nan"; empty: none.
/// Beyond 21 digits before the point or 7 zeros behind it: "5.9604644775390625e-8".
struct StoredNumber {
  DType dtype = DType::float32;
  NumberKind kind = NumberKind::normal;
  std::string sign, exponent,
      fraction;  ///< the bits; integers have them all in `fraction` (two's complement; u8 unsigned)
  uint64_t bits = 0;
  std::string value;          ///< what the bits mean
  std::string error;          ///< value - typed number, exactly; empty for infinities and NaN
  double relative_error = 0;  ///< |error / typed number|; 0 for zero, NaN where `error` is empty
  std::string spacing;        ///< from |value| to the next larger magnitude (one unit in the last place)
  std::string below, above;   ///< the neighbours towards -inf and +inf
  std::string largest, smallest_normal, smallest_subnormal;  ///< of the format; integers have only `largest`
  bool overflowed = false;   ///< a finite number became infinite, or was held at an end of the integer range
  bool underflowed = false;  ///< a number other than zero became zero
};

/// Rounds the number in `text` to the nearest value of `dtype`, ties to even, once and from the exact decimal. `text`:
/// decimal with optional exponent, "inf" or "nan". dtype: f64, f32, bf16, f16, or i8 and u8 by way of `quantization`.
/// Fails (usage) when `text` or the scale is no number or has more than 1,100 digits or an exponent beyond +-4,000.
Result<StoredNumber> inspect_number(std::string_view text, DType dtype, const Quantization& quantization = {});

}  // namespace engine
