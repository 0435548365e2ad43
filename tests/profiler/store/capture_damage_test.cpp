// SPDX-License-Identifier: Apache-2.0
// Hostile and damaged capture files: either an error or the very same content, never a crash, a
// hang or other numbers.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <random>

#include "profiler/store/capture_file.h"
#include "profiler/store/capture_rows.h"
#include "tests/support/capture_difference.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;
using tests::difference;
using tests::read_bytes;
using tests::sample_capture;
using tests::TemporaryFolder;
using tests::write_bytes;

class CaptureDamage : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(save_capture(*capture_, file_).ok()); }

  /// "same", or the error; anything else is what must not happen.
  std::string reopened() const {
    const auto back = open_capture(file_);
    if (!back) return back.error().message;
    const std::string differs = difference(*capture_, **back);
    return differs.empty() ? "same" : "SILENTLY DIFFERENT: " + differs;
  }
  /// Executes SQL on the file as somebody with a database browser would.
  void edit(const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  const TemporaryFolder folder_;
  const fs::path file_ = folder_ / "r.tide";
  const std::shared_ptr<const Capture> capture_ = sample_capture();
};

TEST_F(CaptureDamage, FlippedBitsAreNoticed) {
  const std::string whole = read_bytes(file_);
  std::mt19937 random(20260301);
  int noticed = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    const int flips = round % 3 == 0 ? 20 : 1;
    for (int i = 0; i < flips; ++i) {
      const size_t at = random() % bytes.size();
      bytes[at] = static_cast<char>(round % 2 == 0 ? bytes[at] ^ (1 << random() % 8) : random());
    }
    write_bytes(file_, bytes);
    const std::string outcome = reopened();
    ASSERT_FALSE(outcome.starts_with("SILENTLY")) << "round " << round << ": " << outcome;
    if (outcome != "same") {
      ASSERT_NE(outcome.find("r.tide"), std::string::npos) << outcome;
      ++noticed;
    }
  }
  EXPECT_GT(noticed, 120);  // flips in unused bytes and in indexes change nothing
}

TEST_F(CaptureDamage, AnswersFromADamagedIndexAreNoticed) {
  const std::string whole = read_bytes(file_);
  const auto answer = [this] {
    std::string text;
    for (const char* sql :
         {"SELECT group_concat(start) FROM NVTX_EVENTS INDEXED BY TIDE_EVENTS_BY_START WHERE start > -1",
          "SELECT group_concat(tideOp || ',' || start) FROM NVTX_EVENTS INDEXED BY TIDE_EVENTS_BY_OP WHERE tideOp > "
          "-1"}) {
      const auto rows = query_capture(file_, sql);
      text += rows ? rows->rows.at(0).at(0) : "refused";
    }
    return text;
  };
  const std::string expected = answer();
  ASSERT_TRUE(check_rows(file_).ok()) << check_rows(file_).error().message;
  std::mt19937 random(7);
  int wrong = 0, unnoticed_by_opening = 0;
  for (int round = 0; round < 800; ++round) {
    std::string bytes = whole;
    bytes[100 + random() % (bytes.size() - 100)] ^= static_cast<char>(1 << random() % 8);
    write_bytes(file_, bytes);
    const std::string now = answer();
    if (now == expected || now.find("refused") != std::string::npos) continue;
    ++wrong;
    if (!open_capture(file_)) continue;
    ++unnoticed_by_opening;
    EXPECT_FALSE(check_rows(file_).ok()) << "round " << round;
  }
  EXPECT_GT(wrong, 3);
  EXPECT_GT(unnoticed_by_opening, 0);
}

TEST_F(CaptureDamage, EveryValueIsUnderAChecksum) {
  const std::vector<std::string> edits{"UPDATE NVTX_EVENTS SET \"end\" = \"end\" + 1 WHERE rowid = 40",
                                       "UPDATE TIDE_OP SET flops = flops * 2 WHERE id = 3 OR id = 0",
                                       "UPDATE TIDE_OPERAND SET readBytes = readBytes + 64 WHERE id = 1",
                                       "UPDATE TIDE_TENSOR SET sizeBytes = 8 WHERE id = 0",
                                       "UPDATE StringIds SET value = value || 'x' WHERE id = 5",
                                       "UPDATE TIDE_RUN SET value = 4 WHERE key = 'threads'",
                                       "UPDATE TIDE_RUN SET value = 0.5 WHERE key = 'cost_ratio'",
                                       "UPDATE TIDE_STEP SET isWarmup = 0",
                                       "DELETE FROM TIDE_NOTE",
                                       "UPDATE TARGET_INFO_SESSION_START_TIME SET systemClockNs = 0",
                                       "UPDATE TIDE_TRACK SET groupName = ''",
                                       "UPDATE PROCESSES SET name = 'other'",
                                       "DELETE FROM TIDE_CHECKSUM WHERE tableName = 'TIDE_OP'",
                                       "DELETE FROM TIDE_CHECKSUM",
                                       "UPDATE TIDE_MACHINE SET json = replace(json, 'DRAM', 'dram')",
                                       "DELETE FROM NVTX_EVENTS WHERE rowid = 141"};
  const std::string whole = read_bytes(file_);
  for (const std::string& sql : edits) {
    write_bytes(file_, whole);
    edit(sql);
    const std::string outcome = reopened();
    EXPECT_NE(outcome.find("damaged"), std::string::npos) << sql << ": " << outcome;
  }
}

TEST_F(CaptureDamage, TruncationIsNoticed) {
  const std::string whole = read_bytes(file_);
  for (size_t i = 0; i < 50; ++i) {
    write_bytes(file_, whole.substr(0, whole.size() * i / 50));
    const std::string outcome = reopened();
    const char* expected = i == 0 ? "is empty" : "truncated: it has";
    EXPECT_NE(outcome.find(expected), std::string::npos) << i << ": " << outcome;
  }
  write_bytes(file_, whole.substr(0, 60));
  EXPECT_NE(reopened().find("is not a capture"), std::string::npos);
}

TEST_F(CaptureDamage, ForeignFilesAreNamedAsSuch) {
  EXPECT_NE(open_capture(folder_ / "none.tide").error().message.find("there is no such file"), std::string::npos);
  EXPECT_NE(open_capture(folder_.path()).error().message.find("is a directory"), std::string::npos);
  EXPECT_NE(open_capture("/dev/null").error().message.find("not a regular file"), std::string::npos);
  write_bytes(file_, "{\"traceEvents\": []}");
  EXPECT_NE(reopened().find("is not a capture"), std::string::npos);
  fs::remove(file_);
  edit("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)");
  EXPECT_NE(reopened().find("an SQLite database, but not a capture"), std::string::npos);
}

TEST_F(CaptureDamage, NewerFilesSayWhoWroteThem) {
  edit(
      "PRAGMA user_version = 7; UPDATE META_DATA_EXPORT SET value = '9.1.0' WHERE name = "
      "'EXPORT_PRODUCT_VERSION'");
  const std::string outcome = reopened();
  EXPECT_NE(outcome.find("was written by a newer version, 9.1.0, (format 7; this one reads up to 3)"),
            std::string::npos)
      << outcome;
  EXPECT_NE(outcome.find("update this program"), std::string::npos) << outcome;
  EXPECT_EQ(outcome.find("damaged"), std::string::npos) << outcome;
}

/// A newer program may describe machines in a newer format without changing that of captures.
TEST_F(CaptureDamage, AMachineOfANewerVersionIsNotDamage) {
  edit("UPDATE TIDE_MACHINE SET json = json_set(json, '$.schema', 9)");
  const std::string outcome = reopened();
  EXPECT_NE(outcome.find("r.tide: was written by a newer version (machine format 9; this one reads up to 2)"),
            std::string::npos)
      << outcome;
  EXPECT_EQ(outcome.find("damaged"), std::string::npos) << outcome;
}

struct Impossible {
  const char* sql;
  const char* named;
};

// A file that was never closed has no checksums: its values must stand on their own.
TEST_F(CaptureDamage, ImpossibleValuesAreRefusedByTableAndRow) {
  const std::vector<Impossible> cases{
      {"UPDATE NVTX_EVENTS SET \"end\" = start - 1 WHERE rowid = 7", "table NVTX_EVENTS, row 7: ends at"},
      {"UPDATE NVTX_EVENTS SET start = 'abc' WHERE rowid = 3", "table NVTX_EVENTS, row 3: start is no integer"},
      {"UPDATE NVTX_EVENTS SET tideOp = 999 WHERE rowid = 5", "row 5: tideOp is 999, possible are 0 to 15"},
      {"UPDATE NVTX_EVENTS SET textId = 100000 WHERE rowid = 5", "row 5: textId is 100000"},
      {"UPDATE NVTX_EVENTS SET tideKind = 99 WHERE rowid = 5", "tideKind is 99"},
      {"UPDATE NVTX_EVENTS SET tideStep = 55 WHERE rowid = 5", "step 55 does not exist"},
      {"UPDATE NVTX_EVENTS SET \"end\" = 9223372036854775807 WHERE rowid = 5", "NVTX_EVENTS, row 5"},
      {"UPDATE NVTX_EVENTS SET start = -9223372036854775807 WHERE rowid = 5", "NVTX_EVENTS, row 5"},
      {"UPDATE TARGET_INFO_SESSION_START_TIME SET systemClockNs = 9223372036854775807", "are out of range"},
      {"UPDATE TIDE_OP SET flops = 'many' WHERE id = 2", "table TIDE_OP, row 3: flops is no number"},
      {"UPDATE TIDE_OP SET flops = -1 WHERE id = 2", "-1 FLOPs are impossible"},
      {"UPDATE TIDE_OP SET flops = 9e999 WHERE id = 2", "inf FLOPs are impossible"},
      {"UPDATE TIDE_OP SET phase = 'sideways' WHERE id = 2", "phase \"sideways\" is unknown"},
      {"UPDATE TIDE_OPERAND SET tensorId = 4000 WHERE id = 9", "TIDE_OPERAND, row 10: tensorId is 4000"},
      {"UPDATE TIDE_OPERAND SET readBytes = -5 WHERE id = 9", "readBytes is -5"},
      {"UPDATE TIDE_OPERAND SET opId = 4000 WHERE id = 49", "op 4000 does not exist"},
      {"UPDATE TIDE_OPERAND SET opId = 0 WHERE id = 30", "not in the order"},
      {"UPDATE TIDE_TENSOR SET sizeBytes = -1 WHERE id = 4", "TIDE_TENSOR, row 5: sizeBytes is -1"},
      {"UPDATE TIDE_TENSOR SET shape = '[1,2' WHERE id = 4", "shape or strides"},
      {"UPDATE TIDE_TENSOR SET shape = '[1,-2,3,4]' WHERE id = 0", "negative extent"},
      {"UPDATE TIDE_TENSOR SET dtype = 'f33' WHERE id = 4", "unknown data type"},
      {"UPDATE TIDE_TENSOR SET aliasOf = 11 WHERE id = 11", "shares the bytes of tensor 11"},
      {"UPDATE TIDE_TENSOR SET lastOp = 77 WHERE id = 11", "op 77"},
      {"UPDATE TIDE_STEP SET isTraced = 2 WHERE step = 1", "isTraced is 2"},
      {"UPDATE TIDE_STEP SET \"end\" = start - 1 WHERE step = 1", "TIDE_STEP, row 2: ends at"},
      {"UPDATE StringIds SET value = 'loss' WHERE id = 1", "the text is there twice"},
      {"DELETE FROM StringIds WHERE id = 4", "ids are not consecutive"},
      {"DELETE FROM TIDE_RUN WHERE key = 'seed'", "has no \"seed\""},
      {"UPDATE TIDE_RUN SET value = 'x' WHERE key = 'seed'", "seed is no number"},
      {"UPDATE TIDE_RUN SET value = -1 WHERE key = 'threads'", "threads is -1"},
      {"UPDATE TIDE_MACHINE SET json = '{}'", "TIDE_MACHINE, row 1"},
      {"DROP TABLE TIDE_STEP", "there is no table TIDE_STEP"},
      {"ALTER TABLE TIDE_STEP RENAME COLUMN isWarmup TO warm", "isWarmup"},
      {"DROP TABLE TIDE_STEP; CREATE VIEW TIDE_STEP AS WITH RECURSIVE r(step) AS (SELECT 1 UNION "
       "ALL SELECT step FROM r) SELECT step, 0 "
       "AS start, 0 AS \"end\", 1 AS isTraced, 0 AS isWarmup FROM r",
       "there is no table TIDE_STEP"},
  };
  edit("DELETE FROM TIDE_CHECKSUM; UPDATE TIDE_RUN SET value = 0 WHERE key = 'closed'");
  ASSERT_EQ(reopened(), "same");
  const std::string whole = read_bytes(file_);
  for (const Impossible& impossible : cases) {
    write_bytes(file_, whole);
    edit(impossible.sql);
    const std::string outcome = reopened();
    EXPECT_NE(outcome.find(impossible.named), std::string::npos) << impossible.sql << "\n  -> " << outcome;
  }
}

/// What a schema of a stranger may make SQLite do: none of it is done.
TEST_F(CaptureDamage, NothingOfAStrangersSchemaIsRun) {
  edit("DELETE FROM TIDE_CHECKSUM; UPDATE TIDE_RUN SET value = 0 WHERE key = 'closed'");
  const std::string whole = read_bytes(file_);
  for (const char* sql : {"DROP TABLE TIDE_NOTE; CREATE VIRTUAL TABLE TIDE_NOTE USING fts5(id, text)",
                          "DROP TABLE TIDE_NOTE; CREATE VIEW TIDE_NOTE AS SELECT 0 AS id, 'x' AS text"}) {
    write_bytes(file_, whole);
    edit(sql);
    EXPECT_NE(reopened().find("there is no table TIDE_NOTE"), std::string::npos) << sql << ": " << reopened();
  }
  write_bytes(file_, whole);
  edit(
      "CREATE VIEW v AS SELECT count(*) FROM TIDE_OP; CREATE VIEW w AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL "
      "SELECT i FROM r) SELECT count(*) FROM r");
  for (const char* sql : {"SELECT * FROM v", "SELECT * FROM w"}) EXPECT_FALSE(query_capture(file_, sql).ok()) << sql;
  EXPECT_TRUE(query_capture(file_, "SELECT count(*) FROM TIDE_OP").ok());
}

TEST_F(CaptureDamage, UnclosedFilesHaveTheirStructureChecked) {
  edit("DELETE FROM TIDE_CHECKSUM; UPDATE TIDE_RUN SET value = 0 WHERE key = 'closed'");
  const std::string whole = read_bytes(file_);
  std::mt19937 random(99);
  for (int round = 0; round < 60; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 8; ++i) bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
    write_bytes(file_, bytes);
    reopened();  // must come back, whatever it says: names and times without a checksum may differ
  }
  write_bytes(file_, whole);
  EXPECT_EQ(reopened(), "same");
}

TEST_F(CaptureDamage, ADamagedLogGivesAnErrorOrAnEarlierCommit) {
  const fs::path live = folder_ / "live.tide";
  auto writer = CaptureWriter::create(live);
  ASSERT_TRUE((*writer)->write_header(*capture_).ok());
  for (const StepRecord& step : capture_->steps()) {
    ASSERT_TRUE((*writer)->append({}, std::span(&step, 1), *capture_).ok());
  }
  const std::string database = read_bytes(live), log = read_bytes(folder_ / "live.tide-wal");
  ASSERT_GT(log.size(), 5 * 4096u);
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    std::string bytes = log;
    if (round % 2 == 0) {
      bytes.resize(random() % bytes.size());
    } else {
      bytes[random() % bytes.size()] ^= 4;
    }
    write_bytes(file_, database);
    write_bytes(folder_ / "r.tide-wal", bytes);
    const auto back = open_capture(file_);
    if (!back) continue;
    EXPECT_FALSE((*back)->run().complete);
    ASSERT_LE((*back)->steps().size(), 5u);
    for (const StepRecord& step : (*back)->steps()) EXPECT_EQ(step.start_ns, capture_->steps()[step.index].start_ns);
  }
}

}  // namespace
}  // namespace profiler
