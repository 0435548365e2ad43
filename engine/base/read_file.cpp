// SPDX-License-Identifier: Apache-2.0
// open(2) without waiting, fstat(2), and a loop of read(2) that stops at the limit.
#include "engine/base/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "engine/base/display_text.h"

namespace engine {
namespace {

std::string shown(const std::filesystem::path& path) { return display_line(path.native()); }

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

Error unreadable(const std::filesystem::path& path, int code) {
  return refused_error(fmt::format("{}: cannot be read: {}", shown(path), std::strerror(code)));
}

/// At most `most` bytes from where the file stands.
Result<std::string> read_up_to(const RegularFile& file, const std::filesystem::path& path, uint64_t most) {
  constexpr size_t kPiece = size_t{1} << 16;
  std::string text;
  try {
    text.reserve(static_cast<size_t>(std::min(file.size_bytes(), most)));
    while (text.size() < most) {
      const size_t have = text.size();
      text.resize(have + static_cast<size_t>(std::min<uint64_t>(kPiece, most - have)));
      const ssize_t got = ::read(file.descriptor(), text.data() + have, text.size() - have);
      const int code = errno;
      text.resize(have + static_cast<size_t>(std::max<ssize_t>(got, 0)));
      if (got < 0 && code != EINTR) return unreadable(path, code);
      if (got == 0) break;
    }
  } catch (const std::bad_alloc&) {
    return refused_error(fmt::format("{}: reading it needs more memory than there is", shown(path)));
  }
  return text;
}

}  // namespace

Result<RegularFile> RegularFile::open(const std::filesystem::path& path) {
  // Looked at before it is opened, because opening a device may do something; and again afterwards, because it may be
  // another file by then.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return unreadable(path, errno);
  if (!S_ISREG(status.st_mode))
    return refused_error(fmt::format("{}: is {}; a regular file is needed", shown(path), kind_of(status.st_mode)));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return unreadable(path, errno);
  RegularFile file(descriptor, 0);
  if (::fstat(descriptor, &status) != 0) return unreadable(path, errno);
  if (!S_ISREG(status.st_mode))
    return refused_error(fmt::format("{}: is {}; a regular file is needed", shown(path), kind_of(status.st_mode)));
  file.size_bytes_ = static_cast<uint64_t>(status.st_size);
  return file;
}

RegularFile::~RegularFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::string> read_file(const std::filesystem::path& path, uint64_t most_bytes) {
  Result<RegularFile> file = RegularFile::open(path);
  if (!file) return file.error();
  const auto too_large = [&](const std::string& size) {
    return refused_error(fmt::format("{}: has {} bytes; at most {} are read", shown(path), size, most_bytes));
  };
  if (file->size_bytes() > most_bytes) return too_large(std::to_string(file->size_bytes()));
  Result<std::string> text = read_up_to(*file, path, most_bytes + 1);
  if (text && text->size() > most_bytes) return too_large("more than " + std::to_string(most_bytes));
  return text;
}

Result<std::string> read_front(const std::filesystem::path& path, uint64_t bytes) {
  Result<RegularFile> file = RegularFile::open(path);
  if (!file) return file.error();
  return read_up_to(*file, path, bytes);
}

}  // namespace engine
