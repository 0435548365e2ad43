// SPDX-License-Identifier: Apache-2.0
// The table of thresholds, and what a user's file may and may not change in it.
#include "profiler/analysis/base/verdict_rules.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_reason.h"
#include "tests/support/op_lab.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

std::string refusal(const std::string& text) {
  const auto rules = VerdictRules::changed_by(text, "my.json");
  return rules ? std::string() : rules.error().message;
}

TEST(VerdictRules, EveryRowIsWithinItsOwnLimitsAndHasASource) {
  std::set<std::string> keys;
  for (const VerdictRule& rule : VerdictRules::built_in().rows()) {
    EXPECT_TRUE(keys.insert(rule.key).second) << rule.key;
    EXPECT_FALSE(rule.meaning.empty()) << rule.key;
    EXPECT_FALSE(rule.source.empty()) << rule.key;
    EXPECT_LT(rule.low, rule.high) << rule.key;
    EXPECT_GE(rule.value, rule.low) << rule.key;
    EXPECT_LE(rule.value, rule.high) << rule.key;
  }
  EXPECT_EQ(keys.size(), kRuleCount);
  EXPECT_EQ(VerdictRules::built_in()[Rule::saturated_ratio], 0.8);
  EXPECT_EQ(VerdictRules::built_in()[Rule::topdown_l3_ratio], 0.05);
  EXPECT_EQ(VerdictRules::built_in()[Rule::worth_finding_ratio], 0.01)
      << "the enumeration and the file are in one order";
}

TEST(VerdictRules, AUsersValueTakesTheUsualOnesPlaceAndIsSaid) {
  const auto rules = VerdictRules::changed_by(R"({"slack_ratio": 3})", "my.json");
  ASSERT_TRUE(rules.ok()) << rules.error().message;
  EXPECT_EQ((*rules)[Rule::slack_ratio], 3);
  EXPECT_EQ(rules->text(Rule::slack_ratio), "3 instead of 1.5");
  EXPECT_EQ(rules->text(Rule::saturated_ratio), "0.8");
  // A matrix product at half its roof: overhead by the usual threshold, compute-bound by the user's.
  tests::OpLab lab;
  const int64_t n = 2048, bytes = n * n * 4;
  const tests::OpLab::Options square{.shape = {n, n}};
  const double flops = 2.0 * n * n * n;
  lab.op("matmul", {lab.tensor(bytes, square), lab.tensor(bytes, square)}, {lab.tensor(bytes, square)}, flops,
         flops / 100);
  const auto capture = lab.finish();
  EXPECT_EQ(analyze(capture)->verdicts[0].bound, Bound::overhead);
  const auto mine = analyze(capture, *rules);
  EXPECT_EQ(mine->verdicts[0].bound, Bound::compute);
  const Reason* decided = find(mine->verdicts[0].reasons, ReasonKind::arithmetic_longer);
  ASSERT_NE(decided, nullptr);
  EXPECT_EQ(decided->limit("limit").value, 3);
  EXPECT_EQ(decided->limit("limit").usual, 1.5);
}

TEST(VerdictRules, BadValuesNameFileKeyAndLimits) {
  EXPECT_NE(refusal("[1]").find("my.json: is not a JSON object"), std::string::npos);
  EXPECT_NE(refusal("{").find("my.json: is not a JSON object"), std::string::npos) << refusal("{");
  EXPECT_NE(refusal(R"({"saturated": 0.8})").find("unknown threshold \"saturated\"; did you mean \"saturated_ratio\""),
            std::string::npos);
  EXPECT_EQ(refusal(R"({"saturated_ratio": 80})"),
            "my.json: saturated_ratio is 80, out of bounds; it takes 0.5 to 1 and is 0.8 by itself");
  EXPECT_EQ(refusal(R"({"saturated_ratio": "high"})"),
            "my.json: saturated_ratio is \"high\", not a number; it takes 0.5 to 1 and is 0.8 by itself");
  EXPECT_NE(refusal(R"({"saturated_ratio": null})").find("not a number"), std::string::npos);
  EXPECT_NE(refusal(R"({"slack_ratio": 1e999})"), "");
}

TEST(VerdictRules, TheUsersFileIsReadFromTheConfigurationFolder) {
  tests::TemporaryFolder folder;
  setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
  EXPECT_EQ((*VerdictRules::of_user())[Rule::dispatch_ratio], 0.3) << "no file: as built in";
  std::filesystem::create_directories(folder.path() / "tensortide");
  std::ofstream(VerdictRules::user_file()) << R"({"dispatch_ratio": 0.5})";
  const auto rules = VerdictRules::of_user();
  ASSERT_TRUE(rules.ok()) << rules.error().message;
  EXPECT_EQ((*rules)[Rule::dispatch_ratio], 0.5);
  std::ofstream(VerdictRules::user_file()) << R"({"dispatch_ratio": 5})";
  const auto bad = VerdictRules::of_user();
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().kind, engine::ErrorKind::refused);
  EXPECT_NE(bad.error().message.find(VerdictRules::user_file().string()), std::string::npos) << bad.error().message;
  std::filesystem::remove(VerdictRules::user_file());
  std::filesystem::create_directory(VerdictRules::user_file());
  EXPECT_FALSE(VerdictRules::of_user().ok()) << "a folder of that name";
  unsetenv("XDG_CONFIG_HOME");
}

}  // namespace
}  // namespace profiler
