// SPDX-License-Identifier: Apache-2.0
// What is checked before a single row of a .tide file is believed.
#include "profiler/store/capture_open.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "profiler/store/capture_schema.h"
#include "profiler/store/capture_target.h"
#include "profiler/store/log_playback.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
using sqlite::Database;
namespace fs = std::filesystem;

namespace {

/// A descriptor that closes itself.
class OpenFile {
 public:
  explicit OpenFile(int file = -1) : file_(file) {}
  OpenFile(OpenFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  int get() const { return file_; }
  struct stat status() const {
    struct stat found {};
    if (fstat(file_, &found) != 0) found.st_size = -1;
    return found;
  }

 private:
  int file_;
};

/// For reading; a pipe or device neither blocks nor acts.
OpenFile open_to_read(const fs::path& file) {
  return OpenFile(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

/// A log that holds something; a link in its place is none, because no writer of ours makes one.
OpenFile open_log(const fs::path& file, const char* suffix) {
  OpenFile log(::open(sidecar(file, suffix).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
  const struct stat status = log.status();
  return log.get() >= 0 && S_ISREG(status.st_mode) && status.st_size > 0 ? std::move(log) : OpenFile();
}

struct Found {
  OpenFile file, wal, journal;
  FileHeader header;
  int64_t size_bytes = 0;
  bool has_log() const { return wal.get() >= 0 || journal.get() >= 0; }
  bool plain() const { return !has_log() && !header.write_ahead; }
};

/// `real`: with all links followed, as its writer knew it and named its logs by.
Result<Found> examine(const fs::path& real, const std::string& name) {
  std::error_code error;
  const fs::file_status kind = fs::status(real, error);
  if (!fs::exists(kind)) return refused_error(fmt::format("{}: there is no such file", name));
  if (fs::is_directory(kind)) return refused_error(fmt::format("{}: is a directory, not a capture", name));
  if (!fs::is_regular_file(kind)) return refused_error(fmt::format("{}: is not a regular file", name));
  Found found;
  found.file = open_to_read(real);
  if (found.file.get() < 0) return refused_error(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
  const struct stat status = found.file.status();
  if (!S_ISREG(status.st_mode)) return refused_error(fmt::format("{}: is not a regular file", name));
  found.size_bytes = static_cast<int64_t>(status.st_size);
  if (found.size_bytes == 0) {
    return refused_error(
        fmt::format("{}: is empty; a run that got no further than opening it leaves such a file", name));
  }
  std::string front(100, '\0');
  const ssize_t got = pread(found.file.get(), front.data(), front.size(), 0);
  front.resize(got > 0 ? static_cast<size_t>(got) : 0);
  found.header = parse_file_header(front);
  if (!found.header.sqlite) return refused_error(fmt::format("{}: is not a capture (no SQLite database)", name));
  if (!found.header.ours)
    return refused_error(fmt::format("{}: is an SQLite database, but not a capture of this program", name));
  // A file that is marked as written without one was closed: a log beside it is left of another file of that name.
  if (found.header.write_ahead) found.wal = open_log(real, "-wal");
  found.journal = open_log(real, "-journal");
  for (const OpenFile* log : {&found.wal, &found.journal}) {
    if (log->get() >= 0) found.size_bytes += static_cast<int64_t>(log->status().st_size);
  }
  // With a log the file may be short: its last pages may stand in the log alone (the disk was full when they were to be
  // moved).
  if (!found.has_log() && found.size_bytes < found.header.expected_bytes) {
    return refused_error(
        fmt::format("{}: is truncated: it has {} of {} bytes", name, found.size_bytes, found.header.expected_bytes));
  }
  return found;
}

/// A copy without a name, in the temporary folder; where the file system knows no such files, one that is unlinked at
/// once.
class NamelessCopy {
 public:
  static Result<NamelessCopy> make() {
    std::error_code error;
    NamelessCopy copy;
    const fs::path place = fs::temp_directory_path(error);
    std::string pattern = (place / "tensortide-XXXXXX").string();
    if (error || mkdtemp(pattern.data()) == nullptr) {
      return refused_error(
          fmt::format("{} cannot be written: {}", place.string(), error ? error.message() : std::strerror(errno)));
    }
    copy.folder_ = pattern;
    copy.file_ = OpenFile(::open(pattern.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    copy.named_ = copy.file_.get() < 0 || sqlite::path_of_descriptor(copy.file_.get()).empty();
    if (copy.named_)
      copy.file_ = OpenFile(::open(copy.path().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (copy.file_.get() < 0)
      return refused_error(fmt::format("{} cannot be written: {}", pattern, std::strerror(errno)));
    if (!copy.named_) copy.drop_folder();  // nothing to be found meanwhile
    return copy;
  }
  NamelessCopy(NamelessCopy&& other) noexcept
      : folder_(std::exchange(other.folder_, {})), file_(std::move(other.file_)), named_(other.named_) {}
  ~NamelessCopy() { drop_folder(); }
  int get() const { return file_.get(); }
  fs::path path() const { return folder_ / "capture"; }

  /// Opens it by its descriptor; where that is not possible by its name, which then goes.
  Result<Database> open(const fs::path& as_given, double seconds) {
    auto opened = open_untrusted(named_ ? path() : sqlite::path_of_descriptor(file_.get()), as_given, seconds);
    drop_folder();
    return opened;
  }

 private:
  NamelessCopy() = default;
  void drop_folder() {
    if (folder_.empty()) return;
    std::error_code ignored;
    if (named_) fs::remove(path(), ignored);
    fs::remove(folder_, ignored);
    folder_.clear();
  }
  fs::path folder_;
  OpenFile file_;
  bool named_ = false;
};

Result<void> copy_bytes(int from, int to) {
  std::vector<char> block(size_t{1} << 20);
  for (int64_t at = 0;;) {
    const ssize_t got = pread(from, block.data(), block.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused_error(std::strerror(errno));
    if (got == 0) return {};
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = pwrite(to, block.data() + done, static_cast<size_t>(got - done), at + done);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return refused_error(std::strerror(errno));
      done += put;
    }
    at += got;
  }
}

/// A copy with its logs played into it, and whether the file changed while it was made (its writer was just then
/// closing it).
struct Replica {
  NamelessCopy copy;
  std::string damage;
  bool moved = false;
};

Result<Replica> replicate(const Found& found) {
  auto copy = NamelessCopy::make();
  if (!copy) return copy.error();
  Replica made{*std::move(copy), {}, false};
  const struct stat before = found.file.status();
  const auto log_bytes = [&found] {
    return found.wal.get() >= 0 ? static_cast<int64_t>(found.wal.status().st_size) : 0;
  };
  const int64_t log_before = log_bytes();
  if (Result<void> done = copy_bytes(found.file.get(), made.copy.get()); !done) return done.error();
  if (found.journal.get() >= 0) {
    if (Result<void> done = play_rollback_journal(found.journal.get(), made.copy.get()); !done) return done.error();
  }
  if (found.wal.get() >= 0) {
    auto played = play_write_ahead_log(found.wal.get(), made.copy.get());
    if (!played) return played.error();
    made.damage = played->damage;
  }
  // "1": written without a log. As the file is immutable to SQLite, a mark that promises one would keep it from
  // opening.
  const std::array<char, 2> plain{1, 1};
  if (pwrite(made.copy.get(), plain.data(), plain.size(), 18) != 2) return refused_error(std::strerror(errno));
  const struct stat after = found.file.status();
  made.moved = after.st_size != before.st_size || after.st_mtim.tv_sec != before.st_mtim.tv_sec ||
               after.st_mtim.tv_nsec != before.st_mtim.tv_nsec || log_bytes() < log_before;
  return made;
}

Result<void> distrust(Database& database, double seconds) {
  struct Setting {
    int what, value;
  };
  for (const Setting limit :
       {Setting{SQLITE_LIMIT_LENGTH, 64 << 20}, Setting{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
        Setting{SQLITE_LIMIT_COLUMN, 256}, Setting{SQLITE_LIMIT_EXPR_DEPTH, 100},
        Setting{SQLITE_LIMIT_COMPOUND_SELECT, 50}, Setting{SQLITE_LIMIT_VDBE_OP, 100000},
        Setting{SQLITE_LIMIT_FUNCTION_ARG, 32}, Setting{SQLITE_LIMIT_ATTACHED, 0},
        Setting{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000}, Setting{SQLITE_LIMIT_VARIABLE_NUMBER, 256},
        Setting{SQLITE_LIMIT_TRIGGER_DEPTH, 1}, Setting{SQLITE_LIMIT_WORKER_THREADS, 0}}) {
    sqlite3_limit(database.handle(), limit.what, limit.value);
  }
  for (const Setting choice :
       {Setting{SQLITE_DBCONFIG_DEFENSIVE, 1}, Setting{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        Setting{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, Setting{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        Setting{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}, Setting{SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
        Setting{SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}}) {
    int now = -1;
    if (sqlite3_db_config(database.handle(), choice.what, choice.value, &now) == SQLITE_OK && now != choice.value)
      return database.error("open it without trust");
  }
  database.set_time_limit(seconds);
  return database.execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA query_only = ON");
}

/// Whoever wrote a file with a newer schema says so in META_DATA_EXPORT.
std::string written_by(const Database& database) {
  const auto version = sqlite::first_text(
      database, "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_PRODUCT_VERSION'", "read its version");
  if (!version || !*version || (*version)->empty()) return "a newer version";
  return sqlite::shown(fmt::format("a newer version, {:.40},", **version));
}

struct Readable {
  Database database;
  int64_t size_bytes = 0;
  std::string log_damage;
};

/// The file that was looked at, not what has its name now.
Result<Database> open_checked(const OpenFile& file, const fs::path& real, const fs::path& as_given, double seconds) {
  if (const fs::path self = sqlite::path_of_descriptor(file.get()); !self.empty())
    return open_untrusted(self, as_given, seconds);
  auto database = open_untrusted(real, as_given, seconds);
  struct stat named {};
  const struct stat looked_at = file.status();
  if (stat(real.c_str(), &named) != 0 || named.st_dev != looked_at.st_dev || named.st_ino != looked_at.st_ino) {
    return refused_error(
        fmt::format("{}: another file took its place while it was opened; open it again", sqlite::shown(as_given)));
  }
  return database;
}

/// The file itself, or a copy with its logs in it.
Result<Readable> open_whole(const fs::path& real, const fs::path& as_given, Found found, double seconds) {
  const std::string name = sqlite::shown(as_given);
  constexpr int kTries = 5;
  for (int tries = 1; !found.plain(); ++tries) {
    auto made = replicate(found);
    if (!made)
      return refused_error(
          fmt::format("{}: its run did not finish, and its log cannot be read: {}", name, made.error().message));
    if (made->moved && tries < kTries) {  // its writer is just closing it
      std::this_thread::sleep_for(std::chrono::milliseconds(20 * tries));
      auto again = examine(real, name);
      if (!again) return again.error();
      found = std::move(*again);
      continue;
    }
    auto database = made->copy.open(as_given, seconds);
    if (!database) return database.error();
    std::string damage =
        made->damage.empty()
            ? ""
            : fmt::format("its log {} {}", sqlite::shown(sidecar(as_given, "-wal").filename()), made->damage);
    return Readable{std::move(*database), found.size_bytes, std::move(damage)};
  }
  auto database = open_checked(found.file, real, as_given, seconds);
  if (!database) return database.error();
  return Readable{std::move(*database), found.size_bytes, {}};
}

}  // namespace

Result<std::string> structure_of(const Database& database) {
  const auto verdict = sqlite::first_text(database, "PRAGMA quick_check(1)", "check");
  if (!verdict) return verdict.error();
  return verdict->value_or("");
}

Result<Database> open_untrusted(const fs::path& file, const fs::path& name_in_messages, double seconds) {
  // Immutable: no lock, no log, no -shm, and a read-only folder will do.
  auto database = Database::open(file, SQLITE_OPEN_READONLY, "immutable=1", name_in_messages);
  if (!database) return database;
  if (Result<void> done = distrust(*database, seconds); !done) return done.error();
  return database;
}

Result<OpenedCapture> OpenedCapture::open(const fs::path& as_given, double seconds) {
  const std::string name = sqlite::shown(as_given);
  std::error_code error;
  fs::path real = fs::canonical(as_given, error);
  if (error) real = fs::absolute(as_given, error);
  Result<Found> found = examine(real, name);
  if (!found) return found.error();
  const uint32_t schema = found->header.schema_number;
  constexpr double kReadingRate = 5e6;  // bytes/s, a slow disk
  const double limit = seconds + static_cast<double>(found->size_bytes) / kReadingRate;
  auto readable = open_whole(real, as_given, *std::move(found), limit);
  if (!readable) return readable.error();
  const Database& database = readable->database;
  if (schema > kSchemaNumber) {
    return refused_error(fmt::format("{}: was written by {} (format {}; this one reads up to {}): update this program",
                                     name, written_by(database), schema, kSchemaNumber));
  }
  if (schema == 0) return refused_error(fmt::format("{}: is damaged: it names no file format", name));
  if (readable->size_bytes <= kCheckedBytes) {
    const Result<std::string> structure = structure_of(database);
    if (!structure) return structure.error();
    if (*structure != "ok")
      return refused_error(fmt::format("{}: is damaged: {:.200}", name, sqlite::shown(*structure)));
  }
  return OpenedCapture(std::move(readable->database), readable->size_bytes, schema, std::move(readable->log_damage));
}

bool OpenedCapture::has_table(std::string_view name) const {
  const Result<bool> there = sqlite::has_table(database_, name);
  return there && *there;
}

}  // namespace profiler
