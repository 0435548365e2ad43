// SPDX-License-Identifier: Apache-2.0
// The CPU backend: thread counts, allocation, copies, constant weights.
#include "engine/cpu/backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "engine/graph/builder.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"

namespace engine {
namespace {

TEST(CpuBackend, ThreadCountIsFixedOrRefused) {
  EXPECT_EQ((*cpu::make_backend(1))->threads(), 1);
  EXPECT_EQ((*cpu::make_backend(2))->threads(), 2);
  EXPECT_EQ((*cpu::make_backend(0))->threads(), cpu::describe().cores);
  for (const int threads : {-1, 4 * cpu::describe().hardware_threads + 1}) {
    const auto refused = cpu::make_backend(threads);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_NE(refused.error().message.find(std::to_string(threads)), std::string::npos);
  }
}

/// Run once more with OMP_THREAD_LIMIT=1: there primitives made for two threads would wait for the second for ever.
TEST(CpuBackend, TakesNoMoreThreadsThanOpenMpGrants) {
  const char* limit = std::getenv("OMP_THREAD_LIMIT");
  auto backend = cpu::make_backend(0);
  ASSERT_TRUE(backend.ok());
  if (limit != nullptr && std::string_view(limit) == "1") {
    EXPECT_EQ((*backend)->threads(), 1);
    const auto refused = cpu::make_backend(2);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("OMP_THREAD_LIMIT"), std::string::npos) << refused.error().message;
  }
  const Workload* workload = *find_workload("resnet56");
  const auto graph = build_graph(*workload, *resolve(*workload, workload->small));
  ASSERT_TRUE(graph.ok());
  auto plan = Plan::make(std::make_shared<const Graph>(*graph), **backend);
  ASSERT_TRUE(plan.ok());
  (*plan)->run_step(0, nullptr);
  EXPECT_TRUE(std::isfinite((*plan)->tensor(graph->outputs()[0]).get_flat(0)));
}

TEST(CpuBackend, RefusesMoreMemoryThanThereIs) {
  auto backend = cpu::make_backend(1);
  const auto refused = (*backend)->allocate(int64_t{1} << 50);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_TRUE((*backend)->allocate(4096).ok());
}

TEST(CpuBackend, CopiesBetweenLayoutsAndRefusesOtherShapes) {
  auto backend = cpu::make_backend(2);
  Tensor from = *Tensor::empty(TensorType::contiguous(DType::int32, {2, 3, 4, 5}));
  Tensor to = *Tensor::empty(TensorType::channels_last(DType::int32, {2, 3, 4, 5}));
  for (int64_t i = 0; i < 120; ++i) from.set_flat(i, static_cast<double>(i));
  ASSERT_TRUE((*backend)->copy(from, to).ok());
  for (int64_t i = 0; i < 120; ++i) ASSERT_EQ(to.get_flat(i), static_cast<double>(i));
  const Tensor other = *Tensor::empty(TensorType::contiguous(DType::int32, {2, 3, 4, 6}));
  const auto refused = (*backend)->copy(from, other);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("2x3x4x6"), std::string::npos) << refused.error().message;
}

/// A repeated axis has no bytes of its own, but the plain loops see each of its elements.
TEST(CpuBackend, ReferencesThatCannotHoldTheirElementsAreRefused) {
  const auto refusal = [](const auto& build) {
    GraphBuilder builder;
    builder.mark_output(build(builder, builder.input("x", TensorType::contiguous(DType::float32, {1, 1}), {})));
    auto graph = builder.finish();
    EXPECT_TRUE(graph.ok());
    auto backend = cpu::make_backend(1);
    const auto plan = Plan::make(std::make_shared<const Graph>(std::move(*graph)), **backend);
    return plan.ok() ? std::string("none") : plan.error().message;
  };
  constexpr int64_t kMany = int64_t{1} << 40;
  const std::string sum = refusal([](GraphBuilder& builder, ValueId x) {
    return ops::sum(builder, ops::expand(builder, x, {kMany, 4}), {});
  });
  EXPECT_NE(sum.find("TiB of memory"), std::string::npos) << sum;
  const std::string product = refusal([](GraphBuilder& builder, ValueId x) {
    return ops::matmul(builder, ops::expand(builder, x, {2, kMany}), ops::expand(builder, x, {kMany, 2}));
  });
  EXPECT_NE(product.find("TiB of memory"), std::string::npos) << product;
}

/// Weights that no step changes are packed once; the second step must use the packed copy and give
/// the same result.
TEST(CpuBackend, ConstantWeightsArePackedOnce) {
  GraphBuilder builder;
  const ValueId x =
      builder.input("x", TensorType::channels_last(DType::float32, {2, 16, 9, 9}), {Fill::Kind::uniform, -1, 1});
  const ValueId weight =
      builder.parameter("w", TensorType::contiguous(DType::float32, {32, 16, 3, 3}), {Fill::Kind::uniform, -1, 1});
  const ValueId fully =
      builder.parameter("f", TensorType::contiguous(DType::float32, {10, 32}), {Fill::Kind::uniform, -1, 1});
  const ValueId y = ops::conv2d(builder, x, weight, kNoValue, {});
  const ValueId pooled = ops::reshape(builder, ops::global_average_pool(builder, y), {2, 32});
  const ValueId out = ops::linear(builder, pooled, fully, kNoValue);
  builder.mark_output(out);
  auto graph = builder.finish();
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  auto backend = cpu::make_backend(2);
  auto plan = Plan::make(std::make_shared<const Graph>(std::move(*graph)), **backend);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  std::vector<double> results[2];
  for (auto& result : results) {
    (*plan)->run_step(0, nullptr);
    for (int64_t i = 0; i < 20; ++i) result.push_back((*plan)->tensor(out).get_flat(i));
  }
  EXPECT_EQ(results[0], results[1]);

  // The same by references alone.
  KernelArguments conv{&(*plan)->graph().nodes()[0].attributes, {(*plan)->tensor(x), (*plan)->tensor(weight)}, {}};
  conv.outputs = {*Tensor::empty((*plan)->graph().value(y).type)};
  find_op("conv2d")->reference(conv);
  KernelArguments pool{
      nullptr, conv.outputs, {*Tensor::empty(TensorType::channels_last(DType::float32, {2, 32, 1, 1}))}};
  const Attributes none;
  pool.attributes = &none;
  find_op("global_average_pool")->reference(pool);
  KernelArguments linear{&none,
                         {*pool.outputs[0].reshape({2, 32}), (*plan)->tensor(fully)},
                         {*Tensor::empty(TensorType::contiguous(DType::float32, {2, 10}))}};
  find_op("linear")->reference(linear);
  for (int64_t i = 0; i < 20; ++i) EXPECT_NEAR(results[0][static_cast<size_t>(i)], linear.outputs[0].get_flat(i), 1e-4);
}

}  // namespace
}  // namespace engine
