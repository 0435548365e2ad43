// SPDX-License-Identifier: Apache-2.0
// What a traced GPU run's steps take without the trace: CUPTI cannot be switched off and on within a process, so
// another one tells.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace app {

/// Repeats a `tensortide run` as its command says, but without --collect, in a process of its own and with 20 timed
/// steps at most. Their profiler::timed_steps_ns(). Refused: this program is not `tensortide`, the command's own
/// refusal, stopped.
engine::Result<std::vector<double>> untraced_run(const std::string& command, const std::atomic<bool>& stop);

/// The words of that process, without what its capture is called.
std::vector<std::string> untraced_words(std::vector<std::string> words);

}  // namespace app
