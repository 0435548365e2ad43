// SPDX-License-Identifier: Apache-2.0
// The collector "perf": the processor's hardware counters around each op, in steps of their own.
#include <fmt/format.h>

#include "engine/runtime/plan.h"
#include "engine/tensor/device.h"
#include "profiler/record/catalog.h"
#include "profiler/record/counter_run.h"
#include "profiler/record/perf_counters.h"

namespace profiler {
namespace {

using engine::Result;

/// Opens the counters and holds them against a stream of known bytes: some virtual machines open them and never count,
/// or count wrongly.
Availability check_perf(const GpuChain&) {
  PerfRefusal refused;
  auto counters = PerfCounters::open(cache_events(), PerfSystem::kernel(), &refused);
  if (!counters || !check_on_stream(*counters, &refused)) return {false, refused.why, refused.remedy};
  return {true, "hardware counters count a stream of known bytes rightly; read around each op in steps of their own",
          ""};
}

Result<void> takes_perf(const std::string& device) {
  if (!engine::traits_of(device).is_gpu) return {};
  return engine::usage_error(
      fmt::format("[--collect perf] counts on the processor, but --device {} does the work: leave "
                  "it out, or use "
                  "--collect counters",
                  device));
}

class PerfCounting final : public Collection {
 public:
  explicit PerfCounting(CollectContext& context) : context_(context) {}

  Result<std::shared_ptr<const Capture>> finish(std::shared_ptr<const Capture> capture) override {
    context_.tell({.stage = "counting around each op"});
    return with_found(*capture, counted(*capture), Origin::measured, "Not measured", context_.record);
  }

 private:
  Result<TrafficSource> counted(const Capture& capture) const {
    if (!capture.run().complete) return engine::refused_error("the run was cancelled before it");
    if (context_.eager) return engine::refused_error("with --graph eager ops are not known ahead");
    auto plan = engine::Plan::make(context_.record.graph, *context_.record.backend, {.seed = context_.record.seed});
    if (!plan) return plan.error();
    return run_counters(capture, **plan, capture.run().threads, PerfSystem::kernel(), context_.stop);
  }

  CollectContext& context_;
};

Result<std::unique_ptr<Collection>> start_perf(CollectContext& context) {
  return std::unique_ptr<Collection>(std::make_unique<PerfCounting>(context));
}

}  // namespace

const Collector kPerfCollector{.name = "perf",
                               .title = "CPU counters: measured bytes per cache level",
                               .when = When::after,
                               .check = check_perf,
                               .start = start_perf,
                               .takes = takes_perf,
                               .missing = "No measured bytes per memory level"};

}  // namespace profiler
