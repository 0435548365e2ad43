// SPDX-License-Identifier: Apache-2.0
// PairedRuns: `tensortide run` in processes of their own, sides in turn, round after round. All repeats, trials and
// sweeps run through it.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/base/child_run.h"
#include "app/base/progress_line.h"
#include "engine/base/result.h"
#include "profiler/capture/capture.h"

namespace app {

/// Words of a recorded or planned `tensortide run` ("run", "mlp", ...) as a repeat runs it. Only collectors of the
/// timed steps stay; no probe; progress as JSON; the capture goes to `output`. What the words say of these is replaced.
std::vector<std::string> repeat_words(std::vector<std::string> words, const std::filesystem::path& output);
/// Removes an option with its value, in both spellings.
void remove_option(std::vector<std::string>& words, const std::string& flag);

struct PairedRuns {
  struct Side {
    std::vector<std::string> words;  ///< of `tensortide`; see repeat_words()
    std::function<std::filesystem::path(int round)> output;
    std::string refusal = {};  ///< how the message begins where a process is refused or killed: "the recorded command
                               ///< cannot be repeated here: "
  };
  std::filesystem::path program;  ///< tensortide itself
  std::vector<Side> sides = {};
  int least = 1, most = 1;  ///< rounds; beyond `least` until `enough`

  std::function<void(size_t side, int round)> starts = nullptr;
  /// Each line of progress of the process that runs.
  std::function<void(const ProgressLine&)> told = nullptr;
  /// The capture of a process that ended well. An error ends all.
  std::function<engine::Result<void>(size_t side, const std::shared_ptr<const profiler::Capture>&)> ended = nullptr;
  /// Of a process that was refused, killed, or left no capture (refused). Empty: that ends all, with side's refusal.
  std::function<engine::Result<void>(const ChildOutcome&)> failed = nullptr;
  /// Asked after each round from `least` on; empty: never.
  std::function<bool()> enough = nullptr;

  /// Each round visits each side once, forwards and backwards in turn, so that a slow drift of the machine favours
  /// none. `stop` ends it at once: the process that runs is killed, and what it left is removed unless a file was there
  /// before. Nothing is written through a link.
  engine::Result<void> run(const std::atomic<bool>& stop) const;
};

}  // namespace app
