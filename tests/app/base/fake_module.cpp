// SPDX-License-Identifier: Apache-2.0
// A module without a GPU behind it: its probe answers as FAKE_MODULE says, its devices compute nothing.
#include <cstdlib>
#include <string>

#include "engine/null/backend.h"
#include "engine/runtime/module.h"
#include "tests/app/base/fake_gpu.h"

#ifndef FAKE_ABI
#define FAKE_ABI engine::kModuleAbi
#endif
#ifndef FAKE_VERSION
#define FAKE_VERSION TENSORTIDE_VERSION
#endif

namespace {

engine::DeviceInfo gpu(int index) {
  engine::DeviceInfo info;
  info.device = {"cuda", index};
  info.model = "Fake GPU";
  info.cores = 4;
  info.memory_bytes = info.memory_available_bytes = int64_t{1} << 32;
  return info;
}

engine::ModuleProbe probe() {
  const char* words = std::getenv("FAKE_MODULE");
  if (words != nullptr && *words != '\0') return {engine::DriverState::no_driver, words, "plug it in", "", {}};
  return {engine::DriverState::ready, "two fake GPUs", "", "600.0", {gpu(0), gpu(1)}};
}

engine::Result<std::unique_ptr<engine::Backend>> make_backend(const engine::ModuleBackendOptions& options) {
  return test::make_fake_gpu(engine::null::make_backend(gpu(options.index)), options.fp8);
}

/// As FAKE_HEALTH says: a GPU that has failed.
engine::Result<void> health(const engine::Backend&) {
  const char* words = std::getenv("FAKE_HEALTH");
  if (words != nullptr && *words != '\0') return engine::refused_error(words);
  return {};
}

/// One library taken after a refusal, one not found.
std::vector<engine::LibraryReport> libraries() {
  using State = engine::LibraryAttempt::State;
  return {{"cuDNN",
           "install it",
           {.handle = nullptr,
            .none = "",
            .attempts = {{"libcudnn.so.9", State::absent, ""},
                         {"/open/lib/libcudnn.so.9", State::refused, "every user may write /open/lib"},
                         {"/venv/nvidia/cudnn/lib/libcudnn.so.9", State::taken, "cuDNN 9.26.0"}}}},
          {"CUPTI",
           "pip install nvidia-cuda-cupti",
           {.handle = nullptr,
            .none = "",
            .attempts = {{"libcupti.so.13", State::absent, ""}, {"/cuda/lib64/libcupti.so.13", State::absent, ""}}}}};
}

}  // namespace

#ifdef FAKE_NO_ENTRY
extern "C" int tensortide_something_else() {
  return probe().devices.empty() || libraries().empty() ? 0 : make_backend({}).ok() && health(**make_backend({})).ok();
}
#else
extern "C" const engine::ModuleEntry* tensortide_module() {
  static const engine::ModuleEntry entry{FAKE_ABI, FAKE_VERSION, probe, make_backend, health, &test::fake_gpu_module(),
                                         libraries};
  return &entry;
}
#endif
