// SPDX-License-Identifier: Apache-2.0
// The collectors "counters" and "hit_rates": what an NVIDIA GPU's counters say of each op, in steps of their own.
#include <fmt/format.h>

#include "profiler/record/catalog.h"
#include "profiler/record/gpu_counter_run.h"

namespace profiler {
namespace {

using engine::Result;

Availability check_gpu_counters(const GpuChain& chain) { return check_chain(chain, ChainNeeds::counters); }

/// Bytes per level and, where wanted, hit rates: one source.
class GpuCounting final : public Collection {
 public:
  GpuCounting(CollectContext& context, bool hit_rates) : context_(context), hit_rates_(hit_rates) {}

  Result<std::shared_ptr<const Capture>> finish(std::shared_ptr<const Capture> capture) override {
    Result<TrafficSource> source = counted(*capture, CounterSet::traffic, "counting bytes on the GPU");
    if (source && hit_rates_) {
      const Result<TrafficSource> rates = counted(*capture, CounterSet::hit_rates, "counting hit rates on the GPU");
      if (rates) source = joined(*std::move(source), *rates);
      else source->method += fmt::format(" Hit rates were not counted: {}.", rates.error().message);
    }
    return with_found(*capture, std::move(source), Origin::measured, "Not counted", context_.record);
  }

 private:
  Result<TrafficSource> counted(const Capture& capture, CounterSet set, const char* stage) const {
    if (!capture.run().complete) return engine::refused_error("the run was cancelled before it");
    const RecordRequest& record = context_.record;
    CounterRunRequest run;
    run.graph = record.graph;
    run.backend = record.backend;
    run.start = [&, set](size_t most_ops) {
      return context_.gpu.start_counters(record.backend->info().device, set, most_ops);
    };
    run.health = record.health;
    run.seed = record.seed;
    run.stop = &context_.stop;
    run.progress = [this, stage](double fraction) { context_.tell({.stage = stage, .fraction = fraction}); };
    return count_step(capture, run);
  }

  CollectContext& context_;
  bool hit_rates_;
};

/// Those who want hit rates too get the bytes from there.
Result<std::unique_ptr<Collection>> start_counters(CollectContext& context) {
  if (context.asked.contains("hit_rates")) return std::unique_ptr<Collection>();
  return std::unique_ptr<Collection>(std::make_unique<GpuCounting>(context, false));
}

Result<std::unique_ptr<Collection>> start_hit_rates(CollectContext& context) {
  return std::unique_ptr<Collection>(std::make_unique<GpuCounting>(context, true));
}

}  // namespace

const Collector kCountersCollector{.name = "counters",
                                   .title = "GPU counters: measured bytes per level",
                                   .when = When::after,
                                   .check = check_gpu_counters,
                                   .start = start_counters,
                                   .takes = takes_nvidia};
const Collector kHitRatesCollector{.name = "hit_rates",
                                   .title = "GPU counters: hit rates of L2 and L1",
                                   .when = When::after,
                                   .check = check_gpu_counters,
                                   .start = start_hit_rates,
                                   .takes = takes_nvidia};

}  // namespace profiler
