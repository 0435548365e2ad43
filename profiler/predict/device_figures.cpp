// SPDX-License-Identifier: Apache-2.0
// Figures of processors from the probe and the system, of GPUs from data sheets and traces.
#include "profiler/predict/device_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/nearest_name.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/machine/gpu_data_sheet.h"
#include "profiler/predict/modelled_gpu.h"

namespace profiler {
namespace {

struct TraitWords {
  DeviceTrait trait;
  const char *key, *title;
  Quantity quantity;
};

constexpr std::array<TraitWords, kDeviceTraits> kTraits{{
    {DeviceTrait::units, "units_count", "Cores or multiprocessors", Quantity::count},
    {DeviceTrait::lanes, "lanes_count", "f32 lanes of each", Quantity::count},
    {DeviceTrait::clock, "clock_hz", "Clock", Quantity::text},
    {DeviceTrait::first_cache, "first_cache_bytes", "L1 of each", Quantity::capacity_bytes},
    {DeviceTrait::second_cache, "second_cache_bytes", "L2", Quantity::capacity_bytes},
    {DeviceTrait::last_cache, "last_cache_bytes", "L3", Quantity::capacity_bytes},
    {DeviceTrait::memory, "memory_bytes", "Memory", Quantity::capacity_bytes},
    {DeviceTrait::bandwidth, "memory_bytes_per_s", "Memory bandwidth", Quantity::bytes_per_s},
    {DeviceTrait::latency, "latency_ns", "Memory latency", Quantity::duration_ns},
    {DeviceTrait::arithmetic, "flop_per_s", "Arithmetic, f32", Quantity::flop_per_s},
}};

const TraitWords& words_of(DeviceTrait trait) { return kTraits[static_cast<size_t>(trait)]; }

DeviceFigure specified(double value, std::string note = {}) {
  return {value > 0 ? value : kUnknown, Origin::specified, std::move(note)};
}

DeviceFigure unknown(std::string why) { return {kUnknown, Origin::specified, std::move(why)}; }

DeviceFigure size_of_level(const Machine& machine, const std::string& name) {
  for (const MemoryLevel& level : machine.levels) {
    if (level.name != name) continue;
    const int64_t bytes = level.effective_size_bytes > 0 ? level.effective_size_bytes : level.specified_size_bytes;
    return {bytes > 0 ? static_cast<double>(bytes) : kUnknown, level.size_origin(), "of one instance"};
  }
  for (const engine::CacheLevel& cache : machine.info.caches) {
    if (cache.name == name || cache.name == name + "d")
      return specified(static_cast<double>(cache.size_bytes), "of one instance, as the system states");
  }
  return unknown("the system names no such level");
}

void add_data_sheet(DeviceFigures& figures, const GpuDataSheet& sheet) {
  const auto fill = [&](DeviceTrait trait, double value, const char* note) {
    if (value > 0 && !(figures.of(trait).value > 0)) figures.of(trait) = specified(value, note);
  };
  fill(DeviceTrait::units, sheet.multiprocessors, "multiprocessors, by the data sheet");
  fill(DeviceTrait::lanes, sheet.lanes, "multiply-adds a multiprocessor starts in a cycle, by the data sheet");
  fill(DeviceTrait::clock, sheet.boost_hz, "boost clock, by the data sheet");
  fill(DeviceTrait::second_cache, sheet.l2_bytes, "shared by all, by the data sheet");
  fill(DeviceTrait::memory, sheet.memory_bytes, "by the data sheet");
  fill(DeviceTrait::bandwidth, sheet.memory_bytes_per_s, "by the data sheet");
  fill(DeviceTrait::arithmetic, sheet.f32_flop_per_s, "vector units at the boost clock, by the data sheet");
  figures.sources = sheet.sources;
}

/// Of a GPU that was sold with several memories, each of which has a data sheet of its own.
DeviceFigure memory_of_versions(const std::string& plain) {
  std::vector<std::string> sizes;
  DeviceFigure one = unknown("no source states it");
  for (const GpuDataSheet& sheet : gpu_data_sheets()) {
    if (!plain_gpu_name(sheet.name).starts_with(plain + " ") || !(sheet.memory_bytes > 0)) continue;
    one = specified(sheet.memory_bytes, "by the data sheet");
    sizes.push_back(format_quantity(sheet.memory_bytes, Quantity::capacity_bytes));
  }
  if (sizes.size() < 2) return one;
  return unknown(fmt::format("there are versions with {}", fmt::join(sizes, " and ")));
}

DeviceFigures empty_gpu(std::string name, std::string what) {
  DeviceFigures figures;
  figures.name = std::move(name), figures.what = std::move(what), figures.gpu = true;
  for (DeviceFigure& figure : figures.figures) figure = unknown("no source states it");
  figures.of(DeviceTrait::last_cache) = unknown("a GPU has no third level");
  return figures;
}

DeviceFigures of_model(const ModelledGpu& gpu) {
  DeviceFigures figures = empty_gpu(gpu.name, "GPU by its data sheet");
  figures.of(DeviceTrait::units) = specified(gpu.multiprocessors, "multiprocessors");
  figures.of(DeviceTrait::lanes) = specified(gpu.lanes, "multiply-adds a multiprocessor starts in a cycle");
  figures.of(DeviceTrait::clock) = specified(gpu.boost_hz, "boost clock");
  figures.of(DeviceTrait::second_cache) = specified(static_cast<double>(gpu.l2_bytes), "shared by all");
  figures.of(DeviceTrait::bandwidth) = specified(gpu.memory_bytes_per_s);
  figures.of(DeviceTrait::arithmetic) = specified(gpu.peak_flop_per_s(), "2 x multiprocessors x lanes x boost clock");
  const std::string plain = plain_gpu_name(gpu.name);
  for (const GpuDataSheet& sheet : gpu_data_sheets()) {
    if (plain_gpu_name(sheet.name) == plain) {
      add_data_sheet(figures, sheet);
      break;
    }
  }
  if (!(figures.of(DeviceTrait::memory).value > 0)) figures.of(DeviceTrait::memory) = memory_of_versions(plain);
  if (figures.sources.empty()) figures.sources = "resources/modelled_gpus.json";
  return figures;
}

}  // namespace

std::string_view key_of(DeviceTrait trait) { return words_of(trait).key; }
std::string_view title_of(DeviceTrait trait) { return words_of(trait).title; }

std::string shown(DeviceTrait trait, double value) {
  if (trait == DeviceTrait::clock) return value == value ? fmt::format("{:.3g} GHz", value / 1e9) : "–";
  return format_quantity(value, words_of(trait).quantity);
}

DeviceFigures processor_figures(const Machine& machine, double clock_hz) {
  DeviceFigures figures;
  figures.name = machine.info.model.empty() ? "processor" : machine.info.model;
  figures.what = "this processor";
  figures.of(DeviceTrait::units) = specified(machine.info.cores, "cores, as the system states");
  figures.of(DeviceTrait::lanes) = specified(machine.info.vector_bits / 32.0, "of its widest vectors");
  figures.of(DeviceTrait::clock) =
      clock_hz > 0 ? specified(clock_hz, "as the system states") : unknown("the system states none");
  figures.of(DeviceTrait::first_cache) = size_of_level(machine, "L1");
  figures.of(DeviceTrait::second_cache) = size_of_level(machine, "L2");
  figures.of(DeviceTrait::last_cache) = size_of_level(machine, "L3");
  figures.of(DeviceTrait::memory) = specified(static_cast<double>(machine.info.memory_bytes), "as the system states");
  const char* const no_probe = "unknown until `tensortide probe` has measured it";
  for (const DeviceTrait trait : {DeviceTrait::bandwidth, DeviceTrait::latency, DeviceTrait::arithmetic})
    figures.of(trait) = unknown(no_probe);
  const auto best = [&](DeviceTrait trait, const Measured& measured, int threads) {
    if (!measured.known() || figures.of(trait).value > measured.median) return;
    figures.of(trait) = {measured.median, Origin::measured,
                         fmt::format("by {}", counted(static_cast<uint64_t>(threads), "thread"))};
  };
  for (const BandwidthRoof& roof : machine.bandwidth)
    if (roof.level == "DRAM" && roof.mix == AccessMix::read)
      best(DeviceTrait::bandwidth, roof.bytes_per_s, roof.threads);
  for (const ComputeRoof& roof : machine.compute)
    if (roof.dtype == engine::DType::float32) best(DeviceTrait::arithmetic, roof.flop_per_s, roof.threads);
  for (const MemoryLevel& level : machine.levels)
    if (level.name == "DRAM" && level.latency_ns.known())
      figures.of(DeviceTrait::latency) = {level.latency_ns.median, Origin::measured,
                                          "of a load that needs the one before"};
  return figures;
}

std::vector<std::string> specified_gpus() {
  std::vector<std::string> names;
  for (const ModelledGpu& gpu : modelled_gpus()) names.push_back(gpu.key);
  for (const GpuDataSheet& sheet : gpu_data_sheets()) names.push_back(sheet.name);
  return names;
}

engine::Result<DeviceFigures> specified_gpu(const std::string& name) {
  for (const ModelledGpu& gpu : modelled_gpus())
    if (gpu.key == name) return of_model(gpu);
  const std::string plain = plain_gpu_name(name);
  for (const GpuDataSheet& sheet : gpu_data_sheets()) {
    if (plain.empty() ||
        (plain_gpu_name(sheet.name) != plain && std::ranges::find(sheet.drivers, plain) == sheet.drivers.end()))
      continue;
    DeviceFigures figures = empty_gpu(sheet.name, "GPU by its data sheet");
    add_data_sheet(figures, sheet);
    return figures;
  }
  const std::vector<std::string> all = specified_gpus();
  return engine::usage_error(fmt::format("[--beside] there is no GPU and no capture \"{}\"{} There are: {}", name,
                                         engine::did_you_mean(name, all), fmt::join(all, ", ")));
}

DeviceFigures recorded_gpu(const GpuDevice& gpu, const std::string& trace) {
  DeviceFigures figures = empty_gpu(gpu.name.empty() ? "GPU" : gpu.name, "GPU recorded in " + trace);
  const auto stated = [&](DeviceTrait trait, int64_t value) {
    if (value > 0) figures.of(trait) = specified(static_cast<double>(value), "as the trace states");
  };
  stated(DeviceTrait::units, gpu.multiprocessors);
  stated(DeviceTrait::clock, gpu.clock_hz);
  stated(DeviceTrait::second_cache, gpu.l2_bytes);
  stated(DeviceTrait::memory, gpu.memory_bytes);
  stated(DeviceTrait::bandwidth, gpu.memory_bytes_per_s);
  const NamedGpu named{gpu.name, gpu.compute_major, gpu.compute_minor, gpu.multiprocessors, gpu.memory_bytes};
  if (const GpuDataSheet* sheet = find_data_sheet(named)) add_data_sheet(figures, *sheet);
  return figures;
}

Table beside_table(const std::vector<DeviceFigures>& devices) {
  Table table;
  table.name = "beside";
  table.columns = {{"figure", "Figure", Quantity::text, Origin::exact, "What is held beside each other"}};
  for (size_t d = 0; d < devices.size(); ++d) {
    const std::string key = fmt::format("device{}", d + 1);
    table.columns.push_back({key, devices[d].name, Quantity::text, Origin::exact, devices[d].what});
    table.columns.push_back({key + "_origin", "Origin", Quantity::text, Origin::exact, "How the figure is known"});
  }
  for (const TraitWords& words : kTraits) {
    std::vector<Cell> row{std::string(words.title)};
    for (const DeviceFigures& device : devices) {
      const DeviceFigure& figure = device.of(words.trait);
      const bool known = figure.value == figure.value;
      row.push_back(known ? Cell(shown(words.trait, figure.value)) : Cell());
      const std::string origin = known ? std::string(name(figure.origin)) : std::string("unknown");
      row.emplace_back(figure.note.empty() ? origin : fmt::format("{}: {}", origin, figure.note));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> beside_sentences(const std::vector<DeviceFigures>& devices) {
  std::vector<std::string> sentences;
  for (size_t d = 1; d < devices.size(); ++d) {
    const auto times = [&](DeviceTrait trait) { return devices[d].of(trait).value / devices[0].of(trait).value; };
    const double bytes = times(DeviceTrait::bandwidth), flops = times(DeviceTrait::arithmetic);
    if (bytes == bytes && flops == flops) {
      sentences.push_back(say("{} has {} the memory bandwidth and {} the arithmetic of {}.", devices[d].name,
                              format_quantity(bytes, Quantity::ratio), format_quantity(flops, Quantity::ratio),
                              devices[0].name));
    }
    if (!devices[d].sources.empty())
      sentences.push_back(say("Sources of {}: {}.", devices[d].name, devices[d].sources));
  }
  return sentences;
}

}  // namespace profiler
