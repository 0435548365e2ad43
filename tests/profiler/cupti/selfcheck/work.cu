// SPDX-License-Identifier: Apache-2.0
// The kernels of gpu_selfcheck.
#include "tests/profiler/cupti/selfcheck/work.h"

namespace selfcheck {
namespace {

__global__ void spin_kernel(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void copy_kernel(float* to, const float* from, size_t count) {
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<size_t>(blockDim.x)) {
    to[i] = from[i];
  }
}

}  // namespace

void spin(long long cycles, cudaStream_t stream) { spin_kernel<<<1, 1, 0, stream>>>(cycles); }

void copy(float* to, const float* from, size_t count, cudaStream_t stream) {
  copy_kernel<<<1024, 256, 0, stream>>>(to, from, count);
}

}  // namespace selfcheck
