// SPDX-License-Identifier: Apache-2.0
// The OpenCL backend: one device of any driver, our own kernels in OpenCL C.
#pragma once

#include <memory>

#include "engine/opencl/probe.h"
#include "engine/runtime/backend.h"
#include "engine/runtime/module.h"

namespace engine::opencl {

/// Makes context and queue on the device `options.index`. Refused with what the probe says when there is none.
Result<std::unique_ptr<Backend>> make_backend(const ModuleBackendOptions& options);
/// The same of devices that were found.
Result<std::unique_ptr<Backend>> make_backend_on(const Found& found, const ModuleBackendOptions& options);

/// The first error that a command given to such a backend met.
Result<void> health(const Backend&);

}  // namespace engine::opencl
