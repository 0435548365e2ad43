// SPDX-License-Identifier: Apache-2.0
// Lines of `--progress json`: what they tell, and what else a child writes.
#include "app/base/progress_line.h"

#include <gtest/gtest.h>

#include <cmath>

namespace app {
namespace {

TEST(ProgressLine, TellsWhatTheContractHas) {
  auto line = parse_progress_line(R"({"stage":"recording","step":3,"steps":10,"fraction":0.5,"last_step_ns":1.5e6})");
  ASSERT_TRUE(line.has_value());
  EXPECT_TRUE(line->is_progress);
  EXPECT_EQ(line->stage, "recording");
  EXPECT_EQ(line->step, 3);
  EXPECT_EQ(line->steps, 10);
  EXPECT_DOUBLE_EQ(line->last_step_ns, 1.5e6);
  line = parse_progress_line(R"({"stage":"planning","fraction":7,"last_step_ns":null})");
  ASSERT_TRUE(line.has_value());
  EXPECT_TRUE(std::isnan(line->last_step_ns));
  EXPECT_EQ(line->fraction, 1.0);
  EXPECT_EQ(parse_progress_line(R"({"stage":"measuring","point":"batch=4"})")->stage, "measuring batch=4");
  line = parse_progress_line(R"({"result":{"file":"/a b.tide","note":"faster"}})");
  ASSERT_TRUE(line.has_value());
  EXPECT_FALSE(line->is_progress);
  EXPECT_EQ(line->result_file, "/a b.tide");
  EXPECT_EQ(line->result_note, "faster");
  EXPECT_EQ(parse_progress_line(R"({"error":{"message":"no memory","kind":"refused"}})")->error_message, "no memory");
}

TEST(ProgressLine, TellsStepsLossAndPlan) {
  const auto line = parse_progress_line(
      R"({"stage":"recording","last_step_ns":12,"recent":{"steps":3,"shortest_ns":10,"longest_ns":14},"loss":2.5,
          "loss_failed":true,"planned":{"ops":7,"flops":1e9,"operand_bytes":64,"memory_bytes":null}})");
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->recent_steps, 3);
  EXPECT_EQ(line->shortest_ns, 10);
  EXPECT_EQ(line->longest_ns, 14);
  EXPECT_EQ(line->loss, 2.5);
  EXPECT_TRUE(line->loss_failed);
  ASSERT_TRUE(line->planned.has_value());
  EXPECT_EQ(line->planned->ops, 7);
  EXPECT_EQ(line->planned->operand_bytes, 64);
  EXPECT_TRUE(std::isnan(line->planned->memory_bytes)) << "unknown";
  const auto without = parse_progress_line(R"({"stage":"x","recent":[],"loss":"low","loss_failed":1,"planned":7})");
  EXPECT_EQ(without->recent_steps, 0);
  EXPECT_TRUE(std::isnan(without->loss));
  EXPECT_FALSE(without->loss_failed);
  EXPECT_FALSE(without->planned.has_value());
}

TEST(ProgressLine, OtherLinesAndOddValuesAreHarmless) {
  for (const char* other : {"", "warning: something else", "[1,2]", "{", "\"stage\""})
    EXPECT_FALSE(parse_progress_line(other)) << other;
  const auto odd =
      parse_progress_line(R"({"stage":7,"step":1e300,"steps":-5,"fraction":"x","result":[],"error":"text"})");
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ(odd->stage, "");
  EXPECT_GT(odd->step, 0);
  EXPECT_EQ(odd->steps, 0);
  EXPECT_EQ(odd->fraction, 0);
  EXPECT_EQ(odd->result_file + odd->error_message, "");
}

TEST(ProgressReader, PutsLinesTogetherHoweverTheyArrive) {
  const std::string all =
      "{\"stage\":\"a\"}\n  first\r\n\n{\"stage\":\"b\",\"step\":2}\n{\"error\":{\"message\":\"why\"}}\nlast";
  for (size_t size = 1; size <= all.size(); ++size) {
    std::string stages;
    ProgressReader reader([&](const ProgressLine& line) { stages += line.stage; });
    for (size_t i = 0; i < all.size(); i += size) reader.add(std::string_view(all).substr(i, size));
    EXPECT_EQ(reader.other_lines(), std::vector<std::string>{"first"});
    reader.finish();
    EXPECT_EQ(stages, "ab");
    EXPECT_EQ(reader.error(), "why");
    EXPECT_EQ(reader.other_lines(), (std::vector<std::string>{"first", "last"}));
  }
}

TEST(ProgressReader, KeepsTheLastLinesOfAChattyChild) {
  ProgressReader reader;
  for (int i = 0; i < 100; ++i) reader.add("line " + std::to_string(i) + "\n");
  ASSERT_EQ(reader.other_lines().size(), 20u);
  EXPECT_EQ(reader.other_lines().back(), "line 99");
  reader.add(std::string(3 << 20, 'x'));  // no line ends: it is not all kept
  reader.finish();
  EXPECT_LE(reader.other_lines().back().size(), size_t{1} << 20);
}

}  // namespace
}  // namespace app
