// SPDX-License-Identifier: Apache-2.0
// Claims the output file of a capture without ever overwriting somebody else's file.
#include "profiler/store/capture_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "profiler/store/capture_schema.h"
#include "profiler/store/log_playback.h"
#include "profiler/store/sqlite.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
namespace fs = std::filesystem;

namespace {

constexpr size_t kHeaderBytes = 100;
constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

uint32_t big_endian(const std::string& bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string read_front(int descriptor) {
  std::string bytes(kHeaderBytes, '\0');
  const ssize_t got = pread(descriptor, bytes.data(), bytes.size(), 0);
  bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return bytes;
}

/// Of a regular file; a link or pipe of that name begins with nothing.
bool begins_with(const fs::path& file, std::string_view magic) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return false;
  struct stat status {};
  const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const std::string front = regular ? read_front(descriptor) : std::string();
  close(descriptor);
  return regular && front.starts_with(magic);
}

/// A log of SQLite beside a file, and how it begins. One left by a killed run would be played into a new file of that
/// name.
struct Sidecar {
  const char* suffix;
  std::string_view magic;
};
constexpr Sidecar kWal{"-wal", {"\x37\x7f\x06", 3}}, kJournal{"-journal", {"\xd9\xd5\x05\xf9", 4}}, kShm{"-shm", {}};
constexpr std::array<Sidecar, 3> kSidecars{kWal, kJournal, kShm};

/// Refused: a sidecar that is no log, or a folder. Anything else of that name stays.
Result<void> check_sidecar(const fs::path& file, bool file_is_ours, const Sidecar& known) {
  const fs::path beside = sidecar(file, known.suffix);
  std::error_code error;
  const fs::file_status there = fs::symlink_status(beside, error);
  if (!fs::exists(there) || (file_is_ours && !fs::is_directory(there))) return {};
  const bool empty = fs::is_regular_file(beside, error) && fs::file_size(beside, error) == 0;
  if (empty || begins_with(beside, known.magic)) return {};
  return refused_error(fmt::format("{}: SQLite would take {} beside it for a part of it; move it away",
                                   sqlite::shown(file), sqlite::shown(beside.filename())));
}

Result<void> remove_sidecar(const fs::path& file, const Sidecar& known) {
  const fs::path beside = sidecar(file, known.suffix);
  std::error_code error;
  fs::remove(beside, error);
  if (!error) return {};
  return refused_error(
      fmt::format("{}: cannot remove {}: {}", sqlite::shown(file), sqlite::shown(beside.filename()), error.message()));
}

Result<void> remove_sidecars(const fs::path& file, bool file_is_ours) {
  Result<void> done;
  for (const Sidecar& known : kSidecars) {
    if (done) done = check_sidecar(file, file_is_ours, known);
    if (done) done = remove_sidecar(file, known);
  }
  return done;
}

Result<void> check_place(const fs::path& file, const fs::path& as_given) {
  const std::string name = sqlite::shown(as_given);
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status)) {
    return refused_error(
        fmt::format("{}: is a directory; name a file in it, such as {}", name, sqlite::shown(as_given / "run.tide")));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return refused_error(fmt::format("{}: is not a regular file; a capture needs one", name));
  }
  if (!fs::exists(status) && fs::is_symlink(fs::symlink_status(file, error))) {
    return refused_error(fmt::format("{}: is a link to a file that is not there; remove it, or name that file", name));
  }
  if (!fs::exists(status) && !fs::is_directory(file.parent_path(), error)) {
    return refused_error(fmt::format("{}: there is no folder {}", name, sqlite::shown(file.parent_path())));
  }
  return {};
}

bool same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

struct Locked {
  int descriptor = -1;
  bool created = false;  ///< and nobody has written to it since
  struct stat status {};
};

/// Opens and locks the file that has this name once the lock is held: another run may have put a new one there after it
/// was opened.
Result<Locked> lock_by_name(const fs::path& file, const std::string& name) {
  constexpr int kTries = 10;
  for (int tries = 0; tries < kTries; ++tries) {
    std::error_code code;
    Locked found;
    found.created = !fs::exists(file, code);
    found.descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (found.descriptor < 0)
      return refused_error(fmt::format("{}: cannot be written: {}", name, std::strerror(errno)));
    struct stat named {};
    const bool held = flock(found.descriptor, LOCK_EX | LOCK_NB) == 0;
    if (held && fstat(found.descriptor, &found.status) == 0 && stat(file.c_str(), &named) == 0 &&
        same_file(found.status, named)) {
      found.created = found.created && found.status.st_size == 0;
      return found;
    }
    close(found.descriptor);
    if (!held) break;
  }
  return refused_error(fmt::format("{}: another run is writing it; choose another name or wait", name));
}

}  // namespace

FileHeader parse_file_header(const std::string& bytes) {
  FileHeader header;
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kSqliteMagic)) return header;
  header.sqlite = true;
  header.ours = big_endian(bytes, 68, 4) == kApplicationId;
  header.write_ahead = bytes[18] == 2;
  header.schema_number = big_endian(bytes, 60, 4);
  const uint32_t page_size = big_endian(bytes, 16, 2);
  header.expected_bytes = int64_t{page_size == 1 ? 65536 : page_size} * big_endian(bytes, 28, 4);
  return header;
}

fs::path sidecar(const fs::path& file, const char* suffix) {
  fs::path beside = file;
  beside += suffix;
  return beside;
}

fs::path draft_beside(const fs::path& file) {
  fs::path draft = file;
  return draft += ".part";
}

bool has_draft(const fs::path& file) {
  std::error_code error;
  const fs::path draft = draft_beside(file);
  if (!fs::is_regular_file(fs::symlink_status(draft, error))) return false;
  const int descriptor = open(draft.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return false;
  const bool ours = parse_file_header(read_front(descriptor)).ours;
  close(descriptor);
  return ours;
}

namespace {

/// SQLite opens no file whose path, with "-journal" behind it, is longer than its system interface takes (512 bytes on
/// Linux; pager.c, sqlite3PagerOpen()), and says then that there is none.
Result<void> check_length(const fs::path& file, const std::string& name) {
  const sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
  if (system == nullptr) return {};
  const auto most = static_cast<size_t>(system->mxPathname);
  const size_t beside =
      draft_beside(file).native().size() - file.native().size() + std::string_view("-journal").size() + 1;
  if (file.native().size() + beside <= most) return {};
  return refused_error(
      fmt::format("{}: its whole path has {} bytes; SQLite, which writes captures, takes {} at most. "
                  "Choose a shorter path",
                  name, file.native().size(), most - beside));
}

}  // namespace

Result<CaptureTarget> CaptureTarget::claim(const fs::path& as_given) {
  if (as_given.empty()) return refused_error("the capture's file has an empty name");
  const std::string name = sqlite::shown(as_given);
  std::error_code code;
  fs::path file = fs::absolute(as_given, code).lexically_normal();
  if (const Result<void> place = check_place(file, as_given); !place) return place.error();
  if (fs::path real = fs::weakly_canonical(file, code); !code)
    file = std::move(real);  // logs and drafts lie beside the file, not beside a link to it
  if (const Result<void> fits = check_length(file, name); !fits) return fits.error();
  Result<Locked> locked = lock_by_name(file, name);
  if (!locked) return locked.error();
  CaptureTarget target(file, locked->descriptor, locked->created);
  const struct stat& status = locked->status;
  const std::string front = read_front(locked->descriptor);
  const bool ours = parse_file_header(front).ours;
  if (status.st_size > 0 && !ours) {
    return refused_error(
        fmt::format("{}: exists and is not a capture; it was left as it is, choose another name", name));
  }
  // A new one is written beside it, and so are logs.
  if (access(file.parent_path().c_str(), W_OK | X_OK) != 0) {
    return refused_error(fmt::format("{}: its folder {} cannot be written: {}", name, sqlite::shown(file.parent_path()),
                                     std::strerror(errno)));
  }
  target.was_ours_ = ours;
  return target;
}

Result<void> CaptureTarget::remove_logs() { return remove_sidecars(file_, was_ours_); }

Result<void> CaptureTarget::remove_log_of_older() {
  if (parse_file_header(read_front(descriptor_)).write_ahead) return {};
  Result<void> done = check_sidecar(file_, was_ours_, kWal);
  return done ? remove_sidecar(file_, kWal) : done;
}

Result<fs::path> CaptureTarget::draft() {
  const fs::path draft = draft_beside(file_);
  std::error_code code;
  const fs::file_status there = fs::symlink_status(draft, code);
  if (fs::exists(there)) {
    const bool empty = fs::is_regular_file(there) && fs::file_size(draft, code) == 0;
    if (!empty && !has_draft(file_)) {
      return refused_error(fmt::format("{}: {} is needed for the new file, exists, and is not a capture; move it away",
                                       sqlite::shown(file_), sqlite::shown(draft.filename())));
    }
    if (Result<void> removed = remove_sidecars(draft, !empty); !removed) return removed.error();
    fs::remove(draft, code);
  }
  struct stat older {};
  if (fstat(descriptor_, &older) != 0)
    return refused_error(fmt::format("{}: {}", sqlite::shown(file_), std::strerror(errno)));
  // Nobody else's link or file, and never more readable than what it replaces.
  const int made = open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (made < 0 || fchmod(made, older.st_mode & 07777) != 0) {
    const std::string why = std::strerror(errno);
    if (made >= 0) close(made);
    return refused_error(fmt::format("{}: cannot be made: {}", sqlite::shown(draft), why));
  }
  close(made);
  draft_ = draft;
  if (Result<void> removed = remove_sidecars(draft, false); !removed) return removed.error();
  return draft;
}

Result<void> CaptureTarget::publish() {
  // The lock goes with the new file: whoever opens that name from now on finds it held.
  const auto refused = [this](const std::string& why) {
    return refused_error(fmt::format("{}: cannot be replaced: {}", sqlite::shown(file_), why));
  };
  const int next = open(draft_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat opened {};
  struct stat named {};
  const auto held = [&]() -> Result<void> {
    if (next < 0 || fstat(next, &opened) != 0) return refused(std::strerror(errno));
    if (flock(next, LOCK_EX | LOCK_NB) != 0)
      return refused(fmt::format("another run is writing {}", sqlite::shown(draft_.filename())));
    if (lstat(draft_.c_str(), &named) != 0 || !S_ISREG(named.st_mode) || !same_file(opened, named)) {
      return refused(fmt::format("{} is not the file that was written", sqlite::shown(draft_.filename())));
    }
    return {};
  };
  Result<void> done = held();
  for (const Sidecar& known : kSidecars) {
    if (done) done = check_sidecar(file_, was_ours_, known);
  }
  if (done) done = settle_journal();
  std::error_code code;
  if (done) fs::rename(draft_, file_, code);
  if (done && code) done = refused(code.message());
  if (!done) {
    if (next >= 0) close(next);
    return done;
  }
  close(std::exchange(descriptor_, next));
  draft_.clear();
  keep_ = true;
  // The older one's log goes last: until then that file has all it had, and a reader leaves the log of a file that was
  // closed.
  done = remove_sidecar(file_, kWal);
  if (done) done = remove_sidecar(file_, kShm);
  return done;
}

/// A journal would be played into whatever has the file's name. What stands in it is put back into the older file, as
/// any reader does in its copy, so that this file is whole without it.
Result<void> CaptureTarget::settle_journal() {
  const int journal =
      open(sidecar(file_, kJournal.suffix).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (journal >= 0) {
    struct stat status {};
    // One that is refused keeps the older file from being read: it holds nothing that could be lost.
    const bool played = was_ours_ && fstat(journal, &status) == 0 && S_ISREG(status.st_mode) &&
                        play_rollback_journal(journal, descriptor_).ok();
    close(journal);
    if (played && fsync(descriptor_) != 0)
      return refused_error(fmt::format("{}: {}", sqlite::shown(file_), std::strerror(errno)));
  }
  return remove_sidecar(file_, kJournal);
}

CaptureTarget::CaptureTarget(CaptureTarget&& other) noexcept
    : file_(std::move(other.file_)),
      draft_(std::exchange(other.draft_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      created_(other.created_),
      keep_(other.keep_),
      was_ours_(other.was_ours_) {}

CaptureTarget::~CaptureTarget() {
  if (descriptor_ < 0) return;
  std::error_code ignored;
  if (!keep_) {
    if (!draft_.empty()) {
      for (const char* log : {"", "-wal", "-journal", "-shm"}) fs::remove(sidecar(draft_, log), ignored);
    }
    if (created_) fs::remove(file_, ignored);
  }
  close(descriptor_);
}

}  // namespace profiler
