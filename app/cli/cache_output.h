// SPDX-License-Identifier: Apache-2.0
// What `tensortide cache` prints: levels, tensors, sets and curves of a simulation, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiler/memory/access_trace.h"
#include "profiler/memory/cache_simulator.h"
#include "profiler/memory/miss_curve.h"

namespace app::cli {

/// Whom accesses are charged to.
struct CacheTensor {
  std::string name, role;
  int64_t size_bytes = 0;
};

/// One simulation with all that is said about it.
struct CacheRun {
  std::string what;         ///< "mm.din: 1,000 loads, 20 stores"
  std::string description;  ///< where the accesses come from, and how far to trust them
  profiler::CacheConfig config;
  std::string config_origin;  ///< "given", or where this machine's caches are known from
  std::vector<profiler::CacheEpoch> epochs;
  std::vector<profiler::CacheEpoch> ops = {};  ///< the steady step op by op, named after them; empty: not told apart
  std::vector<CacheTensor> tensors;
  bool classified = false;
  std::optional<profiler::MissCurve> curve = {};  ///< where it was asked for
  double seconds = 0;
  std::optional<profiler::TraceSummary> trace = {};  ///< where a trace was simulated
};

nlohmann::json cache_json(const CacheRun&);
std::string cache_text(const CacheRun&);

}  // namespace app::cli
