// SPDX-License-Identifier: Apache-2.0
// Updates of a training step on the GPU: optimisers, clipping, dropout, loss scaling.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/launch.h"

namespace engine::cuda {

enum class UpdateKind : uint8_t { sgd, momentum, adam, adamw, clip, dropout };

struct Update {
  UpdateKind kind = UpdateKind::sgd;
  bool wide = false;
  Data weight, gradient, first,
      second;    ///< first: momentum buffer or m; second: v. clip, dropout: weight = y, gradient = x
  Data step;     ///< adam
  Data scalar;   ///< bytes null where there is none; loss scale, clip: squared norm, dropout: draw
  Data found;    ///< bytes null, or whether an overflow was found: then nothing is updated
  Walk<4> walk;  ///< [0] = weight, [1] = gradient, [2] = first (dropout: the row-major position), [3] = second
  double rate = 0, decay = 0, momentum = 0, beta1 = 0, beta2 = 0, epsilon = 0, max_norm = 0, ratio = 0;
  int64_t seed = 0;
  bool nesterov = false;
};
cudaError_t launch(const Launcher&, const Update&);

/// step = step + 1, unless an overflow was found (`found`: bytes null where nobody looks).
cudaError_t launch_count(const Launcher&, Data step, Data found);

struct ScaleUpdate {
  Data scale, streak, found, skipped;
  double growth_factor = 2, backoff_factor = 0.5;
  int64_t growth_interval = 2000;
};
cudaError_t launch(const Launcher&, const ScaleUpdate&);

}  // namespace engine::cuda
