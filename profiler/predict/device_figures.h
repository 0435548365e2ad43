// SPDX-License-Identifier: Apache-2.0
// Figures of a device that can be held beside another's: units, lanes, clock, caches, memory, arithmetic; each with its
// origin.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/gpu_records.h"
#include "profiler/machine/machine.h"

namespace profiler {

enum class DeviceTrait : uint8_t {
  units,         ///< cores, multiprocessors
  lanes,         ///< f32 lanes of one unit: of its vectors, or multiply-adds it starts in a cycle
  clock,         ///< [Hz]
  first_cache,   ///< [B] of one unit
  second_cache,  ///< [B] of a core; of a GPU all of it
  last_cache,    ///< [B] all of it
  memory,        ///< [B]
  bandwidth,     ///< [B/s] of the memory
  latency,       ///< [ns] of a load from the memory
  arithmetic     ///< [FLOP/s] of f32
};
inline constexpr size_t kDeviceTraits = 10;

struct DeviceFigure {
  double value = kUnknown;
  Origin origin = Origin::specified;
  std::string note;  ///< how it was found, or why it is unknown
};

struct DeviceFigures {
  std::string name;  ///< "AMD EPYC 9R14", "Tesla V100 SXM2"
  std::string what;  ///< "this processor", "GPU by its data sheet", "GPU recorded in g.tide"
  bool gpu = false;
  std::array<DeviceFigure, kDeviceTraits> figures{};
  std::string sources;  ///< of specified figures; may be empty
  const DeviceFigure& of(DeviceTrait trait) const { return figures[static_cast<size_t>(trait)]; }
  DeviceFigure& of(DeviceTrait trait) { return figures[static_cast<size_t>(trait)]; }
};

/// "units": its JSON key with unit ("units_count", "memory_bytes_per_s"), and its title.
std::string_view key_of(DeviceTrait);
std::string_view title_of(DeviceTrait);
/// "2.6 GHz", "32 KiB", en dash for unknown.
std::string shown(DeviceTrait, double value);

/// `clock_hz`: what the system states, NaN: unknown.
DeviceFigures processor_figures(const Machine&, double clock_hz);
/// Of a modelled GPU's key or a data sheet's name. Fails (usage) naming the nearest.
engine::Result<DeviceFigures> specified_gpu(const std::string& name);
/// All names that specified_gpu() knows: keys of modelled GPUs, then data sheets.
std::vector<std::string> specified_gpus();
/// Of a GPU that a trace describes, with its data sheet where there is one. `trace`: how the file is called.
DeviceFigures recorded_gpu(const GpuDevice&, const std::string& trace);

/// Figures as rows, two columns per device: value and origin.
Table beside_table(const std::vector<DeviceFigures>&);
/// How many times the second device has of what the first has, and what is unknown.
std::vector<std::string> beside_sentences(const std::vector<DeviceFigures>&);

}  // namespace profiler
