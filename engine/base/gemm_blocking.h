// SPDX-License-Identifier: Apache-2.0
// How own matrix products are cut into blocks: known to the loops that compute (engine/cpu/gemm_simd.cpp) and to those that only say
// what is accessed (engine/access/describe_matrix.cpp).
#pragma once

#include <cstdint>

namespace engine::gemm_blocking {

/// Rows of c held in registers, two vectors wide: 28 of 32 registers with vectors of 64 bytes, 12 of 16 below.
constexpr int64_t rows_in_registers(bool wide_vectors) { return wide_vectors ? 14 : 6; }
/// Length of the sums between two visits of c: the panel of b (kDepth x two vectors, 32 KiB) stays in L1.
inline constexpr int64_t kDepth = 256;
/// Panels of so many rows of a are packed at once (L2), and columns of b (L3).
inline constexpr int64_t kRowPanels = 24, kBlockColumns = 3072;
/// Up to this many multiply-adds whole panels are read where they lie: packing would cost more than it gains.
inline constexpr int64_t kUnpackedUpTo = int64_t{192} * 192 * 192;

}  // namespace engine::gemm_blocking
