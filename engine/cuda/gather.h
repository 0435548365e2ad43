// SPDX-License-Identifier: Apache-2.0
// Picking slices by index on the GPU: gather, its gradient, bags of embeddings.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/elementwise.h"
#include "engine/cuda/launch.h"

namespace engine::cuda {

/// The table x as [outer, extent, inner] around one axis; y as [outer, indices, inner].
struct Gather {
  bool gradient = false;
  Data table, picked, indices;  ///< table: x (dx for the gradient, zeroed before); picked: y (dy)
  Walk<2> outer, inner;         ///< [0] = number, [1] = offset in the table
  Walk<2> slices;               ///< indices: [0] = number, [1] = offset in the indices
  Walk<2> elements;             ///< picked, row-major: [0] = position, [1] = offset
  int64_t extent = 0, axis_stride = 0;
  Arithmetic arithmetic = Arithmetic::float32;  ///< of the gradient's sums; picking moves bits
};
cudaError_t launch(const Launcher&, const Gather&);

/// y[b] = sum or mean over l of weight[indices[b, l]].
struct EmbeddingBag {
  bool wide = false, mean = false;
  Data weight, indices, y;
  int64_t rows = 0, width = 0, bags = 0, length = 0;
  int64_t weight_strides[2] = {}, index_strides[2] = {}, y_strides[2] = {};
};
cudaError_t launch(const Launcher&, const EmbeddingBag&);

}  // namespace engine::cuda
