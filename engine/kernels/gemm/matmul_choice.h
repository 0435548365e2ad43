// SPDX-License-Identifier: Apache-2.0
// Which library computes which matrix product: measured on this machine where somebody measured, else a rule.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/kernels/core/matmul_timing.h"

namespace engine::cpu {

/// c[m, n] = a[m, k] b[k, n].
struct MatmulShape {
  DType dtype = DType::float32;
  int64_t m = 0, n = 0, k = 0;
  int threads = 1;
};

/// Whether oneDNN has bf16 kernels for this CPU (AVX512-BF16 or AMX; below that it would emulate them, slower than
/// f32). They sum in f32. f16 it refuses on every CPU.
bool dnnl_has_bf16();

/// Times all libraries at some shapes, square and thin, on one thread and on `threads`: some seconds. f32 and f64, and
/// bf16 where the CPU has units for it. Shapes whose runs others disturbed too much to tell the fastest
/// (shortest_runs()) are left out, and counted in `left_out`. Thin ones (m = 1, 2, 8, 64) read b as weights lie, [n,
/// k]. `only`: products of this dtype alone.
std::vector<MatmulTiming> measure_matmul(int threads, std::optional<DType> only = std::nullopt,
                                         int* left_out = nullptr);

/// The libraries in the order to try. First the rule's: vectors own; f32 oneDNN, very small and very large OpenBLAS;
/// f64 OpenBLAS, or own where OpenBLAS has no kernels for this CPU's vector width. With timings of this dtype and
/// thread count the fastest at the nearest measured shape (sum of |log2| of the ratios of m, n and k), where it is over
/// 5 % faster. `vendors`: the same among the vendors' libraries, own loops last. Without `onednn` it is not first:
/// where the rule would have it, OpenBLAS is, or own loops where OpenBLAS has no kernels for this CPU's vector width.
std::array<MatmulLibrary, kMatmulLibraries> matmul_order(std::span<const MatmulTiming>, const MatmulShape&,
                                                         bool vendors = false, bool onednn = true);

}  // namespace engine::cpu
