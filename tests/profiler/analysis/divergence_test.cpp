// SPDX-License-Identifier: Apache-2.0
// Lanes in lockstep: factors against the control, what is unknown, and lane work that comes back from a file.
#include "profiler/analysis/divergence.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>

#include "profiler/store/capture_file.h"
#include "tests/support/op_lab.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

OpId add(tests::OpLab& lab, const char* layer, double time_ns, engine::LaneWork work, int64_t rounds = 256) {
  const OpId op = lab.op("divergent_chain", {lab.tensor(4096)}, {lab.tensor(4096)}, 1e6, time_ns, 0, layer);
  lab.builder().set_attributes(op, {{"rounds", rounds}});
  lab.builder().set_facts(op, {.name = "own divergent_chain", .lane_work = work});
  return op;
}

/// 1024 elements: sorted 1088 elements' worth for 16 lanes, mixed 12800.
TEST(Divergence, PredictsTheWorkOfAllLanesAgainstTheControl) {
  tests::OpLab lab;
  add(lab, "control", 1e6, {16, 1088, 1024});
  add(lab, "chains", 1.1e7, {16, 12800, 1024});
  add(lab, "other", 1.1e7, {16, 12800, 1024}, 128);
  const auto analyzed = analyze(lab.finish());
  const auto found = divergence(*analyzed);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0].control);
  EXPECT_DOUBLE_EQ(found[1].work_ratio, 12.5);
  EXPECT_NEAR(found[1].predicted_ratio, 12800.0 / 1088, 1e-12);
  EXPECT_NEAR(found[1].measured_ratio, 11, 1e-9);
  EXPECT_TRUE(std::isnan(found[2].predicted_ratio)) << "it has other work than the control";
  const auto words = divergence_sentences(*analyzed);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_NE(words[0].find("Predicted 11.8 times the time of the control, measured 11."), std::string::npos) << words[0];
  EXPECT_EQ(divergence_table(*analyzed).rows.size(), 3u);
}

TEST(Divergence, OfUnknownLanesOrPathsPredictsNothingAndSaysSo) {
  tests::OpLab lab;
  add(lab, "control", 1e6, {});
  add(lab, "chains", 2e6, {16, 0, 0});
  const auto analyzed = analyze(lab.finish());
  const auto found = divergence(*analyzed);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(std::isnan(found[0].lanes));
  EXPECT_TRUE(std::isnan(found[1].predicted_ratio));
  EXPECT_NEAR(found[1].measured_ratio, 2, 1e-9);
  const auto words = divergence_sentences(*analyzed);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_NE(words[0].find("lanes of its kernel are unknown"), std::string::npos);
  EXPECT_NE(words[1].find("may change in each step"), std::string::npos);
}

TEST(Divergence, LaneWorkComesBackFromAFileAndWhatIsImpossibleIsRefused) {
  const tests::TemporaryFolder folder;
  tests::OpLab lab;
  add(lab, "control", 1e6, {16, 1088, 1024});
  add(lab, "chains", 1e6, {});
  const auto capture = lab.finish();
  const auto file = folder / "r.tide";
  ASSERT_TRUE(save_capture(*capture, file).ok());
  const auto opened = open_capture(file);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ((*opened)->facts(0), capture->facts(0));
  EXPECT_EQ((*opened)->facts(0).lane_work.done, 1088);
  EXPECT_EQ((*opened)->facts(1).lane_work.lanes, 0);
  for (const char* change : {"kept = 1089", "done = -1", "lanes = 0", "opId = 9"}) {
    ASSERT_TRUE(save_capture(*capture, file).ok());
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    const std::string sql = std::string("UPDATE TIDE_LANE_WORK SET ") + change +
                            "; DELETE FROM TIDE_CHECKSUM; UPDATE TIDE_RUN SET value = 0 WHERE key = 'closed'";
    ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(database);
    const auto refused = open_capture(file);
    ASSERT_FALSE(refused.ok()) << change;
    EXPECT_NE(refused.error().message.find("TIDE_LANE_WORK"), std::string::npos) << refused.error().message;
  }
}

}  // namespace
}  // namespace profiler
