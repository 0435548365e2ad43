// SPDX-License-Identifier: Apache-2.0
// Starting a child, reading what it tells, and noticing how it ended.
#include "app/base/child_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "engine/base/display_text.h"
#include "profiler/record/catalog.h"

extern char** environ;

namespace app {

using engine::refused_error;
using engine::Result;

namespace {

constexpr int kLookMs = 50;  // how often `stop` is looked at
/// What the child gave as the cause, else its last words.
std::optional<std::string> cause_in(const ProgressReader& told) {
  if (!told.error().empty()) return engine::display_text(told.error());
  if (!told.other_lines().empty()) return engine::display_line(told.other_lines().back());
  return std::nullopt;
}

struct Child {
  pid_t pid = -1;
  int messages = -1;
};

Result<Child> start(const std::filesystem::path& program, const std::vector<std::string>& words,
                    const std::filesystem::path& printed) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return refused_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, printed.empty() ? "/dev/null" : printed.c_str(),
                                   printed.empty() ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<std::string> owned{program.string()};
  for (const std::string& word : words) owned.push_back(word);
  std::vector<char*> arguments;
  for (std::string& word : owned) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  Child child;
  const int code = posix_spawn(&child.pid, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (code != 0) {
    close(ends[0]);
    return refused_error(fmt::format("{}: cannot be started: {}", program.string(), std::strerror(code)));
  }
  child.messages = ends[0];
  return child;
}

/// Data of a process now (heap, private mappings, stacks); NaN: it has ended, or the system does not say.
double data_bytes_of(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmData:")) return 1024 * std::strtod(line.c_str() + std::strlen("VmData:"), nullptr);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// Before the child has planned anything: it starts with little.
Result<void> limit_data(pid_t pid, double bytes) {
  const auto limit = static_cast<rlim_t>(bytes);
  const rlimit both{limit, limit};
  if (prlimit(pid, RLIMIT_DATA, &both, nullptr) == 0) return {};
  return refused_error(fmt::format("the memory of a process cannot be limited: {}", std::strerror(errno)));
}

}  // namespace

Result<int> run_program(const std::filesystem::path& program, const std::vector<std::string>& words) {
  std::vector<std::string> owned{program.string()};
  owned.insert(owned.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : owned) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int code = posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments.data(), environ);
  if (code != 0) return refused_error(fmt::format("{}: cannot be started: {}", program.string(), std::strerror(code)));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Result<std::filesystem::path> own_program() {
  std::error_code code;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code);
  if (code)
    return refused_error(fmt::format("/proc/self/exe: the path of this program is unknown: {}", code.message()));
  return program;
}

Result<ChildOutcome> run_child(const std::filesystem::path& program, const std::vector<std::string>& words,
                               const std::atomic<bool>& stop,
                               const std::function<void(const ProgressLine&)>& on_progress, const ChildMemory& memory,
                               const std::filesystem::path& printed) {
  Result<Child> child = start(program, words, printed);
  if (!child) return child.error();
  bool stopped = false;
  double peak_data = std::numeric_limits<double>::quiet_NaN();
  Result<void> limited = memory.data_bytes > 0 ? limit_data(child->pid, memory.data_bytes) : Result<void>();
  if (!limited) {
    stopped = true;
    kill(child->pid, SIGKILL);
  }
  ProgressReader told([&](const ProgressLine& line) {
    if (memory.watch_data) peak_data = std::fmax(peak_data, data_bytes_of(child->pid));
    if (on_progress) on_progress(line);
  });
  for (char bytes[4096];;) {
    if (stop && !stopped) {
      stopped = true;
      kill(child->pid, SIGKILL);
    }
    pollfd wait{child->messages, POLLIN, 0};
    const int ready = poll(&wait, 1, kLookMs);
    if (memory.watch_data) peak_data = std::fmax(peak_data, data_bytes_of(child->pid));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = read(child->messages, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    told.add({bytes, static_cast<size_t>(got)});
  }
  close(child->messages);
  told.finish();
  int status = 0;
  rusage used{};
  while (wait4(child->pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
  if (!limited) return limited.error();
  ChildOutcome outcome;
  if (stopped) {
    outcome.end = ChildOutcome::End::stopped;
  } else if (WIFSIGNALED(status)) {
    outcome.end = ChildOutcome::End::killed;
    outcome.message = fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    outcome.signal = WTERMSIG(status);
  } else if (WEXITSTATUS(status) != 0) {
    outcome.end = ChildOutcome::End::refused;
    outcome.exit_code = WEXITSTATUS(status);
    outcome.message = cause_in(told).value_or(fmt::format("exit code {}", WEXITSTATUS(status)));
  }
  outcome.note = engine::display_text(told.result_note());
  outcome.peak_resident_bytes = 1024.0 * static_cast<double>(used.ru_maxrss);
  outcome.peak_data_bytes = peak_data;
  return outcome;
}

std::vector<std::string> timed_alone(std::vector<std::string> words) {
  const auto is_timed = [](const std::string& source) {
    const profiler::Collector* collector = profiler::find_collector(source);
    return collector == nullptr || collector->when == profiler::When::always ||
           (collector->when == profiler::When::during && !collector->changes_times);
  };
  const auto timed = [&](const std::string& list) {
    std::string kept;
    for (size_t begin = 0; begin <= list.size();) {
      const size_t end = std::min(list.find(',', begin), list.size());
      const std::string source = list.substr(begin, end - begin);
      if (is_timed(source)) kept += (kept.empty() ? "" : ",") + source;
      begin = end + 1;
    }
    return kept.empty() ? std::string("ops") : kept;
  };
  constexpr std::string_view kFlag = "--collect=", kNoCost = "--no-cupti-cost";
  bool cupti = false;
  const auto keep = [&](const std::string& list) {
    std::string kept = timed(list);
    cupti = ("," + kept + ",").find(",cupti,") != std::string::npos;
    return kept;
  };
  // What says how to simulate goes with what is simulated.
  constexpr std::string_view kLimit = "--simulate-limit";
  for (size_t i = 0; i < words.size();) {
    const bool apart = words[i] == kLimit && i + 1 < words.size();
    if (!apart && !words[i].starts_with(std::string(kLimit) + "=")) ++i;
    else
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                  words.begin() + static_cast<std::ptrdiff_t>(i + (apart ? 2 : 1)));
  }
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--collect" && i + 1 < words.size()) words[i + 1] = keep(words[i + 1]);
    else if (words[i].starts_with(kFlag)) words[i] = std::string(kFlag) + keep(words[i].substr(kFlag.size()));
  }
  if (cupti && std::ranges::find(words, kNoCost) == words.end()) words.emplace_back(kNoCost);
  return words;
}

}  // namespace app
