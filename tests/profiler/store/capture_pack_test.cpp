// SPDX-License-Identifier: Apache-2.0
// The packed copy of events in big files: same content, damage noticed, rows out of order put in order.
#include "profiler/store/capture_pack.h"

#include <gtest/gtest.h>

#include "profiler/store/capture_file.h"
#include "profiler/store/capture_rows.h"
#include "profiler/store/capture_schema.h"
#include "tests/support/big_capture.h"
#include "tests/support/capture_difference.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

class CapturePack : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(tests::write_big_capture(file_, kPackedFromRows).ok()); }
  void edit(const char* sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }
  std::string opened() const {
    const auto capture = open_capture(file_);
    return capture ? tests::difference(*expected_, **capture) : capture.error().message;
  }
  const std::shared_ptr<const Capture> expected_ = tests::big_capture(kPackedFromRows);
  const tests::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "big.tide";
};

TEST_F(CapturePack, BigFileReadsTheSameWithAndWithoutIt) {
  const auto rows = query_capture(file_, "SELECT count(*) FROM TIDE_EVENT_PACK");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_GE(std::stoi(rows->rows[0][0]), 18);
  EXPECT_EQ(opened(), "");
  edit("DROP TABLE TIDE_EVENT_PACK");
  EXPECT_EQ(opened(), "");
}

TEST_F(CapturePack, DamageIsNoticed) {
  const std::filesystem::path whole = folder_ / "whole.tide";
  std::filesystem::copy_file(file_, whole);
  for (const char* sql : {"UPDATE TIDE_EVENT_PACK SET base = base + 1 WHERE rowid = 1",
                          "UPDATE TIDE_EVENT_PACK SET bytes = zeroblob(length(bytes)) WHERE rowid = 2",
                          "DELETE FROM TIDE_EVENT_PACK WHERE rowid = 11", "DELETE FROM TIDE_EVENT_PACK WHERE rowid > 9",
                          "DELETE FROM TIDE_EVENT_PACK", "UPDATE TIDE_EVENT_PACK SET width = 8",
                          "UPDATE TIDE_EVENT_PACK SET rowCount = 'x'"}) {
    std::filesystem::copy_file(whole, file_, std::filesystem::copy_options::overwrite_existing);
    edit(sql);
    const std::string outcome = opened();
    EXPECT_NE(outcome.find("TIDE_EVENT_PACK"), std::string::npos) << sql << ": " << outcome;
  }
}

TEST_F(CapturePack, RowsThatAreNotWhatItSaysAreNoticedByWhoReadsThem) {
  EXPECT_TRUE(check_rows(file_).ok()) << check_rows(file_).error().message;
  const std::filesystem::path whole = folder_ / "whole.tide";
  std::filesystem::copy_file(file_, whole);
  for (const bool checksum_forged : {false, true}) {
    for (const char* sql :
         {"UPDATE NVTX_EVENTS SET \"end\" = \"end\" + 1 WHERE rowid = 4711",
          "UPDATE NVTX_EVENTS SET start = start - 1, \"end\" = \"end\" - 1 WHERE rowid = 4711",
          "UPDATE NVTX_EVENTS SET textId = textId + 1 WHERE rowid = 4711",
          "UPDATE NVTX_EVENTS SET tideStep = NULL WHERE rowid = 4711",
          "UPDATE NVTX_EVENTS SET tideKind = 8 WHERE rowid = 4711", "DELETE FROM NVTX_EVENTS WHERE rowid = 4711"}) {
      std::filesystem::copy_file(whole, file_, std::filesystem::copy_options::overwrite_existing);
      edit(sql);
      if (checksum_forged) {
        auto database = sqlite::Database::open(file_, SQLITE_OPEN_READONLY, "", file_);
        ASSERT_TRUE(database.ok());
        const auto sum = sum_table(*database, spec(Tide::events));
        ASSERT_TRUE(sum.ok());
        database->close();
        edit(("UPDATE TIDE_CHECKSUM SET rowCount = " + std::to_string(sum->rows) + ", xxh3 = '" + sum->xxh3 +
              "' WHERE tableName = 'NVTX_EVENTS'")
                 .c_str());
      }
      const auto rows = check_rows(file_);
      ASSERT_FALSE(rows.ok()) << sql;
      EXPECT_NE(rows.error().message.find("is damaged"), std::string::npos) << rows.error().message;
    }
  }
}

TEST(CapturePackOfASmallFile, IsNotMade) {
  const tests::TemporaryFolder folder;
  ASSERT_TRUE(save_capture(*tests::sample_capture(), folder / "small.tide").ok());
  EXPECT_FALSE(query_capture(folder / "small.tide", "SELECT * FROM TIDE_EVENT_PACK").ok());
}

TEST(CaptureBuilderAdopts, WhatIsOutOfOrderIsSortedAndWhatIsImpossibleRefused) {
  const auto sample = tests::sample_capture();
  ActivityColumns backwards;
  for (size_t i = sample->activities().size(); i-- > 0;) backwards.push_back(sample->activities().row(i));
  ActivityColumns::visit(backwards, [](auto& column) { column.seal(); });
  const auto builder_without_activities = [&] {
    tests::BigCapture big;
    for (const StepRecord& s : sample->steps()) big.builder().add_step(s);
    return big.builder();
  };
  CaptureBuilder b = builder_without_activities();
  b.adopt_activities(std::move(backwards));
  const auto capture = b.finish();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_TRUE((*capture)->activities().start_ns == sample->activities().start_ns);

  ActivityColumns impossible;
  impossible.push_back({.start_ns = 1, .duration_ns = -1});
  ActivityColumns::visit(impossible, [](auto& column) { column.seal(); });
  CaptureBuilder c = builder_without_activities();
  c.adopt_activities(std::move(impossible));
  EXPECT_FALSE(c.finish().ok());
}

}  // namespace
}  // namespace profiler
