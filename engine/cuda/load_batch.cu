// SPDX-License-Identifier: Apache-2.0
// A thread per pixel.
#include "engine/cuda/load_batch.h"

#include <cmath>

#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

struct PixelElement {
  Pixels p;
  __host__ __device__ void operator()(int64_t i) const {
    p.y[i] = p.pixels == nullptr ? NAN : static_cast<float>(p.pixels[i]) * (1 / 127.5F) - 1.0F;
  }
};

}  // namespace

cudaError_t launch(const Launcher& launcher, const Pixels& p) {
  return for_each_element(launcher, PixelElement{p}, p.count);
}

}  // namespace engine::cuda
