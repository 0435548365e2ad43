// SPDX-License-Identifier: Apache-2.0
// Refusals of CUPTI, and what the system says of virtual machines and capabilities.
#include "profiler/cupti/counter_refusals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

namespace profiler::cupti {

using engine::refused_error;
using engine::Result;
namespace fs = std::filesystem;

namespace {

constexpr const char* kDriverOption =
    "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/nvidia-counters.conf  "
    "(then reboot)";

std::string first_line(const fs::path& file) {
  std::ifstream lines(file);
  std::string line;
  std::getline(lines, line);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

/// The rest of the first line that begins so; empty: there is none.
std::string line_behind(const fs::path& file, std::string_view beginning) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(beginning)) return line.substr(beginning.size());
  }
  return {};
}

std::string virtual_machine(const fs::path& root) {
  // "flags : fpu ... hypervisor ..."; on other processors the firmware's names alone tell
  const bool flagged = (line_behind(root / "proc/cpuinfo", "flags") + " ").find(" hypervisor ") != std::string::npos;
  const std::string vendor = first_line(root / "sys/class/dmi/id/sys_vendor"),
                    product = first_line(root / "sys/class/dmi/id/product_name");
  std::string name = vendor.empty() || product.empty() ? vendor + product
                     : product.starts_with(vendor)     ? product
                                                       : vendor + " " + product;
  if (flagged) return name.empty() ? "unknown" : name;
  for (const char* known : {"Amazon EC2", "Google", "QEMU", "KVM", "VMware", "innotek", "Xen", "Virtual Machine",
                            "Firecracker", "OpenStack"}) {
    if (name.find(known) != std::string::npos) return name;
  }
  return {};
}

}  // namespace

bool is_administrator(const fs::path& root) {
  const std::string capabilities = line_behind(root / "proc/self/status", "CapEff:");
  if (capabilities.empty()) return geteuid() == 0;
  constexpr unsigned long long kSysAdmin = 1ull << 21, kPerfmon = 1ull << 38;
  return (std::strtoull(capabilities.c_str(), nullptr, 16) & (kSysAdmin | kPerfmon)) != 0;
}

Surroundings surroundings(const fs::path& root) {
  std::error_code ignored;
  return {.virtual_machine = virtual_machine(root),
          .container = fs::exists(root / ".dockerenv", ignored) || fs::exists(root / "run/.containerenv", ignored),
          .administrator = is_administrator(root)};
}

std::string privilege_words(const Surroundings& here) {
  const std::string host = here.virtual_machine.empty() ? ""
                           : here.virtual_machine == "unknown"
                               ? "the host of this virtual machine"
                               : fmt::format("the host of this virtual machine ({})", here.virtual_machine);
  if (!here.administrator) {
    return fmt::format(
        "[counters] the NVIDIA driver lets only administrators read GPU counters (ERR_NVGPUCTRPERM); what helps: "
        "{}{}{}",
        kDriverOption, here.container ? "; in a container also --cap-add SYS_ADMIN" : "",
        host.empty() ? "" : fmt::format("; if it still refuses, {} keeps counters to itself", host));
  }
  if (!host.empty()) {
    return fmt::format(
        "[counters] the driver refuses GPU counters even to an administrator (ERR_NVGPUCTRPERM): "
        "{} "
        "keeps them to itself. Ask its operator for GPU profiling, or use a machine without "
        "virtualisation. Tracing (--collect cupti) works without",
        host);
  }
  return fmt::format(
      "[counters] this process is an administrator, yet the driver refuses GPU counters (ERR_NVGPUCTRPERM); what "
      "helps: {}{}",
      kDriverOption, here.container ? "; it is set outside of this container" : "");
}

Result<void> check_counters(const CuptiApi& api, CUptiResult result, const char* doing) {
  const auto refuse = [&](const char* words) {
    return refused_error(fmt::format("[counters] {}: {} ({})", doing, words, result_text(api, result)));
  };
  switch (result) {
    case CUPTI_SUCCESS: return {};
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: return refused_error(privilege_words(surroundings()));
    case CUPTI_ERROR_HARDWARE_BUSY:
      return refused_error(
          "[counters] another tool holds the GPU's counters; what helps: dcgmi profile --pause, and no ncu or nsys "
          "beside this");
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return refuse(
          "this is a virtual GPU, whose counters its host does not pass on; ask its operator for a vGPU with "
          "profiling, or a whole GPU");
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return refuse(
          "this is a virtual GPU, and its host has not switched profiling on; ask its operator to (vGPU parameter "
          "enable_profiling=1)");
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return refuse("confidential computing is on, and counters are off with it");
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return refuse("this is a part of a GPU (MIG), whose counters cannot be read apart; use a whole GPU");
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED: return refuse("counters do not work with SLI");
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED: return refuse("mining processors have no counters");
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED: return refuse("under WSL this GPU has no counters; use Linux itself");
    default: return refused_error(fmt::format("[counters] {}: {}", doing, result_text(api, result)));
  }
}

Result<void> check_device(const CuptiApi& api, CUdevice device, CUpti_Profiler_API kind) {
  auto p = params_of<CUpti_Profiler_DeviceSupported_Params>(CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
  p.cuDevice = device;
  p.api = kind;
  if (auto done = check_counters(api, api.profiler_device_supported(&p), "whether the device has counters"); !done)
    return done;
  if (p.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return {};
  const std::pair<CUpti_Profiler_Support_Level, const char*> levels[] = {
      {p.architecture, "its architecture"},
      {p.sli, "SLI"},
      {p.vGpu, "a virtual GPU"},
      {p.confidentialCompute, "confidential computing"},
      {p.cmp, "a mining processor"},
      {p.wsl, "WSL"}};
  std::string obstacles;
  for (const auto& [level, name] : levels) {
    if (level == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) continue;
    const char* how = level == CUPTI_PROFILER_CONFIGURATION_DISABLED ? " (profiling is switched off by its host)" : "";
    obstacles += fmt::format("{}{}{}", obstacles.empty() ? "" : ", ", name, how);
  }
  return refused_error(fmt::format("[counters] CUPTI cannot {} this device because of {}",
                                   kind == CUPTI_PROFILER_PM_SAMPLING ? "sample" : "count on",
                                   obstacles.empty() ? "an unknown reason" : obstacles));
}

}  // namespace profiler::cupti
