// SPDX-License-Identifier: Apache-2.0
// The emulated GPU's module: the CUDA backend on engine/simt, and its CUPTI.
#include "engine/cuda/backend.h"
#include "engine/runtime/module.h"
#include "engine/simt/device.h"
#include "profiler/cupti_emulated/emulated_cupti.h"

namespace {

engine::ModuleProbe probe() {
  return {.state = engine::DriverState::ready,
          .why = "CUDA's kernels thread by thread on this machine's processor: functional only",
          .remedy = "",
          .driver_version = "",
          .devices = {engine::simt::describe()}};
}

engine::Result<std::unique_ptr<engine::Backend>> make_backend(const engine::ModuleBackendOptions& options) {
  return engine::cuda::make_backend_on(engine::simt::describe(), options, engine::simt::kNoLibraries);
}

const engine::ModuleEntry kEntry{.abi = engine::kModuleAbi,
                                 .product_version = TENSORTIDE_VERSION,
                                 .probe = probe,
                                 .make_backend = make_backend,
                                 .health = engine::cuda::health,
                                 .collector = &profiler::cupti_emulated::gpu_module()};

}  // namespace

extern "C" __attribute__((visibility("default"))) const engine::ModuleEntry* tensortide_module() { return &kEntry; }
