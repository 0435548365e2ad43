// SPDX-License-Identifier: Apache-2.0
// Fresh processes one after the other, judged after each.
#include "app/base/rerun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/base/gpu_chain.h"
#include "app/base/paired_runs.h"
#include "app/base/work_folder.h"
#include "engine/base/display_text.h"
#include "profiler/capture/noise.h"
#include "profiler/import/importer.h"
#include "profiler/record/catalog.h"
#include "profiler/store/capture_file.h"
#include "profiler/sweep/file.h"

namespace app {
namespace {

using engine::refused_error;
using engine::Result;
using profiler::ReportRecord;

std::string suffix_of(const std::filesystem::path& file) {
  std::string suffix = file.extension().string();
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return suffix;
}

Result<ReportRecord> record_in(const std::filesystem::path& file) {
  const std::string suffix = suffix_of(file);
  if (suffix == ".html" || suffix == ".htm" || suffix == ".xhtml") return profiler::read_report_record(file);
  if (suffix == ".pdf")
    return refused_error(
        fmt::format("{}: a PDF is for people; rerun reads the report as .html, or the capture itself", file.string()));
  if (profiler::is_foreign_trace(file)) {
    ReportRecord record;
    record.kind = "trace";
    return record;
  }
  if (profiler::is_sweep(file)) {
    Result<profiler::Sweep> sweep = profiler::open_sweep(file);
    if (!sweep) return sweep.error();
    return profiler::record_of(*sweep);
  }
  auto capture = profiler::open_capture(file);
  if (!capture) return capture.error();
  return profiler::record_of(**capture);
}

/// Adds what a process came to.
Result<void> take(RerunResult& result, const profiler::Capture& capture) {
  const ReportRecord now = profiler::record_of(capture);
  const double ns = profiler::process_time_ns(now.step_ns);
  if (!(ns > 0)) return refused_error("the repeated run timed no step");
  result.processes.push_back({ns, static_cast<int>(now.step_ns.size()), capture.honesty().foreign_load_ratio});
  result.machine = now.machine;
  return {};
}

}  // namespace

Result<ReportRecord> rerun_record(const std::filesystem::path& file) {
  Result<ReportRecord> record = record_in(file);
  if (!record) return record;
  const auto cannot = [&](const std::string& why) { return refused_error(fmt::format("{}: {}", file.string(), why)); };
  if (record->kind == "trace")
    return cannot(
        "another tool recorded this run, so it cannot be repeated here; record it "
        "again there, import it, and compare the two");
  if (record->kind == "sweep")
    return cannot(fmt::format("is a sweep; this repeats it: {}", engine::display_line(record->command)));
  if (record->command.empty()) return cannot("does not hold the command that recorded it");
  if (record->step_ns.empty()) return cannot("holds no timed step to compare with");
  return record;
}

Result<RerunResult> rerun(const RerunOptions& options, const std::function<void(const RerunResult&)>& progress,
                          const std::atomic<bool>& stop) {
  Result<WorkFolder> folder = WorkFolder::make("rerun");
  if (!folder) return folder.error();
  RerunResult result;
  result.recorded_ns = profiler::process_time_ns(options.record.step_ns);
  profiler::ChangeTest test;
  test.single_noise = std::fmax(
      test.single_noise, profiler::process_noise(options.record.step_ns));  // of the one process that was recorded
  // it is looked at after every process from the least on: each look gets its part of the error rate
  test.error_rate /= std::max(1, options.most - options.least + 1);
  std::vector<double> now;
  PairedRuns runs{.program = options.program, .least = options.least, .most = options.most};
  runs.sides.push_back({.words = options.words,
                        .output = [&](int) { return folder->path() / "run.tide"; },
                        .refusal = "the recorded command cannot be repeated here: "});
  runs.ended = [&](size_t, const std::shared_ptr<const profiler::Capture>& capture) -> Result<void> {
    if (Result<void> taken = take(result, *capture); !taken) return taken;
    now.push_back(result.processes.back().time_ns);
    result.change = profiler::judge_change(std::vector<double>{result.recorded_ns}, now, test);
    if (progress) progress(result);
    return {};
  };
  runs.enough = [&] { return result.change.verdict != profiler::ChangeClass::unsure; };
  if (Result<void> done = runs.run(stop); !done) return done.error();
  result.stopped = stop;
  if (now.empty()) return refused_error("stopped before the first process ended: there is nothing to compare");
  return result;
}

std::string cannot_collect(const profiler::RunInfo& run, const std::string& collector) {
  if (!run.source.empty()) return "Another tool recorded this, so it cannot be run again here.";
  if (run.command.empty()) return "The capture does not hold the command that recorded it.";
  if (!run.traits().computes) return "The null device computes nothing, so nothing moves.";
  const profiler::Collector* wanted = profiler::find_collector(collector);
  if (wanted == nullptr) return "This version has no such collector.";
  const profiler::Availability found = wanted->check([&run] { return gpu_chain_of(run.device); });
  if (!found.available) return found.why + (found.remedy.empty() ? "" : "; what helps: " + found.remedy);
  if (wanted->takes == nullptr) return {};
  const Result<void> taken = wanted->takes(run.device);
  return taken ? std::string() : taken.error().message;
}

std::vector<std::string> with_collector(std::vector<std::string> words, const std::string& collector) {
  for (const char* option : {"-o", "--output", "--progress"}) remove_option(words, option);
  const std::string flag = "--collect";
  std::string all;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) all = words[i + 1];
    else if (words[i].starts_with(flag + "=")) all = words[i].substr(flag.size() + 1);
  }
  remove_option(words, flag);
  const bool there = ("," + all + ",").find("," + collector + ",") != std::string::npos;
  words.push_back(flag);
  words.push_back(there ? all : (all.empty() ? std::string("ops") : all) + "," + collector);
  return words;
}

}  // namespace app
