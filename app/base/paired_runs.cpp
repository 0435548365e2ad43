// SPDX-License-Identifier: Apache-2.0
// Child after child, each side in its turn.
#include "app/base/paired_runs.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "profiler/store/capture_file.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::Result;

/// One process of a side.
Result<void> run_one(const PairedRuns& runs, size_t index, int round, const std::atomic<bool>& stop) {
  const PairedRuns::Side& side = runs.sides[index];
  const fs::path output = side.output(round);
  std::error_code ignored;
  if (fs::is_symlink(fs::symlink_status(output, ignored))) fs::remove(output, ignored);
  const bool older = fs::exists(output, ignored);
  if (runs.starts) runs.starts(index, round);
  Result<ChildOutcome> child = run_child(runs.program, repeat_words(side.words, output), stop, runs.told);
  if (!child) return child.error();
  if (child->end == ChildOutcome::End::stopped) {
    if (!older) fs::remove(output, ignored);  // half a run; where it cannot be removed, reading it says so
    return {};
  }
  if (child->end == ChildOutcome::End::done) {
    auto capture = profiler::open_capture(output);
    if (capture) return runs.ended(index, *capture);
    if (!runs.failed) return capture.error();
    *child = {ChildOutcome::End::refused, capture.error().message, 0};
  }
  return runs.failed ? runs.failed(*child) : engine::refused_error(side.refusal + child->message);
}

}  // namespace

void remove_option(std::vector<std::string>& words, const std::string& flag) {
  for (size_t i = 1; i < words.size();) {
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
    if (words[i] == flag && i + 1 < words.size()) words.erase(at, at + 2);
    else if (words[i].starts_with(flag + "=")) words.erase(at);
    else ++i;
  }
}

std::vector<std::string> repeat_words(std::vector<std::string> words, const fs::path& output) {
  for (const char* option : std::array{"--progress", "-o", "--output"}) remove_option(words, option);
  std::erase(words, "--json");
  std::erase(words, "--no-probe");
  words = timed_alone(std::move(words));
  words.insert(words.end(), {"--no-probe", "--progress", "json", "-o", output.string()});
  return words;
}

Result<void> PairedRuns::run(const std::atomic<bool>& stop) const {
  for (int round = 0; round < most && !stop; ++round) {
    for (size_t i = 0; i < sides.size() && !stop; ++i) {
      const size_t side = round % 2 == 0 ? i : sides.size() - 1 - i;
      if (Result<void> done = run_one(*this, side, round, stop); !done) return done;
    }
    if (round + 1 >= least && enough && enough()) break;
  }
  return {};
}

}  // namespace app
