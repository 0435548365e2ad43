// SPDX-License-Identifier: Apache-2.0
// Ops that show a machine, on the GPU: chains of multiply-adds, a pointer chase, paths that diverge.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/elementwise.h"
#include "engine/cuda/launch.h"

namespace engine::cuda {

struct MultiplyAddChain {
  Arithmetic arithmetic = Arithmetic::float32;
  Data x, y;
  Walk<2> walk;  ///< [0] = y, [1] = x
  int64_t rounds = 0;
  int chains = 1;  ///< elements a thread has in flight: 1, 2, 4 or 8
  double factor = 1, shift = 0;
};
cudaError_t launch(const Launcher&, const MultiplyAddChain&);

struct PointerChase {
  Data next, last;
  int64_t count = 0, stride = 1, accesses = 0;  ///< positions, elements between two of them
};
cudaError_t launch(const Launcher&, const PointerChase&);

struct DivergentChain {
  Arithmetic arithmetic = Arithmetic::float32;
  Data x, path, y;
  Walk<3> walk;  ///< [0] = y, [1] = x, [2] = path
  int64_t rounds = 0;
  int paths = 1;
};
cudaError_t launch(const Launcher&, const DivergentChain&);

}  // namespace engine::cuda
