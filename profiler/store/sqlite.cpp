// SPDX-License-Identifier: Apache-2.0
// Opening, executing, binding, and what to say when SQLite refuses.
#include "profiler/store/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>

#include "engine/base/check.h"
#include "engine/base/display_text.h"

namespace profiler::sqlite {

using engine::Error;
using engine::refused_error;
using engine::Result;

namespace {

/// The path as a file: URI; every byte that could mean something to the URI parser is escaped.
std::string uri_of(const std::filesystem::path& file, std::string_view options) {
  std::string uri = "file://";
  for (const char c : file.native()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
                       std::strchr("/-_.~", c) != nullptr;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri + "?" + std::string(options);
}

/// Whether the file system of `file` has less room than one commit takes.
bool no_space_beside(const std::filesystem::path& file) {
  constexpr uintmax_t kOneCommit = uintmax_t{1} << 20;
  std::error_code failed;
  const auto space = std::filesystem::space(std::filesystem::absolute(file, failed).parent_path(), failed);
  return !failed && space.available < kOneCommit;
}

/// SQLite's own file system, less super-journals: a hot journal may name one, which SQLite then deletes, whatever file
/// of the user that is. We attach no databases and have none.
int open_but_super_journals(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* flags_out) {
  if ((flags & SQLITE_OPEN_SUPER_JOURNAL) != 0) {
    file->pMethods = nullptr;
    return SQLITE_CANTOPEN;
  }
  return sqlite3_vfs_find(nullptr)->xOpen(vfs, name, file, flags, flags_out);
}

constexpr std::string_view kDescriptors = "/proc/self/fd/";

bool is_of_descriptor(std::string_view path) {
  return path.starts_with(kDescriptors) && path.size() > kDescriptors.size() &&
         path.find_first_not_of("0123456789", kDescriptors.size()) == path.npos;
}

/// SQLite follows no links, which a descriptor's path is one of.
int open_also_descriptors(const char* path, int flags, int mode) {
  return ::open(path, is_of_descriptor(path) ? flags & ~O_NOFOLLOW : flags, mode);
}

/// A descriptor's path stays as it is: followed, it would be the name that the file had.
int full_path_but_of_descriptors(sqlite3_vfs* vfs, const char* name, int size, char* out) {
  const std::string_view path(name);
  if (!is_of_descriptor(path)) return sqlite3_vfs_find(nullptr)->xFullPathname(vfs, name, size, out);
  if (static_cast<size_t>(size) <= path.size()) return SQLITE_CANTOPEN;
  std::memcpy(out, path.data(), path.size());
  out[path.size()] = '\0';
  return SQLITE_OK;
}

/// Its name for sqlite3_open_v2; SQLite keeps those who know it by name, and nobody who asks for none gets it.
const char* file_system() {
  static const char* const name = [] {
    static sqlite3_vfs vfs = *sqlite3_vfs_find(nullptr);
    vfs.pNext = nullptr;
    vfs.zName = "tensortide";
    vfs.xOpen = open_but_super_journals;
    vfs.xFullPathname = full_path_but_of_descriptors;
    CHECK(vfs.xSetSystemCall(&vfs, "open", reinterpret_cast<sqlite3_syscall_ptr>(open_also_descriptors)) == SQLITE_OK);
    CHECK(sqlite3_vfs_register(&vfs, 0) == SQLITE_OK);
    return vfs.zName;
  }();
  return name;
}

}  // namespace

std::string shown(const std::filesystem::path& path) { return engine::display_line(path.native()); }

Result<Database> Database::open(const std::filesystem::path& file, int flags, std::string_view uri_options,
                                std::filesystem::path name_in_messages) {
  Database database;
  database.file_ = std::move(name_in_messages);
  const std::string name = uri_options.empty() ? file.native() : uri_of(file, uri_options);
  sqlite3* handle = nullptr;
  // One thread uses a connection at a time: locks around every value of every row took a fifth of an import's time.
  const int how = flags | SQLITE_OPEN_NOMUTEX | (uri_options.empty() ? 0 : SQLITE_OPEN_URI);
  const int code = sqlite3_open_v2(name.c_str(), &handle, how, file_system());
  database.handle_.reset(handle);
  if (handle == nullptr) return refused_error(shown(database.file_) + ": no memory to open it");
  sqlite3_extended_result_codes(handle, 1);
  if (code != SQLITE_OK) return database.error("open");
  return database;
}

Result<void> Database::execute(const char* sql) const {
  errno = 0;
  if (sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  const std::string_view statement(sql);
  const bool writes = statement.starts_with("BEGIN") || statement.starts_with("COMMIT") ||
                      statement.starts_with("DELETE") || statement.find("wal_checkpoint") != statement.npos;
  return error(writes ? "write to it" : fmt::format("execute \"{:.60}\"", sql));
}

Error Database::error(std::string_view doing) const {
  const int last = errno;  // of the call that failed: a commit that cannot write its log leaves the reason there alone
  if (timed_out()) {
    return refused_error(fmt::format(
        "{}: reading took too long and was stopped; the file is damaged or was made to do so", shown(file_)));
  }
  const int code = sqlite3_extended_errcode(handle());
  const int primary = code & 0xff;
  std::string reason = sqlite3_errmsg(handle());
  const int system =
      sqlite3_system_errno(handle()) != 0 || primary != SQLITE_IOERR ? sqlite3_system_errno(handle()) : last;
  if ((primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_FULL) && system != 0) {
    reason += fmt::format(" ({})", std::strerror(system));
  }
  if (primary == SQLITE_FULL || (primary == SQLITE_IOERR && no_space_beside(file_))) {
    reason = "the disk is full: free some space or choose another place";
  } else if (primary == SQLITE_IOERR && system == EFBIG) {
    reason += "; the limit on the size of files is too low (ulimit -f)";
  }
  return refused_error(fmt::format("{}: cannot {}: {}", shown(file_), doing, reason));
}

void Database::set_time_limit(double seconds) {
  deadline_ = std::make_unique<Deadline>();
  deadline_->at = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                         std::chrono::duration<double>(seconds));
  const auto check = [](void* context) {
    auto* deadline = static_cast<Deadline*>(context);
    deadline->passed = std::chrono::steady_clock::now() > deadline->at;
    return deadline->passed ? 1 : 0;
  };
  sqlite3_progress_handler(handle(), 10000, check, deadline_.get());
}

Result<Statement> Statement::prepare(const Database& database, std::string_view sql) {
  Statement statement;
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()), 0, &handle, nullptr);
  statement.handle_.reset(handle);
  if (code != SQLITE_OK) return database.error(fmt::format("prepare \"{:.60}\"", sql));
  return statement;
}

Result<std::optional<int64_t>> first_integer(const Database& database, std::string_view sql, std::string_view doing) {
  auto row = Statement::prepare(database, sql);
  if (!row) return row.error();
  const int code = sqlite3_step(row->handle());
  if (code == SQLITE_ROW) return std::optional<int64_t>(sqlite3_column_int64(row->handle(), 0));
  if (code == SQLITE_DONE) return std::optional<int64_t>();
  return database.error(doing);
}

Result<std::optional<std::string>> first_text(const Database& database, std::string_view sql, std::string_view doing) {
  auto row = Statement::prepare(database, sql);
  if (!row) return row.error();
  const int code = sqlite3_step(row->handle());
  if (code == SQLITE_DONE) return std::optional<std::string>();
  if (code != SQLITE_ROW) return database.error(doing);
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row->handle(), 0));
  return std::optional<std::string>(text == nullptr ? "" : text);
}

Result<bool> has_table(const Database& database, std::string_view name) {
  auto found =
      Statement::prepare(database, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?1");
  if (!found) return found.error();
  found->bind(1, name);
  const int code = sqlite3_step(found->handle());
  if (code != SQLITE_ROW && code != SQLITE_DONE) return database.error("read the list of tables");
  return code == SQLITE_ROW;
}

std::filesystem::path path_of_descriptor(int descriptor) {
  const std::string path = fmt::format("{}{}", kDescriptors, descriptor);
  return access(path.c_str(), F_OK) == 0 ? std::filesystem::path(path) : std::filesystem::path();
}

Statement& Statement::bind(int column, int64_t value) {
  CHECK(sqlite3_bind_int64(handle(), column, value) == SQLITE_OK);
  return *this;
}

Statement& Statement::bind(int column, double value) {
  CHECK(sqlite3_bind_double(handle(), column, value) == SQLITE_OK);  // NaN becomes NULL
  return *this;
}

Statement& Statement::bind(int column, std::string_view text) {
  const char* data = text.data() == nullptr ? "" : text.data();
  CHECK(sqlite3_bind_text64(handle(), column, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) == SQLITE_OK);
  return *this;
}

Statement& Statement::bind_null(int column) {
  CHECK(sqlite3_bind_null(handle(), column) == SQLITE_OK);
  return *this;
}

Statement& Statement::bind_blob(int column, std::span<const uint8_t> bytes) {
  const int code = bytes.empty() ? sqlite3_bind_zeroblob(handle(), column, 0)
                                 : sqlite3_bind_blob64(handle(), column, bytes.data(), bytes.size(), SQLITE_STATIC);
  CHECK(code == SQLITE_OK);
  return *this;
}

Result<void> Statement::run(const Database& database) {
  errno = 0;
  const int code = sqlite3_step(handle());
  if (code != SQLITE_DONE && code != SQLITE_ROW) {
    engine::Error error = database.error("write");
    sqlite3_reset(handle());
    return error;
  }
  sqlite3_reset(handle());
  return {};
}

}  // namespace profiler::sqlite
