// SPDX-License-Identifier: Apache-2.0
// Runs the tensortide program as a user would and gives back what it printed and how it ended.
#include "tests/app/cli/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

namespace test {
namespace {

std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string program() { return TENSORTIDE_BINARY_DIR "/bin/tensortide"; }

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

std::filesystem::path unique(const char* suffix) {
  static int counter = 0;
  return std::filesystem::temp_directory_path() / fmt::format("tensortide-test-{}-{}{}", getpid(), counter++, suffix);
}

pid_t start(const std::string& arguments, const std::filesystem::path& out, const std::filesystem::path& err) {
  const std::string command = fmt::format("exec {} {} >'{}' 2>'{}'", program(), arguments, out.string(), err.string());
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  return child;
}

}  // namespace

Outcome tensortide(const std::string& arguments, const std::string& prefix) {
  const auto out = unique(".out"), err = unique(".err");
  const int status = std::system(
      fmt::format("{} {} {} >'{}' 2>'{}' </dev/null", prefix, program(), arguments, out.string(), err.string())
          .c_str());
  Outcome outcome{code_of(status), slurp(out), slurp(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return outcome;
}

bool has_terminals() {
  int master = -1, slave = -1;
  if (openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) return false;
  close(master);
  close(slave);
  return true;
}

Outcome tensortide_on_terminal(const std::string& arguments, unsigned short columns) {
  const winsize size{.ws_row = 40, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    const std::string command = fmt::format("exec {} {} 2>/dev/null </dev/null", program(), arguments);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  Outcome outcome;
  if (child < 0) return outcome;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(terminal, buffer, sizeof buffer)) > 0;)
    outcome.out.append(buffer, static_cast<size_t>(got));  // EIO: it has ended
  std::erase(outcome.out, '\r');
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  outcome.exit_code = code_of(status);
  return outcome;
}

Outcome tensortide_interrupted(const std::string& arguments, int signal, const std::filesystem::path& file) {
  using namespace std::chrono_literals;
  const auto out = unique(".out"), err = unique(".err");
  const pid_t child = start(arguments + " --progress json", out, err);
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  // Some progress lines into the recording at least one step is committed.
  int status = 0;
  while (std::chrono::steady_clock::now() < deadline && waitpid(child, &status, WNOHANG) == 0) {
    const std::string lines = slurp(err);
    const size_t recording = lines.find("\"recording\"");
    if (recording != std::string::npos && std::filesystem::exists(file) &&
        std::count(lines.begin() + static_cast<long>(recording), lines.end(), '\n') >= 8)
      break;
    std::this_thread::sleep_for(5ms);
  }
  if (kill(child, signal) == 0) waitpid(child, &status, 0);
  Outcome outcome{code_of(status), slurp(out), slurp(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return outcome;
}

Outcome tensortide_stuck(const std::string& arguments, int signal, const std::filesystem::path& folder, bool& alive) {
  using namespace std::chrono_literals;
  const auto out = unique(".out"), err = unique(".err");
  const pid_t child = start(arguments, out, err);
  int status = 0;
  for (const auto deadline = std::chrono::steady_clock::now() + 20s;
       std::filesystem::is_empty(folder) && std::chrono::steady_clock::now() < deadline;) {
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_FALSE(std::filesystem::is_empty(folder)) << slurp(err);
  // The step has begun where the process has computed for longer than preparing takes.
  clockid_t computed{};
  EXPECT_EQ(clock_getcpuclockid(child, &computed), 0);
  timespec spent{};
  while (clock_gettime(computed, &spent) == 0 && spent.tv_sec < 2 && waitpid(child, &status, WNOHANG) == 0)
    std::this_thread::sleep_for(5ms);
  kill(child, signal);
  std::this_thread::sleep_for(300ms);
  alive = waitpid(child, &status, WNOHANG) == 0;
  if (alive) {
    bool ended = false;
    for (int i = 0; i < 4000 && !ended; ++i, std::this_thread::sleep_for(5ms)) {
      // Again and again: on a busy machine the first two may have arrived as one.
      if (i % 20 == 0) kill(child, signal);
      ended = waitpid(child, &status, WNOHANG) != 0;
    }
    if (!ended) kill(child, SIGKILL), waitpid(child, &status, 0);
  }
  Outcome outcome{code_of(status), slurp(out), slurp(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return outcome;
}

Outcome tensortide_unheard(const std::string& arguments, int signal, bool& alive) {
  using namespace std::chrono_literals;
  int ends[2] = {-1, -1};
  EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  while (write(ends[1], "x", 1) == 1) {
  }
  EXPECT_EQ(fcntl(ends[1], F_SETFL, 0), 0);
  const std::string command = fmt::format("exec {} {} >/dev/null", program(), arguments);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  bool ended = false;
  const auto wait_until_caught = [&](bool caught) {
    const auto is_caught = [&] {
      const std::string text = slurp(fmt::format("/proc/{}/status", child));
      const size_t at = text.find("SigCgt:\t");
      return at != std::string::npos && (std::strtoull(text.c_str() + at + 8, nullptr, 16) >> (signal - 1) & 1) != 0;
    };
    // Caught is not enough for the first signal: one that comes before the pipe is written to ends it in the usual way.
    const auto writes = [&] {
      const std::string where = slurp(fmt::format("/proc/{}/wchan", child));
      return where.find("pipe") != std::string::npos || where.empty() || where == "0" || where == "1";
    };
    for (const auto deadline = std::chrono::steady_clock::now() + 20s;
         !ended && (is_caught() != caught || (caught && !writes())) && std::chrono::steady_clock::now() < deadline;) {
      std::this_thread::sleep_for(5ms);
      ended = waitpid(child, &status, WNOHANG) != 0;
    }
  };
  wait_until_caught(true);
  if (!ended) kill(child, signal);
  wait_until_caught(false);
  alive = !ended;
  if (!ended) kill(child, signal);
  for (int i = 0; i < 4000 && !ended; ++i, std::this_thread::sleep_for(5ms))
    ended = waitpid(child, &status, WNOHANG) != 0;
  if (!ended) kill(child, SIGKILL), waitpid(child, &status, 0);
  close(ends[0]);
  close(ends[1]);
  return {code_of(status), {}, {}};
}

Outcome tensortide_told(const std::string& arguments, const std::string& sentence, const std::function<void()>& then) {
  using namespace std::chrono_literals;
  const auto out = unique(".out"), err = unique(".err");
  const pid_t child = start(arguments, out, err);
  int status = 0;
  bool ended = false;
  for (const auto deadline = std::chrono::steady_clock::now() + 20s;
       !ended && std::chrono::steady_clock::now() < deadline && slurp(err).find(sentence) == std::string::npos;) {
    std::this_thread::sleep_for(5ms);
    ended = waitpid(child, &status, WNOHANG) != 0;
  }
  then();
  if (!ended) waitpid(child, &status, 0);
  Outcome outcome{code_of(status), slurp(out), slurp(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return outcome;
}

nlohmann::json parsed(const std::string& text) {
  nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << "not one JSON document: " << text.substr(0, 400);
  return document;
}

std::filesystem::path fresh_folder() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("tensortide-{}-{}-{}", info->test_suite_name(), info->name(), getuid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace test
