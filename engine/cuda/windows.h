// SPDX-License-Identifier: Apache-2.0
// Elements by their neighbours on the GPU: normalisation over neighbouring channels, images as columns and back.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/launch.h"

namespace engine::cuda {

struct ResponseNorm {
  bool gradient = false, wide = false;
  Data x, dy, y;                                  ///< y: dx for the gradient
  Walk<4> all;                                    ///< [0] = y, [1] = x, [2] = dy, [3] = number of the channel
  int64_t channels = 0, x_step = 0, dy_step = 0;  ///< from channel to channel
  int64_t size = 5;
  double alpha = 1e-4, beta = 0.75, bias = 1;
};
cudaError_t launch(const Launcher&, const ResponseNorm&);

/// columns[n, (c * KH + u) * KW + v, i * OW + j] = x[n, c, i*s + u*d - p, j*s + v*d - p].
struct Columns {
  bool back = false, wide = false;
  Data image, columns;
  int64_t batch = 0, channels = 0, input[2] = {}, output[2] = {}, kernel[2] = {}, stride[2] = {}, dilation[2] = {},
          padding[2] = {};
  int64_t image_strides[4] = {}, column_strides[3] = {};
};
cudaError_t launch(const Launcher&, const Columns&);

}  // namespace engine::cuda
