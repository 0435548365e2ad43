// SPDX-License-Identifier: Apache-2.0
// Which convolutions Winograd's minimal filtering can compute: known to the kernels (winograd.cpp,
// winograd_gradient.cpp) and to what only says what is accessed (winograd_access.cpp).
#pragma once

#include <cstdint>
#include <optional>

#include "engine/graph/op.h"

namespace engine::winograd_rule {

/// m: a tile gives m x m results.
inline constexpr int64_t kTile = 4;
/// Where one thread does it all anyhow.
inline constexpr double kFewestMultiplyAdds = 200'000;

/// Images [images, inputs, x_height, x_width] and results [images, outputs, height, width].
struct Shape {
  int64_t images = 0, inputs = 0, outputs = 0;
  int64_t x_height = 0, x_width = 0, height = 0, width = 0;
  int64_t above = 0, left = 0;  ///< padding

  constexpr int64_t across() const { return (width + kTile - 1) / kTile; }
  constexpr int64_t down() const { return (height + kTile - 1) / kTile; }
  /// Of all images.
  constexpr int64_t tiles() const { return images * down() * across(); }
};

/// Of conv2d and conv2d_grad_weight, or of conv2d_grad_input where `by_input` (then the images are dy, and the results
/// dx). Nothing for other types than f32, other kernels than 3x3, strides, dilations, groups, images whose channels do
/// not lie side by side, and fewer than kFewestMultiplyAdds.
std::optional<Shape> shape_of(bool by_input, const Attributes&, const TensorType& x, const TensorType& weight,
                              const TensorType& y);

/// FLOPs that F(m x m, 3 x 3) spares for `images` results of `height` x `width` with `in` and `out` channels: the
/// direct sums' 2 * 9 per result and pair of channels less 2 per product of the tiles, which cover the plane and may
/// stick out. Exact by the algorithm; additions of the transforms, which depend on how they are written, are not
/// counted (Lavin and Gray: 32 and 24 for a tile of an input and of an output channel with m = 2, 144 and 100 with m =
/// 4), as the index arithmetic of direct sums is not.
double spared_flops(int64_t tile, int64_t images, int64_t height, int64_t width, int64_t in, int64_t out);
/// Of our own kernels, by the definition of the op: a product per pixel of its y, tap and pair of channels. Negative
/// where the tiles stick out far.
double spared_flops(const Shape&, bool by_input);

}  // namespace engine::winograd_rule
