// SPDX-License-Identifier: Apache-2.0
// The one place that launches kernels: on a GPU, or, compiled for a host without nvcc, on the emulated one.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#ifndef __CUDACC__
#include "engine/simt/submit.h"
#endif

namespace engine::cuda {

/// Starts kKernel on `stream` with `blocks` x `threads` threads (in one dimension) and these arguments.
template <auto kKernel, class... Arguments>
cudaError_t start_kernel(cudaStream_t stream, int64_t blocks, int64_t threads, const Arguments&... arguments) {
#ifdef __CUDACC__
  kKernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(arguments...);
  return cudaGetLastError();
#else
  return simt::submit<kKernel>(stream, static_cast<unsigned>(blocks), static_cast<unsigned>(threads), arguments...);
#endif
}

}  // namespace engine::cuda
