// SPDX-License-Identifier: Apache-2.0
// Runs captures' commands again, in turn, each in a process of its own: the repeats a comparison is judged by.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/base/change.h"

namespace app {

struct RepeatOptions {
  std::vector<std::filesystem::path> captures;  ///< at least two; the first is what the others are compared with
  int least = 10,
      most = 10;  ///< processes per capture; beyond `least` until the intervals are narrow, see repeat_runs()
  std::filesystem::path program;  ///< tensortide itself
  profiler::ChangeTest test;
  std::function<void(const std::string&)> note = nullptr;  ///< receives the differences from the recorded command
};

struct RepeatProgress {
  int round = 0, rounds = 0;  ///< rounds: at most
  std::string capture;
};

/// Replaces what repeats_folder() of every capture holds. Rounds visit each capture once, forwards and backwards in
/// turn; a slow drift of the machine then affects all alike. Between `least` and `most` it ends once the 95 % interval
/// of every total is within +-0.4 x the margin of SAME. The ratio itself is not looked at. Refused: a capture of
/// another tool, a command that no longer runs. `stop` ends it with what there is.
engine::Result<void> repeat_runs(const RepeatOptions&, const std::function<void(const RepeatProgress&)>& progress,
                                 const std::atomic<bool>& stop);

}  // namespace app
