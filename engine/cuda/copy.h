// SPDX-License-Identifier: Apache-2.0
// Copies: between host and GPU in any layout, and strided copies and fills on the GPU.
#pragma once

#include <cuda_runtime_api.h>

#include "engine/cuda/index.h"
#include "engine/cuda/launch.h"
#include "engine/tensor/tensor.h"

namespace engine::cuda {

struct Context;

/// Between tensors of equal shape and dtype; each on the host, on this GPU or on another. In the order of the compute
/// stream; when it returns, the bytes of a host tensor have been read or written.
Result<void> copy_tensor(Context&, const Tensor& from, const Tensor& to);

inline constexpr int kTurnSide = 64;  ///< of a tile
/// A matrix that is turned over: `across` elements lie side by side in the source, `down` of them in the result.
struct Turn {
  int64_t across = 0, down = 0;            ///< across: 0 where nothing is turned over
  int64_t from_stride = 0, to_stride = 0;  ///< from one to the next of `down` in the source, of `across` in the result
  bool wide = false;                       ///< both sides may be read and written 16 bytes at a time
  Walk<2> matrices;                        ///< [0] = to, [1] = from: where each begins

  constexpr int64_t tiles_across() const { return (across + kTurnSide - 1) / kTurnSide; }
  constexpr int64_t tiles_down() const { return (down + kTurnSide - 1) / kTurnSide; }
};

/// A resolved copy on one GPU: one memcpy where both lie alike, tiles where one is the other turned over, else one
/// kernel.
struct StridedCopy {
  void* to = nullptr;
  const void* from = nullptr;
  int64_t element_bytes = 1;  ///< of what is moved at once: up to 16 bytes of neighbours
  Walk<2> walk;               ///< [0] = to, [1] = from
  Turn turn;
};
/// Nothing when the layouts have more axes than a kernel walks.
std::optional<StridedCopy> plan_copy(const Tensor& from, const Tensor& to);
cudaError_t launch(const Launcher&, const StridedCopy&);

/// Sets all elements of a walk (one operand) to one bit pattern of `element_bytes`.
struct StridedFill {
  void* to = nullptr;
  int64_t element_bytes = 1;
  uint64_t bits = 0;  ///< repeated to 8 bytes
  Walk<1> walk;
};
std::optional<StridedFill> plan_fill(const Tensor& to, double value);
cudaError_t launch(const Launcher&, const StridedFill&);

}  // namespace engine::cuda
