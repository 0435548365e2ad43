// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: one NVIDIA GPU, our own kernels, cuBLASLt for matrix products.
#pragma once

#include <memory>

#include "engine/runtime/backend.h"
#include "engine/runtime/module.h"

namespace engine::cuda {

/// Makes stream and memory pool on the GPU `options.index`. Refused with what the probe says when there is none.
Result<std::unique_ptr<Backend>> make_backend(const ModuleBackendOptions& options);

/// The first error that work submitted to such a backend met.
Result<void> health(const Backend&);

}  // namespace engine::cuda
