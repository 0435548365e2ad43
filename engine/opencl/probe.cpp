// SPDX-License-Identifier: Apache-2.0
// Platforms, devices, and why one of them cannot be used.
#include "engine/opencl/probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/memory.h"
#include "engine/base/memory_limits.h"

namespace engine::opencl {
namespace {

constexpr const char* kInstall =
    "install ocl-icd-libopencl1 and the driver of the device (pocl-opencl-icd for the processor), or use --device cpu";
constexpr size_t kLongestText = 1 << 12;
constexpr cl_uint kMostPlatforms = 64, kMostDevices = 64;

Found& refuse(Found& found, DriverState state, std::string why, std::string remedy) {
  found.probe.state = state;
  found.probe.why = std::move(why);
  found.probe.remedy = std::move(remedy);
  return found;
}

/// Of a function that writes text; empty where it refuses or the text is absurd.
template <class Get>
std::string text_of(Get get) {
  size_t bytes = 0;
  if (get(0, nullptr, &bytes) != CL_SUCCESS || bytes == 0 || bytes > kLongestText) return {};
  std::string text(bytes, '\0');
  if (get(bytes, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(text.find('\0') == std::string::npos ? bytes : text.find('\0'));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string platform_text(const Api& api, cl_platform_id platform, cl_platform_info what) {
  return text_of(
      [&](size_t size, void* to, size_t* needed) { return api.get_platform_info(platform, what, size, to, needed); });
}

std::string device_text(const Api& api, cl_device_id device, cl_device_info what) {
  return text_of(
      [&](size_t size, void* to, size_t* needed) { return api.get_device_info(device, what, size, to, needed); });
}

/// 0 where the driver does not say.
template <class T>
T figure(const Api& api, cl_device_id device, cl_device_info what) {
  T value{};
  return api.get_device_info(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

std::string_view type_words(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return "processor";
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return "GPU";
  return "accelerator";
}

/// Empty: it can be used.
std::string why_unusable(const Api& api, cl_device_id device) {
  if (figure<cl_bool>(api, device, CL_DEVICE_AVAILABLE) == CL_FALSE) return "is not available";
  if (figure<cl_bool>(api, device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) return "has no compiler";
  if (figure<cl_bool>(api, device, CL_DEVICE_ENDIAN_LITTLE) == CL_FALSE) return "is big-endian";
  if (figure<cl_uint>(api, device, CL_DEVICE_ADDRESS_BITS) < 32) return "tells no width of addresses";
  if (figure<size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE) < 64) return "runs groups of less than 64 work-items";
  if (figure<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_SIZE) == 0) return "tells no size of its memory";
  return {};
}

FoundDevice describe(const Api& api, cl_platform_id platform, cl_device_id device, int index) {
  FoundDevice found{.info = {}, .platform = platform, .device = device};
  DeviceInfo& info = found.info;
  info.device = {"opencl", index};
  info.model = device_text(api, device, CL_DEVICE_NAME);
  info.cores = static_cast<int>(figure<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS));
  const auto type = figure<cl_device_type>(api, device, CL_DEVICE_TYPE);
  const std::string extensions = " " + device_text(api, device, CL_DEVICE_EXTENSIONS) + " ";
  found.doubles = figure<cl_ulong>(api, device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0 ||
                  extensions.find(" cl_khr_fp64 ") != std::string::npos;
  info.features = {std::string(type_words(type)), found.doubles ? "f32 and f64" : "f32 alone"};
  info.memory_bytes = static_cast<int64_t>(figure<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_SIZE));
  // OpenCL tells no free memory. What a processor's driver takes is the host's.
  if ((type & CL_DEVICE_TYPE_CPU) != 0) {
    info.memory_available_bytes = std::min(info.memory_bytes, host_memory().available_bytes);
  }
  found.most_bytes = static_cast<int64_t>(figure<cl_ulong>(api, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  found.group_items = static_cast<int64_t>(figure<size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  found.local_bytes = static_cast<int64_t>(figure<cl_ulong>(api, device, CL_DEVICE_LOCAL_MEM_SIZE));
  info.libraries = {fmt::format("{}, {}, driver {}", platform_text(api, platform, CL_PLATFORM_NAME),
                                device_text(api, device, CL_DEVICE_VERSION),
                                device_text(api, device, CL_DRIVER_VERSION))};
  return found;
}

/// Adds the devices of one driver; says in `trouble` what is wrong with it, or with one of them.
void add_platform(Found& found, cl_platform_id platform, std::vector<std::string>& trouble) {
  const Api& api = found.api;
  const std::string name = platform_text(api, platform, CL_PLATFORM_NAME);
  cl_device_id devices[kMostDevices] = {};
  cl_uint count = 0;
  const cl_int code = api.get_device_ids(platform, CL_DEVICE_TYPE_ALL, kMostDevices, devices, &count);
  if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0)) {
    trouble.push_back(fmt::format("{} finds no device", name));
    return;
  }
  if (code != CL_SUCCESS) {
    trouble.push_back(fmt::format("{} lists no devices: {}", name, error_words(code)));
    return;
  }
  for (cl_uint i = 0; i < std::min(count, kMostDevices); ++i) {
    if (const std::string why = why_unusable(api, devices[i]); !why.empty()) {
      trouble.push_back(fmt::format("{} of {} {}", device_text(api, devices[i], CL_DEVICE_NAME), name, why));
      continue;
    }
    found.devices.push_back(describe(api, platform, devices[i], static_cast<int>(found.devices.size())));
  }
}

}  // namespace

Found find_devices(const std::string& library) {
  Found found;
  // Drivers bring a compiler, which ends the process where it gets no memory. Ours: twice what PoCL 3.1 maps to start.
  constexpr int64_t kLeastAddresses = int64_t{1} << 30;
  const int64_t addresses = ResourceLimits::of_this_process().address_space_bytes;
  if (addresses >= 0 && addresses < kLeastAddresses) {
    return refuse(
        found, DriverState::failed,
        fmt::format("no OpenCL driver is opened under `ulimit -v` of {}: its compiler could end the program",
                    format_bytes(static_cast<double>(addresses))),
        fmt::format("raise it to {}, or use --device cpu", format_bytes(static_cast<double>(kLeastAddresses))));
  }
  Result<Api> api = open_api(library);
  if (!api) {
    return refuse(found, DriverState::no_driver, fmt::format("no OpenCL on this machine ({})", api.error().message),
                  kInstall);
  }
  found.api = *api;
  cl_platform_id platforms[kMostPlatforms] = {};
  cl_uint count = 0;
  const cl_int code = api->get_platform_ids(kMostPlatforms, platforms, &count);
  constexpr cl_int kNoPlatform = -1001;
  if (code == kNoPlatform || (code == CL_SUCCESS && count == 0)) {
    return refuse(
        found, DriverState::no_driver,
        fmt::format("OpenCL's loader {} is here, but no driver (nothing usable in /etc/OpenCL/vendors)", library),
        kInstall);
  }
  if (code != CL_SUCCESS) {
    return refuse(found, DriverState::failed, fmt::format("OpenCL does not start: {}", error_words(code)),
                  "run clinfo to see which driver fails");
  }
  std::vector<std::string> trouble;
  for (cl_uint i = 0; i < std::min(count, kMostPlatforms); ++i) add_platform(found, platforms[i], trouble);
  if (found.devices.empty()) {
    return refuse(found, DriverState::no_device,
                  fmt::format("no OpenCL device can be used: {}", fmt::join(trouble, "; ")),
                  "run clinfo to see what the drivers list, or use --device cpu");
  }
  found.probe.state = DriverState::ready;
  std::vector<std::string> names;
  for (const FoundDevice& device : found.devices) {
    names.push_back(fmt::format("{} ({})", device.info.model, device.info.libraries.front()));
    found.probe.devices.push_back(device.info);
  }
  found.probe.why =
      fmt::format("{}{}{}", fmt::join(names, "; "), trouble.empty() ? "" : "; not used: ", fmt::join(trouble, "; "));
  return found;
}

const Found& devices_here() {
  static const Found found = find_devices();
  return found;
}

}  // namespace engine::opencl
