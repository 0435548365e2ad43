// SPDX-License-Identifier: Apache-2.0
// CUDA's rounding to 8-bit floats as engine/cuda uses it, for a host's compiler.
#pragma once

#include <cmath>
#include <cstdint>

using __nv_fp8_storage_t = uint8_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

/// The code nearest to x, of two equally near the even one; beyond the largest finite number that number, whatever
/// `saturation` asks: engine/cuda asks for nothing else. Source of the formats: Micikevicius et al., "FP8 Formats for
/// Deep Learning", 2022, table 1.
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t, __nv_fp8_interpretation_t format) {
  const bool wide = format == __NV_E5M2;
  const int mantissa_bits = wide ? 2 : 3, bias = wide ? 15 : 7;
  const float largest = wide ? 57344.0F : 448.0F;
  const int sign = std::signbit(x) ? 0x80 : 0;
  if (std::isnan(x)) return 0x7f;
  const float magnitude = std::fmin(std::abs(x), largest);
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude < 2^exponent
  const int lowest = 1 - bias;       // of normal numbers
  const int power = (magnitude == 0 || exponent - 1 < lowest ? lowest : exponent - 1) - mantissa_bits;
  const auto steps =
      static_cast<int>(std::nearbyint(std::ldexp(magnitude, -power)));  // one more than fits carries into the exponent
  const int code = ((power + mantissa_bits - lowest) << mantissa_bits) +
                   steps;  // a normal number's leading 1 counts as one exponent
  return static_cast<__nv_fp8_storage_t>(sign | code);
}
