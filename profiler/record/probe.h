// SPDX-License-Identifier: Apache-2.0
// Probe: measures this machine's roofs (arithmetic per dtype; bandwidth and latency per level), in
// under 20 s, and remembers them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "profiler/model/machine.h"

namespace profiler {

struct ProbeOptions {
  int threads =
      0;  ///< largest thread count measured (1 is always measured too); 0: all physical cores
  double budget_s = 15;  ///< shortens repeats to stay below
  /// An earlier probe of this machine whose levels, latencies and matrix products still hold: only arithmetic and bandwidth, which
  /// clocks and neighbours change, are measured again, in about a third of the time.
  const Machine* levels_of = nullptr;
  std::function<void(double fraction, const std::string& what)> progress = {};
  std::function<bool()> cancelled = {};
};

/// Measures. Refused when cancelled.
engine::Result<Machine> probe_machine(const ProbeOptions& = {});
/// The remembered probe of this machine ($XDG_CACHE_HOME or ~/.cache, tensortide/probe-<host
/// id>.json); nothing when there is none, when it is unreadable, or when CPU model, core count or
/// product schema changed.
std::optional<Machine> cached_probe();
/// Seconds since the remembered probe was saved; nothing when none is.
std::optional<double> cached_probe_age_s();
engine::Result<void> save_probe(const Machine&);
std::filesystem::path probe_cache_path();

}  // namespace profiler
