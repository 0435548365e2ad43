// SPDX-License-Identifier: Apache-2.0
// Logs beside a file: what a killed writer of ours left comes back as SQLite would bring it back, and what a stranger
// put there reaches no other file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "profiler/store/capture_file.h"
#include "profiler/store/capture_open.h"
#include "profiler/store/capture_rows.h"
#include "profiler/store/capture_schema.h"
#include "profiler/store/capture_target.h"
#include "profiler/store/log_playback.h"
#include "profiler/sweep/file.h"
#include "tests/support/capture_difference.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;
using tests::read_bytes;
using tests::sample_capture;
using tests::TemporaryFolder;
using tests::write_bytes;

std::string big_endian(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

const std::string kMagic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);

uint32_t page_bytes_of(const std::string& database) {
  const auto byte = [&](size_t at) { return static_cast<uint32_t>(static_cast<unsigned char>(database[at])); };
  const uint32_t bytes = byte(16) << 8 | byte(17);
  return bytes == 1 ? 65536 : bytes;
}

/// The front of a hot rollback journal of `database`, without records.
std::string journal_front(const std::string& database) {
  const uint32_t page = page_bytes_of(database);
  std::string front = kMagic + big_endian(0) + big_endian(0x12345678) +
                      big_endian(static_cast<uint32_t>(database.size()) / page) + big_endian(512) + big_endian(page);
  front.resize(512, '\0');
  return front;
}

/// What SQLite takes for the name of a super-journal, at the end of a journal.
std::string super_journal(const std::string& name, uint32_t page_bytes) {
  uint32_t sum = 0;
  for (const char c : name) sum += static_cast<uint32_t>(static_cast<int32_t>(static_cast<signed char>(c)));
  return big_endian(0x40000000 / page_bytes + 1) + name + big_endian(static_cast<uint32_t>(name.size())) +
         big_endian(sum) + kMagic;
}

struct Hostile {
  const char* what;
  std::function<std::string(const std::string& database, const std::string& victim)> journal;
};

const std::vector<Hostile>& hostile_journals() {
  static const std::vector<Hostile> all{
      {"a super-journal", [](const std::string& db,
                             const std::string& v) { return journal_front(db) + super_journal(v, page_bytes_of(db)); }},
      {"one below another",
       [](const std::string& db, const std::string& v) {
         return journal_front(db) + super_journal(v, page_bytes_of(db)) + super_journal("/none", page_bytes_of(db));
       }},
      {"one below zeros",
       [](const std::string& db, const std::string& v) {
         return journal_front(db) + super_journal(v, page_bytes_of(db)) + std::string(16, '\0');
       }},
      {"one and no front",
       [](const std::string& db, const std::string& v) {
         return std::string(512, 'x') + super_journal(v, page_bytes_of(db));
       }},
      {"one alone", [](const std::string& db, const std::string& v) { return super_journal(v, page_bytes_of(db)); }}};
  return all;
}

/// Whether SQLite itself would delete the victim: the attack is real.
bool sqlite_deletes(const fs::path& database, const fs::path& victim) {
  sqlite3* handle = nullptr;
  EXPECT_EQ(sqlite3_open(database.c_str(), &handle), SQLITE_OK);
  sqlite3_exec(handle, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr);
  sqlite3_close(handle);
  return !fs::exists(victim);
}

TEST(CaptureLog, AJournalOfAStrangerDeletesNothing) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.tide", victim = folder / "thesis.txt", journal = folder / "r.tide-journal";
  ASSERT_TRUE(save_capture(*sample_capture(), file).ok());
  const std::string whole = read_bytes(file);
  int real = 0;
  for (const Hostile& hostile : hostile_journals()) {
    const auto lay = [&] {
      write_bytes(victim, "years of work");
      write_bytes(file, whole);
      write_bytes(journal, hostile.journal(whole, victim));
    };
    lay();
    real += sqlite_deletes(file, victim) ? 1 : 0;
    using Act = std::function<void()>;
    const std::vector<std::pair<const char*, Act>> acts{
        {"open", [&] { (void)open_capture(file); }},
        {"query", [&] { (void)query_capture(file, "SELECT count(*) FROM TIDE_OP"); }},
        {"rows", [&] { (void)check_rows(file); }},
        {"is a sweep?", [&] { (void)is_sweep(file); }},
        {"replace", [&] { (void)save_capture(*sample_capture(), file); }},
        {"add", [&] { (void)add_traffic(*sample_capture(), TrafficSource(), file); }}};
    for (const auto& [name, act] : acts) {
      lay();
      act();
      EXPECT_TRUE(fs::exists(victim)) << hostile.what << ", " << name;
    }
  }
  EXPECT_GE(real, 1) << "none of these journals is an attack";
}

TEST(CaptureLog, AJournalThatNamesAnotherFileIsRefusedByItsName) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_capture(*sample_capture(), folder / "r.tide").ok());
  const std::string whole = read_bytes(folder / "r.tide");
  write_bytes(folder / "r.tide-journal", hostile_journals().front().journal(whole, folder / "victim"));
  const auto back = open_capture(folder / "r.tide");
  ASSERT_FALSE(back.ok());
  EXPECT_NE(back.error().message.find("r.tide"), std::string::npos) << back.error().message;
  EXPECT_NE(back.error().message.find("names another file"), std::string::npos) << back.error().message;
}

TEST(CaptureLog, ASweepThatGoesOnFollowsNoJournalOfAStranger) {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.tide", victim = folder / "thesis.txt";
  Sweep sweep;
  sweep.request = {.workload = "mlp", .fixed = {}, .axes = {{"batch", {"1", "2"}}}};
  sweep.points.resize(2);
  ASSERT_TRUE(SweepWriter::create(file, sweep));
  const std::string whole = read_bytes(file);
  for (const Hostile& hostile : hostile_journals()) {
    write_bytes(victim, "years of work");
    write_bytes(file, whole);
    write_bytes(folder / "s.tide-journal", hostile.journal(whole, victim));
    (void)open_sweep(file);
    (void)SweepWriter::create(file, sweep);
    EXPECT_TRUE(fs::exists(victim)) << hostile.what;
  }
}

/// A database of some tables, as SQLite wrote it until it was killed amid a transaction.
void write_until_killed(const fs::path& file, const char* journal_mode, int committed) {
  const pid_t child = fork();
  if (child == 0) {
    sqlite3* handle = nullptr;
    sqlite3_open(file.c_str(), &handle);
    const auto run = [&](const std::string& sql) {
      if (sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) _exit(1);
    };
    run(std::string("PRAGMA journal_mode = ") + journal_mode +
        "; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 5");
    run("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); CREATE INDEX i ON t(b)");
    const std::string rows =
        "INSERT INTO t(b) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT "
        "hex(randomblob(40)) FROM n";
    for (int i = 0; i < committed; ++i) run(rows + (i % 2 == 1 ? "; DELETE FROM t WHERE a % 3 = 0" : ""));
    run("BEGIN; UPDATE t SET b = 'undone'; " + rows);  // a small cache: changed pages are in the file already
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
}

std::string all_rows(const fs::path& file) {
  sqlite3* handle = nullptr;
  std::string rows;
  EXPECT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  const auto add = [](void* to, int count, char** cells, char**) {
    for (int i = 0; i < count; ++i)
      *static_cast<std::string*>(to) += std::string(cells[i] == nullptr ? "NULL" : cells[i]) + '\n';
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(handle, "PRAGMA integrity_check; SELECT * FROM t", add, &rows, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  sqlite3_close(handle);
  return rows;
}

/// Plays the log of `file` into a copy, which is then held against SQLite's own recovery of another.
void expect_recovers_like_sqlite(const TemporaryFolder& folder, const fs::path& file, bool wal) {
  const fs::path ours = folder / "ours.db", theirs = folder / "theirs.db",
                 log = file.string() + (wal ? "-wal" : "-journal");
  for (const fs::path& copy : {ours, theirs}) fs::copy_file(file, copy, fs::copy_options::overwrite_existing);
  fs::copy_file(log, theirs.string() + (wal ? "-wal" : "-journal"), fs::copy_options::overwrite_existing);
  const int from = open(log.c_str(), O_RDONLY), to = open(ours.c_str(), O_RDWR);
  if (wal) {
    const auto played = play_write_ahead_log(from, to);
    ASSERT_TRUE(played.ok()) << played.error().message;
    EXPECT_EQ(played->damage, "");
    const char plain[2] = {1, 1};
    ASSERT_EQ(pwrite(to, plain, 2, 18), 2);
  } else {
    const auto played = play_rollback_journal(from, to);
    ASSERT_TRUE(played.ok()) << played.error().message;
  }
  close(from), close(to);
  EXPECT_EQ(all_rows(ours), all_rows(theirs));
}

TEST(CaptureLog, IsPlayedAsSqlitePlaysIt) {
  for (const bool wal : {true, false}) {
    for (const int committed : {1, 2, 5}) {
      const TemporaryFolder folder;
      const fs::path file = folder / "k.db";
      write_until_killed(file, wal ? "WAL" : "DELETE", committed);
      ASSERT_GT(fs::file_size(file.string() + (wal ? "-wal" : "-journal")), 0u);
      expect_recovers_like_sqlite(folder, file, wal);
    }
  }
}

/// A run of ours that was killed behind its second step.
void killed_run(const fs::path& file) {
  const auto capture = sample_capture();
  const pid_t child = fork();
  if (child == 0) {
    auto writer = CaptureWriter::create(file);
    if (!writer || !(*writer)->write_header(*capture)) _exit(1);
    for (size_t i = 0; i < 2; ++i) {
      if (!(*writer)->append({}, std::span(capture->steps()).subspan(i, 1), *capture)) _exit(2);
    }
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(CaptureLog, DamageInTheLogOfAKilledRunIsNamed) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.tide", log = folder / "r.tide-wal";
  killed_run(file);
  const std::string whole = read_bytes(log);
  const auto untouched = open_capture(file);
  ASSERT_TRUE(untouched.ok()) << untouched.error().message;
  EXPECT_EQ((*untouched)->run().incomplete_reason.find("damaged"), std::string::npos);
  for (size_t at = 3; at < whole.size(); at += whole.size() / 23) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    write_bytes(log, bytes);
    const auto back = open_capture(file);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_FALSE((*back)->run().complete);
    EXPECT_NE((*back)->run().incomplete_reason.find("its log r.tide-wal is damaged at byte"), std::string::npos)
        << at << ": " << (*back)->run().incomplete_reason;
    EXPECT_LT((*back)->steps().size(), 2u);
    const auto rows = check_rows(file);
    ASSERT_FALSE(rows.ok());
    EXPECT_NE(rows.error().message.find("damaged"), std::string::npos) << rows.error().message;
  }
}

TEST(CaptureLog, ALogThatEndsWithinAFrameIsThatOfAKilledRun) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.tide", log = folder / "r.tide-wal";
  killed_run(file);
  const std::string whole = read_bytes(log);
  for (const size_t cut : {1u, 100u, 4000u}) {
    write_bytes(log, whole.substr(0, whole.size() - cut));
    const auto back = open_capture(file);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ((*back)->run().incomplete_reason.find("damaged"), std::string::npos) << (*back)->run().incomplete_reason;
    EXPECT_EQ((*back)->steps().size(), 1u);
  }
}

TEST(CaptureLog, IsFoundBesideTheFileThatALinkLeadsTo) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "real");
  killed_run(folder / "real" / "r.tide");
  fs::create_symlink(folder / "real" / "r.tide", folder / "link.tide");
  const auto back = open_capture(folder / "link.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ((*back)->steps().size(), 2u);
}

TEST(CaptureLog, OfAnOlderFileIsNotReadIntoAClosedOne) {
  const TemporaryFolder folder;
  killed_run(folder / "killed.tide");
  ASSERT_TRUE(save_capture(*sample_capture(), folder / "r.tide").ok());
  fs::copy_file(folder / "killed.tide-wal", folder / "r.tide-wal");
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(tests::difference(*sample_capture(), **back), "");
}

TEST(CaptureLog, ALinkOrPipeInItsPlaceIsNone) {
  const TemporaryFolder folder;
  killed_run(folder / "r.tide");
  write_bytes(folder / "secret", read_bytes(folder / "r.tide-wal"));
  fs::remove(folder / "r.tide-wal");
  fs::create_symlink(folder / "secret", folder / "r.tide-wal");
  ASSERT_EQ(mkfifo((folder / "r.tide-journal").c_str(), 0600), 0);
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ((*back)->steps().size(), 0u);
}

/// A log whose last commit says that the file has `pages` pages, with sums that fit.
std::string with_page_count(std::string log, uint32_t pages) {
  const auto read = [&](size_t at, bool big) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i)
      value |= static_cast<uint32_t>(static_cast<unsigned char>(log[at + i])) << (big ? 24 - 8 * i : 8 * i);
    return value;
  };
  const bool big = (read(0, true) & 1) != 0;
  const size_t frame = 24 + read(8, true);
  const size_t end = 32 + (log.size() - 32) / frame * frame;
  for (size_t at = end - frame; at >= 32; at -= frame) {
    if (read(at + 4, true) == 0) continue;
    log.replace(at + 4, 4, big_endian(pages));
    break;
  }
  uint32_t a = 0, b = 0;
  const auto add = [&](size_t at, size_t bytes) {
    for (size_t i = at; i < at + bytes; i += 8) a += read(i, big) + b, b += read(i + 4, big) + a;
  };
  add(0, 24);
  for (size_t at = 32; at < end; at += frame) {
    add(at, 8), add(at + 24, frame - 24);
    log.replace(at + 16, 8, big_endian(a) + big_endian(b));
  }
  return log;
}

TEST(CaptureLog, APageCountThatFileAndLogCannotHaveIsDamage) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.tide", log = folder / "r.tide-wal", copy = folder / "copy";
  killed_run(file);
  const std::string whole = read_bytes(log), base = read_bytes(file);
  const uint32_t page = page_bytes_of(base);
  const auto most = static_cast<uint32_t>((base.size() + whole.size()) / page);
  for (const uint32_t pages : {most + 2, 0x10000u, 0x80000000u, 0xffffffffu}) {
    write_bytes(log, with_page_count(whole, pages));
    fs::copy_file(file, copy, fs::copy_options::overwrite_existing);
    const int from = open(log.c_str(), O_RDONLY), to = open(copy.c_str(), O_RDWR);
    const auto played = play_write_ahead_log(from, to);
    close(from), close(to);
    ASSERT_TRUE(played.ok()) << played.error().message;
    EXPECT_NE(played->damage.find("is damaged at byte"), std::string::npos) << pages;
    EXPECT_LE(fs::file_size(copy), base.size() + whole.size()) << pages;
    const auto back = open_capture(file);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_NE((*back)->run().incomplete_reason.find("r.tide-wal is damaged"), std::string::npos)
        << (*back)->run().incomplete_reason;
    EXPECT_EQ((*back)->steps().size(), 1u) << "what was committed before counts";
  }
}

TEST(CaptureLog, AJournalOfMorePagesThanThereCanBeIsRefused) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.tide", journal = folder / "r.tide-journal";
  ASSERT_TRUE(save_capture(*sample_capture(), file).ok());
  const std::string whole = read_bytes(file);
  const uint32_t page = page_bytes_of(whole);
  for (const uint32_t pages : {static_cast<uint32_t>(whole.size() / page) + 4, 0x10000u, 0xffffffffu}) {
    std::string front = journal_front(whole);
    front.replace(8, 4, big_endian(1)).replace(16, 4, big_endian(pages));
    uint32_t sum = 0x12345678;
    const std::string content(page, 'x');
    for (auto i = static_cast<int64_t>(page) - 200; i > 0; i -= 200) sum += static_cast<unsigned char>('x');
    write_bytes(journal, front + big_endian(pages) + content + big_endian(sum));
    const auto back = open_capture(file);
    ASSERT_FALSE(back.ok()) << pages;
    EXPECT_NE(back.error().message.find("its journal is damaged"), std::string::npos) << back.error().message;
    const int from = open(journal.c_str(), O_RDONLY), to = open(file.c_str(), O_RDWR);
    EXPECT_FALSE(play_rollback_journal(from, to).ok());
    close(from), close(to);
    EXPECT_EQ(read_bytes(file), whole);
  }
}

TEST(CaptureLog, AJournalIsPutBackBeforeANewFileTakesTheNameOfItsFile) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.tide", theirs = folder / "theirs.db", aside = folder / "aside.db";
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle,
                         ("PRAGMA application_id = " + std::to_string(kApplicationId) + "; CREATE TABLE u(a)").c_str(),
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(handle);
  write_until_killed(file, "DELETE", 2);
  const fs::path journal = folder / "r.tide-journal";
  ASSERT_GT(fs::file_size(journal), 0u);
  fs::copy_file(file, theirs), fs::copy_file(journal, theirs.string() + "-journal");
  auto target = CaptureTarget::claim(file);
  ASSERT_TRUE(target.ok());
  ASSERT_TRUE(target->draft().ok());
  fs::rename(file, aside);  // that the rename fails
  fs::create_directory(file);
  EXPECT_FALSE(target->publish().ok());
  EXPECT_FALSE(fs::exists(journal));
  EXPECT_EQ(all_rows(aside), all_rows(theirs));
}

TEST(CaptureLog, OfAnOlderFileIsRemovedAndThatOfAKilledRunIsKept) {
  const TemporaryFolder folder;
  killed_run(folder / "killed.tide");
  ASSERT_TRUE(save_capture(*sample_capture(), folder / "r.tide").ok());
  fs::copy_file(folder / "killed.tide-wal", folder / "r.tide-wal");
  for (const char* name : {"r.tide", "killed.tide"}) {
    auto target = CaptureTarget::claim(folder / name);
    ASSERT_TRUE(target.ok());
    EXPECT_TRUE(target->remove_log_of_older().ok());
  }
  EXPECT_FALSE(fs::exists(folder / "r.tide-wal"));
  EXPECT_EQ((*open_capture(folder / "killed.tide"))->steps().size(), 2u);
}

/// What was looked at is what is read, though another file has its name by then.
TEST(CaptureLog, AnOpenFileIsOpenedAgainAsItself) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_capture(*sample_capture(), folder / "r.tide").ok());
  const int looked_at = open((folder / "r.tide").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(looked_at, 0);
  write_bytes(folder / "other", "no database");
  fs::rename(folder / "other", folder / "r.tide");
  const fs::path path = sqlite::path_of_descriptor(looked_at);
  ASSERT_FALSE(path.empty());
  {
    auto database = open_untrusted(path, folder / "r.tide", 10);
    ASSERT_TRUE(database.ok()) << database.error().message;
    const auto steps = sqlite::first_integer(*database, "SELECT count(*) FROM TIDE_STEP", "count");
    ASSERT_TRUE(steps.ok()) << steps.error().message;
    EXPECT_EQ(steps->value_or(-1), static_cast<int64_t>(sample_capture()->steps().size()));
  }
  close(looked_at);
  EXPECT_TRUE(sqlite::path_of_descriptor(looked_at).empty());
}

TEST(CaptureLog, ReadingLeavesNothingInTheTemporaryFolder) {
  const TemporaryFolder folder, temporary;
  killed_run(folder / "r.tide");
  ASSERT_EQ(setenv("TMPDIR", temporary.path().c_str(), 1), 0);
  {
    auto opened = OpenedCapture::open(folder / "r.tide", 10);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    EXPECT_EQ(temporary.entries(), 0u) << "while it is open: a kill would leave it";
    EXPECT_TRUE(opened->has_table("TIDE_STEP"));
  }
  unsetenv("TMPDIR");
  EXPECT_EQ(temporary.entries(), 0u);
}

}  // namespace
}  // namespace profiler
