// SPDX-License-Identifier: Apache-2.0
// Winograd's minimal filtering of 3x3 convolutions by oneDNN: whether there is such a primitive, and the arithmetic it
// does.
#pragma once

#include <optional>

#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/convolution/winograd_choice.h"

namespace engine::cpu {

/// A convolution as F(m x m, 3 x 3): each tile of m x m results from (m + 2)^2 products per pair of channels instead of
/// 9 m^2. A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016.
struct Winograd {
  dnnl::convolution_forward::primitive_desc descriptor;  ///< in layouts of its own
  int tile = 2;                                          ///< m: 2 or 4
};

/// Nothing for other kernels, strides, dilations and types, for groups, and where oneDNN has none for the shape or the
/// processor.
std::optional<Winograd> find_winograd(const Context&, const ConvolutionProblem&);

/// find_winograd(), where the context's options let it be chosen.
std::optional<Winograd> choose_winograd(const Context&, const ConvolutionProblem&);

/// FLOPs that F(m x m, 3 x 3) spares for `images` results of `height` x `width` with `in` and `out` channels: the
/// direct sums' 2 * 9 per result and pair of channels less 2 per product of the tiles, which cover the plane and may
/// stick out. Exact by the algorithm; additions of the transforms, which depend on how they are written, are not
/// counted (Lavin and Gray: 32 and 24 for a tile of an input and of an output channel with m = 2, 144 and 100 with m =
/// 4), as the index arithmetic of direct sums is not.
double winograd_spared_flops(int tile, int64_t images, int64_t height, int64_t width, int64_t in, int64_t out);

}  // namespace engine::cpu
