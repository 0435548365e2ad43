// SPDX-License-Identifier: Apache-2.0
// How fast this machine multiplies matrices of 8-bit integers: the peak that quantised models are held against.
#pragma once

#include <vector>

#include "engine/kernels/core/matmul_timing.h"

namespace engine::cpu {

/// Times matmul_integer, u8 by constant i8, on one thread and on `threads`, square and with few rows: below a second
/// where the CPU has units for it. oneDNN's time, or where it has no kernel for this CPU that of our own loops; the
/// other fields are NaN. Shapes whose runs others disturbed (shortest_runs()) are left out and counted in `left_out`.
std::vector<MatmulTiming> measure_integer_matmul(int threads, int* left_out = nullptr);

}  // namespace engine::cpu
