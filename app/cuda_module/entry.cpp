// SPDX-License-Identifier: Apache-2.0
// The CUDA module's one exported function.
#include "engine/cuda/backend.h"
#include "engine/cuda/probe.h"
#include "engine/runtime/module.h"
#include "profiler/cupti/module.h"

namespace {

engine::ModuleProbe probe() { return engine::cuda::probe(); }

const engine::ModuleEntry kEntry{.abi = engine::kModuleAbi,
                                 .product_version = TENSORTIDE_VERSION,
                                 .probe = probe,
                                 .make_backend = engine::cuda::make_backend,
                                 .health = engine::cuda::health,
                                 .collector = &profiler::cupti::gpu_module()};

}  // namespace

extern "C" __attribute__((visibility("default"))) const engine::ModuleEntry* tensortide_module() { return &kEntry; }
