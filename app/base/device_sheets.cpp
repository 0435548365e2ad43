// SPDX-License-Identifier: Apache-2.0
// Figures of this machine and of devices that are here.
#include "app/base/device_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "app/base/devices.h"
#include "app/base/roofs.h"
#include "engine/base/read_file.h"
#include "engine/cpu/backend.h"
#include "profiler/machine/gpu_data_sheet.h"
#include "profiler/record/disk_rate.h"

namespace app {
namespace {

using engine::Result;
using profiler::DeviceFigures;
using profiler::DeviceTrait;

profiler::Machine this_machine() {
  profiler::Machine machine = remembered_roofs().value_or(profiler::Machine());
  if (machine.info.model.empty()) machine.info = engine::cpu::describe();
  return machine;
}

}  // namespace

double stated_clock_hz() {
  constexpr std::string_view kKey = "cpu MHz";
  constexpr uint64_t kLargest = 16 << 20;
  const Result<std::string> text = engine::read_file("/proc/cpuinfo", kLargest);
  std::istringstream lines(text ? *text : std::string());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kKey)) continue;
    const size_t colon = line.find(':');
    const double mhz = colon == std::string::npos ? 0 : std::atof(line.c_str() + colon + 1);
    if (mhz > 0) return mhz * 1e6;
  }
  return profiler::kUnknown;
}

DeviceFigures this_processor() { return profiler::processor_figures(this_machine(), stated_clock_hz()); }

Result<DeviceFigures> other_device(const std::string& name) {
  for (const DeviceEntry& entry : devices()) {
    if (entry.name != name) continue;
    const engine::DeviceInfo info = entry.describe();
    if (!info.traits().is_gpu) {
      profiler::Machine machine;
      machine.info = info;
      DeviceFigures figures = profiler::processor_figures(machine, profiler::kUnknown);
      figures.what = fmt::format("{} of this machine", name);
      return figures;
    }
    profiler::GpuDevice gpu{.device = info.device.index,
                            .name = info.model,
                            .multiprocessors = info.cores > 0 ? info.cores : profiler::kUnknownFigure,
                            .memory_bytes = info.memory_bytes > 0 ? info.memory_bytes : profiler::kUnknownFigure};
    for (const engine::CacheLevel& cache : info.caches)
      if (cache.name == "L2") gpu.l2_bytes = cache.size_bytes;
    DeviceFigures figures = profiler::recorded_gpu(gpu, {});
    figures.what = fmt::format("{} of this machine", name);
    return figures;
  }
  return profiler::specified_gpu(name);
}

Result<std::vector<DeviceFigures>> recorded_gpus(const profiler::Capture& capture, const std::string& file) {
  std::vector<DeviceFigures> all;
  for (const profiler::GpuDevice& gpu : capture.gpu().devices) {
    DeviceFigures figures = profiler::recorded_gpu(gpu, file);
    const bool alike = std::ranges::any_of(all, [&](const DeviceFigures& other) { return other.name == figures.name; });
    if (!alike) all.push_back(std::move(figures));  // GPUs of one kind have one column
  }
  if (all.empty() && profiler::find_data_sheet({.name = capture.run().device}) != nullptr)
    all.push_back(profiler::recorded_gpu({.name = capture.run().device}, file));
  if (all.empty())
    return engine::refused_error(
        fmt::format("[--beside] {} describes no GPU; name one, such as v100 or \"A100 SXM4 40GB\"", file));
  return all;
}

Result<profiler::MachineBalance> machine_balance(const std::string& machine, const std::filesystem::path& disk,
                                                 const std::atomic<bool>& stop) {
  constexpr int64_t kFileBytes = int64_t{256} << 20;
  if (machine != "here") {
    if (!disk.empty())
      return engine::usage_error("[--disk] only the disk of this machine can be read: use --balance here");
    return profiler::preset_balance(machine);
  }
  profiler::Measured cold;
  if (!disk.empty()) {
    const Result<profiler::DiskRate> rate = profiler::measure_disk(disk, kFileBytes, stop);
    if (!rate) return rate.error();
    cold = rate->read_bytes_per_s;
  }
  return profiler::balance_of(this_machine(), cold);
}

Result<Answer> balance_answer(const std::string& machine, const std::filesystem::path& disk,
                              const std::atomic<bool>& stop) {
  const Result<profiler::MachineBalance> balance = machine_balance(machine, disk, stop);
  if (!balance) return balance.error();
  return Answer{.sentence = balance->name + ".",
                .table = profiler::balance_table(*balance),
                .notes = profiler::balance_sentences(*balance)};
}

}  // namespace app
