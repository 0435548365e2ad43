// SPDX-License-Identifier: Apache-2.0
// Normalisations on the GPU: per channel over the batch, and per line of one sample.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/launch.h"

namespace engine::cuda {

/// How two sums per group are spread (sums.cuh).
struct SumSpread {
  bool columns = false;
  int64_t parts = 1;
  void* pairs = nullptr;
};
SumSpread spread_sums(int64_t groups, int64_t length, bool columns, int multiprocessors);
int64_t spread_bytes(const SumSpread&, int64_t groups, bool wide);

enum class BatchNormKind : uint8_t { training, gradient, inference, inference_gradient };

/// x [N, C, ...] as channels of N x inner elements.
struct BatchNorm {
  BatchNormKind kind = BatchNormKind::training;
  bool wide = false;                 ///< in double
  Data x, dy, y;                     ///< y: the result of x's shape (dx for gradients)
  Data scale, bias, mean, variance;  ///< inputs [C]; variance: inv_std where it is given
  Data out[4];                       ///< results [C]: mean and inv_std, or dscale, dbias, dmean, dvariance
  Walk<4> channel;                   ///< [0] = channel number, [1] = x, [2] = y, [3] = dy: where each channel begins
  Walk<4> inside;                    ///< the same, within a channel: [0] = y (its order), [1] = x, [2] = y, [3] = dy
  Walk<4> all;                       ///< all elements: [0] = y, [1] = x, [2] = dy, [3] = channel number
  double epsilon = 1e-5;
  SumSpread spread;
};
cudaError_t launch(const Launcher&, const BatchNorm&);

/// running = (1 - momentum) running + momentum of this batch, per channel.
struct RunningUpdate {
  bool wide = false;
  Data mean, inv_std, running_mean, running_variance;
  int64_t strides[4] = {};  ///< of the four, in this order
  int64_t channels = 0;
  double epsilon = 1e-5, momentum = 0.1, count = 1;
};
cudaError_t launch(const Launcher&, const RunningUpdate&);

/// Lines of `length` values in row-major order that share their statistics; value i of line l is scaled by parameter
/// (l % period) * per_line + i / inner.
struct LineNorm {
  bool centred = true, gradient = false, wide = false;
  Data x, dy, y;  ///< y: dx for the gradient
  Data scale, bias, mean,
      inverse;  ///< bias: bytes null where there is none. mean, inverse: results forwards, operands backwards
  Data dscale, dbias;
  Walk<4> all;         ///< [0] = row-major position, [1] = x, [2] = y, [3] = dy
  Walk<3> parameters;  ///< [0] = number of the parameter, [1] = scale, [2] = bias
  int64_t lines = 0, length = 0, period = 1, per_line = 0, inner = 1;
  double epsilon = 1e-5;
  SumSpread spread;  ///< of dscale and dbias
};
cudaError_t launch(const Launcher&, const LineNorm&);

}  // namespace engine::cuda
