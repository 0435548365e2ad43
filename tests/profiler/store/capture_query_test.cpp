// SPDX-License-Identifier: Apache-2.0
// Queries on a capture file: rows as text, limits, and nothing but reading.
#include <gtest/gtest.h>

#include "profiler/store/capture_file.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

class CaptureQuery : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(save_capture(*tests::sample_capture(), file_).ok()); }
  std::string refused(const std::string& sql) const {
    const auto result = query_capture(file_, sql);
    return result ? "accepted" : result.error().message;
  }
  const tests::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "r.tide";
};

TEST_F(CaptureQuery, RowsAsText) {
  const auto r = query_capture(file_,
                               "SELECT step, NULL AS missing, 0.1 + 0.2 AS x, 'a,b' AS t, x'00ff' "
                               "AS b FROM TIDE_STEP ORDER BY 1;  -- done\n");
  ASSERT_TRUE(r.ok()) << r.error().message;
  EXPECT_EQ(r->columns, (std::vector<std::string>{"step", "missing", "x", "t", "b"}));
  ASSERT_EQ(r->rows.size(), 5u);
  EXPECT_EQ(r->rows[4], (std::vector<std::string>{"4", "NULL", "0.30000000000000004", "a,b", "X'00FF'"}));
  EXPECT_EQ(r->numeric[4], (std::vector<bool>{true, false, true, false, false}));
  EXPECT_FALSE(r->truncated);
}

TEST_F(CaptureQuery, RowsAreCapped) {
  const auto r =
      query_capture(file_, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", 1000);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->rows.size(), 1000u);
  EXPECT_TRUE(r->truncated);
}

TEST_F(CaptureQuery, OnlyReadingIsAllowed) {
  for (const char* sql :
       {"DELETE FROM TIDE_OP", "UPDATE TIDE_OP SET flops = 0", "CREATE TABLE t(x)", "DROP TABLE TIDE_OP",
        "ATTACH '/tmp/x.db' AS x", "PRAGMA journal_mode = DELETE", "PRAGMA user_version = 3",
        "PRAGMA writable_schema = 1", "VACUUM INTO '/tmp/tensortide-never'", "BEGIN", "REINDEX", "ANALYZE"}) {
    EXPECT_NE(refused(sql).find("only reading is allowed"), std::string::npos) << sql << ": " << refused(sql);
  }
  EXPECT_NE(refused("SELECT load_extension('x')").find("r.tide"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists("/tmp/tensortide-never"));
  EXPECT_TRUE(query_capture(file_, "PRAGMA table_info(TIDE_OP)").ok());
}

TEST_F(CaptureQuery, OneStatementWithoutErrors) {
  EXPECT_NE(refused("SELECT 1; SELECT 2").find("one statement at a time"), std::string::npos);
  EXPECT_NE(refused("SELECT 1; garbage").find("one statement at a time"), std::string::npos);
  EXPECT_NE(refused("SELEC 1").find("syntax error"), std::string::npos);
  EXPECT_NE(refused("SELECT absent FROM TIDE_OP").find("no such column: absent"), std::string::npos);
  EXPECT_NE(refused("  -- only a comment").find("is empty"), std::string::npos);
  EXPECT_NE(refused("SELECT length(zeroblob(900000000))").find("r.tide"), std::string::npos);
  EXPECT_EQ(query_capture(file_, "SELEC").error().kind, engine::ErrorKind::usage);
  EXPECT_EQ(query_capture(folder_ / "none", "SELECT 1").error().kind, engine::ErrorKind::refused);
}

}  // namespace
}  // namespace profiler
