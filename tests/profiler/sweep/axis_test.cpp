// SPDX-License-Identifier: Apache-2.0
// The syntax of an axis.
#include <gtest/gtest.h>

#include "profiler/sweep/sweep.h"

namespace profiler {
namespace {

using Values = std::vector<std::string>;

Values values(const std::string& text) {
  const auto axis = parse_axis(text);
  EXPECT_TRUE(axis) << (axis ? "" : axis.error().message);
  return axis ? axis->values : Values{};
}

TEST(SweepAxis, ListsAndRanges) {
  EXPECT_EQ(values("dtype=f32,bf16"), (Values{"f32", "bf16"}));
  EXPECT_EQ(values("batch=1..16"), (Values{"1", "2", "4", "8", "16"}));
  EXPECT_EQ(values("batch=1,2,4..32"), (Values{"1", "2", "4", "8", "16", "32"}));
  EXPECT_EQ(values("batch=1,2,4,8..64"), (Values{"1", "2", "4", "8", "16", "32", "64"}));
  EXPECT_EQ(values("batch=1,3,9..81"), (Values{"1", "3", "9", "27", "81"}));
  EXPECT_EQ(values("m=1,2,3..6"), (Values{"1", "2", "3", "4", "5", "6"}));
  EXPECT_EQ(values("m=10,20..50"), (Values{"10", "20", "30", "40", "50"}));
  EXPECT_EQ(values("m=0..100+50"), (Values{"0", "50", "100"}));
  EXPECT_EQ(values("m=1..27*3"), (Values{"1", "3", "9", "27"}));
  EXPECT_EQ(values("m=5..5"), (Values{"5"}));
  EXPECT_EQ(values("batch=1, 2, 4..16 "), (Values{"1", "2", "4", "8", "16"}));
}

TEST(SweepAxis, TwoValuesGoOnAsReachesTheEnd) {
  EXPECT_EQ(values("batch=1,4..256"), (Values{"1", "4", "16", "64", "256"}))
      << "powers, though steps of 3 reach 256, too";
  EXPECT_EQ(values("batch=1,8..64"), (Values{"1", "8", "64"}));
  EXPECT_EQ(values("m=2,6..54"), (Values{"2", "6", "18", "54"}));
  EXPECT_EQ(values("m=1,4..10"), (Values{"1", "4", "7", "10"}));
  EXPECT_EQ(values("m=0,25..100"), (Values{"0", "25", "50", "75", "100"}));
  EXPECT_EQ(values("m=3,5..9"), (Values{"3", "5", "7", "9"}));
  EXPECT_EQ(values("m=1,2..2"), (Values{"1", "2"}));
}

TEST(SweepAxis, ShowsBothSpellingsOfWhatIsAmbiguous) {
  const auto refused = [](const std::string& text, const std::vector<std::string>& said) {
    const auto axis = parse_axis(text);
    ASSERT_FALSE(axis) << text;
    for (const std::string& words : said)
      EXPECT_NE(axis.error().message.find(words), std::string::npos) << axis.error().message;
  };
  refused("m=10,20..80",
          {"by doubling as well as by adding", "20..80*2 (20, 40, 80)", "20..80+10 (20, 30, 40, 50, ..., 80)"});
  refused("batch=1,2..8", {"2..8*2 (2, 4, 8)", "2..8+1 (2, 3, 4, 5, ..., 8)"});
  refused("batch=1,4..100000000001",
          {"neither", "4..100000000001*4 (4, 16, 64, 256, ..., 100000000001)", "4..100000000001+3 (4, ...)"});
  refused("m=2,5..9", {"neither by a factor nor by a step", "5..9+3 (5, 8, 9)"});
  refused("m=1,3,6..20", {"no step or factor"});
  EXPECT_EQ(values("m=10,20..80+10").size(), 8u) << "as the message spells it";
  EXPECT_EQ(values("m=10,20..80*2"), (Values{"10", "20", "40", "80"}));
}

TEST(SweepAxis, ARangeEndsAtItsEnd) {
  EXPECT_EQ(values("batch=1..20"), (Values{"1", "2", "4", "8", "16", "20"}));
  EXPECT_EQ(values("m=1..10+4"), (Values{"1", "5", "9", "10"}));
}

TEST(SweepAxis, RefusesWithThePlace) {
  const auto message = [](const std::string& text) {
    const auto axis = parse_axis(text);
    EXPECT_FALSE(axis) << text;
    return axis ? std::string() : axis.error().message;
  };
  EXPECT_NE(message("batch").find("not of the form name=values"), std::string::npos);
  EXPECT_NE(message("=1").find("not of the form"), std::string::npos);
  EXPECT_NE(message("batch=").find("not of the form"), std::string::npos);
  EXPECT_NE(message("batch=1,,2").find("empty value"), std::string::npos);
  EXPECT_NE(message("batch=1,2,1").find("there twice"), std::string::npos);
  EXPECT_NE(message("batch=8..2").find("not reached"), std::string::npos);
  EXPECT_NE(message("batch=0..8").find("cannot be multiplied"), std::string::npos);
  EXPECT_NE(message("batch=a..8").find("whole numbers"), std::string::npos);
  EXPECT_NE(message("batch=1..8*1").find("whole numbers"), std::string::npos);
  EXPECT_NE(message("batch=1..8+0").find("whole numbers"), std::string::npos);
  EXPECT_NE(message("batch=4,2..8").find("no step or factor"), std::string::npos);
  EXPECT_NE(message("batch=1..5000+1").find("over 1000 values"), std::string::npos);
  EXPECT_NE(message("batch=1..9223372036854775807").find("not reached"), std::string::npos);
  EXPECT_NE(message("batch=1..99999999999999999999").find("whole numbers"), std::string::npos);
}

}  // namespace
}  // namespace profiler
