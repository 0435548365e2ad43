// SPDX-License-Identifier: Apache-2.0
// Repeats a recorded run in fresh processes, until it is clear whether it takes longer than it did.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "profiler/base/change.h"
#include "profiler/capture/capture.h"
#include "profiler/report/record.h"

namespace app {

struct RerunOptions {
  profiler::ReportRecord record;   ///< what was recorded: its timed steps
  std::vector<std::string> words;  ///< of `tensortide`, without output: "run" "gemm" "--set" "m=64"
  std::filesystem::path program;   ///< tensortide itself
  int least = 3, most = 10;        ///< fresh processes
};

struct RerunProcess {
  double time_ns = 0;  ///< profiler::process_time_ns of its steps
  int steps = 0;
  double background_load_ratio =
      std::numeric_limits<double>::quiet_NaN();  ///< share of the processors that other programs used; NaN: unknown
};

struct RerunResult {
  double recorded_ns = 0;  ///< the same figure of the recorded process
  std::vector<RerunProcess> processes;
  profiler::Change change;  ///< recorded -> now
  std::string machine;      ///< where it ran now
  bool stopped = false;     ///< by the user, before it was clear

  /// What the change's ratio says of now: the geometric mean of the processes that count (change.after). Change::ratio
  /// times the one recorded figure, so that times and ratio printed together fit each other.
  double now_ns() const { return recorded_ns * change.ratio; }
};

/// The file's record: of a report (.html) or of a capture (.tide). Refused: what cannot be repeated, such as a sweep,
/// an imported trace, a PDF, a capture without its command or a timed step.
engine::Result<profiler::ReportRecord> rerun_record(const std::filesystem::path& file);

/// `progress` receives each process that ended. Refused: the command's own refusal, a process that was killed.
engine::Result<RerunResult> rerun(const RerunOptions&, const std::function<void(const RerunResult&)>& progress,
                                  const std::atomic<bool>& stop);

/// Why a captured run cannot be repeated here with one collector more ("simulate", "perf"), as a sentence.
/// Empty: it can, as far as is known without starting it.
std::string cannot_collect(const profiler::RunInfo&, const std::string& collector);

/// Words of a recorded `tensortide run`, without output, with one collector more.
std::vector<std::string> with_collector(std::vector<std::string> words, const std::string& collector);

}  // namespace app
