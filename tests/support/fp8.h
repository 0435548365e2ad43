// SPDX-License-Identifier: Apache-2.0
// 8-bit floats by their definition: what each code stands for, and which one a number is rounded to; slow and plain,
// the truth that kernels are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace test {

enum class Fp8Kind : uint8_t { e4m3, e5m2 };

/// Source: Micikevicius et al., "FP8 Formats for Deep Learning", 2022, table 1: e4m3 has no infinity and one NaN per
/// sign.
inline double fp8_value(uint8_t code, Fp8Kind kind) {
  const bool wide = kind == Fp8Kind::e5m2;
  const int mantissa_bits = wide ? 2 : 3, bias = wide ? 15 : 7;
  const int exponent = (code & 0x7f) >> mantissa_bits, mantissa = code & ((1 << mantissa_bits) - 1);
  const double sign = (code & 0x80) != 0 ? -1 : 1;
  if (wide && exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  if (!wide && (code & 0x7f) == 0x7f) return NAN;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

/// The nearest finite number, of two equally near the one with an even code; all 256 are tried. NaN: a NaN.
inline double fp8_rounded(double x, Fp8Kind kind) {
  if (std::isnan(x)) return NAN;
  double best = INFINITY, distance = INFINITY;
  for (int code = 0; code < 256; ++code) {
    const double value = fp8_value(static_cast<uint8_t>(code), kind);
    if (!std::isfinite(value)) continue;
    const double off = std::abs(value - x);
    if (off < distance || (off == distance && code % 2 == 0)) distance = off, best = value;
  }
  return best;
}

/// A tensor's numbers rounded as engine/cuda/fp8 rounds them: divided by one scale, rounded, multiplied by it.
inline std::vector<double> fp8_rounded(std::vector<double> values, Fp8Kind kind) {
  float largest = 0;
  for (const double value : values) {
    if (std::abs(value) > static_cast<double>(largest)) largest = static_cast<float>(std::abs(value));
  }
  const float scale = std::max(largest / (kind == Fp8Kind::e5m2 ? 57344.0F : 448.0F), 1.17549435e-38F);
  for (double& value : values)
    value = fp8_rounded(static_cast<double>(static_cast<float>(value) / scale), kind) * static_cast<double>(scale);
  return values;
}

}  // namespace test
