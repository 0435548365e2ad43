// SPDX-License-Identifier: Apache-2.0
// How many threads an op is shared among is seen: of our loops, of the ladder's and of oneDNN's primitives.
#include "engine/base/thread_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "engine/base/vector_bits.h"
#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
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
  ValueId input(GraphBuilder& builder, const Shape& shape) { return builder.input("x" + std::to_string(inputs_++), TensorType::contiguous(DType::float32, shape), {}); }

  std::unique_ptr<Backend> backend_;
  std::string kernel_;
  int inputs_ = 0;
};

TEST_F(Team, LoopsAreSharedFromTheElementsOnThatPay) {
  GraphBuilder few, many;
  few.mark_output(ops::relu(few, input(few, {8, 1024})));
  EXPECT_EQ(team(few), 1) << kernel_;
  many.mark_output(ops::relu(many, input(many, {64, 1024})));
  EXPECT_EQ(team(many), 2) << kernel_;
}

TEST_F(Team, RungsOfTheLadderAreAloneButTheLast) {
  for (const ops::LadderRung& rung : ops::ladder_rungs()) {
    if (rung.vector_bits > vector_bits()) continue;
    GraphBuilder builder;
    builder.mark_output(ops::ladder_product(builder, input(builder, {192, 192}), input(builder, {192, 192}), rung.name, 32, false));
    EXPECT_EQ(team(builder), rung.name == "threaded" ? 2 : 1) << rung.name << ": " << kernel_;
  }
}

TEST_F(Team, OneDnnsThreadsAreSeenToo) {
  GraphBuilder builder;
  if (!cpu::has_onednn()) GTEST_SKIP() << "built without oneDNN";
  builder.mark_output(ops::conv2d(builder, input(builder, {4, 64, 28, 28}), input(builder, {64, 64, 5, 5}), kNoValue, {}));
  EXPECT_EQ(team(builder), 2) << kernel_;
  EXPECT_NE(kernel_.find("oneDNN"), std::string::npos) << kernel_;
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
