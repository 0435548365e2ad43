// SPDX-License-Identifier: Apache-2.0
// Looks for a module, opens it, compares ABI and version before anything else of its table is read.
#include "app/base/module_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "engine/tensor/device_name.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::refused_error;
using engine::Result;

/// The places of a module beside this program.
void look_for(ModuleSearch& search, const char* variable) {
  if (const char* named = std::getenv(variable); named != nullptr) search.named = named;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return;
  const fs::path folder = program.parent_path();
  search.places = {folder / search.file, folder.parent_path() / "lib" / search.file, folder.parent_path() / "lib" / "tensortide" / search.file};
}

Result<fs::path> find_module(const ModuleSearch& search) {
  std::error_code ignored;
  if (!search.named.empty()) {
    if (fs::exists(search.named, ignored)) return fs::path(search.named);
    return refused_error(fmt::format("the {} {} does not exist", search.what, search.named));
  }
  for (const fs::path& place : search.places) {
    if (fs::exists(place, ignored)) return place;
  }
  if (!search.built) {
    return refused_error("this build has no CUDA module, so NVIDIA GPUs are neither run on nor profiled");
  }
  return refused_error(fmt::format("the {} {} is missing{}", search.what, search.file,
                                   search.places.empty() ? "" : "; it belongs to " + search.places.front().string()));
}

}  // namespace

ModuleSearch cuda_module_search() {
  ModuleSearch search;
#ifdef TENSORTIDE_WITH_CUDA
  search.built = true;
#endif
  look_for(search, "TENSORTIDE_CUDA_MODULE");
  return search;
}

Result<LoadedModule> load_module(const ModuleSearch& search) {
  Result<fs::path> file = find_module(search);
  if (!file) return file.error();
  void* library = dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refused_error(fmt::format("the {} does not load: {}", search.what, dlerror()));
  const auto entry_function = reinterpret_cast<engine::ModuleEntryFunction>(dlsym(library, engine::kModuleEntryName));
  if (entry_function == nullptr) {
    return refused_error(fmt::format("{} is no module of Tensortide: it has no {}", file->string(), engine::kModuleEntryName));
  }
  const engine::ModuleEntry* entry = entry_function();
  if (entry == nullptr || entry->abi != engine::kModuleAbi || entry->product_version == nullptr ||
      std::strcmp(entry->product_version, TENSORTIDE_VERSION) != 0) {
    return refused_error(fmt::format("the {} {} is of another build: ABI {}, version {}; this program has ABI {}, version {}",
                                     search.what, file->string(), entry == nullptr ? 0 : entry->abi,
                                     entry != nullptr && entry->product_version != nullptr ? entry->product_version : "unknown",
                                     engine::kModuleAbi, TENSORTIDE_VERSION));
  }
  return LoadedModule{*file, entry};
}

const Result<LoadedModule>& cuda_module() {
  static const Result<LoadedModule> module = load_module(cuda_module_search());
  return module;
}

const Result<LoadedModule>& emulated_module() {
  static const Result<LoadedModule> module = [] {
    ModuleSearch search{.named = {}, .places = {}, .built = true, .what = "module of the emulated GPU", .file = "tensortide_emulated.so"};
    look_for(search, "TENSORTIDE_EMULATED_MODULE");
    return load_module(search);
  }();
  return module;
}

const Result<LoadedModule>* module_of(const std::string& device) {
  if (engine::is_emulated(device)) return &emulated_module();
  return engine::is_gpu(device) ? &cuda_module() : nullptr;
}

CudaAvailability cuda_availability_of(const Result<LoadedModule>& module) {
  if (!module) {
    return {false, module.error().message,
            "use --device cpu; GPUs need a Tensortide that was built with CUDA 13, with its tensortide_cuda.so beside it", {}};
  }
  engine::ModuleProbe probe = module->entry->probe();
  return {probe.state == engine::DriverState::ready, std::move(probe.why), std::move(probe.remedy), std::move(probe.devices)};
}

const CudaAvailability& cuda_availability() {
  static const CudaAvailability availability = cuda_availability_of(cuda_module());
  return availability;
}

}  // namespace app
