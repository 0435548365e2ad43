// SPDX-License-Identifier: Apache-2.0
// One event's text: exact times, ids of all kinds, args before and behind the phase, repairs.
#include "profiler/import/chrome_event.h"

#include "profiler/import/json_pieces.h"
#include "profiler/import/shape_rules.h"
#include "tests/profiler/import/import_support.h"

namespace {

using namespace profiler;

TEST(ChromeEvent, MicrosecondsAreExactToTheNanosecond) {
  EXPECT_EQ(nanoseconds_of("1419247332972.313"), 1'419'247'332'972'313);
  EXPECT_EQ(nanoseconds_of("1623142623460111"), 1'623'142'623'460'111'000);
  EXPECT_EQ(nanoseconds_of("0.0014"), 1);
  EXPECT_EQ(nanoseconds_of("0.0015999"), 2);
  EXPECT_EQ(nanoseconds_of("-1.5"), -1500);
  EXPECT_EQ(nanoseconds_of("1e3"), 1'000'000);
  EXPECT_EQ(nanoseconds_of("1.5E-3"), 2);
  for (const char* bad : {"", "-", "NaN", "nan", "1e999", "18446744073709551616", "12x", "."}) EXPECT_EQ(nanoseconds_of(bad), kNoFigure) << bad;
}


class ParserTest : public testing::Test {
 protected:
  bool parse(const std::string& text) {
    padded_ = text + std::string(JsonPieces::kPadding, ' ');
    return parser_.parse({padded_.data(), text.size()}, event_);
  }
  std::string padded_;
  Findings findings_;
  ChromeEventParser parser_{findings_};
  ChromeEvent event_;
};

TEST_F(ParserTest, TakesArgsWhereverTheyStand) {
  ASSERT_TRUE(parse(R"({"args":{"grid":[1,2,3],"correlation":7,"stream":"9","bytes":5.0},"ph":"X","ts":"12.5","dur":3,"pid":"Spans","tid":-4})"));
  EXPECT_EQ(event_.args.grid, (std::array<int64_t, 3>{1, 2, 3}));
  EXPECT_EQ(event_.args.correlation, 7);
  EXPECT_EQ(event_.args.stream, 9);
  EXPECT_EQ(event_.args.bytes, 5);
  EXPECT_EQ(event_.time_ns, 12'500);
  EXPECT_EQ(event_.pid.text, "Spans");
  EXPECT_EQ(event_.tid.number, -4);
}

TEST_F(ParserTest, CountersAndHexadecimalIds) {
  ASSERT_TRUE(parse(R"({"ph":"C","name":"m","ts":1,"id":"0x1F","args":{"a":1.5,"b":"2","c":"many"}})"));
  EXPECT_EQ(event_.id.number, 31);
  ASSERT_EQ(event_.values.size(), 2u);
  EXPECT_EQ(event_.values[1].second, 2);
  EXPECT_EQ(findings_.count(Finding::bad_figure), 1);
}

TEST_F(ParserTest, RepairsWhatJsonForbids) {
  ASSERT_TRUE(parse("{\"ph\":\"X\",\"ts\":1,\"name\":\"a\nb\x01\xff\\c\\ud800\"}"));
  EXPECT_EQ(event_.name, "a b ?\\c?");
  EXPECT_EQ(findings_.count(Finding::repaired_text), 1);
}

TEST_F(ParserTest, RefusesWhatIsNoEvent) {
  for (const char* bad : {"", "[", "{\"ph\"}", "{\"ph\":}", "{\"ph\":\"X\" \"ts\":1}", "{\"args\":{]}}", "7"}) EXPECT_FALSE(parse(bad)) << bad;
}

TEST(ShapeRules, ProductsAndWords) {
  EXPECT_EQ(parse_dimensions("[[2,3],[],[[4],[5,6]]]"), (std::vector<std::vector<int64_t>>{{2, 3}, {}, {4}, {5, 6}}));
  EXPECT_TRUE(parse_dimensions("[[2,-3]]").empty());
  EXPECT_TRUE(parse_dimensions("]]").empty());
  EXPECT_EQ(cost_of_call("aten::mm", "[[2,3],[3,4]]", "").flops, 48);
  EXPECT_EQ(cost_of_call("aten::addmm", "[[4],[2,3],[3,4],[],[]]", "").flops, 48);
  EXPECT_EQ(cost_of_call("aten::linear", "[[5,2,3],[4,3],[4]]", "").flops, 240);
  EXPECT_EQ(cost_of_call("aten::bmm", "[[5,2,3],[5,3,4]]", "").flops, 240);
  EXPECT_EQ(cost_of_call("aten::matmul", "[[2,3],[5,3,4]]", "").flops, 240);
  EXPECT_TRUE(cost_of_call("aten::view", "", "").known);
  for (const char* misfit : {"[[2,3],[4,5]]", "[[2]]", "", "[[2,3]]"}) EXPECT_FALSE(cost_of_call("aten::mm", misfit, "").known) << misfit;
  EXPECT_FALSE(cost_of_call("aten::gelu", "[[2,3]]", "").known) << "unknown is unknown, not 0";
  EXPECT_EQ(shapes_in_words("[[2,3],[],[3]]", "[\"float\",\"Scalar\",\"float\"]"), "[2,3] [3] float");
}

}  // namespace
