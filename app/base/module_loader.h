// SPDX-License-Identifier: Apache-2.0
// The modules of devices (tensortide_cuda.so, tensortide_emulated.so): one row each. Opens them, compares their ABI,
// never unloads them; names the link that is missing when it cannot.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/runtime/module.h"

namespace app {

/// A module of devices that this program may open at run time. All there are stand in device_modules().
struct DeviceModule {
  std::string_view kind;          ///< of its devices, as engine/tensor/device.cpp lists it: "cuda"
  std::string_view what;          ///< "CUDA module"
  std::string_view people;        ///< what people call its devices: "NVIDIA GPUs"
  std::string_view file;          ///< "tensortide_cuda.so"
  std::string_view variable;      ///< of the environment: a path that is taken instead
  bool built = false;             ///< this build makes it: its absence is then a broken installation
  std::string_view unbuilt = {};  ///< the refusal where this build makes none
  std::string_view remedy = {};   ///< where it cannot be opened
  std::string (*help)(const engine::DeviceInfo&) = nullptr;  ///< one sentence on a device of it
};
std::span<const DeviceModule> device_modules();
/// The module whose device this is ("cuda", "cuda:1", "emu:0"); null: a device of the program's own, or none.
const DeviceModule* module_of(std::string_view device);

/// Where a module is looked for.
struct ModuleSearch {
  std::string named;  ///< path that the user named ($TENSORTIDE_CUDA_MODULE); empty: none, look into `places`
  std::vector<std::filesystem::path> places;  ///< files, best first
  bool built = false;                         ///< DeviceModule::built
};
/// $TENSORTIDE_CUDA_MODULE, or tensortide_cuda.so beside the program, in ../lib (build tree) and ../lib/tensortide
/// (installed).
ModuleSearch search_of(const DeviceModule&);

struct LoadedModule {
  std::filesystem::path file;
  const engine::ModuleEntry* entry = nullptr;
};

/// Opened with names of its own (RTLD_LOCAL). Refused, each with its own message: no such module in this build, a
/// missing file, no module, a module of another build. A file that the loader rejects is refused with its words.
engine::Result<LoadedModule> load_module(const DeviceModule&, const ModuleSearch&);

/// What the way from a module to its driver and devices looks like.
struct ModuleAvailability {
  bool available = false;
  std::string why;     ///< also when available
  std::string remedy;  ///< empty when available
  std::vector<engine::DeviceInfo> devices;
};
ModuleAvailability availability_of(const DeviceModule&, const engine::Result<LoadedModule>&);

/// A module of this process (one of device_modules()), looked for and opened once.
const engine::Result<LoadedModule>& loaded(const DeviceModule&);
/// Its availability_of(), asked once.
const ModuleAvailability& availability(const DeviceModule&);
/// The module of a vendor's GPUs that has devices here; where none has, the first. With a driver's answer:
/// takes a while.
const DeviceModule& gpu_module();

}  // namespace app
