// SPDX-License-Identifier: Apache-2.0
// Reductions over axes on the GPU.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/elementwise.h"
#include "engine/cuda/launch.h"

namespace engine::cuda {

enum class Reduction : uint8_t { sum, mean, max, min, product, l1, l2, squares, log_sum, log_sum_exp, nonfinite };

struct Reduce {
  Reduction kind = Reduction::sum;
  Arithmetic arithmetic = Arithmetic::float32;
  Data x, y;
  Walk<2> kept;          ///< [0] = y, [1] = where the group begins in x
  Walk<1> reduced;       ///< within x
  bool columns = false;  ///< neighbouring groups are neighbours in memory: a thread per group and part
  int64_t lanes = 1;     ///< elements of one load, where the addresses are aligned too
  int64_t splits = 1;    ///< parts of each group, each with a partial result in `partials`
  void* partials = nullptr;
};

/// How a reduction of these walks of elements of `dtype` is spread over the GPU: `columns`, `lanes` and `splits` of the
/// result are set.
void spread(Reduce&, DType dtype, int multiprocessors);
/// Bytes of `partials`.
int64_t partials_bytes(const Reduce&);
cudaError_t launch(const Launcher&, const Reduce&);

}  // namespace engine::cuda
