// SPDX-License-Identifier: Apache-2.0
// The sentence on noisy times.
#include "profiler/analysis/findings/findings_caveat.h"

#include <fmt/format.h>

#include "profiler/base/table.h"
#include "profiler/capture/noise.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {

std::string findings_caveat(const Capture& capture) {
  if (capture.device().emulated)
    return "The GPU was emulated. Its times are not those of a GPU, so no "
           "rule was applied.";
  const Spread steps = spread(timed_steps_ns(capture));
  const std::string load = background_load_words(capture.honesty().foreign_load_ratio), waited = queued_words(capture);
  if (!noisy(steps))
    return waited.empty() ? waited
                          : fmt::format("{} Gains are computed from these times. Record again on a quiet machine. {}",
                                        waited, load);
  return fmt::format(
      "The step times are noisy (median between {} and {}), and so are the gains. Record again on a quiet machine.{}{}",
      format_quantity(steps.low, Quantity::duration_ns), format_quantity(steps.high, Quantity::duration_ns),
      load.empty() ? "" : " ", load);
}

}  // namespace profiler
