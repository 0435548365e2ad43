// SPDX-License-Identifier: Apache-2.0
// Predictions against the values of a machine: choices, numbers, orders, marks, claims.
#include "profiler/lessons/answer.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

QueryValue number(double x) { return {x, Quantity::count}; }

LessonQuestion choice() { return {"q", "Which?", "", LessonQuestion::Kind::choice, {"a", "b", "c"}, 0, 0, false}; }

TEST(Answer, ChoiceByBinsTextsAndLargest) {
  LessonAnswer bins{.predict = "q", .query = "x", .queries = {}, .bins = {1, 10}, .values = {}};
  const GivenAnswer second{{1}, 0};
  EXPECT_TRUE(judge(choice(), bins, {number(5)}, &second).right);
  EXPECT_TRUE(judge(choice(), bins, {number(1)}, &second).right);
  EXPECT_FALSE(judge(choice(), bins, {number(10)}, &second).right);
  EXPECT_EQ(judge(choice(), bins, {number(10)}, nullptr).truth, "c");
  LessonAnswer texts{.predict = "q", .query = "x", .queries = {}, .bins = {}, .values = {"L1", "L2", "L3"}};
  EXPECT_TRUE(judge(choice(), texts, {{std::string("L2"), Quantity::text}}, &second).right);
  const Judged other = judge(choice(), texts, {{std::string("DRAM"), Quantity::text}}, &second);
  EXPECT_FALSE(other.known);
  EXPECT_EQ(other.most_points, 0);
  LessonAnswer best{.predict = "q", .query = "", .queries = {"x", "y", "z"}, .bins = {}, .values = {}};
  EXPECT_TRUE(judge(choice(), best, {number(1), number(9), number(2)}, &second).right);
  best.largest = false;
  EXPECT_FALSE(judge(choice(), best, {number(1), number(9), number(2)}, &second).right);
}

TEST(Answer, NumberWithinAFactorAShareOrADifference) {
  const LessonQuestion p{"q", "How many?", "ms", LessonQuestion::Kind::number, {}, 0, 0, false};
  const auto right = [&](LessonAnswer answer, double given, double truth) {
    const GivenAnswer g{{}, given};
    return judge(p, answer, {number(truth)}, &g).right;
  };
  LessonAnswer factor{.predict = "q", .query = "x", .queries = {}, .bins = {}, .values = {}};
  factor.within_factor = 1.5;
  EXPECT_TRUE(right(factor, 15, 10));
  EXPECT_TRUE(right(factor, 10, 15));
  EXPECT_FALSE(right(factor, 16, 10));
  EXPECT_FALSE(right(factor, -10, 10));
  LessonAnswer share = factor;
  share.within_factor = 0, share.within_share = 0.1;
  EXPECT_TRUE(right(share, 11, 10));
  EXPECT_FALSE(right(share, 11.2, 10));
  LessonAnswer difference = share;
  difference.within_share = 0, difference.within = 0.5;
  EXPECT_TRUE(right(difference, -0.5, 0));
  EXPECT_FALSE(right(difference, 0.6, 0));
  const GivenAnswer g{{}, 5};
  const Judged judged = judge(p, factor, {number(10)}, &g);
  EXPECT_EQ(judged.difference, "2x too small");
  EXPECT_EQ(judged.truth, "10 ms");
  EXPECT_FALSE(judge(p, factor, {QueryValue()}, &g).known);
}

TEST(Answer, ExercisesEarnAShareForEachComparisonThatHolds) {
  LessonExercise exercise;
  exercise.check.id = "e";
  exercise.expect = {{"e.misses", "<=", "300"}, {"e.speedup", ">=", "3"}};
  exercise.points = 8;
  const JudgedExercise all = judge(exercise, {number(284), number(300), number(3), number(3)});
  EXPECT_EQ(all.points, 8);
  EXPECT_TRUE(all.failed.empty());
  const JudgedExercise one = judge(exercise, {number(284), number(300), number(2), number(3)});
  EXPECT_EQ(one.points, 4);
  ASSERT_EQ(one.failed.size(), 1u);
  EXPECT_NE(one.failed[0].find("e.speedup >= 3: 2 >= 3"), std::string::npos) << one.failed[0];
  EXPECT_EQ(judge(exercise, {QueryValue(), number(300), number(9), number(3)}).points, 4);
  const JudgedExercise none = judge(exercise, {});
  EXPECT_FALSE(none.done);
  EXPECT_EQ(none.points, 0);
  EXPECT_EQ(none.most_points, 8);
}

TEST(Answer, VotesOfAnAudienceAreCountedByLetterOrNumber) {
  const std::vector<Votes> votes = count_votes("A 12, b 31 ,D 4, 16 5, x, C -1, B 2 3", 3);
  ASSERT_EQ(votes.size(), 4u);
  EXPECT_EQ(votes[0].item, 0u);
  EXPECT_EQ(votes[0].count, 12);
  EXPECT_EQ(votes[1].item, 1u);
  EXPECT_EQ(votes[2].item, 3u) << "the question has no D";
  EXPECT_EQ(votes[3].answer, "16");
  EXPECT_TRUE(count_votes("", 3).empty());
}

TEST(Answer, OrderByRankCorrelation) {
  EXPECT_DOUBLE_EQ(rank_correlation({0, 1, 2}, {30, 20, 10}, true), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({2, 1, 0}, {30, 20, 10}, true), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({2, 1, 0}, {30, 20, 10}, false), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({2, 1, 0}, {5, 5, 5}, true), 1);
  EXPECT_NEAR(rank_correlation({1, 0, 2, 3}, {4, 3, 2, 1}, true), 0.8, 1e-12);
  const LessonQuestion p{"q", "Rank", "", LessonQuestion::Kind::order, {"a", "b", "c"}, 0, 0, false};
  LessonAnswer answer{.predict = "q", .query = "", .queries = {"x", "y", "z"}, .bins = {}, .values = {}};
  const GivenAnswer g{{1, 0, 2}, 0};
  EXPECT_EQ(judge(p, answer, {number(1), number(3), number(0)}, &g).truth, "b, then a, then c");
  EXPECT_TRUE(judge(p, answer, {number(1), number(3), number(0)}, &g).right);
  EXPECT_FALSE(judge(p, answer, {number(3), number(1), number(0)}, &g).right);
}

LessonQuestion curve() {
  LessonQuestion p{"q", "Time?", "times", LessonQuestion::Kind::curve, {}, 1, 100, true};
  p.at = {1, 4, 16, 64};
  p.at_unit = "samples";
  return p;
}

TEST(Answer, PointIsRightOnBothAxes) {
  LessonQuestion p{"q", "Where?", "", LessonQuestion::Kind::point, {}, 1e8, 1e12, false};
  p.across_low = 0.01, p.across_high = 1000;
  LessonAnswer answer{.predict = "q", .query = "", .queries = {"x", "y"}, .bins = {}, .values = {}};
  answer.within_factor = 2;
  const auto judged = [&](double x, double y) {
    const GivenAnswer given{{}, 0, {x, y}};
    return judge(p, answer, {number(4), number(1e10)}, &given);
  };
  EXPECT_TRUE(judged(2, 2e10).right);
  EXPECT_FALSE(judged(1.9, 1e10).right);
  EXPECT_FALSE(judged(4, 3e10).right);
  EXPECT_EQ(judged(2, 3e10).difference, "intensity 2x too small, rate 3x too large");
  EXPECT_EQ(judged(2, 3e10).truth, "4 FLOP/B, 10.0 GFLOP/s");
  EXPECT_FALSE(judge(p, answer, {number(4), QueryValue()}, nullptr).known);
}

TEST(Answer, CurveIsRightWhereMostPlacesAreClose) {
  LessonAnswer answer{.predict = "q", .query = "", .queries = {"a", "b", "c", "d"}, .bins = {}, .values = {}};
  answer.within_factor = 1.5;
  const AnswerValues truth{number(1), number(1), number(4), number(16)};
  const auto judged = [&](std::vector<double> said, const AnswerValues& values) {
    const GivenAnswer given{{}, 0, std::move(said)};
    return judge(curve(), answer, values, &given);
  };
  EXPECT_TRUE(judged({1, 1.2, 3, 16}, truth).right);
  EXPECT_TRUE(judged({1, 1.2, 3, 64}, truth).right) << "three of four";
  EXPECT_FALSE(judged({1, 4, 16, 64}, truth).right);
  EXPECT_EQ(judged({1, 1, 4, 64}, truth).difference, "3 of 4 places close; furthest at 64 samples: 4x too large");
  EXPECT_TRUE(judged({1, 1, 9, 9}, {number(1), number(1), QueryValue(), QueryValue()}).right);
  EXPECT_FALSE(judged({1, 1, 1, 1}, {number(1), QueryValue(), QueryValue(), QueryValue()}).known);
}

TEST(Answer, EachTensorOfARoleEarnsItsShare) {
  const LessonQuestion p{"q", "Whose?", "", LessonQuestion::Kind::role, {"w", "x"}, 0, 0, false};
  LessonAnswer answer{.predict = "q", .query = "", .queries = {"a", "b"}, .bins = {}, .values = {}};
  answer.points = 4;
  const AnswerValues truth{{std::string("weight"), Quantity::text}, {std::string("input"), Quantity::text}};
  Lesson lesson;
  lesson.blocks.push_back({1, p});
  const auto given = answers_from_json(lesson, {{"q", {"weight", "activation"}}});
  ASSERT_TRUE(given);
  const Judged judged = judge(p, answer, truth, &given->at("q"));
  EXPECT_FALSE(judged.right);
  EXPECT_EQ(judged.points, 2);
  EXPECT_EQ(judged.most_points, 4);
  EXPECT_EQ(judged.truth, "w: weight, x: input");
  EXPECT_EQ(judged.answer, "w: weight, x: activation");
}

TEST(Answer, JsonOfDrawnAnswersGoesThereAndBack) {
  Lesson lesson;
  lesson.blocks.push_back({1, curve()});
  lesson.blocks.push_back({2, LessonQuestion{"p", "P?", "", LessonQuestion::Kind::point, {}, 1e8, 1e12, false}});
  lesson.blocks.push_back({3, LessonQuestion{"r", "R?", "", LessonQuestion::Kind::role, {"w"}, 0, 0, false}});
  const nlohmann::json document = {{"q", {1.0, 2.0, 3.0, 4.0}}, {"p", {0.5, 2e10}}, {"r", {"weight"}}};
  const auto good = answers_from_json(lesson, document);
  ASSERT_TRUE(good);
  EXPECT_EQ(answers_to_json(lesson, *good), document);
  for (const auto& bad : {nlohmann::json{{"q", {1, 2, 3}}},
                          {{"q", {1, 2, 3, "x"}}},
                          {{"q", 1}},
                          {{"p", {0, 1}}},
                          {{"p", {1, 2, 3}}},
                          {{"r", {"weights"}}},
                          {{"r", {1}}},
                          {{"r", "weight"}}})
    EXPECT_FALSE(answers_from_json(lesson, bad)) << bad;
}

TEST(Axis, PlacesAndValuesAgree) {
  for (const LessonAxis& axis : {LessonAxis{1, 1000, true}, LessonAxis{-5, 5, false}}) {
    for (const double share : {0.0, 0.3, 1.0}) EXPECT_NEAR(axis.place(axis.value_at(share)), share, 1e-12);
    EXPECT_EQ(axis.place(1e9), 1);
    EXPECT_EQ(axis.place(-1e9), 0);
  }
  EXPECT_EQ((LessonAxis{0.5, 200, true}).ticks(), (std::vector<double>{1, 10, 100}));
  EXPECT_EQ((LessonAxis{2, 5, true}).ticks(), (std::vector<double>{2, 5}));
}

TEST(Answer, JsonIsCheckedAgainstTheLesson) {
  Lesson lesson;
  lesson.blocks.push_back({1, choice()});
  lesson.blocks.push_back({2, LessonQuestion{"n", "N?", "", LessonQuestion::Kind::number, {}, 0, 0, false}});
  lesson.blocks.push_back({3, LessonQuestion{"o", "O?", "", LessonQuestion::Kind::order, {"x", "y"}, 0, 0, false}});
  const auto good = answers_from_json(lesson, {{"q", 2}, {"n", 1.5}, {"o", {1, 0}}});
  ASSERT_TRUE(good);
  EXPECT_EQ(answers_to_json(lesson, *good), (nlohmann::json{{"q", 2}, {"n", 1.5}, {"o", {1, 0}}}));
  for (const auto& bad : {nlohmann::json{{"z", 1}},
                          {{"q", 3}},
                          {{"q", -1}},
                          {{"q", 1.5}},
                          {{"q", "a"}},
                          {{"n", "x"}},
                          {{"o", {0, 0}}},
                          {{"o", {0}}},
                          {{"o", 1}},
                          nlohmann::json::array()})
    EXPECT_FALSE(answers_from_json(lesson, bad)) << bad;
}

TEST(Claim, HoldsOnlyWhereItsValuesAreKnown) {
  const QueryResults results{
      {"a", document_source(QuerySource::Json{{"x", 2}, {"y", nullptr}, {"word", "L2"}, {"cores", 1}})}};
  const auto checked = [&](const char* left, const char* sign, const char* right) {
    return check_claim({"c", {left, sign, right}, {}}, results);
  };
  EXPECT_TRUE(checked("a.x * 2", "<=", "4").holds);
  EXPECT_FALSE(checked("a.x", "<", "2").holds);
  EXPECT_TRUE(checked("a.x", "==", "2").holds);
  EXPECT_FALSE(checked("a.y", "<", "2").holds);
  EXPECT_FALSE(checked("a.missing", "<", "2").holds);
  EXPECT_FALSE(check_claim({"c", {"a.x", "<", "1"}, {{"a.cores", ">=", "2"}}}, results).applies);
}

}  // namespace
}  // namespace profiler
