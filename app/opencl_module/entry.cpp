// SPDX-License-Identifier: Apache-2.0
// The OpenCL module's one exported function.
#include "engine/opencl/backend.h"
#include "engine/runtime/module.h"
#include "profiler/opencl/tracer.h"

namespace {

engine::ModuleProbe probe() { return engine::opencl::devices_here().probe; }

const engine::ModuleEntry kEntry{.abi = engine::kModuleAbi,
                                 .product_version = TENSORTIDE_VERSION,
                                 .probe = probe,
                                 .make_backend = engine::opencl::make_backend,
                                 .health = engine::opencl::health,
                                 .collector = &profiler::opencl::gpu_module()};

}  // namespace

extern "C" __attribute__((visibility("default"))) const engine::ModuleEntry* tensortide_module() { return &kEntry; }
