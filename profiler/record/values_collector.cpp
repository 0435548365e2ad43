// SPDX-License-Identifier: Apache-2.0
// The collector "values": what was in each tensor of one further step.
#include <fmt/format.h>

#include "engine/tensor/device.h"
#include "profiler/record/catalog.h"

namespace profiler {
namespace {

using engine::Result;

Availability check_values(const GpuChain&) {
  return {true, "every tensor is read in one further step; up to 64 MiB of values are kept", ""};
}

Result<void> takes_values(const std::string& device) {
  if (engine::traits_of(device).computes) return {};
  return engine::usage_error(
      fmt::format("[--collect] values: --device {} computes nothing, so there are no values; use --device cpu, or "
                  "leave values out",
                  device));
}

/// The recorder runs the further step, behind all others.
Result<std::unique_ptr<Collection>> start_values(CollectContext& context) {
  context.record.keep_values = true;
  return std::unique_ptr<Collection>(std::make_unique<Collection>());
}

}  // namespace

const Collector kValuesCollector{.name = "values",
                                 .title = "Values: range, NaN and histogram of every tensor",
                                 .when = When::during,
                                 .check = check_values,
                                 .start = start_values,
                                 .takes = takes_values};

}  // namespace profiler
