// SPDX-License-Identifier: Apache-2.0
// The CUDA module's one exported function.
#include "engine/cuda/backend.h"
#include "engine/cuda/cublas_lt.h"
#include "engine/cuda/cudnn.h"
#include "engine/cuda/probe.h"
#include "engine/runtime/module.h"
#include "profiler/cupti/module.h"

namespace {

engine::ModuleProbe probe() { return engine::cuda::probe(); }

std::vector<engine::LibraryReport> libraries() {
  return {engine::cuda::CublasLt::report(), engine::cuda::Cudnn::report(), profiler::cupti::library_report()};
}

const engine::ModuleEntry kEntry{.abi = engine::kModuleAbi,
                                 .product_version = TENSORTIDE_VERSION,
                                 .probe = probe,
                                 .make_backend = engine::cuda::make_backend,
                                 .health = engine::cuda::health,
                                 .collector = &profiler::cupti::gpu_module(),
                                 .libraries = libraries};

}  // namespace

extern "C" __attribute__((visibility("default"))) const engine::ModuleEntry* tensortide_module() { return &kEntry; }
