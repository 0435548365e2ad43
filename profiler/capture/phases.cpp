// SPDX-License-Identifier: Apache-2.0
// Which phases are known.
#include "profiler/capture/phases.h"

namespace profiler {

bool phase_known(const Capture& capture, Phase phase) {
  const std::string& source = capture.run().source;
  return phase != Phase::forward || source.empty() || source == kOwnChrome;
}

std::string_view phase_name(const Capture& capture, Phase phase) {
  return phase_known(capture, phase) ? engine::name(phase) : "unknown";
}

}  // namespace profiler
