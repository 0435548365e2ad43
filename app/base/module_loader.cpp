// SPDX-License-Identifier: Apache-2.0
// The table of modules. Looks for one, opens it, compares ABI and version before anything else of its table is read.
#include "app/base/module_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

#include "engine/base/check.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::refused_error;
using engine::Result;

#ifdef TENSORTIDE_WITH_CUDA
constexpr bool kWithCuda = true;
#else
constexpr bool kWithCuda = false;
#endif

std::string emulated_help(const engine::DeviceInfo&) {
  return "Emulated GPU: our CUDA kernels thread by thread on this processor. For tests and lessons; its times are not "
         "a GPU's.";
}

#ifdef TENSORTIDE_WITH_OPENCL
constexpr bool kWithOpencl = true;
#else
constexpr bool kWithOpencl = false;
#endif

std::string opencl_help(const engine::DeviceInfo& device) {
  return fmt::format("OpenCL device, {}: our own kernels in OpenCL C.", device.model);
}

std::string cuda_help(const engine::DeviceInfo& gpu) {
  return fmt::format("NVIDIA GPU, {}: our own CUDA kernels, and cuBLASLt and cuDNN where they are installed.",
                     gpu.model);
}

constexpr std::array kModules{
    DeviceModule{
        .kind = "emu",
        .what = "module of the emulated GPU",
        .people = "emulated GPUs",
        .file = "tensortide_emulated.so",
        .variable = "TENSORTIDE_EMULATED_MODULE",
        .built = true,
        .remedy = "from a source tree `./run ARGUMENTS` with --device emu:0 builds it; a package of Tensortide has it",
        .help = emulated_help},
    DeviceModule{.kind = "cuda",
                 .what = "CUDA module",
                 .people = "NVIDIA GPUs",
                 .file = "tensortide_cuda.so",
                 .variable = "TENSORTIDE_CUDA_MODULE",
                 .built = kWithCuda,
                 .unbuilt = "this build has no CUDA module, so NVIDIA GPUs are neither run on nor profiled",
                 .remedy = "use --device cpu; GPUs need a Tensortide that was built with CUDA 13, with its "
                           "tensortide_cuda.so beside it",
                 .help = cuda_help},
    DeviceModule{.kind = "opencl",
                 .what = "OpenCL module",
                 .people = "OpenCL devices",
                 .file = "tensortide_opencl.so",
                 .variable = "TENSORTIDE_OPENCL_MODULE",
                 .built = kWithOpencl,
                 .unbuilt = "this build has no OpenCL module",
                 .remedy = "use --device cpu; OpenCL devices need a Tensortide that was built with OpenCL's headers "
                           "(opencl-c-headers), with its tensortide_opencl.so beside it",
                 .help = opencl_help},
};

Result<fs::path> find_module(const DeviceModule& module, const ModuleSearch& search) {
  std::error_code ignored;
  if (!search.named.empty()) {
    if (fs::exists(search.named, ignored)) return fs::path(search.named);
    return refused_error(fmt::format("the {} {} does not exist", module.what, search.named));
  }
  for (const fs::path& place : search.places) {
    if (fs::exists(place, ignored)) return place;
  }
  if (!search.built) return refused_error(std::string(module.unbuilt));
  return refused_error(fmt::format("the {} {} is missing{}", module.what, module.file,
                                   search.places.empty() ? "" : "; it belongs to " + search.places.front().string()));
}

/// What this process knows of one module.
struct Known {
  std::once_flag looked_for, asked;
  std::optional<Result<LoadedModule>> module;
  ModuleAvailability availability;
};

Known& known(const DeviceModule& module) {
  static std::array<Known, kModules.size()> all;
  const auto index = static_cast<size_t>(&module - kModules.data());
  CHECK(index < all.size());  // of device_modules()
  return all[index];
}

}  // namespace

std::span<const DeviceModule> device_modules() { return kModules; }

const DeviceModule* module_of(std::string_view device) {
  const auto* const found = std::ranges::find(kModules, device.substr(0, device.find(':')), &DeviceModule::kind);
  return found == kModules.end() ? nullptr : found;
}

ModuleSearch search_of(const DeviceModule& module) {
  ModuleSearch search{.named = {}, .places = {}, .built = module.built};
  if (const char* named = std::getenv(std::string(module.variable).c_str()); named != nullptr) search.named = named;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return search;
  const fs::path folder = program.parent_path();
  search.places = {folder / module.file, folder.parent_path() / "lib" / module.file,
                   folder.parent_path() / "lib" / "tensortide" / module.file};
  return search;
}

Result<LoadedModule> load_module(const DeviceModule& module, const ModuleSearch& search) {
  Result<fs::path> file = find_module(module, search);
  if (!file) return file.error();
  void* library = dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refused_error(fmt::format("the {} does not load: {}", module.what, dlerror()));
  const auto entry_function = reinterpret_cast<engine::ModuleEntryFunction>(dlsym(library, engine::kModuleEntryName));
  if (entry_function == nullptr) {
    return refused_error(
        fmt::format("{} is no module of Tensortide: it has no {}", file->string(), engine::kModuleEntryName));
  }
  const engine::ModuleEntry* entry = entry_function();
  if (entry == nullptr || entry->abi != engine::kModuleAbi || entry->product_version == nullptr ||
      std::strcmp(entry->product_version, TENSORTIDE_VERSION) != 0) {
    return refused_error(
        fmt::format("the {} {} is of another build: ABI {}, version {}; this program has ABI {}, version {}",
                    module.what, file->string(), entry == nullptr ? 0 : entry->abi,
                    entry != nullptr && entry->product_version != nullptr ? entry->product_version : "unknown",
                    engine::kModuleAbi, TENSORTIDE_VERSION));
  }
  return LoadedModule{*file, entry};
}

ModuleAvailability availability_of(const DeviceModule& module, const Result<LoadedModule>& opened) {
  if (!opened) return {false, opened.error().message, std::string(module.remedy), {}};
  engine::ModuleProbe probe = opened->entry->probe();
  return {probe.state == engine::DriverState::ready, std::move(probe.why), std::move(probe.remedy),
          std::move(probe.devices)};
}

const Result<LoadedModule>& loaded(const DeviceModule& module) {
  Known& here = known(module);
  std::call_once(here.looked_for, [&] { here.module.emplace(load_module(module, search_of(module))); });
  return *here.module;
}

const ModuleAvailability& availability(const DeviceModule& module) {
  Known& here = known(module);
  std::call_once(here.asked, [&] { here.availability = availability_of(module, loaded(module)); });
  return here.availability;
}

const DeviceModule& gpu_module() {
  const DeviceModule* first = nullptr;
  for (const DeviceModule& module : device_modules()) {
    if (engine::traits_of(module.kind).vendor == engine::Vendor::none) continue;  // no counters, no data sheet
    if (availability(module).available) return module;
    if (first == nullptr) first = &module;
  }
  return *first;
}

}  // namespace app
