// SPDX-License-Identifier: Apache-2.0
// When the gradients of a convolution with 3x3 kernels are matrix products over weights as they lie: known to the
// kernel (convolution_product.cpp) and to what only says what is accessed (convolution_product_access.cpp).
#pragma once

#include <cstdint>

#include "engine/graph/op.h"

namespace engine::convolution_rule {

/// Of a kernel, and so the elements from one channel's weights to the next.
inline constexpr int64_t kTaps = 9;
/// Up to so many pixels of y, of all images, a product is faster than oneDNN between moved weights. Measured on Zen 5
/// (oneDNN 2.6.3, one thread): by input 49 pixels (512 x 512 channels) 1.09 against 1.49 ms; by weights 49 pixels 1.02
/// against 1.54 ms, 196 pixels (256 x 256) 1.00 against 1.03.
inline constexpr int64_t kMostPixels = 256;
/// By input with more than this many only where moving the weights goes beyond L2: 196 pixels, 590 k weights 1.13
/// against 1.24 ms, but 147 k weights 0.28 against 0.26.
inline constexpr int64_t kFewPixels = 64, kManyWeights = int64_t{512} * 1024;
/// Fewer outputs than this do not pay for gathering the columns.
inline constexpr int64_t kFewestOutputs = 64;
/// Of x, whose sums of one vector of channels are kept while its gradient is made.
inline constexpr int64_t kMostInputPixels = 4096;

/// Pixels of all images [N, C, H, W].
int64_t pixels(const TensorType&);

/// Whether the gradient by input, or else by weights, is such a product: f32, one group, weights [O, C, 3, 3] lying so,
/// perhaps with a gap between outputs, dense images with their channels side by side, as many of them as fill vectors
/// of `lanes` numbers. Threads that would get uneven shares of the channels speak against it, too; their number is not
/// asked for here.
bool is_product(bool by_input, const Attributes&, const TensorType& x, const TensorType& weight, const TensorType& y,
                int64_t lanes);

/// Rows of a tile of three vectors: 8 with 32 registers, or 7 where these leave fewer of the last tile's rows empty (49
/// = 7 times 7).
constexpr int64_t tile_rows(int64_t rows, bool wide_vectors) {
  if (!wide_vectors) return 4;
  return (rows + 6) / 7 * 7 < (rows + 7) / 8 * 8 ? 7 : 8;
}

}  // namespace engine::convolution_rule
