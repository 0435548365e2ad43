// SPDX-License-Identifier: Apache-2.0
// One `tensortide run` in a process of its own, or any other program. No point of a sweep inherits memory or threads of
// another.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "app/base/progress_line.h"
#include "engine/base/result.h"

namespace app {

/// How a child ended.
struct ChildOutcome {
  enum class End { done, refused, killed, stopped };
  End end = End::done;
  std::string message;  ///< refused: what it said; killed: by which signal
  int signal = 0;       ///< killed
  int exit_code = 0;    ///< refused
  /// Most resident memory; NaN: unknown.
  double peak_resident_bytes = std::numeric_limits<double>::quiet_NaN();
  /// Most data (VmData of /proc/PID/status) at any of its lines of progress; NaN: not watched, or unknown.
  double peak_data_bytes = std::numeric_limits<double>::quiet_NaN();
  std::string note = {};  ///< what it reports about its result; empty: nothing
};

/// What a child may use, and what is watched of it.
struct ChildMemory {
  double data_bytes = 0;    ///< RLIMIT_DATA; 0: as this process has it
  bool watch_data = false;  ///< sets ChildOutcome::peak_data_bytes
};

/// Runs `program` with `words` and waits; understands the lines of `--progress json`. `stop` ends the child at once
/// (stopped). `told`: each of its lines of progress; may be empty. `printed`: the file that its standard output makes;
/// empty: nobody reads it. Refused when the program cannot be started.
engine::Result<ChildOutcome> run_child(const std::filesystem::path& program, const std::vector<std::string>& words,
                                       const std::atomic<bool>& stop,
                                       const std::function<void(const ProgressLine&)>& told = nullptr,
                                       const ChildMemory& memory = {}, const std::filesystem::path& printed = {});

/// Runs `program` with `words` on this program's own input and output, and waits; its exit code (128 + signal when one
/// ended it). Refused when it cannot be started.
engine::Result<int> run_program(const std::filesystem::path& program, const std::vector<std::string>& words);

/// Words of a `tensortide run` for repeats, of which only times are used. --collect loses collectors that run after the
/// timed steps (simulate, perf, counters, hit_rates). It also loses pm_sampling, which changes those steps. A repeat
/// with cupti leaves the cost of that to the run it repeats.
std::vector<std::string> timed_alone(std::vector<std::string> words);

/// The program that runs now.
engine::Result<std::filesystem::path> own_program();

}  // namespace app
