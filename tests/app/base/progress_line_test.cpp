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
