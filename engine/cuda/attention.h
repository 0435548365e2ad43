// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention on the GPU: scores stay in shared memory, never in device memory as a whole.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/launch.h"

namespace engine::cuda {

struct Attention {
  bool gradient = false, wide = false, causal = false, boolean_mask = false;
  bool tiled = false;  ///< by the kernels for tiles: as many queries, as few features and the dtypes that they take
  Data q, k, v, y, log_sum, mask;  ///< mask: bytes null where there is none
  Data dy, dq, dk, dv, dmask;      ///< dmask: bytes null where it is not wanted
  int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, features = 0, value_features = 0;
  int64_t q_strides[4] = {}, k_strides[4] = {}, v_strides[4] = {}, y_strides[4] = {}, dy_strides[4] = {};
  int64_t dq_strides[4] = {}, dk_strides[4] = {}, dv_strides[4] = {};
  int64_t mask_strides[4] = {};  ///< 0 where it is repeated
  int64_t sum_strides[3] = {};
  int64_t mask_extents[4] = {1, 1, 1, 1}, dmask_strides[4] = {};
  double scale = 1;
  void* sums = nullptr;  ///< running results, in float or double: sums_elements() of them
};
/// What is summed up in memory: rows of y, or of dq, dk and dv; in tiles a number per query for the gradients.
int64_t sums_elements(const Attention&);
cudaError_t launch(const Launcher&, const Attention&);

}  // namespace engine::cuda
