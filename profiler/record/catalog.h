// SPDX-License-Identifier: Apache-2.0
// The collectors: every source of figures of a run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/record/collector.h"

namespace profiler {

extern const Collector kOpsCollector, kAllocCollector, kRoofsCollector, kPerfCollector, kEnergyCollector,
    kSimulateCollector, kCuptiCollector, kCountersCollector, kHitRatesCollector, kPmSamplingCollector, kValuesCollector;

// clang-format off
/// In the order in which they are shown and started.
inline constexpr const Collector* kCollectors[] = {
    &kOpsCollector,
    &kAllocCollector,
    &kRoofsCollector,
    &kPerfCollector,
    &kEnergyCollector,
    &kSimulateCollector,
    &kCuptiCollector,
    &kCountersCollector,
    &kHitRatesCollector,
    &kPmSamplingCollector,
    &kValuesCollector,
};
// clang-format on

/// All of them, one line each; `doctor`, --collect, sweeps and repeats are made from it.
std::span<const Collector* const> collectors();
/// Null: there is none of that name.
const Collector* find_collector(std::string_view name);

/// The names in "ops,simulate" of collectors that are started for a run on `device`; those that every run has are left
/// out. Refused: unknown names (usage), what the device has not (usage), what does not work here, with what helps.
engine::Result<CollectorNames> parse_collectors(std::string_view list, const std::string& device, const GpuChain&);
/// Whether a run on `device` may ask for all of them; else (usage) what is wrong.
engine::Result<void> check_device(const CollectorNames&, const std::string& device);
/// "ops,simulate,cupti": what --collect takes; empty: nothing is started.
std::string collector_list(const CollectorNames&);
/// The same of all that may be asked for; of sweeps: of what their points keep.
std::string collector_choices(bool of_sweeps);

/// What was started for a run.
using Collections = std::vector<std::unique_ptr<Collection>>;
/// Starts those of `when` among the ones that were asked for.
engine::Result<Collections> start_collectors(CollectContext&, When);
/// The capture with what further steps on its device say (When::after), then with what it says alone (When::apart).
engine::Result<std::shared_ptr<const Capture>> collect_afterwards(CollectContext&, std::shared_ptr<const Capture>);

}  // namespace profiler
