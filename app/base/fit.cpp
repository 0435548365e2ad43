// SPDX-License-Identifier: Apache-2.0
// Searching the largest batch.
#include "app/base/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "app/base/devices.h"
#include "engine/base/memory.h"
#include "engine/runtime/backend.h"
#include "engine/runtime/plan.h"
#include "profiler/base/unknown.h"

namespace app {
namespace {

using engine::Result;
using engine::usage_error;
using profiler::kUnknown;

constexpr int64_t kLargestBatch = int64_t{1} << 40;

/// What one batch needs.
struct Need {
  double bytes = kUnknown;  ///< workspace included; NaN: more than 63 bits count
  double workspace_bytes = 0;
  bool fits(double available) const { return bytes <= available; }
};

/// `available`: far beyond it no kernel is asked for its workspace, the plan alone does not fit.
Result<Need> need_of(RunRequest request, int64_t batch, const engine::Backend& backend, double available) {
  request.settings["batch"] = std::to_string(batch);
  const Result<RequestedGraph> requested = requested_graph(request);
  if (!requested) return requested.error();
  const Result<engine::MemoryPlan> memory = engine::plan_memory(*requested->graph);
  Need need;
  if (!memory) return need;
  need.bytes = memory->total_bytes;
  if (need.bytes > 2 * available) return need;
  const Result<int64_t> workspace = engine::workspace_of(*requested->graph, backend);
  if (!workspace) return workspace.error();
  need.workspace_bytes = static_cast<double>(*workspace);
  need.bytes += need.workspace_bytes;
  return need;
}

/// Of all matrices of weights: what kernels may copy into an order of their own.
double weight_bytes(const profiler::Capture& planned) {
  double bytes = 0;
  for (const profiler::TensorRecord& tensor : planned.tensors()) {
    const bool own = tensor.persistent && tensor.alias_of == profiler::kNoTensor;
    if (own && tensor.role == profiler::Role::weight && tensor.shape.size() >= 2)
      bytes += static_cast<double>(tensor.size_bytes);
  }
  return bytes;
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
  const Result<std::unique_ptr<engine::Backend>> backend = make_device(request.device, request.device_options());
  if (!backend) return backend.error();
  const Result<Need> need = need_of(request, batch, **backend, std::numeric_limits<double>::infinity());
  if (!need) return need.error();
  return need->bytes;
}

Result<Fit> largest_batch(const RunRequest& request, double memory_bytes) {
  Fit fit;
  fit.available_bytes = memory_bytes;
  const Result<std::unique_ptr<engine::Backend>> backend = make_device(request.device, request.device_options());
  if (!backend) return backend.error();
  const engine::DeviceInfo& device = (*backend)->info();
  if (memory_bytes == 0) {
    const engine::HostMemory host = engine::host_memory();
    fit.available_bytes = static_cast<double>(device.memory_available_bytes);
    if (fit.available_bytes == static_cast<double>(host.available_bytes) || device.traits().is_processor)
      fit.limit = host.limit;
    if (!(fit.available_bytes > 0)) {
      return engine::refused_error(
          fmt::format("[fit] the free memory of {} is unknown: give it, as in --memory 16GB", request.device));
    }
  }
  const auto take = [&](int64_t batch, const Need& need) {
    const bool fits = need.fits(fit.available_bytes);
    if (fits) fit.largest = batch, fit.largest_bytes = need.bytes, fit.workspace_bytes = need.workspace_bytes;
    else fit.refused = batch, fit.refused_bytes = need.bytes;
    return fits;
  };
  for (int64_t batch = 1; batch <= kLargestBatch; batch *= 2) {
    const Result<Need> need = need_of(request, batch, **backend, fit.available_bytes);
    if (!need && batch == 1) return need.error();
    if (!need || !take(batch, *need)) break;  // past the workload's own bound, or too large
  }
  while (fit.refused > 0 && fit.refused - fit.largest > 1) {
    const int64_t middle = fit.largest + (fit.refused - fit.largest) / 2;
    const Result<Need> need = need_of(request, middle, **backend, fit.available_bytes);
    if (!need) return need.error();
    take(middle, *need);
  }
  RunRequest found = request;
  found.settings["batch"] = std::to_string(std::max<int64_t>(1, fit.largest));
  const Result<PlannedRun> planned = plan(found, {});
  if (!planned) return planned.error();
  fit.planned = planned->capture;
  if (fit.largest > 0 && fit.planned && device.traits().is_processor)
    fit.copies_most_bytes = weight_bytes(*fit.planned);
  return fit;
}

}  // namespace app
