// SPDX-License-Identifier: Apache-2.0
// CUDA's bf16 as engine/cuda uses it, for a host's compiler.
#pragma once

#include <cstdint>

#include "engine/tensor/dtype.h"

struct __nv_bfloat16 {
  uint16_t bits;
};
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
inline float __bfloat162float(__nv_bfloat16 x) { return engine::bfloat16_to_float(x.bits); }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return {engine::float_to_bfloat16(x)}; }
