// SPDX-License-Identifier: Apache-2.0
// How many threads an op is shared among is seen: of our loops, of the ladder's and of oneDNN's primitives.
#include "engine/base/thread_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/thread_pool.h"
#include "engine/base/vector_bits.h"
#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/ops/attention.h"
#include "engine/ops/ladder.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"

namespace engine {
namespace {

/// The largest team of each op of a step.
class Teams final : public Observer {
 public:
  void step_begin(uint32_t, int64_t) override {}
  void step_end(uint32_t, int64_t) override {}
  void op_begin(uint32_t) override { forget_teams(); }
  void op_done(uint32_t op, int64_t, int64_t) override { of_op[op] = largest_team(); }
  std::map<uint32_t, int> of_op;
};

class Team : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__clang__)
    GTEST_SKIP() << "this compiler's OpenMP does not enter by libgomp";
#endif
    auto backend = cpu::make_backend(2);
    ASSERT_TRUE(backend.ok()) << backend.error().message;
    if ((*backend)->threads() < 2) GTEST_SKIP() << "OpenMP gives no second thread here";
    backend_ = *std::move(backend);
  }
  /// Of the last op of the graph, in its second step, and its kernel's name.
  int team(GraphBuilder& builder) {
    auto graph = builder.finish();
    EXPECT_TRUE(graph.ok()) << graph.error().message;
    const auto shared = std::make_shared<const Graph>(*std::move(graph));
    auto plan = Plan::make(shared, *backend_);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    Teams teams;
    for (uint32_t step = 0; step < 2; ++step) (*plan)->run_step(step, &teams);
    kernel_ = (*plan)->kernel_name(shared->nodes().back().id);
    return teams.of_op.rbegin()->second;
  }
  ValueId input(GraphBuilder& builder, const Shape& shape) {
    return builder.input("x" + std::to_string(inputs_++), TensorType::contiguous(DType::float32, shape), {});
  }

  std::unique_ptr<Backend> backend_;
  std::string kernel_;
  int inputs_ = 0;
};

TEST_F(Team, LoopsAreSharedFromTheElementsOnThatPay) {
  GraphBuilder few, many;
  few.mark_output(ops::relu(few, input(few, {8, 1024})));
  EXPECT_EQ(team(few), 1) << kernel_;
  many.mark_output(ops::relu(many, input(many, {1024, 1024})));  // also where other programs make hand-overs dear
  EXPECT_EQ(team(many), 2) << kernel_;
}

TEST_F(Team, RungsOfTheLadderAreAloneButTheLast) {
  for (const ops::LadderRung& rung : ops::ladder_rungs()) {
    if (rung.vector_bits > vector_bits()) continue;
    GraphBuilder builder;
    builder.mark_output(
        ops::ladder_product(builder, input(builder, {192, 192}), input(builder, {192, 192}), rung.name, 32, false));
    EXPECT_EQ(team(builder), rung.name == "threaded" ? 2 : 1) << rung.name << ": " << kernel_;
  }
}

TEST_F(Team, OneDnnsThreadsAreSeenToo) {
  GraphBuilder builder;
  if (!cpu::has_onednn()) GTEST_SKIP() << "built without oneDNN";
  builder.mark_output(
      ops::conv2d(builder, input(builder, {4, 64, 28, 28}), input(builder, {64, 64, 5, 5}), kNoValue, {}));
  EXPECT_EQ(team(builder), 2) << kernel_;
  EXPECT_NE(kernel_.find("oneDNN"), std::string::npos) << kernel_;
}

/// oneDNN's kernels take all threads that they are made for, however little there is to do: small ops are made for one.
TEST_F(Team, OpsThatAreNotWorthATeamAreAlone) {
  GraphBuilder linear, conv, product;
  linear.mark_output(ops::linear(linear, input(linear, {8, 128}), input(linear, {10, 128}), kNoValue));
  EXPECT_EQ(team(linear), 1) << kernel_;
  conv.mark_output(
      ops::conv2d(conv, input(conv, {1, 8, 8, 8}), input(conv, {8, 8, 3, 3}), kNoValue, {.padding = {1, 1, 1, 1}}));
  EXPECT_EQ(team(conv), 1) << kernel_;
  product.mark_output(ops::matmul(product, input(product, {4, 16, 16}), input(product, {4, 16, 16})));
  EXPECT_EQ(team(product), 1) << kernel_;
}

/// fill() takes the calling thread's count: parameters and inputs of a network are not filled by one thread since its
/// last op is small.
TEST_F(Team, WhatComesBehindAnOpThatIsAloneHasAllThreads) {
  GraphBuilder linear, conv, elements, attention;
  linear.mark_output(ops::linear(linear, input(linear, {8, 128}), input(linear, {10, 128}), kNoValue));
  conv.mark_output(
      ops::conv2d(conv, input(conv, {1, 8, 8, 8}), input(conv, {8, 8, 3, 3}), kNoValue, {.padding = {1, 1, 1, 1}}));
  elements.mark_output(ops::relu(elements, input(elements, {8, 8})));
  attention.mark_output(ops::attention(attention, input(attention, {1, 2, 4, 8}), input(attention, {1, 2, 4, 8}),
                                       input(attention, {1, 2, 4, 8}), kNoValue, {}));
  for (GraphBuilder* builder : {&linear, &conv, &elements, &attention}) {
    set_calling_thread_count(1);
    EXPECT_EQ(team(*builder), 1) << kernel_;
    EXPECT_EQ(calling_thread_count(), 2) << kernel_;
  }
}

/// Beside other programs a thread has to be woken for each team: of a recurrent layer's time steps each is far shorter
/// than that.
TEST_F(Team, ManyShortRegionsInARowAreAloneBesideOtherPrograms) {
  constexpr int64_t kSteps = 50;
  struct Layer {
    const char* op;
    int64_t gates, batch, hidden;
  };
  for (const Layer& layer : {Layer{"lstm", 4, 8, 128},
                             {"lstm", 4, 4, 96},
                             {"lstm", 4, 1, 64},
                             {"gru", 3, 8, 128},
                             {"gru", 3, 4, 64},
                             {"rnn", 1, 8, 256}}) {
    SCOPED_TRACE(testing::Message() << layer.op << " of " << layer.hidden << ", batch " << layer.batch);
    GraphBuilder builder;
    const int64_t columns = layer.gates * layer.hidden,
                  bias = std::string(layer.op) == "gru" ? 4 * layer.hidden : columns;
    std::vector<ValueId> inputs{input(builder, {kSteps, layer.batch, 64}), input(builder, {1, columns, 64}),
                                input(builder, {1, columns, layer.hidden}), input(builder, {1, bias}),
                                input(builder, {1, layer.batch, layer.hidden})};
    if (layer.gates == 4) inputs.push_back(input(builder, {1, layer.batch, layer.hidden}));
    const auto results = builder.append(*find_op(layer.op), inputs, {});
    ASSERT_FALSE(results.empty()) << builder.finish().error().message;
    builder.mark_output(results[0]);
    auto graph = builder.finish();
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    auto plan = Plan::make(std::make_shared<const Graph>(*std::move(graph)), *backend_);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    (*plan)->run_step(0, nullptr);
    Contention& contention = ThreadPool::instance().contention();
    const int64_t now = now_ns();
    contention.lost(now);  // for 100 ms
    const uint64_t before = teams_started();
    (*plan)->run_step(1, nullptr);
    if (contention.contended(now_ns())) {
      EXPECT_LE(teams_started() - before, 8u) << "more than a few teams for " << kSteps << " steps";
    }
  }
}

TEST_F(Team, RegionsInsideRegionsAndOfOtherThreadsAreNotCounted) {
  forget_teams();
  std::atomic<int> inside{0};
  run_team(2, [&](int, int) { run_team(3, [&](int, int) { ++inside; }); });
  EXPECT_GE(inside.load(), 2);
  EXPECT_EQ(largest_team(), 2);
  run_on_each_thread(2, [](int member, int) {
    if (member == 1) forget_teams();  // the other thread's own
  });
  EXPECT_EQ(largest_team(), 2);
  forget_teams();
  EXPECT_EQ(largest_team(), 1);
}

}  // namespace
}  // namespace engine
