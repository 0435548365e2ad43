// SPDX-License-Identifier: Apache-2.0
// One probe at a time: flock(2) on a file beside the remembered probe. The lock is the open file's, so it ends with the
// process; the file stays, empty, and says nothing.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "profiler/record/probe.h"

namespace profiler {
namespace {

/// A probe takes under 20 s; a process that was stopped while it held the lock shall not keep others from theirs.
constexpr std::chrono::seconds kLongestWait{60};

}  // namespace

std::filesystem::path probe_lock_path() {
  std::filesystem::path path = probe_cache_path();
  return path += ".lock";
}

ProbeLock ProbeLock::take(const std::function<void(const std::string&)>& told, const std::function<bool()>& cancelled) {
  const std::filesystem::path path = probe_lock_path();
  const auto without = [&](int error) {
    if (told)
      told(fmt::format("probing without a lock against other probes: {}: {}", path.string(),
                       std::error_code(error, std::generic_category()).message()));
    return ProbeLock(-1, false);
  };
  std::error_code no_folder;
  std::filesystem::create_directories(path.parent_path(), no_folder);
  if (no_folder) return without(no_folder.value());
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) file = open(path.c_str(), O_RDONLY | O_CLOEXEC);  // there already, in a folder that is only read
  if (file < 0) return without(errno);
  bool waited = false;
  const auto begin = std::chrono::steady_clock::now();
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error == EINTR) continue;
    if (error != EWOULDBLOCK || (cancelled && cancelled())) {
      close(file);
      return error == EWOULDBLOCK ? ProbeLock(-1, true) : without(error);
    }
    if (std::chrono::steady_clock::now() - begin > kLongestWait) {
      close(file);
      if (told)
        told(fmt::format("probing without a lock: another process holds {} for longer than a probe takes",
                         path.string()));
      return {-1, true};
    }
    if (!waited && told)
      told(fmt::format("waiting for another process that measures this machine's roofs ({})", path.string()));
    waited = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return {file, waited};
}

ProbeLock::~ProbeLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace profiler
