// SPDX-License-Identifier: Apache-2.0
// What collectors share: the chain to a GPU, and captures with what was found.
#include "profiler/record/collector.h"

#include <fmt/format.h>

#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_file.h"

namespace profiler {

Availability check_chain(const GpuChain& chain, ChainNeeds needs) {
  if (!chain) return {false, "this program cannot use GPUs", "tensortide run WORKLOAD --device cpu"};
  std::string found;
  for (const ChainLink& link : chain()) {
    if ((link.for_counters_only && needs == ChainNeeds::trace) ||
        (link.for_samples_only && needs != ChainNeeds::samples))
      continue;
    if (!link.works) return {false, fmt::format("{}: {}", link.name, link.found), link.remedy};
    found += fmt::format("{}{}: {}", found.empty() ? "" : "; ", link.name, link.found);
  }
  return {true, found, ""};
}

engine::Result<void> takes_nvidia(const std::string& device) {
  if (engine::traits_of(device).vendor == engine::Vendor::nvidia) return {};
  return engine::usage_error(
      fmt::format("[--collect] counters, hit_rates and pm_sampling need an NVIDIA GPU; --device {} "
                  "uses none. Use --device cuda, "
                  "or leave them out",
                  device));
}

TrafficSource without_traffic(const engine::Error& why, Origin origin, std::string_view missing) {
  TrafficSource none;
  none.origin = origin;
  none.method = fmt::format("{}: {}.", missing, why.message);
  return none;
}

engine::Result<std::shared_ptr<const Capture>> with_found(const Capture& capture, engine::Result<TrafficSource> source,
                                                          Origin origin, std::string_view missing,
                                                          const RecordRequest& record) {
  if (!source) source = without_traffic(source.error(), origin, missing);
  if (record.output.empty()) return CaptureBuilder::with_traffic(capture, *std::move(source));
  return add_traffic(capture, *std::move(source), record.output);
}

}  // namespace profiler
