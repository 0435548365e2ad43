// SPDX-License-Identifier: Apache-2.0
// What kernels in tiles (gemm_tile.cl) share: matrix multiplications and convolutions.
#pragma once

#include "engine/opencl/kernels.h"

namespace engine::opencl {

/// Rows and columns of the result that a group computes.
inline constexpr int64_t kTile = 64;

/// One launch of gemm_tile.cl behind `file`. `geometry`: numbers of the file's struct; bias: nothing, or one.
Result<Launch> tile_launch(Context&, std::string_view file, const std::string& kernel, const std::string& options,
                           const Tensor& c, const Tensor& a, const Tensor& b, const Tensor* bias,
                           std::span<const int64_t> geometry, int64_t m, int64_t n, int64_t batches);
KernelFacts tile_facts(std::string_view what);

}  // namespace engine::opencl
