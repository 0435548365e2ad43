// SPDX-License-Identifier: Apache-2.0
// Picking on the GPU: slices by index (gather, its gradient, bags of embeddings), elements by a diagonal (triangle).
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

/// y = x on one side of diagonal k of each rows x columns matrix, 0 on the other.
struct Triangle {
  Data x, y;
  Walk<3> elements;  ///< [0] = row-major position, [1] = offset in x, [2] = offset in y
  int64_t rows = 1, columns = 1, k = 0;
  bool upper = true;  ///< column - row >= k stays; else column - row <= k
};
cudaError_t launch(const Launcher&, const Triangle&);

}  // namespace engine::cuda
