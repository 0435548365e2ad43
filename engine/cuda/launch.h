// SPDX-License-Identifier: Apache-2.0
// Launcher: where kernels are started: on a stream of the GPU, or, for tests, as plain loops on the host.
#pragma once

#include <cuda_runtime_api.h>

namespace engine::cuda {

struct Launcher {
  cudaStream_t stream = nullptr;
  int multiprocessors = 1;
  /// Kernels run as loops over host memory: how they are compared with the references where there is no GPU.
  bool on_host = false;
};

}  // namespace engine::cuda
