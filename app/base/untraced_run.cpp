// SPDX-License-Identifier: Apache-2.0
// One child, one median.
#include "app/base/untraced_run.h"

#include "app/base/child_run.h"
#include "app/base/trial.h"
#include "app/base/work_folder.h"
#include "profiler/model/capture_file.h"
#include "profiler/model/change.h"

namespace app {

using engine::refused_error;
using engine::Result;

std::vector<std::string> untraced_words(std::vector<std::string> words) {
  constexpr const char* kSteps = "20";
  bool steps = false;
  for (size_t i = 0; i < words.size();) {
    const bool paired = words[i] == "--collect" && i + 1 < words.size();
    if (paired || words[i].starts_with("--collect=")) {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i), words.begin() + static_cast<std::ptrdiff_t>(i) + (paired ? 2 : 1));
      continue;
    }
    steps = steps || words[i] == "--steps" || words[i].starts_with("--steps=");
    ++i;
  }
  if (!steps) words.insert(words.end(), {"--steps", kSteps});
  return words;
}

Result<UntracedRun> untraced_run(const std::string& command, const std::atomic<bool>& stop) {
  const Result<std::filesystem::path> program = own_program();
  if (!program) return program.error();
  if (program->filename() != "tensortide") return refused_error("only the command line can repeat a run in another process");
  Result<std::vector<std::string>> words = words_of_command(command);
  if (!words) return words.error();
  Result<WorkFolder> folder = WorkFolder::make("untraced");
  if (!folder) return folder.error();
  const std::filesystem::path file = folder->path() / "untraced.tide";
  *words = untraced_words(*std::move(words));
  words->insert(words->end(), {"--no-probe", "--progress", "json", "-o", file.string()});
  const Result<ChildOutcome> child = run_child(*program, *words, stop);
  if (!child) return child.error();
  if (child->end != ChildOutcome::End::done) return refused_error(child->message.empty() ? "it was stopped" : child->message);
  const auto capture = profiler::open_capture(file);
  if (!capture) return capture.error();
  std::vector<double> times;
  for (const profiler::StepRecord& step : (*capture)->steps()) {
    if (!step.warmup) times.push_back(static_cast<double>(step.duration_ns));
  }
  if (times.empty()) return refused_error("it timed no step");
  return UntracedRun{profiler::process_time_ns(times), static_cast<int>(times.size())};
}

}  // namespace app
