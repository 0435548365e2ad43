// SPDX-License-Identifier: Apache-2.0
// CUDA's f16 as engine/cuda uses it, for a host's compiler.
#pragma once

#include <cstdint>

#include "engine/tensor/dtype.h"

struct __half {
  uint16_t bits;
};
struct alignas(4) __half2 {
  __half x, y;
};
inline float __half2float(__half x) { return engine::half_to_float(x.bits); }
inline __half __float2half_rn(float x) { return {engine::float_to_half(x)}; }
