// SPDX-License-Identifier: Apache-2.0
// Roofs of a machine that there is not, for runs that are to measure none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include "profiler/machine/machine.h"

namespace test {

inline profiler::Measured known(double value) { return {value, value, value, 5}; }

/// A machine whose DRAM gives a petabyte per second, which no machine does.
inline profiler::Machine made_up() {
  constexpr int64_t kMiB = int64_t{1} << 20;
  profiler::Machine machine;
  machine.probed_at = "2026-11-22T05:00:00+0000";
  machine.timer_ns = 20;
  machine.compute = {{engine::DType::float32, 1, known(100e9), "made up"}};
  for (const auto& [name, size, rate] : {std::tuple{"L1", kMiB / 32, 200e9},
                                         {"L2", kMiB, 100e9},
                                         {"L3", 16 * kMiB, 50e9},
                                         {"DRAM", 4096 * kMiB, 1e15}}) {
    machine.levels.push_back({.name = name,
                              .specified_size_bytes = size,
                              .effective_size_bytes = size,
                              .latency_ns = known(10),
                              .note = {}});
    for (const profiler::AccessMix mix :
         {profiler::AccessMix::read, profiler::AccessMix::write, profiler::AccessMix::copy, profiler::AccessMix::triad})
      machine.bandwidth.push_back({name, mix, 1, known(rate), 64 * kMiB});
  }
  for (const auto& [name, size, ways] : {std::tuple{"L1d", kMiB / 32, 8}, {"L2", kMiB, 16}, {"L3", 16 * kMiB, 16}})
    machine.info.caches.push_back(
        {.name = name, .size_bytes = size, .line_bytes = 64, .ways = ways, .shared_by_cores = 1});
  return machine;
}

inline std::string roofs_file(const std::filesystem::path& folder) {
  const auto file = folder / "roofs.json";
  std::ofstream(file) << profiler::machine_to_json(made_up());
  return file.string();
}

}  // namespace test
