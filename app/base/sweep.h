// SPDX-License-Identifier: Apache-2.0
// Runs a sweep: checks and predicts every point, then measures them in turn, each sample in a fresh process.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>

#include "app/base/progress_line.h"
#include "app/base/workbench.h"
#include "profiler/sweep/sweep.h"

namespace app {

struct SweepOptions {
  profiler::SweepRequest request;
  RunRequest base;                ///< what request.fixed says, parsed
  std::filesystem::path output;   ///< the sweep's .tide; captures of its points go beside it
  std::filesystem::path program;  ///< tensortide itself
  double seconds = 0;             ///< stop starting new processes after this long; 0: no limit
  bool restart = false;           ///< start again even where `output` holds an unfinished sweep of the same request
};

struct SweepProgress {
  std::string stage;    ///< "predicting", "measuring", "simulating"
  std::string label;    ///< the point: "batch=4"
  double fraction = 0;  ///< 0..1 estimate
  size_t point = 0;
  int sample = 0;                       ///< how many the point has
  double step_ns = 0;                   ///< of the sample that just ended; NaN: none
  double part = 0;                      ///< of this point's simulation
  const ProgressLine* steps = nullptr;  ///< steps of the process that runs; null: the rest is news
};

struct SweepResult {
  profiler::Sweep sweep;
  bool replaced = false;  ///< took the place of an earlier, complete sweep
  bool resumed = false;   ///< went on with samples that were there
  bool stopped = false;   ///< by the user or the time limit
  std::filesystem::path
      file;  ///< where it lies: the output, or a draft beside an older sweep that stays, as this one has no sample yet
};

/// `base` with the settings of one axis value: a RunSetting, preset, workload ("mlp", "mlp:fcn-s" with a preset), or a
/// parameter of the workload. Fails (usage) naming the axis.
engine::Result<RunRequest> with_setting(RunRequest base, const std::string& axis, const std::string& value);

/// The sweep with all points predicted and none measured; writes nothing. Refused as sweep() refuses.
engine::Result<profiler::Sweep> predicted_sweep(const SweepOptions&,
                                                const std::function<void(const SweepProgress&)>& progress,
                                                const std::atomic<bool>& stop);

/// A point that cannot run (out of memory, refused, killed) is a result with its words; the sweep goes on. Refused: an
/// unknown workload or axis, a value that no point can have, an axis that the base sets too. Also refused: collectors
/// that a point does not keep, a file that cannot be written, over 10000 points.
engine::Result<SweepResult> sweep(const SweepOptions&, const std::function<void(const SweepProgress&)>& progress,
                                  const std::atomic<bool>& stop);

}  // namespace app
