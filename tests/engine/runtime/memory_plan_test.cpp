// SPDX-License-Identifier: Apache-2.0
// The memory plan against liveness found by brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/runtime/plan.h"
#include "tests/support/test_ops.h"

namespace engine {
namespace {

using test::kMix, test::kOverwrite, test::kReversed;

ValueId root_of(const Graph& graph, ValueId id) {
  const NodeId producer = graph.value(id).producer;
  if (producer == kNoNode) return id;
  const Node& node = graph.node(producer);
  if (node.op->view != nullptr || !node.op->in_place.empty()) return root_of(graph, node.inputs[0]);
  return id;
}

/// For each op: the roots whose bytes must be intact while it runs, by looking at all earlier and
/// all later ops.
std::vector<std::set<ValueId>> live_roots(const Graph& graph) {
  std::vector<std::set<ValueId>> live(graph.nodes().size());
  for (size_t op = 0; op < live.size(); ++op) {
    std::set<ValueId> made, wanted;
    for (size_t i = 0; i <= op; ++i) {
      for (const ValueId id : graph.nodes()[i].outputs) made.insert(root_of(graph, id));
    }
    for (size_t i = op; i < live.size(); ++i) {
      for (const ValueId id : graph.nodes()[i].inputs) wanted.insert(root_of(graph, id));
    }
    for (const ValueId id : graph.nodes()[op].outputs) wanted.insert(root_of(graph, id));
    for (const ValueId id : graph.outputs()) wanted.insert(root_of(graph, id));
    for (const ValueId id : wanted) {
      if (made.contains(id) && graph.value(id).kind == ValueKind::intermediate) live[op].insert(id);
    }
  }
  return live;
}

class RandomPlans : public testing::TestWithParam<int> {};

TEST_P(RandomPlans, NeverOverlapWhatLives) {
  const Graph graph = test::random_graph(static_cast<uint64_t>(GetParam()), 120, 900);
  const MemoryPlan plan = *plan_memory(graph);
  int64_t peak = 0, sum = 0;
  for (const std::set<ValueId>& live : live_roots(graph)) {
    std::vector<std::pair<int64_t, int64_t>> ranges;
    int64_t bytes = 0;
    for (const ValueId id : live) {
      const Placement& placement = plan.placements[id];
      if (placement.size_bytes == 0) continue;
      ranges.emplace_back(placement.offset_bytes, placement.offset_bytes + placement.size_bytes);
      bytes += placement.size_bytes;
      ASSERT_EQ(placement.offset_bytes % 64, 0);
      ASSERT_LE(placement.offset_bytes + placement.size_bytes, plan.arena_bytes);
    }
    peak = std::max(peak, bytes);
    std::ranges::sort(ranges);
    for (size_t i = 1; i < ranges.size(); ++i) ASSERT_GE(ranges[i].first, ranges[i - 1].second);
  }
  int64_t roots = 0;
  for (const Value& value : graph.values()) {
    const Placement& placement = plan.placements[value.id];
    const ValueId root = root_of(graph, value.id);
    ASSERT_EQ(placement.alias_of, root == value.id ? kNoValue : root);
    ASSERT_EQ(placement.offset_bytes, plan.placements[root].offset_bytes);
    ASSERT_EQ(placement.persistent, graph.value(root).kind != ValueKind::intermediate);
    if (root == value.id && !placement.persistent) {
      sum += (value.type.span_bytes() + 63) / 64 * 64;
      ++roots;
    }
  }
  EXPECT_EQ(plan.peak_live_bytes, peak);
  EXPECT_GE(plan.arena_bytes, peak);
  EXPECT_EQ(plan.arena_bytes_without_reuse, sum);
  EXPECT_LE(plan.arena_bytes, sum);
  EXPECT_LE(plan.arena_bytes, peak + peak / 4 + 64 * roots);  // best fit stays near the bound
  EXPECT_EQ(plan.total_bytes, static_cast<double>(plan.arena_bytes + plan.persistent_bytes));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, testing::Range(0, 25));

TensorType vector_of(int64_t elements) { return TensorType::contiguous(DType::float32, {elements}); }

TEST(MemoryPlan, AChainNeedsTwoBlocks) {
  GraphBuilder builder;
  ValueId x = builder.input("x", vector_of(1024), {});
  for (int i = 0; i < 100; ++i) x = builder.append1(kMix, {x});
  const MemoryPlan plan = *plan_memory(*builder.finish());
  EXPECT_EQ(plan.arena_bytes, 2 * 4096);
  EXPECT_EQ(plan.peak_live_bytes, 2 * 4096);
  EXPECT_EQ(plan.arena_bytes_without_reuse, 100 * 4096);
  EXPECT_EQ(plan.persistent_bytes, 4096);
}

TEST(MemoryPlan, OutputsLiveToTheEnd) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", vector_of(16), {});
  const ValueId logits = builder.append1(kMix, {x});
  builder.mark_output(logits);
  for (int i = 0; i < 5; ++i) builder.append1(kMix, {x});
  const Graph graph = *builder.finish();
  const MemoryPlan plan = *plan_memory(graph);
  EXPECT_EQ(plan.placements[logits].first_op, 0u);
  EXPECT_EQ(plan.placements[logits].last_op, 5u);
  for (const Value& value : graph.values()) {
    if (value.id != logits && value.kind == ValueKind::intermediate) {
      EXPECT_NE(plan.placements[value.id].offset_bytes, plan.placements[logits].offset_bytes);
    }
  }
}

TEST(MemoryPlan, AViewKeepsWhatItViews) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", vector_of(16), {});
  const ValueId viewed = builder.append1(kMix, {x});
  const ValueId view = builder.append1(kReversed, {viewed});
  const ValueId again = builder.append1(kReversed, {view});
  const ValueId between = builder.append1(kMix, {x});
  const ValueId last = builder.append1(kMix, {again});
  const MemoryPlan plan = *plan_memory(*builder.finish());
  EXPECT_EQ(plan.placements[viewed].last_op, 4u);
  EXPECT_EQ(plan.placements[again].alias_of, viewed);
  EXPECT_NE(plan.placements[between].offset_bytes, plan.placements[viewed].offset_bytes);
  EXPECT_EQ(plan.placements[last].offset_bytes, plan.placements[between].offset_bytes);
  EXPECT_EQ(plan.arena_bytes, 2 * 64);
}

TEST(MemoryPlan, WhatIsOverwrittenStaysWhereItIs) {
  GraphBuilder builder;
  const ValueId weight = builder.parameter("w", vector_of(16), {});
  const ValueId gradient = builder.append1(kMix, {weight});
  const ValueId updated = builder.append1(kOverwrite, {weight, gradient});
  const MemoryPlan plan = *plan_memory(*builder.finish());
  EXPECT_EQ(plan.placements[updated].alias_of, weight);
  EXPECT_TRUE(plan.placements[updated].persistent);
  EXPECT_EQ(plan.placements[updated].offset_bytes, plan.placements[weight].offset_bytes);
  EXPECT_EQ(plan.arena_bytes, 64);
}

TEST(MemoryPlan, PersistentValuesDoNotShare) {
  GraphBuilder builder;
  std::vector<ValueId> ids{builder.input("x", vector_of(3), {}), builder.parameter("w", vector_of(20), {}),
                           builder.state("m", vector_of(1), {})};
  ids.push_back(builder.constant("c", *Tensor::from_values({2}, std::vector<double>{1, 2})));
  const MemoryPlan plan = *plan_memory(*builder.finish());
  std::set<int64_t> offsets;
  for (const ValueId id : ids) offsets.insert(plan.placements[id].offset_bytes);
  EXPECT_EQ(offsets, (std::set<int64_t>{0, 64, 192, 256}));
  EXPECT_EQ(plan.persistent_bytes, 320);
  EXPECT_EQ(plan.arena_bytes, 0);
}

TEST(MemoryPlan, AbsurdSizesAreNamed) {
  GraphBuilder builder;
  ValueId x = builder.input("x", vector_of(int64_t{1} << 60), {});  // 4 EiB
  for (int i = 0; i < 3; ++i) x = builder.append1(kMix, {x});
  const auto refused = plan_memory(*builder.finish());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_NE(refused.error().message.find("12.0 EiB"), std::string::npos) << refused.error().message;
}

/// 100,000 nodes that pass a chain on, each also kept for a mirrored second half as the backward pass keeps
/// activations: with work proportional to the square of the nodes this would take minutes.
TEST(MemoryPlan, AHundredThousandNodesArePlaced) {
  constexpr int kHalf = 50'000;
  GraphBuilder builder;
  std::vector<ValueId> chain{builder.input("x", vector_of(16), {})};
  for (int i = 0; i < kHalf; ++i) chain.push_back(builder.append1(kMix, {chain.back()}));
  ValueId gradient = chain.back();
  for (int i = 0; i < kHalf; ++i) gradient = builder.append1(kMix, {gradient, chain[static_cast<size_t>(kHalf - i)]});
  const MemoryPlan plan = *plan_memory(*builder.finish());
  EXPECT_EQ(plan.peak_live_bytes, int64_t{64} * (kHalf + 1));
  EXPECT_EQ(plan.arena_bytes, plan.peak_live_bytes);
}

TEST(MemoryPlan, AnEmptyGraphNeedsNothing) {
  const MemoryPlan plan = *plan_memory(Graph{});
  EXPECT_EQ(plan.total_bytes, 0);
  EXPECT_TRUE(plan.placements.empty());
}

}  // namespace
}  // namespace engine
