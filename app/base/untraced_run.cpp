// SPDX-License-Identifier: Apache-2.0
// One child, the times of its steps.
#include "app/base/untraced_run.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "app/base/paired_runs.h"
#include "app/base/trial.h"
#include "app/base/work_folder.h"
#include "profiler/capture/timed_steps.h"

namespace app {

using engine::refused_error;
using engine::Result;

std::vector<std::string> untraced_words(std::vector<std::string> words) {
  constexpr int kMostSteps = 20;
  int steps = kMostSteps;
  for (size_t i = 0; i < words.size();) {
    const size_t equals = words[i].find('=');
    const std::string flag = words[i].substr(0, equals);
    const bool apart = equals == std::string::npos && i + 1 < words.size();
    if ((flag != "--collect" && flag != "--simulate-limit" && flag != "--steps") ||
        (equals == std::string::npos && !apart)) {
      ++i;
      continue;
    }
    const std::string value = apart ? words[i + 1] : words[i].substr(equals + 1);
    int given = 0;
    if (flag == "--steps" && std::from_chars(value.data(), value.data() + value.size(), given).ec == std::errc() &&
        given > 0)
      steps = std::min(given, kMostSteps);
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                words.begin() + static_cast<std::ptrdiff_t>(i) + (apart ? 2 : 1));
  }
  words.insert(words.end(), {"--steps", std::to_string(steps)});
  return words;
}

Result<std::vector<double>> untraced_run(const std::string& command, const std::atomic<bool>& stop) {
  const Result<std::filesystem::path> program = own_program();
  if (!program) return program.error();
  if (program->filename() != "tensortide")
    return refused_error("only the command line can repeat a run in another process");
  Result<std::vector<std::string>> words = words_of_command(command);
  if (!words) return words.error();
  Result<WorkFolder> folder = WorkFolder::make("untraced");
  if (!folder) return folder.error();
  std::optional<std::vector<double>> times;
  PairedRuns runs{.program = *program};
  runs.sides.push_back(
      {.words = untraced_words(*std::move(words)), .output = [&](int) { return folder->path() / "untraced.tide"; }});
  runs.ended = [&](size_t, const std::shared_ptr<const profiler::Capture>& capture) {
    times = profiler::timed_steps_ns(*capture);
    return Result<void>();
  };
  if (Result<void> done = runs.run(stop); !done) return done.error();
  if (!times) return refused_error("it was stopped");
  if (times->empty()) return refused_error("it timed no step");
  return *std::move(times);
}

}  // namespace app
