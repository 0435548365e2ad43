// SPDX-License-Identifier: Apache-2.0
// The devices of this program: built-in backends, one line each, and the GPUs that a module finds.
#include "app/base/devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "app/base/module_loader.h"
#include "engine/cpu/backend.h"
#include "engine/null/backend.h"
#include "engine/sim/backend.h"
#include "engine/tensor/device_name.h"
#include "engine/workloads/workload.h"
#include "profiler/predict/modelled_gpu.h"
#include "profiler/record/probe.h"

namespace app {
namespace {

/// With what the probe remembers of the libraries, where it ran.
engine::Result<std::unique_ptr<engine::Backend>> make_cpu(const DeviceOptions& options) {
  const auto machine = profiler::cached_probe();
  engine::cpu::BackendOptions backend{.threads = options.threads,
                                      .winograd = options.winograd,
                                      .onednn = !options.without_onednn,
                                      .openblas = !options.without_openblas};
  if (machine) backend.matmul_timings = machine->matmul, backend.winograd_timings = machine->winograd;
  return engine::cpu::make_backend(std::move(backend));
}

engine::Result<std::unique_ptr<engine::Backend>> make_null(const DeviceOptions&) {
  return engine::null::make_backend();
}

engine::DeviceInfo describe_null() { return engine::null::make_backend()->info(); }

DeviceEntry simulated(int index) {
  const auto make = [index](const DeviceOptions& options) -> engine::Result<std::unique_ptr<engine::Backend>> {
    DeviceOptions share = options;
    if (share.threads == 0) share.threads = engine::sim::share_of(engine::cpu::describe().cores);
    auto cpu = make_cpu(share);
    if (!cpu) return cpu;
    return engine::sim::make_backend(index, std::move(*cpu));
  };
  return {to_string(engine::Device{"sim", index}),
          "Simulated device: host memory under another name, computed by the cpu's kernels on half of its cores.", make,
          [index] { return engine::sim::describe(index, engine::cpu::describe()); }};
}

std::vector<DeviceEntry> make_built_in() {
  std::vector<DeviceEntry> built_in{
      {"cpu",
       fmt::format("This machine's processor, through {}OpenBLAS and our own kernels.",
                   engine::cpu::has_onednn() ? "oneDNN, " : ""),
       make_cpu, engine::cpu::describe},
      {"null", "Computes nothing: its step time is pure dispatch and tracing cost.", make_null, describe_null},
  };
  for (int k = 0; k < engine::kSimulatedDevices; ++k) built_in.push_back(simulated(k));
  return built_in;
}

const std::vector<DeviceEntry>& built_in_devices() {
  static const std::vector<DeviceEntry> built_in = make_built_in();
  return built_in;
}

std::vector<DeviceEntry> all_devices() {
  std::vector<DeviceEntry> all = built_in_devices();
  for (const DeviceModule& module : device_modules()) {
    for (const engine::DeviceInfo& device : availability(module).devices) {
      const auto make = [&module, index = device.device.index](const DeviceOptions& options) {
        return loaded(module)->entry->make_backend({.index = index,
                                                    .deterministic = options.deterministic,
                                                    .tf32 = options.tf32,
                                                    .pageable = options.pageable,
                                                    .fp8 = options.fp8});
      };
      all.push_back({to_string(device.device), module.help(device), make, [device] { return device; }});
    }
  }
  return all;
}

std::vector<AbsentDevice> all_absent() {
  std::vector<AbsentDevice> all;
  for (const DeviceModule& module : device_modules()) {
    const ModuleAvailability& here = availability(module);
    if (!here.available) all.push_back({std::string(module.kind), here.why, here.remedy});
  }
  return all;
}

}  // namespace

std::span<const DeviceEntry> devices() {
  static const std::vector<DeviceEntry> all = all_devices();
  return all;
}

std::span<const AbsentDevice> absent_devices() {
  static const std::vector<AbsentDevice> all = all_absent();
  return all;
}

bool is_available(const std::string& name) {
  const engine::Result<engine::Device> device = engine::parse_device(name);
  if (!device) return false;
  return std::ranges::any_of(devices(),
                             [wanted = to_string(*device)](const DeviceEntry& entry) { return entry.name == wanted; });
}

engine::Result<std::unique_ptr<engine::Backend>> make_device(const std::string& text, const DeviceOptions& options) {
  const engine::Result<engine::Device> device = engine::parse_device(text);
  const std::string name = device ? to_string(*device) : text;
  for (const DeviceEntry& entry : built_in_devices()) {
    if (name == entry.name) return entry.make(options);  // without a look at GPUs, which takes their driver a while
  }
  if (const std::string_view meant = engine::meant_gpu(text); !device && !meant.empty()) {
    std::vector<std::string> here;
    for (const DeviceEntry& entry : devices()) here.push_back(entry.name);
    const auto absent = std::ranges::find(absent_devices(), meant, &AbsentDevice::name);
    const std::string none = absent == absent_devices().end()
                                 ? ""
                                 : fmt::format("; none can be used here: {}; {}", absent->why, absent->remedy);
    return engine::usage_error(
        fmt::format("[--device] {}{}; there are {}", device.error().message, none, fmt::join(here, ", ")));
  }
  const std::string kind = name.substr(0, name.find(':'));
  if (!device && engine::traits_of(kind).vendor != engine::Vendor::none) {  // wrong with or without a driver
    return engine::usage_error(
        fmt::format("[--device] {}; `tensortide devices` lists them all", device.error().message));
  }
  std::vector<std::string> modelled;
  for (const profiler::ModelledGpu& gpu : profiler::modelled_gpus()) modelled.push_back(gpu.key);
  if (kind == "model" || std::ranges::find(modelled, text) != modelled.end()) {
    return engine::usage_error(
        fmt::format("[--device] {}: modelled devices run nothing; `tensortide predict WORKLOAD "
                    "--on NAME` models the time of a step, NAME is one of {}",
                    text, fmt::join(modelled, ", ")));
  }
  for (const AbsentDevice& absent : absent_devices()) {
    if (kind == absent.name) {
      return engine::refused_error(fmt::format("[--device] {}: {}; {}", text, absent.why, absent.remedy));
    }
  }
  if (!device) {
    return engine::usage_error(
        fmt::format("[--device] {}; `tensortide devices` lists them all", device.error().message));
  }
  std::vector<std::string> of_kind;
  for (const DeviceEntry& entry : devices()) {
    if (name == entry.name) return entry.make(options);
    if (entry.name == kind || entry.name.starts_with(kind + ":")) of_kind.push_back(entry.name);
  }
  return engine::refused_error(fmt::format("[--device] there is no {} here; there {} {}", text,
                                           of_kind.size() == 1 ? "is" : "are", fmt::join(of_kind, ", ")));
}

engine::Result<void> device_health(const engine::Backend& backend) {
  const DeviceModule* const module = module_of(backend.info().device.kind);
  return module != nullptr ? loaded(*module)->entry->health(backend) : engine::Result<void>();
}

}  // namespace app
