// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: one NVIDIA GPU, our own kernels, cuBLASLt for matrix products.
#pragma once

#include <memory>

#include "engine/runtime/backend.h"
#include "engine/runtime/module.h"

namespace engine::cuda {

struct Context;

/// Makes stream and memory pool on the GPU `options.index`. Refused with what the probe says when there is none.
Result<std::unique_ptr<Backend>> make_backend(const ModuleBackendOptions& options);

/// The same on a device that is known; `no_libraries`: why NVIDIA's libraries are left alone there, empty where they
/// are used.
Result<std::unique_ptr<Backend>> make_backend_on(const DeviceInfo&, const ModuleBackendOptions&,
                                                 const std::string& no_libraries = {});

/// Refused in words where `context.fp8` asks for what its GPU, or the lack of cuBLASLt (why: `no_cublas_lt`), does not
/// allow.
Result<void> check_fp8(const Context&, const std::string& no_cublas_lt);

/// The first error that work submitted to such a backend met.
Result<void> health(const Backend&);

}  // namespace engine::cuda
