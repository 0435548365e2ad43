// SPDX-License-Identifier: Apache-2.0
// Answers to questions beside a run, each as one sentence with rows. What works here? What fits? How fast elsewhere?
// Slower now? How is a number stored? Command line and window make theirs from these.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/base/fit.h"
#include "app/base/rerun.h"
#include "app/base/workbench.h"
#include "engine/base/result.h"
#include "engine/tensor/number.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/machine/gpu_data_sheet.h"
#include "profiler/predict/prediction.h"

namespace app {

struct Answer {
  std::string sentence;            ///< the answer; empty: the rows are it
  profiler::Table table;           ///< may have no rows
  std::vector<std::string> notes;  ///< sentences below the rows
};

/// A part of this build or a source of figures: whether it works here, and what would make it work.
struct MachinePart {
  std::string title;  ///< "oneDNN", "CPU counters: measured bytes per cache level"
  bool works = false;
  std::string why, remedy;  ///< remedy: empty where it works, or nothing helps
};
/// What the CPU's kernels are made of in this build.
std::vector<MachinePart> build_libraries();
/// What works on this machine: libraries, GPUs, collectors. Takes a while: drivers are asked.
Answer machine_answer();

/// What fits and what does not, in sentences.
std::vector<std::string> fit_sentences(const Fit&);
/// The largest batch that fits into these bytes (0: what is free now), and what lives in memory at the peak.
engine::Result<Answer> fit_answer(const RunRequest&, double memory_bytes);

/// What a step would take on a modelled GPU, in sentences: time, error band, what limits, what is not modelled.
std::vector<std::string> prediction_sentences(const profiler::Prediction&);
/// What is asked of prediction_answer() for all data sheets.
inline constexpr std::string_view kSheets = "sheets";
/// The least time of a step on each device of the data sheets, and where it fits into memory. `one`: on that alone.
Answer sheets_answer(const profiler::Capture&, const profiler::GpuDataSheet* one = nullptr);
/// A capture's or a plan's step on a modelled GPU by its key; empty: a row for each of them. kSheets: data sheets. The
/// name of a data sheet: that row.
engine::Result<Answer> prediction_answer(const profiler::Capture&, const std::string& gpu, bool by_type);

/// One row per floating dtype, or for i8 and u8 by way of the quantization. Fails (usage) as inspect_number() does.
engine::Result<Answer> number_answer(const std::string& text, bool integers, const engine::Quantization&);

/// Timed steps of a process that repeats a recorded run: as many as take half a second, within bounds.
int rerun_steps(const profiler::ReportRecord&);
/// How a recorded run is repeated from here. `notes`: what differs from what was recorded.
engine::Result<RerunOptions> rerun_options(const std::filesystem::path& capture, const std::filesystem::path& program,
                                           std::vector<std::string>& notes);
/// "SLOWER: 1.2 ms per step now (...), 1.1 ms then (...): +9 % (95 % interval ...)".
std::string rerun_sentence(const profiler::ReportRecord&, const RerunResult&);
/// How far to trust it. `differences`: see rerun_options().
std::vector<std::string> rerun_notes(const profiler::ReportRecord&, const RerunResult&,
                                     const std::vector<std::string>& differences);
/// The processes that ran, one row each.
Answer rerun_answer(const profiler::ReportRecord&, const RerunResult&, const std::vector<std::string>& differences);

}  // namespace app
