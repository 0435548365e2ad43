// SPDX-License-Identifier: Apache-2.0
// Which op stands for which.
#include <gtest/gtest.h>

#include "profiler/compare/comparison.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

using Ids = std::vector<OpId>;

/// One layer "net" of the given op types.
std::shared_ptr<const Capture> chain(const std::vector<std::string>& types) {
  tests::OpLab lab;
  for (const std::string& type : types) lab.op(type, {lab.tensor(4096)}, {lab.tensor(4096)});
  return lab.finish();
}

TEST(Match, TheSameGraphOpByOp) {
  const auto a = chain({"matmul", "relu", "matmul"}), b = chain({"matmul", "relu", "matmul"});
  const auto matches = match_ops(*a, *b);
  ASSERT_EQ(matches.size(), 3u);
  for (OpId op = 0; op < 3; ++op) {
    EXPECT_EQ(matches[op].kind, MatchKind::matched);
    EXPECT_EQ(matches[op].before, Ids{op});
    EXPECT_EQ(matches[op].after, Ids{op});
  }
}

TEST(Match, AnOpMoreIsOnItsOwn) {
  tests::OpLab with, without;
  with.op("matmul", {with.tensor(4096)}, {with.tensor(4096)}, 0, 1e6, 0, "fc1");
  with.op("dropout", {with.tensor(4096)}, {with.tensor(4096)}, 0, 1e6, 0, "drop");
  without.op("matmul", {without.tensor(4096)}, {without.tensor(4096)}, 0, 1e6, 0, "fc1");
  const auto a = with.finish(), b = without.finish();
  const auto gone = match_ops(*a, *b), fresh = match_ops(*b, *a);
  ASSERT_EQ(gone.size(), 2u);
  EXPECT_EQ(gone[1].kind, MatchKind::before_only);
  EXPECT_EQ(gone[1].before, Ids{1});
  ASSERT_EQ(fresh.size(), 2u);
  EXPECT_EQ(fresh[1].kind, MatchKind::after_only);
  EXPECT_EQ(fresh[1].after, Ids{1});
}

TEST(Match, FusedOpsOfALayerAreAGroup) {
  const auto a = chain({"matmul", "add", "relu"}), b = chain({"matmul", "fused(add+relu)"});
  const auto matches = match_ops(*a, *b);
  ASSERT_EQ(matches.size(), 2u);
  EXPECT_EQ(matches[0].kind, MatchKind::matched);
  EXPECT_EQ(matches[1].kind, MatchKind::regrouped);
  EXPECT_EQ(matches[1].before, (Ids{1, 2}));
  EXPECT_EQ(matches[1].after, Ids{1});
}

TEST(Match, RenamedOpsByTypeShapeAndOrder) {
  tests::OpLab one, other;
  one.op("conv2d", {one.tensor(4096)}, {one.tensor(8192)}, 0, 1e6, 0, "stem");
  one.op("conv2d", {one.tensor(4096)}, {one.tensor(4096)}, 0, 1e6, 0, "body");
  other.op("conv2d", {other.tensor(4096)}, {other.tensor(4096)}, 0, 1e6, 0, "trunk");
  other.op("conv2d", {other.tensor(4096)}, {other.tensor(8192)}, 0, 1e6, 0, "root");
  const auto a = one.finish(), b = other.finish();
  const auto matches = match_ops(*a, *b);
  ASSERT_EQ(matches.size(), 2u);
  EXPECT_EQ(matches[0].after, Ids{1}) << "the shape decides before the order";
  EXPECT_EQ(matches[1].after, Ids{0});
}

TEST(Match, NothingInCommon) {
  tests::OpLab one, other;
  one.op("conv2d", {one.tensor(4096)}, {one.tensor(4096)}, 0, 1e6, 0, "a");
  other.op("softmax", {other.tensor(4096)}, {other.tensor(4096)}, 0, 1e6, 0, "b");
  const auto a = one.finish(), b = other.finish();
  const auto matches = match_ops(*a, *b);
  ASSERT_EQ(matches.size(), 2u);
  EXPECT_EQ(matches[0].kind, MatchKind::before_only);
  EXPECT_EQ(matches[1].kind, MatchKind::after_only);
}

}  // namespace
}  // namespace profiler
