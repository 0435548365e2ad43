// SPDX-License-Identifier: Apache-2.0
// Copies: between host and GPU in any layout, and strided copies and fills on the GPU.
#pragma once

#include <cuda_runtime_api.h>

#include "engine/cuda/index.h"
#include "engine/cuda/launch.h"
#include "engine/tensor/tensor.h"

namespace engine::cuda {

struct Context;

/// Between tensors of equal shape and dtype; each on the host, on this GPU or on another. In the order of the compute stream;
/// when it returns, the bytes of a host tensor have been read or written.
Result<void> copy_tensor(Context&, const Tensor& from, const Tensor& to);

/// A resolved copy on one GPU: one memcpy where both lie alike, else one kernel.
struct StridedCopy {
  void* to = nullptr;
  const void* from = nullptr;
  int64_t element_bytes = 1;
  Walk<2> walk;  ///< [0] = to, [1] = from
};
/// Nothing when the layouts have more axes than a kernel walks.
std::optional<StridedCopy> plan_copy(const Tensor& from, const Tensor& to);
cudaError_t launch(const Launcher&, const StridedCopy&);

/// Sets all elements of a walk (one operand) to one bit pattern of `element_bytes`.
struct StridedFill {
  void* to = nullptr;
  int64_t element_bytes = 1;
  uint64_t bits = 0;
  Walk<1> walk;
};
std::optional<StridedFill> plan_fill(const Tensor& to, double value);
cudaError_t launch(const Launcher&, const StridedFill&);

}  // namespace engine::cuda
