// SPDX-License-Identifier: Apache-2.0
// Inner products of 16-bit integers with 32-bit sums, compiled for every vector width and chosen at run time (Highway).
#pragma once

#include <cstdint>

namespace engine::cpu {

/// sums[j] = sum over i in [0, length) of a[i] * b[j * length + i], for j in [0, count). |a| and |b| at most 255; the sums are
/// exact and held in the range of i32.
using InnerProducts = void (*)(const int16_t* a, const int16_t* b, int64_t length, int64_t count, int32_t* sums);
InnerProducts inner_products();

}  // namespace engine::cpu
