// SPDX-License-Identifier: Apache-2.0
// Power: what the processor packages spent, and how often they slowed down for heat or power, where the system counts
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace profiler {

/// Counters at one instant.
struct PowerReading {
  std::vector<int64_t>
      energy_uj;           ///< microjoules, one per package, since some instant; wraps around; empty: not readable
  int64_t throttles = -1;  ///< events of all processors since the system started; -1: no counter
};

/// The system's counters: energy from the power capping interface (Linux, Documentation/power/powercap: zones
/// intel-rapl:N, which AMD processors have too), throttling from cpuN/thermal_throttle (x86; Intel alone counts it).
class PowerCounters {
 public:
  /// `sys`: where sysfs is mounted.
  explicit PowerCounters(const std::filesystem::path& sys = "/sys");

  bool has_energy() const { return why_no_energy_.empty(); }
  /// One sentence, without a stop; empty when there is energy.
  const std::string& why_no_energy() const { return why_no_energy_; }
  /// What a user can do about it; empty: nothing.
  const std::string& remedy() const { return remedy_; }
  int packages() const { return static_cast<int>(zones_.size()); }

  PowerReading read() const;
  /// Joules of all packages between two readings, at most one wrap of each counter apart; NaN: not counted.
  double energy_j(const PowerReading& before, const PowerReading& after) const;

 private:
  struct Zone {
    std::filesystem::path counter;
    int64_t range_uj = 0;  ///< the counter goes from 0 to this
  };
  std::vector<Zone> zones_;
  std::vector<std::filesystem::path> throttles_;
  std::string why_no_energy_, remedy_;
};

/// Events between two readings; NaN: not counted.
double throttle_events(const PowerReading& before, const PowerReading& after);

}  // namespace profiler
