// SPDX-License-Identifier: Apache-2.0
// Rounds of child runs over the captures of a comparison.
#include "app/base/repeat_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/base/input_files.h"
#include "app/base/paired_runs.h"
#include "profiler/compare/comparison.h"
#include "profiler/compare/repeats.h"
#include "profiler/store/capture_file.h"

namespace app {
namespace {

using engine::refused_error;
using engine::Result;

struct Runner {
  std::filesystem::path capture;
  std::vector<std::string> words;  ///< of `tensortide`, without output
  std::vector<double> steps_ns;    ///< of each repeat
};

Result<Runner> runner_for(const std::filesystem::path& file, const std::function<void(const std::string&)>& note) {
  auto capture = profiler::open_capture(file);
  if (!capture) return capture.error();
  const profiler::RunInfo& run = (*capture)->run();
  if (!run.source.empty() || run.command.empty()) {
    return refused_error(fmt::format(
        "{}: cannot be run again: {}", file.string(),
        run.source.empty() ? "it does not hold the command that made it" : "it was recorded by " + run.source));
  }
  Result<FoundRun> found = found_run(run.command, recorded_content(run), file);
  if (!found) return engine::Error{found.error().kind, fmt::format("{}: {}", file.string(), found.error().message)};
  for (const std::string& difference : found->notes) {
    if (note) note(fmt::format("{}: {}", file.string(), difference));
  }
  return Runner{file, std::move(found->words), {}};
}

/// Earlier repeats go; anything else in the folder is somebody's, and the folder is left as it is.
Result<void> make_empty(const std::filesystem::path& folder) {
  std::error_code code, ignored;
  std::vector<std::filesystem::path> earlier;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder, ignored))) {
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(folder, ignored))) {
      return refused_error(
          fmt::format("{}: repeats are kept in a folder of that name, but it is a link; remove it", folder.string()));
    }
    if (!std::filesystem::is_directory(folder, ignored))
      return refused_error(fmt::format("{}: repeats are kept in a folder of that name, but it is a file; move it away",
                                       folder.string()));
    for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
      const std::string name = entry->path().filename().string();
      const bool numbered =
          name.size() > 4 && std::ranges::all_of(name.substr(0, 4), [](char c) { return c >= '0' && c <= '9'; });
      if (!numbered || !name.substr(4).starts_with(".tide")) {
        return refused_error(
            fmt::format("{}: holds {}, which is no repeat; repeats replace each other there, so move it away",
                        folder.string(), name));
      }
      earlier.push_back(entry->path());
    }
    for (const std::filesystem::path& file : earlier) {
      if (!code) std::filesystem::remove(file, code);
    }
  }
  if (!code) std::filesystem::create_directories(folder, code);
  if (code) return refused_error(fmt::format("{}: cannot be made: {}", folder.string(), code.message()));
  return {};
}

/// Whether every total is known well enough.
bool sure(const std::vector<Runner>& runners, const profiler::ChangeTest& test) {
  for (size_t i = 1; i < runners.size(); ++i) {
    const profiler::Change change = profiler::judge_change(runners.front().steps_ns, runners[i].steps_ns, test);
    if (!(0.5 * std::log(change.high / change.low) <= 0.4 * std::log1p(test.same_margin))) return false;
  }
  return true;
}

}  // namespace

Result<void> repeat_runs(const RepeatOptions& options, const std::function<void(const RepeatProgress&)>& progress,
                         const std::atomic<bool>& stop) {
  std::vector<Runner> runners;
  for (const std::filesystem::path& file : options.captures) {
    Result<Runner> runner = runner_for(file, options.note);
    if (!runner) return runner.error();
    runners.push_back(*std::move(runner));
  }
  for (const Runner& runner : runners) {
    if (Result<void> made = make_empty(profiler::repeats_folder(runner.capture)); !made) return made;
  }
  PairedRuns runs{.program = options.program, .least = options.least, .most = options.most};
  for (const Runner& runner : runners) {
    runs.sides.push_back({.words = runner.words,
                          .output = [folder = profiler::repeats_folder(runner.capture)](
                                        int round) { return folder / fmt::format("{:04}.tide", round); },
                          .refusal = fmt::format("{}: its command ran no more: ", runner.capture.string())});
  }
  runs.starts = [&](size_t i, int round) {
    if (progress) progress({round + 1, options.most, runners[i].capture.string()});
  };
  runs.ended = [&](size_t i, const std::shared_ptr<const profiler::Capture>& repeat) {
    runners[i].steps_ns.push_back(profiler::process_times(*repeat).step_ns);
    return Result<void>();
  };
  runs.enough = [&] { return sure(runners, options.test); };
  return runs.run(stop);
}

}  // namespace app
