// SPDX-License-Identifier: Apache-2.0
// Opens a device module (tensortide_cuda.so, tensortide_emulated.so), compares its ABI, never unloads it; says which link is missing when it cannot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/runtime/module.h"

namespace app {

/// Where a module is looked for.
struct ModuleSearch {
  std::string named;   ///< path that the user named ($TENSORTIDE_CUDA_MODULE); empty: none, look into `places`
  std::vector<std::filesystem::path> places;  ///< files, best first
  bool built = false;  ///< this build made a module: its absence is then a broken installation
  std::string what = "CUDA module", file = "tensortide_cuda.so";
};

struct LoadedModule {
  std::filesystem::path file;
  const engine::ModuleEntry* entry = nullptr;
};

/// $TENSORTIDE_CUDA_MODULE, or tensortide_cuda.so beside the program, in ../lib (build tree) and ../lib/tensortide (installed).
ModuleSearch cuda_module_search();

/// Opened with names of its own (RTLD_LOCAL). Refused, each with its own message: no such module in this build, the file is
/// missing, it cannot be opened (with the loader's words), it is no module, it is of another build.
engine::Result<LoadedModule> load_module(const ModuleSearch&);

/// The CUDA module of this process, looked for once.
const engine::Result<LoadedModule>& cuda_module();
/// tensortide_emulated.so, the emulated GPU: looked for likewise, or where $TENSORTIDE_EMULATED_MODULE says. Every build makes it.
const engine::Result<LoadedModule>& emulated_module();
/// The module whose device this is ("cuda", "cuda:1", "emu:0"); null: a device of the program's own.
const engine::Result<LoadedModule>* module_of(const std::string& device);

/// What the way from module to driver to GPU looks like: cuda_module() and its probe(), asked once.
struct CudaAvailability {
  bool available = false;
  std::string why;     ///< also when available
  std::string remedy;  ///< empty when available
  std::vector<engine::DeviceInfo> devices;
};
CudaAvailability cuda_availability_of(const engine::Result<LoadedModule>&);
const CudaAvailability& cuda_availability();

}  // namespace app
