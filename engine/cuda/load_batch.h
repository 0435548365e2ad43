// SPDX-License-Identifier: Apache-2.0
// Pixels of 8 bits to numbers, on the GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "engine/cuda/launch.h"

namespace engine::cuda {

/// y[i] = p[i] / 127.5 - 1; NaN where the batch could not be read (pixels null).
struct Pixels {
  float* y = nullptr;
  const uint8_t* pixels = nullptr;
  int64_t count = 0;
};
cudaError_t launch(const Launcher&, const Pixels&);

}  // namespace engine::cuda
