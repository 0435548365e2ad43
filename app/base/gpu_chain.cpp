// SPDX-License-Identifier: Apache-2.0
// Links of the chain, in the order in which they hang.
#include "app/base/gpu_chain.h"

#include <fmt/format.h>

namespace app {

using profiler::ChainLink;

const profiler::GpuModule* gpu_module_of(const LoadedModule& module) {
  return static_cast<const profiler::GpuModule*>(module.entry->collector);
}

std::vector<ChainLink> chain_of(const DeviceModule& of, const engine::Result<LoadedModule>& module, bool attach) {
  const ModuleAvailability device = availability_of(of, module);
  if (!module) return {{.name = "module", .works = false, .found = device.why, .remedy = device.remedy}};
  std::vector<ChainLink> chain{
      {.name = "module", .works = true, .found = module->file.string(), .remedy = ""},
      {.name = "driver and device", .works = device.available, .found = device.why, .remedy = device.remedy}};
  if (!device.available) return chain;
  const profiler::GpuModule* gpu = gpu_module_of(*module);
  if (gpu == nullptr) {
    chain.push_back({.name = "CUPTI",
                     .works = false,
                     .found = "this module was built without CUPTI",
                     .remedy = "build with the CUDA Toolkit's CUPTI headers"});
    return chain;
  }
  for (ChainLink& link : gpu->examine(attach)) chain.push_back(std::move(link));
  return chain;
}

namespace {

std::vector<ChainLink> chain_to(const DeviceModule& module, bool attach) {
  return chain_of(module, loaded(module), attach);
}

}  // namespace

std::vector<ChainLink> gpu_chain(bool attach) { return chain_to(gpu_module(), attach); }

std::vector<ChainLink> gpu_chain_of(const std::string& device) {
  const DeviceModule* const module = module_of(device);
  return chain_to(module == nullptr ? gpu_module() : *module, false);
}

bool traces_every_run(const std::string& device) {
  const DeviceModule* const module = module_of(device);
  if (module == nullptr || !loaded(*module)) return false;
  const profiler::GpuModule* const gpu = gpu_module_of(*loaded(*module));
  return gpu != nullptr && gpu->in_every_run;
}

engine::Result<std::unique_ptr<profiler::GpuTracer>> start_standing_trace(const std::string& device) {
  if (!traces_every_run(device)) return std::unique_ptr<profiler::GpuTracer>();
  return gpu_module_of(*loaded(*module_of(device)))->start_trace();
}

engine::Result<std::unique_ptr<profiler::GpuTracer>> start_gpu_trace(const std::string& device) {
  const DeviceModule* const module = module_of(device);
  if (module == nullptr) {
    return engine::usage_error(
        fmt::format("[--collect] cupti watches NVIDIA GPUs, and --device {} does none of its work on one: use --device "
                    "cuda, or leave cupti out",
                    device));
  }
  for (const ChainLink& link : chain_to(*module, false)) {
    if (link.works || link.for_counters_only) continue;
    return engine::refused_error(
        fmt::format("[--collect] cupti: {}: {}; what helps: {}", link.name, link.found, link.remedy));
  }
  return gpu_module_of(*loaded(*module))->start_trace();
}

engine::Result<std::unique_ptr<profiler::GpuCounters>> start_gpu_counters(const engine::Device& device,
                                                                          profiler::CounterSet set, size_t most_ops) {
  const DeviceModule* const named = module_of(device.kind);
  const DeviceModule& module = named == nullptr ? gpu_module() : *named;
  for (const ChainLink& link : chain_to(module, false)) {
    if (!link.works && !link.for_samples_only)
      return engine::refused_error(
          fmt::format("[counters] {}: {}; what helps: {}", link.name, link.found, link.remedy));
  }
  return gpu_module_of(*loaded(module))->start_counters(device.index, set, most_ops);
}

engine::Result<std::unique_ptr<profiler::GpuSampler>> start_gpu_samples(const engine::Device& device) {
  const DeviceModule* const named = module_of(device.kind);
  const DeviceModule& module = named == nullptr ? gpu_module() : *named;
  for (const ChainLink& link : chain_to(module, false)) {
    if (!link.works)
      return engine::refused_error(
          fmt::format("[--collect] pm_sampling: {}: {}; what helps: {}", link.name, link.found, link.remedy));
  }
  return gpu_module_of(*loaded(module))->start_samples(device.index);
}

}  // namespace app
