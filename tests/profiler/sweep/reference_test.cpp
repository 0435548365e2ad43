// SPDX-License-Identifier: Apache-2.0
// Table 7: what is read, what is kept out of statistics, which point it belongs to.
#include "profiler/sweep/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace profiler {
namespace {

/// Counts by the file's own description: 455 cells, 63 dashes, 15 without a value, 377 with one.
TEST(Reference, EveryCellOfTable7IsThere) {
  const std::vector<ReferenceCell>& cells = shi2016_table7();
  ASSERT_EQ(cells.size(), 455u);
  std::set<std::string> networks, tools, platforms;
  size_t missing = 0, uncertain = 0, mismatch = 0;
  for (const ReferenceCell& c : cells) {
    networks.insert(c.network);
    tools.insert(c.tool);
    platforms.insert(c.platform + std::to_string(c.threads));
    missing += c.quality == CellQuality::missing;
    uncertain += c.quality == CellQuality::uncertain;
    mismatch += c.quality == CellQuality::mismatch;
    EXPECT_EQ(std::isnan(c.seconds), c.quality == CellQuality::missing);
  }
  EXPECT_EQ(networks.size(), 7u);
  EXPECT_EQ(tools.size(), 5u);
  EXPECT_EQ(platforms.size(), 13u);
  EXPECT_EQ(missing, 63u + 15u);
  EXPECT_EQ(uncertain, 5u);
  EXPECT_EQ(mismatch, 66u);
}

Sweep one_point(const std::string& workload, const std::string& preset, double batch) {
  Sweep sweep;
  sweep.request.workload = workload;
  if (!preset.empty()) sweep.request.fixed = {"--preset", preset};
  sweep.request.axes = {{"threads", {"2"}}};
  SweepPoint point;
  point.outcome = PointOutcome::measured;
  for (int i = 0; i < 3; ++i) point.samples.push_back({.round = i, .step_ns = 0.5e9, .steps = 5});
  point.found.samples = batch;
  sweep.points = {point};
  return sweep;
}

TEST(Reference, DoubtfulCellsAreInNoStatistic) {
  const Sweep sweep = one_point("mlp", "fcn-s", 64);
  const auto cells = reference_of(sweep, 0);
  ASSERT_EQ(cells.size(), 65u);
  // Caffe on eight threads of the i7 was read as 15.444 s: shown, but the range is that of the others.
  const ReferenceRange eight = reference_range(cells, "desktop_cpu_i7-3820", 8);
  EXPECT_EQ(eight.flagged, 1);
  EXPECT_EQ(eight.tools, 2);
  EXPECT_DOUBLE_EQ(eight.slowest_s, 1.938);
  const ReferenceRange one = reference_range(cells, "desktop_cpu_i7-3820", 1);
  EXPECT_EQ(one.tools, 5);
  EXPECT_DOUBLE_EQ(one.fastest_s, 1.227);
  EXPECT_EQ(one.fastest_tool, "CNTK");
  EXPECT_DOUBLE_EQ(one.slowest_s, 7.062);
  const ReferenceRange none = reference_range(cells, "gpu_h200", 0);
  EXPECT_EQ(none.tools, 0);
  EXPECT_TRUE(std::isnan(none.fastest_s));
}

TEST(Reference, PointsFindTheirNetwork) {
  EXPECT_EQ(reference_of(one_point("mlp", "fcn-s", 64), 0).size(), 65u);
  EXPECT_TRUE(reference_of(one_point("mlp", "fcn-s", 32), 0).empty()) << "another minibatch is another row";
  EXPECT_TRUE(reference_of(one_point("mlp", "", 64), 0).empty());
  Sweep inference = one_point("resnet50", "shi2016", 16);
  EXPECT_EQ(reference_of(inference, 0).size(), 65u);
  inference.request.fixed.insert(inference.request.fixed.end(), {"--mode", "inference"});
  EXPECT_TRUE(reference_of(inference, 0).empty()) << "Table 7 trains";
  Sweep several = one_point("mlp", "", 128);
  several.request.axes = {{"workload", {"lstm:shi2016"}}};
  EXPECT_EQ(reference_network(several, 0), "LSTM");
  EXPECT_EQ(reference_of(several, 0).size(), 65u);
}

TEST(Reference, TableAndSentencesNameWhatWasLeftOut) {
  const Sweep sweep = one_point("mlp", "fcn-s", 64);
  const Table table = reference_table(sweep);
  ASSERT_EQ(table.rows.size(), 13u);
  const auto sentences = reference_sentences(sweep);
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_NE(sentences[0].find("FCN-S: 500 ms here"), std::string::npos) << sentences[0];
  EXPECT_NE(sentences[0].find("30.0 ms published for gpu_gtx1080 (Caffe)"), std::string::npos) << sentences[0];
  EXPECT_NE(sentences[0].find("left out"), std::string::npos) << sentences[0];
  EXPECT_TRUE(reference_table(one_point("gemm", "", 64)).rows.empty());
}

TEST(Reference, BadLinesAreNamed) {
  const std::string head = "network,minibatch,tool,platform,threads,seconds,note\n";
  for (const auto& [line, what] : std::vector<std::pair<std::string, std::string>>{{"A,1,T,P,1\n", "5 fields"},
                                                                                   {"A,0,T,P,1,1.0,\n", "minibatch"},
                                                                                   {"A,x,T,P,1,1.0,\n", "minibatch"},
                                                                                   {"A,1,T,P,-1,1.0,\n", "threads"},
                                                                                   {"A,1,T,P,1,nan,\n", "seconds"},
                                                                                   {"A,1,T,P,1,-2,\n", "seconds"}}) {
    const auto parsed = parse_reference(head + "A,1,T,P,1,1.0,\"a, b \"\"c\"\"\"\n" + line);
    ASSERT_FALSE(parsed.ok()) << line;
    EXPECT_NE(parsed.error().message.find("line 3"), std::string::npos) << parsed.error().message;
    EXPECT_NE(parsed.error().message.find(what), std::string::npos) << parsed.error().message;
  }
  const auto good = parse_reference(head + "A,1,T,P,,1.5,\"a, b \"\"c\"\"\"\r\n");
  ASSERT_TRUE(good.ok());
  EXPECT_EQ((*good)[0].note, "a, b \"c\"");
  EXPECT_EQ((*good)[0].threads, 0);
}

}  // namespace
}  // namespace profiler
