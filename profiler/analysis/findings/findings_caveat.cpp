// SPDX-License-Identifier: Apache-2.0
// The sentence on noisy times.
#include "profiler/analysis/findings/findings_caveat.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "profiler/base/say.h"
#include "profiler/base/table.h"
#include "profiler/capture/noise.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {

std::string findings_caveat(const Capture& capture) {
  if (capture.device().emulated)
    return say(
        "The GPU was emulated. Its times are not those of a GPU, so no "
        "rule was applied.");
  const Spread steps = spread(timed_steps_ns(capture));
  const std::string load = background_load_words(capture.honesty().foreign_load_ratio), waited = queued_words(capture);
  const bool scattered = noisy(steps);
  if (!scattered && waited.empty()) return {};
  std::vector<std::string> sentences;
  if (scattered) {
    sentences.push_back(say("The step times are noisy (median between {} and {}), and so are the gains.",
                            format_quantity(steps.low, Quantity::duration_ns),
                            format_quantity(steps.high, Quantity::duration_ns)));
  }
  if (!waited.empty()) sentences.push_back(waited);
  if (!scattered) sentences.emplace_back(say("Gains are computed from these times."));
  sentences.emplace_back(say("Record again on a quiet machine."));
  if (!load.empty()) sentences.push_back(load);
  return fmt::format("{}", fmt::join(sentences, " "));
}

}  // namespace profiler
