// SPDX-License-Identifier: Apache-2.0
// The collector "simulate": the step of the finished capture, sent through the caches of its machine.
#include "profiler/record/simulate_collector.h"

#include <algorithm>
#include <thread>

#include "profiler/memory/step_simulation.h"
#include "profiler/record/catalog.h"

namespace profiler {
namespace {

using engine::Result;

constexpr std::string_view kMissing = "Not simulated";

Availability check_simulate(const GpuChain&) {
  return {true,
          "after the timed run, on the caches that the system reports; sizes corrected where the "
          "probe saw less than "
          "half; policies beyond L1 assumed",
          ""};
}

Result<void> takes_simulate(const std::string& device) {
  if (engine::traits_of(device).computes) return {};
  return engine::usage_error(
      "[--collect] simulate: --device null computes nothing, so nothing moves through caches; use --device cpu, or "
      "leave simulate out");
}

class Simulating final : public Collection {
 public:
  explicit Simulating(CollectContext& context) : context_(context) {}

  Result<std::shared_ptr<const Capture>> finish(std::shared_ptr<const Capture> capture) override {
    const auto told = [this](double fraction) {
      context_.tell({.stage = "simulating the caches", .fraction = fraction});
    };
    return with_found(*capture, simulate_capture(capture, context_.simulate_seconds, told, context_.stop),
                      Origin::simulated, kMissing, context_.record);
  }

 private:
  CollectContext& context_;
};

Result<std::unique_ptr<Collection>> start_simulate(CollectContext& context) {
  return std::unique_ptr<Collection>(std::make_unique<Simulating>(context));
}

}  // namespace

Result<TrafficSource> simulate_capture(const std::shared_ptr<const Capture>& capture, double seconds,
                                       const std::function<void(double)>& progress, const std::atomic<bool>& stop) {
  if (!capture->run().complete) return engine::refused_error("the run was cancelled before it");
  Result<CacheConfig> caches = cache_config_of(capture->machine());
  if (!caches) return caches.error();
  StepSimulationRequest simulation;
  simulation.config = *std::move(caches);
  simulation.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  simulation.seconds = seconds;
  simulation.stop = &stop;
  simulation.progress = progress;
  return simulate_step(capture, simulation);
}

TrafficSource not_simulated(const engine::Error& why) { return without_traffic(why, Origin::simulated, kMissing); }

const Collector kSimulateCollector{.name = "simulate",
                                   .title = "Cache simulation: simulated bytes per level",
                                   .when = When::apart,
                                   .check = check_simulate,
                                   .start = start_simulate,
                                   .takes = takes_simulate,
                                   .in_sweeps = true};

}  // namespace profiler
