// SPDX-License-Identifier: Apache-2.0
// Trying a finding: the captured command beside the same with its change, in pairs of fresh processes.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "app/base/progress_line.h"
#include "engine/base/result.h"
#include "profiler/advice/ledger.h"

namespace app {

inline constexpr int kFewestPairs = 3, kMostPairs = 100;

struct TrialOptions {
  std::filesystem::path capture;  ///< the finding is of it
  int finding = 0;                ///< 1-based, as listed; 0: the first a run can try
  std::string change;             ///< "batch=8": the user's own instead of a finding's; empty: none
  int pairs = 5;
  std::filesystem::path output;   ///< the capture of the last changed run is kept here; empty: nowhere
  std::filesystem::path program;  ///< tensortide itself
  std::filesystem::path ledger;   ///< remembered there; empty: nowhere
};

struct TrialProgress {
  std::string stage;     ///< "without the change", "with --batch 8"
  bool changed = false;  ///< the process that runs has the change
  double fraction = 0;
  int pair = 0, pairs = 0;
  double step_ns = 0;                   ///< of the process that just ended; NaN: none
  const ProgressLine* steps = nullptr;  ///< steps of the process that runs; null: a process starts
};

struct TrialResult {
  profiler::RunFinding finding;
  profiler::AdviceTrial trial;
  std::string no_roofs;    ///< why no probe would help a prediction that is unknown; empty: one would
  std::string weak_roofs;  ///< why the prediction's roofs are weak (profiler::roofs_weakness); empty: they are not
  /// The most that other programs were seen to use of the processor during one of its processes (measured); NaN: none
  /// of them knew.
  double foreign_load_ratio = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string>
      notes;  ///< what of the command is not as it was recorded: another model file's content, roofs that are not there
  bool stopped = false;  ///< by the user, after fewer pairs than asked; judged with what is there
};

/// Refused: an imported trace, a capture without a command, findings that no run can try. Also changes that this
/// program or machine cannot run, with the run's own message. Usage: no such finding, too few pairs.
engine::Result<TrialResult> try_finding(const TrialOptions&, const std::function<void(const TrialProgress&)>&,
                                        const std::atomic<bool>& stop);

/// The words after "tensortide" of a recorded command, as engine::shell_words splits them; fails where that does, and
/// for another program.
engine::Result<std::vector<std::string>> words_of_command(const std::string& command);
/// Those words with the change made: what they said of the same option is left out. Refused for what no run can do.
engine::Result<std::vector<std::string>> changed_words(std::vector<std::string> words, const profiler::RunChange&);

}  // namespace app
