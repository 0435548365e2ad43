// SPDX-License-Identifier: Apache-2.0
// Phases as a capture knows them: traces of other tools name backward and update ops alone, so the phase of all others
// is unknown there.
#pragma once

#include <string_view>

#include "profiler/capture/capture.h"

namespace profiler {

/// RunInfo::source of a run of our own that was exported as Chrome JSON and read again. Of an imported trace its first
/// source stands in front.
inline constexpr std::string_view kOwnChrome = "Chrome JSON of Tensortide";

/// Whether a capture says of ops of this phase that they are of it. Runs of our own, and exports of such runs, say it
/// of all.
bool phase_known(const Capture&, Phase);
/// "forward", "backward", "update"; "unknown" where the capture does not say.
std::string_view phase_name(const Capture&, Phase);

}  // namespace profiler
