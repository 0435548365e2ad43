// SPDX-License-Identifier: Apache-2.0
// The collector "pm_sampling": device memory, PCIe and NVLink of an NVIDIA GPU over time, while steps run.
#include "profiler/record/catalog.h"

namespace profiler {
namespace {

using engine::Result;

Availability check_pm_sampling(const GpuChain& chain) { return check_chain(chain, ChainNeeds::samples); }

/// The recorder starts the samples with the first step, when the device is made.
Result<std::unique_ptr<Collection>> start_pm_sampling(CollectContext& context) {
  context.record.start_samples = [&context] {
    return context.gpu.start_samples(context.record.backend->info().device);
  };
  return std::unique_ptr<Collection>(std::make_unique<Collection>());
}

}  // namespace

const Collector kPmSamplingCollector{.name = "pm_sampling",
                                     .title = "GPU samples: device memory, PCIe, NVLink over time",
                                     .when = When::during,
                                     .check = check_pm_sampling,
                                     .start = start_pm_sampling,
                                     .takes = takes_nvidia,
                                     .changes_times = true};

}  // namespace profiler
