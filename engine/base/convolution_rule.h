// SPDX-License-Identifier: Apache-2.0
// When the gradients of a convolution with 3x3 kernels are matrix products over weights as they lie: known to the kernel
// (engine/cpu/convolution_product.cpp) and to what only says what is accessed (engine/access/describe_convolution_product.cpp).
#pragma once

#include <cstdint>

namespace engine::convolution_rule {

/// Up to so many pixels of y, of all images, a product is faster than oneDNN between moved weights. Measured on Zen 5 (oneDNN 2.6.3, one
/// thread, 2.4 M weights): by input 49 pixels 1.09 against 1.49 ms, 196 pixels 1.05 against 1.04; by weights 49 pixels 1.02 against
/// 1.54 ms, 196 pixels 1.00 against 1.03.
inline constexpr int64_t kMostPixelsByInput = 64, kMostPixelsByWeight = 256;
/// Fewer outputs than this do not pay for gathering the columns.
inline constexpr int64_t kFewestOutputs = 64;
/// Of x, whose sums of one vector of channels are kept while its gradient is made.
inline constexpr int64_t kMostInputPixels = 4096;

/// f32, one group, 3x3; `pixels`: of y; `lanes`: f32 numbers in a vector.
constexpr bool is_product(bool by_input, int64_t pixels, int64_t input_pixels, int64_t inputs, int64_t outputs, int64_t lanes) {
  return pixels > 0 && pixels <= (by_input ? kMostPixelsByInput : kMostPixelsByWeight) && input_pixels <= kMostInputPixels &&
         outputs >= kFewestOutputs && inputs > 0 && inputs % lanes == 0;
}

/// Rows of a tile of three vectors: 8 with 32 registers, or 7 where these leave fewer of the last tile's rows empty (49 = 7 times 7).
constexpr int64_t tile_rows(int64_t rows, bool wide_vectors) {
  if (!wide_vectors) return 4;
  return (rows + 6) / 7 * 7 < (rows + 7) / 8 * 8 ? 7 : 8;
}

}  // namespace engine::convolution_rule
