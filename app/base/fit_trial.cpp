// SPDX-License-Identifier: Apache-2.0
// Three processes: what one needs beside its plan, the largest batch, and one that is too large.
#include "app/base/fit_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/base/child_run.h"
#include "app/base/devices.h"
#include "app/base/paired_runs.h"
#include "app/base/work_folder.h"
#include "engine/kernels/core/memory_room.h"
#include "profiler/base/table.h"
#include "profiler/base/unknown.h"

namespace app {

using engine::Result;

namespace {

/// How much the data of a process may vary from run to run: its peak is sampled at lines of progress, and kernels of
/// other shapes are prepared otherwise. The least by which a plan must pass the limit.
constexpr double kSlackBytes = 24.0 * (1 << 20);

Result<ChildOutcome> run_batch(RunRequest run, int64_t batch, double limit_bytes, const std::atomic<bool>& stop) {
  Result<std::filesystem::path> program = own_program();
  if (!program) return program.error();
  Result<WorkFolder> folder = WorkFolder::make("fit");
  if (!folder) return folder.error();
  run.settings["batch"] = std::to_string(batch);
  run.steps = run.warmup_steps = 1;
  std::vector<std::string> words = words_of(run);
  words.insert(words.begin(), "run");
  return run_child(*program, repeat_words(std::move(words), folder->path() / "capture.tide"), stop, nullptr,
                   {.data_bytes = limit_bytes, .watch_data = true});
}

/// Of the run: as asked for, else the cores of its device.
int threads_of(const RunRequest& run) {
  if (run.threads > 0) return run.threads;
  for (const DeviceEntry& device : devices()) {
    if (device.name == run.device) return std::max(1, device.describe().cores);
  }
  return 1;
}

std::string bytes(double value) { return profiler::format_quantity(value, profiler::Quantity::bytes); }

}  // namespace

Result<FitTrial> try_largest(RunRequest request, const Fit& fit, const std::atomic<bool>& stop) {
  FitTrial trial;
  // Half of the largest: with far fewer samples other kernels run, which may keep no packed copies of weights.
  const int64_t half = std::max<int64_t>(1, fit.largest / 2);
  const Result<double> planned = planned_bytes(request, half);
  if (!planned) return planned.error();
  const Result<ChildOutcome> small = run_batch(request, half, 0, stop);
  if (!small) return small.error();
  trial.stopped = small->end == ChildOutcome::End::stopped;
  if (trial.stopped) return trial;
  if (small->end != ChildOutcome::End::done)
    return engine::refused_error(fmt::format("[fit] --try: batch {} does not run: {}", half, small->message));
  // Under a limit the libraries keep room free that they do not ask for without one.
  const double slack = kSlackBytes + engine::cpu::room_of_libraries(threads_of(request));
  trial.overhead_bytes = std::max(0.0, small->peak_data_bytes - *planned) + slack;
  // The memory of other devices is not the process's data.
  const bool held = engine::traits_of(request.device).shares_host_memory;
  trial.limit_bytes = held ? fit.available_bytes + trial.overhead_bytes : 0;

  const Result<ChildOutcome> largest = run_batch(request, fit.largest, trial.limit_bytes, stop);
  if (!largest) return largest.error();
  trial.ran = largest->end == ChildOutcome::End::done;
  trial.stopped = largest->end == ChildOutcome::End::stopped;
  trial.message = largest->message;
  trial.peak_bytes = largest->peak_resident_bytes;
  if (trial.stopped || !held) return trial;

  // A batch that the slack cannot hide.
  int64_t above = fit.refused;
  for (int64_t step = std::max<int64_t>(1, fit.largest / 16); above > 0; step *= 2) {
    const Result<double> need = planned_bytes(request, above);
    if (!need) break;
    if (std::isnan(*need) || *need > fit.available_bytes + slack + 2 * kSlackBytes) {
      trial.above = above;
      break;
    }
    above += step;
  }
  if (trial.above == 0) return trial;
  const Result<ChildOutcome> over = run_batch(request, trial.above, trial.limit_bytes, stop);
  if (!over) return over.error();
  trial.stopped = over->end == ChildOutcome::End::stopped;
  trial.above_refused = over->end == ChildOutcome::End::refused || over->end == ChildOutcome::End::killed;
  trial.above_message = over->message;
  return trial;
}

std::string trial_words(const Fit& fit, const FitTrial& trial) {
  if (trial.stopped) return "The trial was stopped.";
  if (trial.limit_bytes == 0)
    return fmt::format("Tried without a limit: batch {} {}.", fit.largest,
                       trial.ran ? std::string("ran") : "did not run: " + trial.message);
  std::string text = fmt::format(
      "Tried under a limit of {}. It holds the {} asked about, and {} that a process needs beside its plan "
      "(measured).\n",
      bytes(trial.limit_bytes), bytes(fit.available_bytes), bytes(trial.overhead_bytes));
  text += trial.ran ? fmt::format("Batch {} ran, with {} of resident memory.\n", fit.largest, bytes(trial.peak_bytes))
                    : fmt::format("Batch {} did not run: {}\n", fit.largest, trial.message);
  if (trial.above == 0) return text + "No larger batch was tried: the workload allows none.";
  if (trial.above > fit.refused) {
    text += fmt::format("Batch {} was tried above it, not {}: its plan is so large that those {} cannot hide it.\n",
                        trial.above, fit.refused, bytes(trial.overhead_bytes));
  }
  return text + (trial.above_refused
                     ? fmt::format("Batch {} was refused: {}", trial.above, trial.above_message)
                     : fmt::format("Batch {} ran, too: the plan needs less than it says.", trial.above));
}

}  // namespace app
