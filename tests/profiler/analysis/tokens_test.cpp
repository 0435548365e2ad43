// SPDX-License-Identifier: Apache-2.0
// Tokens of a step: rates, bytes by what they are of, and runs without tokens.
#include "profiler/analysis/tokens.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/op_lab.h"

namespace profiler {
namespace {

/// A step that reads 400 bytes of weights and 640 of a cache, of which it writes 64.
class Tokens : public testing::Test {
 protected:
  std::shared_ptr<const Analyzed> analyzed(std::map<std::string, std::string> arguments) {
    tests::OpLab lab;
    const TensorId x = lab.tensor(32, {.role = Role::input, .persistent = true}),
                   w = lab.tensor(400, {.role = Role::weight, .persistent = true}),
                   cache = lab.tensor(640, {.role = Role::activation, .persistent = true}), y = lab.tensor(32);
    lab.op("attention", {x, w, cache}, {y}, 1000, 2e6);
    for (auto& [key, value] : arguments) lab.builder().run().arguments[key] = value;
    return analyze(lab.finish());
  }
};

TEST_F(Tokens, DecodeHasOneTokenPerSequence) {
  const auto a = analyzed({{"phase", "decode"}, {"context", "128"}, {"batch", "4"}});
  const TokenFigures f = token_figures(*a);
  ASSERT_TRUE(f.known());
  EXPECT_EQ(f.tokens, 4);
  EXPECT_NEAR(f.tokens_per_s(), 4 / (f.step_ns * 1e-9), 1e-6);
  EXPECT_EQ(f.weight_bytes, 400);
  EXPECT_EQ(f.cache_read_bytes, 640);
  EXPECT_EQ(f.cache_written_bytes, 0);
  EXPECT_EQ(f.other_bytes, 64);
  EXPECT_TRUE(std::isnan(f.first_token_ns()));
  EXPECT_NE(token_words(f).find("276 B per token"), std::string::npos) << token_words(f);
  EXPECT_EQ(tokens_table(*a).rows.size(), 7u);
}

TEST_F(Tokens, PrefillHasAllTokensOfTheContext) {
  const auto a = analyzed({{"phase", "prefill"}, {"context", "128"}, {"batch", "4"}});
  const TokenFigures f = token_figures(*a);
  EXPECT_EQ(f.tokens, 512);
  EXPECT_EQ(f.first_token_ns(), f.step_ns);
  EXPECT_NE(token_words(f).find("first token after"), std::string::npos) << token_words(f);
}

TEST_F(Tokens, OtherRunsHaveNone) {
  for (const auto& arguments : std::vector<std::map<std::string, std::string>>{
           {{"batch", "4"}},
           {{"phase", "decode"}, {"batch", "4"}},
           {{"phase", "decode"}, {"context", "many"}, {"batch", "4"}},
           {{"phase", "decode"}, {"context", "128"}, {"batch", "4"}, {"mode", "training"}}}) {
    const auto a = analyzed(arguments);
    EXPECT_FALSE(token_figures(*a).known());
    EXPECT_TRUE(tokens_table(*a).rows.empty());
    EXPECT_TRUE(token_words(token_figures(*a)).empty());
  }
}

}  // namespace
}  // namespace profiler
