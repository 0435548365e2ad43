// SPDX-License-Identifier: Apache-2.0
// Walks library, version, cuInit, devices. The driver's functions are declared here: the probe is built and tested
// without CUDA.
#include "engine/cuda/probe.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <regex>

#include "engine/cuda/libraries.h"

namespace engine::cuda {
namespace {

// Of cuda.h: CUresult and CUdevice_attribute values, which NVIDIA never renumbers.
constexpr int kSuccess = 0, kStubLibrary = 34, kNoDevice = 100, kInvalidDevice = 101, kOperatingSystem = 304,
              kSystemNotReady = 802, kSystemDriverMismatch = 803;
constexpr int kMultiprocessors = 16, kL2Bytes = 38, kCapabilityMajor = 75, kCapabilityMinor = 76,
              kSharedBytesPerMultiprocessor = 81;
constexpr int kL2LineBytes = 128;

/// The few functions of libcuda the probe calls; all have been there since CUDA 6.
struct Driver {
  int (*init)(unsigned) = nullptr;
  int (*version)(int*) = nullptr;
  int (*error_name)(int, const char**) = nullptr;
  int (*count)(int*) = nullptr;
  int (*get)(int*, int) = nullptr;
  int (*name)(char*, int, int) = nullptr;
  int (*memory)(size_t*, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool load(void* library, Driver& driver) {
  return find(library, "cuInit", driver.init) && find(library, "cuDriverGetVersion", driver.version) &&
         find(library, "cuGetErrorName", driver.error_name) && find(library, "cuDeviceGetCount", driver.count) &&
         find(library, "cuDeviceGet", driver.get) && find(library, "cuDeviceGetName", driver.name) &&
         find(library, "cuDeviceTotalMem_v2", driver.memory) && find(library, "cuDeviceGetAttribute", driver.attribute);
}

int real_open_error(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return errno;
  close(file);
  return 0;
}

std::string error_text(const Driver& driver, int code) {
  const char* text = nullptr;
  if (driver.error_name(code, &text) != kSuccess || text == nullptr) return fmt::format("error {}", code);
  return fmt::format("{} ({})", text, code);
}

/// "driver 570.86" or "the driver".
std::string driver_words(const ModuleProbe& probe) {
  return probe.driver_version.empty() ? "the NVIDIA driver" : "NVIDIA driver " + probe.driver_version;
}

ModuleProbe& refuse(ModuleProbe& probe, DriverState state, std::string why, std::string remedy) {
  probe.state = state;
  probe.why = std::move(why);
  probe.remedy = std::move(remedy);
  probe.devices.clear();
  return probe;
}

ModuleProbe& refuse_permission(ModuleProbe& probe, const std::string& file) {
  return refuse(probe, DriverState::no_permission,
                fmt::format("this user may not open {}, so NVIDIA GPUs cannot be used", file),
                fmt::format("run as a user of the group that owns it (ls -l {}), or ask for access", file));
}

/// Why cuInit or the count failed.
ModuleProbe& refuse_start(ModuleProbe& probe, const ProbeWorld& world, const Driver& driver, int code) {
  const int opening = world.open_error(world.control_file);
  if (opening == EACCES || opening == EPERM) return refuse_permission(probe, world.control_file);
  switch (code) {
    case kStubLibrary:
      return refuse(probe, DriverState::no_driver,
                    fmt::format("{} is the toolkit's stub, made for linking, not a driver", world.library),
                    "take the folder lib/stubs out of LD_LIBRARY_PATH and install the NVIDIA driver");
    case kNoDevice:
    case kInvalidDevice:
      return refuse(probe, DriverState::no_device, fmt::format("{} finds no GPU", driver_words(probe)),
                    "see what nvidia-smi lists; CUDA_VISIBLE_DEVICES may hide GPUs, a container needs them handed in "
                    "(--gpus all)");
    case kSystemDriverMismatch:
      return refuse(probe, DriverState::failed,
                    "the NVIDIA driver's library and its kernel module are of different versions",
                    "restart the machine (or reload the nvidia kernel modules)");
    case kSystemNotReady:
      return refuse(probe, DriverState::failed,
                    "the NVIDIA driver is not ready: the fabric manager has not started yet",
                    "systemctl status nvidia-fabricmanager");
    case kOperatingSystem:
      if (opening == ENOENT) {
        return refuse(
            probe, DriverState::no_device,
            fmt::format("the NVIDIA driver's library is here but its device file {} is not", world.control_file),
            "load the kernel module (sudo modprobe nvidia), or start the container with --gpus all");
      }
      [[fallthrough]];
    default:
      return refuse(probe, DriverState::failed,
                    fmt::format("{} does not start: {}", driver_words(probe), error_text(driver, code)),
                    "run nvidia-smi");
  }
}

int attribute(const Driver& driver, int id, int device) {
  int value = 0;
  return driver.attribute(&value, id, device) == kSuccess ? value : 0;
}

DeviceInfo describe(const Driver& driver, int index, int device) {
  DeviceInfo info;
  info.device = {"cuda", index};
  char name[256] = {};
  if (driver.name(name, sizeof name - 1, device) == kSuccess) info.model = name;
  size_t memory = 0;
  if (driver.memory(&memory, device) == kSuccess) info.memory_bytes = static_cast<int64_t>(memory);
  info.cores = attribute(driver, kMultiprocessors, device);
  const int major = attribute(driver, kCapabilityMajor, device), minor = attribute(driver, kCapabilityMinor, device);
  info.features = {fmt::format("sm_{}{}", major, minor)};
  if (const int shared = attribute(driver, kSharedBytesPerMultiprocessor, device); shared > 0) {
    info.caches.push_back(
        {.name = "shared", .size_bytes = shared, .line_bytes = kL2LineBytes, .ways = 0, .shared_by_cores = 1});
  }
  if (const int l2 = attribute(driver, kL2Bytes, device); l2 > 0) {
    info.caches.push_back({.name = "L2",
                           .size_bytes = l2,
                           .line_bytes = kL2LineBytes,
                           .ways = 0,
                           .shared_by_cores = std::max(1, info.cores)});
  }
  return info;
}

bool old_capability(const Driver& driver, int device) {
  return 10 * attribute(driver, kCapabilityMajor, device) + attribute(driver, kCapabilityMinor, device) <
         kNeededCapability;
}

/// Whether convolutions are cuDNN's or ours.
std::string cudnn_words() {
  const LibrarySearch search = search_cudnn();
  return search.handle == nullptr ? "no cuDNN, convolutions are our own" : search.taken()->words;
}

ModuleProbe& list_devices(ModuleProbe& probe, const Driver& driver, int count) {
  std::string too_old;
  for (int index = 0; index < count; ++index) {
    int device = 0;
    if (driver.get(&device, index) != kSuccess) continue;
    DeviceInfo info = describe(driver, index, device);
    if (old_capability(driver, device)) {
      too_old = fmt::format("{} ({})", info.model, info.features.front());
      continue;
    }
    probe.devices.push_back(std::move(info));
  }
  if (probe.devices.empty()) {
    if (too_old.empty()) {
      return refuse(probe, DriverState::no_device, fmt::format("{} finds no GPU", driver_words(probe)),
                    "see what nvidia-smi lists");
    }
    return refuse(probe, DriverState::no_device, fmt::format("the GPU here, {}, is older than Turing (sm_75)", too_old),
                  "a GPU of compute capability 7.5 or newer is needed; use --device cpu");
  }
  probe.state = DriverState::ready;
  probe.why = fmt::format("{}, {} GPU{}; {}", driver_words(probe), probe.devices.size(),
                          probe.devices.size() == 1 ? "" : "s", cudnn_words());
  return probe;
}

}  // namespace

std::string parse_driver_version(const std::string& text) {
  static const std::regex pattern(R"(Kernel Module[^\n]*?\s(\d+\.\d+(\.\d+)?)\s)");
  std::smatch match;
  return std::regex_search(text, match, pattern) ? match[1].str() : std::string();
}

ModuleProbe probe(const ProbeWorld& given) {
  ProbeWorld world = given;
  if (!world.open_error) world.open_error = real_open_error;
  ModuleProbe probe;
  std::ifstream version_file(world.version_file);
  probe.driver_version =
      parse_driver_version({std::istreambuf_iterator<char>(version_file), std::istreambuf_iterator<char>()});

  void* library =
      dlopen(world.library.c_str(), RTLD_NOW | RTLD_GLOBAL);  // stays open: the CUDA runtime asks for the same one
  if (library == nullptr) {
    const char* reason = dlerror();
    if (world.open_error(world.control_file) != ENOENT) {
      return refuse(probe, DriverState::no_driver,
                    fmt::format("the NVIDIA kernel driver is loaded but its library is not here ({})", reason),
                    "install the driver's libraries, or start the container with --gpus all");
    }
    return refuse(probe, DriverState::no_driver, fmt::format("no NVIDIA driver on this machine ({})", reason),
                  fmt::format("install the NVIDIA driver {} or newer, or use --device cpu", kNeededDriver));
  }
  Driver driver;
  if (!load(library, driver)) {
    return refuse(probe, DriverState::driver_too_old,
                  fmt::format("{} lacks functions every driver has had since 2014", world.library),
                  fmt::format("install the NVIDIA driver {} or newer", kNeededDriver));
  }
  int api = 0;
  if (driver.version(&api) == kSuccess && api < kNeededDriverApi) {
    return refuse(probe, DriverState::driver_too_old,
                  fmt::format("{} is too old: it runs CUDA {}.{}, this build needs 13.0", driver_words(probe),
                              api / 1000, api % 1000 / 10),
                  fmt::format("install the NVIDIA driver {} or newer", kNeededDriver));
  }
  if (const int code = driver.init(0); code != kSuccess) return refuse_start(probe, world, driver, code);
  int count = 0;
  if (const int code = driver.count(&count); code != kSuccess) return refuse_start(probe, world, driver, code);
  if (count == 0) return refuse_start(probe, world, driver, kNoDevice);
  return list_devices(probe, driver, count);
}

}  // namespace engine::cuda
