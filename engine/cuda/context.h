// SPDX-License-Identifier: Apache-2.0
// Context: what all kernels of one GPU share: its stream, its memory, its figures, and the first error that was met.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/cuda/launch.h"
#include "engine/cuda/memory.h"
#include "engine/tensor/device.h"
#include "engine/tensor/product_format.h"

namespace engine::cuda {

/// "cudaErrorMemoryAllocation: out of memory".
std::string error_words(cudaError_t);

class CublasLt;
class Cudnn;

struct Context {
  DeviceInfo info;
  int index = 0;
  int capability = 0;                         ///< 90 = sm_90
  int64_t shared_bytes_per_block = 48 << 10;  ///< with opt-in
  bool deterministic = false;
  bool tf32 = false;                    ///< products of f32 with operands rounded to 10 bits
  Fp8 fp8 = Fp8::off;                   ///< products whose shape allows it round their operands to 8 bits
  bool pageable = false;                ///< copies take host memory as it is
  std::shared_ptr<CublasLt> cublas_lt;  ///< null: our own products
  std::shared_ptr<Cudnn> cudnn;         ///< null: our own convolutions
  Launcher launcher;                    ///< on `stream`
  std::shared_ptr<Stream> stream;
  std::shared_ptr<DeviceMemory> memory;
  std::shared_ptr<Staging> staging;

  /// Whether products of f32 can be in TF32: older tensor cores than Ampere's lack it, and the libraries then stay in
  /// f32.
  bool in_tf32() const { return tf32 && capability >= 80; }

  /// Makes this GPU the calling thread's.
  void activate() const { static_cast<void>(use_device(index)); }

  /// Keeps the first error: kernels report theirs late and have nobody to return it to.
  void note(cudaError_t code, const std::string& where);
  std::optional<Error> first_error() const;

 private:
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace engine::cuda
