// SPDX-License-Identifier: Apache-2.0
// Files read and written by descriptor, so that what was checked is what is used.
#include "profiler/store/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <random>

#include "profiler/store/capture_target.h"
#include "profiler/store/sqlite.h"

namespace profiler {

using engine::Error;
using engine::refused_error;
using engine::Result;
namespace fs = std::filesystem;

namespace {

class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (file_ >= 0) ::close(file_);
  }
  int get() const { return file_; }
  /// 0, or the errno of closing it.
  int close() { return ::close(std::exchange(file_, -1)) == 0 ? 0 : errno; }

 private:
  int file_;
};

Error trouble(const fs::path& file, const char* doing, int code) {
  return refused_error(fmt::format("{}: cannot be {}: {}", sqlite::shown(file), doing, std::strerror(code)));
}

const char* kind_of(mode_t mode) {
  return S_ISLNK(mode)    ? "a link"
         : S_ISDIR(mode)  ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

Result<void> append(int to, std::string_view bytes, const fs::path& name) {
  while (!bytes.empty()) {
    const ssize_t put = write(to, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return trouble(name, "written", put < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return {};
}

/// A file beside `file` that did not exist before, filled by `fill(descriptor)` and moved there.
Result<void> replace(const fs::path& file, const std::function<Result<void>(int)>& fill) {
  struct stat there {};
  const bool exists = lstat(file.c_str(), &there) == 0;
  if (exists && !S_ISREG(there.st_mode))
    return refused_error(
        fmt::format("{}: is {}, which is not written to; remove it", sqlite::shown(file), kind_of(there.st_mode)));
  std::random_device random;
  fs::path draft;
  int made = -1;
  for (int tries = 0; made < 0 && tries < 10; ++tries) {
    draft = file;
    draft += fmt::format(".{:08x}.tmp", random());
    made = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (made < 0 && errno != EEXIST) break;
  }
  if (made < 0) return trouble(file, "written", errno);
  Descriptor draft_file(made);
  if (exists) (void)fchmod(made, there.st_mode & 07777);  // no more readable than it was
  Result<void> done = fill(made);
  if (const int code = draft_file.close(); done && code != 0) done = trouble(file, "written", code);
  if (done && rename(draft.c_str(), file.c_str()) != 0) done = trouble(file, "written", errno);
  if (!done) unlink(draft.c_str());
  return done;
}

}  // namespace

Result<std::string> read_whole_file(const fs::path& file, size_t most_bytes) {
  const Descriptor from(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (from.get() < 0 && errno == ELOOP)
    return refused_error(fmt::format("{}: is a link, which is not followed", sqlite::shown(file)));
  if (from.get() < 0) return trouble(file, "read", errno);
  struct stat there {};
  if (fstat(from.get(), &there) != 0) return trouble(file, "read", errno);
  if (!S_ISREG(there.st_mode))
    return refused_error(fmt::format("{}: is {}, not a file", sqlite::shown(file), kind_of(there.st_mode)));
  std::string bytes;
  std::string block(size_t{1} << 16, '\0');
  for (;;) {
    const ssize_t got = read(from.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return trouble(file, "read", errno);
    if (got == 0) return bytes;
    if (bytes.size() + static_cast<size_t>(got) > most_bytes)
      return refused_error(fmt::format("{}: has over {} bytes", sqlite::shown(file), most_bytes));
    bytes.append(block, 0, static_cast<size_t>(got));
  }
}

Result<void> write_whole_file(const fs::path& file, std::string_view bytes) {
  return replace(file, [&](int to) { return append(to, bytes, file); });
}

Result<void> copy_capture(const fs::path& from, const fs::path& to) {
  auto target = CaptureTarget::claim(to);
  if (!target) return target.error();
  const auto draft = target->draft();
  if (!draft) return draft.error();
  const Descriptor source(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.get() < 0) return trouble(from, "read", errno);
  Descriptor into(open(draft->c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (into.get() < 0) return trouble(to, "written", errno);
  std::string block(size_t{1} << 20, '\0');
  for (;;) {
    const ssize_t got = read(source.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return trouble(from, "read", errno);
    if (got == 0) break;
    if (Result<void> done = append(into.get(), std::string_view(block).substr(0, static_cast<size_t>(got)), to); !done)
      return done;
  }
  if (const int code = into.close(); code != 0) return trouble(to, "written", code);
  return target->publish();
}

Result<void> check_output(const fs::path& output, const fs::path& input) {
  std::error_code error;
  const fs::file_status there = fs::status(output, error);
  if (!fs::exists(there)) return {};
  const std::string name = sqlite::shown(output);
  if (!fs::is_regular_file(there)) return refused_error(fmt::format("{}: is not a regular file", name));
  if (!input.empty() && fs::equivalent(output, input, error)) {
    return refused_error(
        fmt::format("{}: is the very file {} that is read; choose another name", name, sqlite::shown(input)));
  }
  const Descriptor file(open(output.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  std::string front(100, '\0');
  const ssize_t got = file.get() < 0 ? 0 : pread(file.get(), front.data(), front.size(), 0);
  front.resize(got > 0 ? static_cast<size_t>(got) : 0);
  if (parse_file_header(front).ours)
    return refused_error(
        fmt::format("{}: holds a capture, which is not overwritten; choose another name, or remove it first", name));
  return {};
}

}  // namespace profiler
