// SPDX-License-Identifier: Apache-2.0
// Sentences on a busy machine.
#include "profiler/analysis/findings_caveat.h"

#include <fmt/format.h>

namespace profiler {

std::string findings_caveat(const Capture& capture) {
  if (!capture.disturbed()) return {};
  return fmt::format("Other programs used {:.0f} % of the processor while this was recorded: gains are computed from disturbed times, and a trial on a busy machine "
                     "measures differences that are as uncertain. Better record again when it is quiet.",
                     100 * capture.honesty().foreign_load_ratio);
}

std::string trial_caveat(double foreign_load_ratio) {
  if (!(foreign_load_ratio > kBusyLoad)) return {};
  return fmt::format("Other programs used up to {:.0f} % of the processor meanwhile: the difference is uncertain.", 100 * foreign_load_ratio);
}

}  // namespace profiler
