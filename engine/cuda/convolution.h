// SPDX-License-Identifier: Apache-2.0
// Convolutions over up to three spatial axes as implicit matrix products: the maps from indices of the product to
// elements, and the launch. Pure arithmetic but for the launch.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/elementwise.h"
#include "engine/cuda/launch.h"
#include "engine/cuda/product.h"

namespace engine::cuda {

/// Spatial axes are padded in front with extents of 1, so that there are three.
struct ConvolutionShape {
  int64_t batch = 0, groups = 1, in_channels = 0, out_channels = 0;  ///< channels of one group
  int64_t input[3] = {1, 1, 1}, output[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, padding[3] = {0, 0, 0};
  int64_t x_strides[5] = {};  ///< image, channel, three spatial
  int64_t w_strides[5] = {};  ///< output channel (of all groups), input channel of the group, three taps
  int64_t y_strides[5] = {};

  constexpr int64_t outputs() const { return output[0] * output[1] * output[2]; }
  constexpr int64_t inputs() const { return input[0] * input[1] * input[2]; }
  constexpr int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

/// Three indices of one: last fastest.
struct Triple {
  int64_t at[3];
};
constexpr Triple split3(int64_t index, const int64_t (&extents)[3]) {
  const int64_t up = index / extents[2], top = up / extents[1];
  return {{top, up - top * extents[1], index - up * extents[2]}};
}

/// Offset of x under output position `out` and tap `tap`; -1: padding.
constexpr int64_t input_offset(const ConvolutionShape& s, const Triple& out, const Triple& tap) {
  int64_t offset = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const int64_t at = out.at[axis] * s.stride[axis] + tap.at[axis] * s.dilation[axis] - s.padding[axis];
    if (at < 0 || at >= s.input[axis]) return -1;
    offset += at * s.x_strides[2 + axis];
  }
  return offset;
}

/// Offset of y whose window has `in` under tap `tap`; -1: there is none.
constexpr int64_t output_offset(const ConvolutionShape& s, const Triple& in, const Triple& tap) {
  int64_t offset = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const int64_t shifted = in.at[axis] + s.padding[axis] - tap.at[axis] * s.dilation[axis];
    if (shifted < 0) return -1;
    const int64_t at = shifted / s.stride[axis];
    if (at * s.stride[axis] != shifted || at >= s.output[axis]) return -1;
    offset += at * s.y_strides[2 + axis];
  }
  return offset;
}

enum class Convolve : uint8_t { forward, by_input, by_weight };

struct Convolution {
  Convolve kind = Convolve::forward;
  Arithmetic arithmetic = Arithmetic::float32;
  ConvolutionShape shape;
  Data x, w, y, bias;  ///< of which one is the result (y, x or w); bias: bytes null where there is none
  int64_t bias_stride = 1;
  PartPlan parts;
  void* sums = nullptr;
};
/// m, n, k and batches of the product that a convolution is.
struct ProductExtents {
  int64_t m, n, k, batches;
};
ProductExtents product_extents(Convolve kind, const ConvolutionShape& shape);
cudaError_t launch(const Launcher&, const Convolution&);

}  // namespace engine::cuda
