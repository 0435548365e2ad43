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

TEST(Match, ModulesOfAnExportedNodeAreThoseOfPyTorch) {
  EXPECT_EQ(module_path("/layer1/layer1.0/conv1/Conv"), "layer1.0.conv1");
  EXPECT_EQ(module_path("/blocks.1/proj/MatMul"), "blocks.1.proj");
  EXPECT_EQ(module_path("/layer1/layer1.0/downsample/downsample.0/Conv"), "layer1.0.downsample.0");
  EXPECT_EQ(module_path("/layer1/layer10/Conv"), "layer1.layer10") << "another module, no list";
  EXPECT_EQ(module_path("/Flatten"), "");
  EXPECT_EQ(module_path("/"), "");
  EXPECT_EQ(module_path(""), "");
  EXPECT_EQ(module_path("layer1.0.conv1"), "layer1.0.conv1");
}

TEST(Match, ATraceAndARunMeetModuleByModule) {
  tests::OpLab torch, ours;
  torch.builder().run().source = "PyTorch (Kineto) trace";
  const auto add = [](tests::OpLab& lab, const char* type, const char* layer) {
    lab.op(type, {lab.tensor(4096)}, {lab.tensor(4096)}, 0, 1e6, 0, layer);
  };
  add(torch, "aten::linear", "blocks.0.fc"), add(torch, "aten::addmm", "blocks.0.fc");
  add(torch, "aten::relu", "blocks.0"), add(torch, "aten::sum", "");
  add(ours, "matmul", "/blocks.0/fc/MatMul"), add(ours, "add", "/blocks.0/fc/Add"), add(ours, "relu", "/blocks.0/Relu");
  add(ours, "reduce_sum", "/ReduceSum");
  const auto a = torch.finish(), b = ours.finish();
  for (const bool turned : {false, true}) {
    const auto matches = turned ? match_ops(*b, *a) : match_ops(*a, *b);
    ASSERT_EQ(matches.size(), 4u);
    EXPECT_EQ(matches[0].kind, MatchKind::regrouped);
    EXPECT_EQ(matches[0].before, (Ids{0, 1}));
    EXPECT_EQ(matches[0].after, (Ids{0, 1}));
    EXPECT_EQ(matches[1].kind, MatchKind::regrouped);
    EXPECT_EQ(matches[1].before, Ids{2});
    EXPECT_EQ(matches[1].after, Ids{2});
    EXPECT_EQ(matches[2].kind, MatchKind::before_only) << "of no module";
    EXPECT_EQ(matches[3].kind, MatchKind::after_only);
  }
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
