// SPDX-License-Identifier: Apache-2.0
// GPU work of known size and order for gpu_selfcheck.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace selfcheck {

/// One thread that reads the clock until `cycles` have passed.
void spin(long long cycles, cudaStream_t);
/// to[i] = from[i]: reads and writes `count` floats.
void copy(float* to, const float* from, size_t count, cudaStream_t);

}  // namespace selfcheck
