// SPDX-License-Identifier: Apache-2.0
// The sources of figures that a run on a device may have.
#include "app/base/collector_choices.h"

#include <optional>

#include "app/base/gpu_chain.h"
#include "profiler/record/catalog.h"

namespace app {

std::vector<CollectorChoice> collector_choices_on(const std::string& device) {
  std::optional<std::vector<profiler::ChainLink>> walked;
  const profiler::GpuChain chain = [&] {  // once for all that ask
    if (!walked) walked = gpu_chain_of(device);
    return *walked;
  };
  std::vector<CollectorChoice> choices;
  for (const profiler::Collector* collector : profiler::collectors()) {
    const profiler::Availability here = collector->check(chain);
    choices.push_back({.name = std::string(collector->name),
                       .title = std::string(collector->title),
                       .always = collector->start == nullptr,
                       .available = here.available,
                       .taken = collector->takes == nullptr || collector->takes(device),
                       .why = here.why,
                       .remedy = here.remedy});
  }
  return choices;
}

std::string collect_argument(const std::vector<std::string>& names) {
  return profiler::collector_list({names.begin(), names.end()});
}

}  // namespace app
