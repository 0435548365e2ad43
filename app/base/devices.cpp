// SPDX-License-Identifier: Apache-2.0
// The devices of this program: built-in backends, one line each.
#include "app/base/devices.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "engine/base/nearest_name.h"
#include "engine/cpu/backend.h"
#include "engine/null/backend.h"
#include "profiler/record/probe.h"
#include "engine/workloads/workload.h"

namespace app {
namespace {

/// With what the probe remembers of the libraries, where it ran.
engine::Result<std::unique_ptr<engine::Backend>> make_cpu(int threads) {
  const auto machine = profiler::cached_probe();
  return engine::cpu::make_backend(threads, machine ? machine->matmul : std::vector<engine::MatmulTiming>{});
}

engine::Result<std::unique_ptr<engine::Backend>> make_null(int /*threads*/) {
  return engine::null::make_backend();
}

engine::DeviceInfo describe_null() { return engine::null::make_backend()->info(); }

constexpr std::array kDevices{
    DeviceEntry{"cpu", "This machine's processor, through oneDNN, OpenBLAS and our own kernels.",
                make_cpu, engine::cpu::describe},
    DeviceEntry{"null", "Computes nothing: its step time is pure dispatch and tracing cost.", make_null,
                describe_null},
};

constexpr std::array kAbsent{
    AbsentDevice{"cuda", "this build has no CUDA module, so NVIDIA GPUs are neither run on nor profiled",
                 "use --device cpu; a version of Tensortide with the CUDA module is needed for GPUs"},
    AbsentDevice{"opencl", "this build has no OpenCL module", "use --device cpu"},
    AbsentDevice{"model", "modelled devices are not part of this version", "use --device cpu"},
};

}  // namespace

std::span<const DeviceEntry> devices() { return kDevices; }
std::span<const AbsentDevice> absent_devices() { return kAbsent; }

engine::Result<std::unique_ptr<engine::Backend>> make_device(const std::string& name, int threads) {
  const std::string kind = name.substr(0, name.find(':'));
  for (const DeviceEntry& device : kDevices) {
    if (name == device.name) return device.make(threads);
    if (kind == device.name) {
      return engine::usage_error(
          fmt::format("[--device] {} has no index: there is one {}, write --device {}", name, kind, kind));
    }
  }
  for (const AbsentDevice& absent : kAbsent) {
    if (kind == absent.name) {
      return engine::refused_error(
          fmt::format("[--device] {}: {}; {}", name, absent.why, absent.remedy));
    }
  }
  std::vector<std::string> names;
  for (const DeviceEntry& device : kDevices) names.emplace_back(device.name);
  return engine::usage_error(fmt::format("[--device] unknown device \"{}\"; did you mean \"{}\"? `tensortide devices` lists them all",
                                         name, engine::nearest_name(kind, names)));
}

}  // namespace app
