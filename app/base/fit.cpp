// SPDX-License-Identifier: Apache-2.0
// Searching the largest batch.
#include "app/base/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "app/base/devices.h"
#include "engine/base/memory.h"
#include "engine/runtime/backend.h"
#include "profiler/base/unknown.h"

namespace app {
namespace {

using engine::Result;
using engine::usage_error;
using profiler::kUnknown;

constexpr int64_t kLargestBatch = int64_t{1} << 40;

/// What one batch needs.
struct Need {
  double bytes = kUnknown;
  std::shared_ptr<const profiler::Capture> planned;
  bool fits(double available) const { return bytes <= available; }
};

Result<Need> need_of(RunRequest request, int64_t batch) {
  request.settings["batch"] = std::to_string(batch);
  Result<PlannedRun> planned = plan(request, {});
  if (!planned) return planned.error();
  Need need{kUnknown, planned->capture};
  if (need.planned) {
    const profiler::RunInfo& run = need.planned->run();
    need.bytes = static_cast<double>(run.persistent_bytes) + static_cast<double>(run.arena_bytes);
  }
  return need;
}

}  // namespace

Result<double> parse_bytes(const char* flag, const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 9> kUnits{{{"", 1},
                                                                       {"B", 1},
                                                                       {"kB", 1e3},
                                                                       {"MB", 1e6},
                                                                       {"GB", 1e9},
                                                                       {"TB", 1e12},
                                                                       {"MiB", 1048576.0},
                                                                       {"GiB", 1073741824.0},
                                                                       {"TiB", 1099511627776.0}}};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  const auto known = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  if (error != std::errc() || known == kUnits.end() || !(value > 0) || !std::isfinite(value)) {
    return usage_error(fmt::format("[{}] \"{}\" is no size such as 16GB or 80GiB", flag, text));
  }
  return value * known->second;
}

Result<double> planned_bytes(const RunRequest& request, int64_t batch) {
  const Result<Need> need = need_of(request, batch);
  if (!need) return need.error();
  return need->bytes;
}

Result<Fit> largest_batch(const RunRequest& request, double memory_bytes) {
  Fit fit;
  fit.available_bytes = memory_bytes;
  if (memory_bytes == 0) {
    Result<std::unique_ptr<engine::Backend>> backend = make_device(request.device, request.device_options());
    if (!backend) return backend.error();
    const engine::HostMemory host = engine::host_memory();
    fit.available_bytes = static_cast<double>((*backend)->info().memory_available_bytes);
    if (fit.available_bytes == static_cast<double>(host.available_bytes) || (*backend)->info().traits().is_processor)
      fit.limit = host.limit;
    if (!(fit.available_bytes > 0)) {
      return engine::refused_error(
          fmt::format("[fit] the free memory of {} is unknown: give it, as in --memory 16GB", request.device));
    }
  }
  int64_t low = 0, high = 1;  // low fits, high not yet known
  for (;; high *= 2) {
    Result<Need> need = need_of(request, high);
    if (!need) {
      if (high == 1) return need.error();
      break;  // past the workload's own bound
    }
    if (high == 1) fit.planned = need->planned;
    if (!need->fits(fit.available_bytes)) {
      fit.refused = high;
      fit.refused_bytes = need->bytes;
      break;
    }
    low = high;
    fit.largest_bytes = need->bytes;
    fit.planned = need->planned;
    if (high >= kLargestBatch) break;
  }
  while (fit.refused > 0 && fit.refused - low > 1) {
    const int64_t middle = low + (fit.refused - low) / 2;
    Result<Need> need = need_of(request, middle);
    if (!need) return need.error();
    if (need->fits(fit.available_bytes)) {
      low = middle;
      fit.largest_bytes = need->bytes;
      fit.planned = need->planned;
    } else {
      fit.refused = middle;
      fit.refused_bytes = need->bytes;
    }
  }
  fit.largest = low;
  return fit;
}

}  // namespace app
