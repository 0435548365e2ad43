// SPDX-License-Identifier: Apache-2.0
#include "engine/null/backend.h"

#include <gtest/gtest.h>

#include "engine/runtime/plan.h"
#include "tests/support/test_ops.h"

namespace engine {
namespace {

TEST(NullBackend, RunsAnyGraph) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const auto graph = std::make_shared<const Graph>(test::random_graph(seed, 60, 300));
    const auto backend = null::make_backend();
    const auto plan = Plan::make(graph, *backend);
    ASSERT_TRUE(plan.ok());
    for (uint32_t step = 0; step < 3; ++step) (*plan)->run_step(step, nullptr);
    for (const Node& node : graph->nodes()) {
      EXPECT_EQ((*plan)->kernel_name(node.id), node.op->view != nullptr ? "view" : "null");
    }
  }
}

TEST(NullBackend, ComputesNothing) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", TensorType::contiguous(DType::float64, {5}), {Fill::Kind::arange});
  builder.append1(test::kOverwrite, {w, w});
  const auto backend = null::make_backend();
  const auto plan = *Plan::make(std::make_shared<const Graph>(*builder.finish()), *backend);
  plan->run_step(0, nullptr);
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(plan->tensor(w).get_flat(i), static_cast<double>(i));
}

TEST(NullBackend, BearsTheNameAndMemoryItIsGiven) {
  EXPECT_EQ(to_string(null::make_backend()->info().device), "null");
  EXPECT_GT(null::make_backend()->info().memory_bytes, 0);
  DeviceInfo info;
  info.device = {"model", 2};
  info.memory_bytes = 123;
  const auto backend = null::make_backend(info);
  EXPECT_EQ(backend->info().memory_bytes, 123);
  const auto storage = *backend->allocate(10);
  EXPECT_EQ(to_string(storage->device()), "model:2");
  EXPECT_EQ(storage->size_bytes(), 10);
  EXPECT_FALSE(backend->allocate(int64_t{1} << 60).ok());
}

TEST(NullBackend, CopiesOnlyWhatFits) {
  const auto backend = null::make_backend();
  const Tensor a = *Tensor::from_values({2, 3}, std::vector<double>{0, 1, 2, 3, 4, 5});
  const Tensor b = *Tensor::empty(TensorType{DType::float64, {2, 3}, {1, 2}});
  ASSERT_TRUE(backend->copy(a, b).ok());
  EXPECT_EQ(b.get(std::vector<int64_t>{1, 0}), 3);
  EXPECT_FALSE(backend->copy(a, *b.transpose(0, 1)).ok());
}

}  // namespace
}  // namespace engine
