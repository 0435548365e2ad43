// SPDX-License-Identifier: Apache-2.0
// Pooling over up to three spatial axes on the GPU, and its gradients.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/launch.h"

namespace engine::cuda {

enum class PoolKind : uint8_t { max, max_gradient, max_tangent, average, average_gradient };

struct Pool {
  PoolKind kind = PoolKind::max;
  bool wide = false;   ///< in double
  Data x, y, indices;  ///< x: the large side (dx of gradients), y: the small one
  int64_t batch = 0, channels = 0;
  int64_t input[3] = {1, 1, 1}, output[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, padding[3] = {0, 0, 0}, padding_after[3] = {0, 0, 0};
  int64_t x_strides[5] = {}, y_strides[5] = {}, index_strides[5] = {};  ///< image, channel, three spatial
  bool count_include_pad = false;
};
cudaError_t launch(const Launcher&, const Pool&);

}  // namespace engine::cuda
