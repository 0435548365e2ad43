// SPDX-License-Identifier: Apache-2.0
// Which convolutions Winograd's minimal filtering computes, and when it is faster than direct sums: known to the kernel
// (winograd.cpp) and to what only says what is accessed (winograd_access.cpp).
#pragma once

#include <optional>
#include <span>

#include "engine/graph/op.h"
#include "engine/kernels/convolution/winograd_loops.h"
#include "engine/kernels/core/winograd_timing.h"

namespace engine::winograd_rule {

/// Of conv2d, or of conv2d_grad_input where `by_input` (then the images are dy, and the results dx). Nothing for other
/// types than f32, other kernels than 3x3, strides, dilations, groups, images whose channels do not lie side by side,
/// and fewer than `kFewestMultiplyAdds`.
std::optional<loops::WinogradShape> shape_of(bool by_input, const Attributes&, const TensorType& x,
                                             const TensorType& weight, const TensorType& y);
/// Where one thread does it all anyhow.
inline constexpr double kFewestMultiplyAdds = 200'000;

/// Time by Winograd's way over that of direct sums, as expected for vectors of `lanes` elements. `constant`: weights
/// are transformed once, not in each step.
double expected_ratio(const loops::WinogradShape&, int64_t lanes, int threads, bool constant);

/// What expected_ratio() is multiplied with on a machine where these were measured (geometric mean); 1 without any.
double correction(std::span<const WinogradTiming>, int64_t lanes);

/// FLOPs that F(m x m, 3 x 3) spares for `images` results of `height` x `width` with `in` and `out` channels: the
/// direct sums' 2 * 9 per result and pair of channels less 2 per product of the tiles, which cover the plane and may
/// stick out. Exact by the algorithm; additions of the transforms, which depend on how they are written, are not
/// counted (Lavin and Gray: 32 and 24 for a tile of an input and of an output channel with m = 2, 144 and 100 with m =
/// 4), as the index arithmetic of direct sums is not.
double spared_flops(int64_t tile, int64_t images, int64_t height, int64_t width, int64_t in, int64_t out);

}  // namespace engine::winograd_rule
