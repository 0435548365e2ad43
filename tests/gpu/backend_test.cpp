// SPDX-License-Identifier: Apache-2.0
// The CUDA backend on a real GPU: copies, memory, whole training steps beside the CPU's. Skipped where there is no GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/cpu/backend.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"
#include "tests/gpu/gpu.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    gpu_ = test::make_gpu(why_);
    if (gpu_ == nullptr) GTEST_SKIP() << why_;
  }
  std::unique_ptr<Backend> gpu_;
  std::string why_;
};

TEST_F(Gpu, CopiesComeBackAsTheyWent) {
  const std::vector<TensorType> types{
      TensorType::contiguous(DType::uint8, {1}),
      TensorType::contiguous(DType::float32, {3, 5, 7}),
      TensorType::channels_last(DType::float16, {2, 3, 4, 5}),
      {DType::int64, {4, 6}, {1, 4}},
      {DType::float32, {4, 5}, {11, 2}},
      {DType::float64, {6}, {-1}},
      {DType::float32, {3, 4}, {0, 1}},
      TensorType::contiguous(DType::float32, {5'000'011})};  // several parts of the staging buffers, and a rest
  for (const TensorType& type : types) {
    SCOPED_TRACE(to_string(type));
    const Tensor host = test::make_tensor(type);
    fill(host, {Fill::Kind::integers, 0, 100}, 3, 1);
    auto there = test::sent(*gpu_, host);
    ASSERT_TRUE(there.ok()) << there.error().message;
    // also through row-major memory on the other side
    const Tensor back = test::make_tensor(TensorType::contiguous(type.dtype, type.shape));
    ASSERT_TRUE(gpu_->copy(*there, back).ok());
    auto same = test::fetched(*gpu_, *there);
    ASSERT_TRUE(same.ok());
    EXPECT_EQ(test::values(*same), test::values(host));
    EXPECT_EQ(test::values(back), test::values(host));
  }
}

TEST_F(Gpu, OutOfMemoryIsSaidAndTheGpuWorksOn) {
  auto kept = gpu_->allocate(int64_t{1} << 30);
  ASSERT_TRUE(kept.ok());
  const auto refused = gpu_->allocate(gpu_->info().memory_bytes * 2);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("this run holds 1 GiB in 1 block ("), std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(cuda::health(*gpu_).ok());
  EXPECT_TRUE(gpu_->allocate(1 << 20).ok());
}

/// All persistent values after some steps.
std::vector<std::vector<double>> weights_after(Backend& backend, const std::string& workload, const Arguments& given,
                                               uint32_t steps) {
  const auto found = find_workload(workload);
  CHECK(found.ok());
  const auto arguments = resolve(**found, given);
  CHECK(arguments.ok());
  auto graph = build_graph(**found, *arguments);
  CHECK(graph.ok());
  const auto shared = std::make_shared<const Graph>(std::move(*graph));
  auto plan = Plan::make(shared, backend);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  if (!plan.ok()) return {};
  for (uint32_t step = 0; step < steps; ++step) (*plan)->run_step(step, nullptr);
  if (backend.info().device.kind == "cuda") {
    EXPECT_TRUE(cuda::health(backend).ok());
  }
  std::vector<std::vector<double>> values;
  for (const Value& value : shared->values()) {
    if (value.kind != ValueKind::parameter) continue;
    const Tensor host = test::make_tensor((*plan)->tensor(value.id).type());
    EXPECT_TRUE(backend.copy((*plan)->tensor(value.id), host).ok());
    values.push_back(test::values(host));
  }
  return values;
}

TEST_F(Gpu, TrainsAsTheCpuDoes) {
  const std::vector<std::pair<std::string, Arguments>> cases{
      {"mlp", {{"batch", "8"}, {"mode", "training"}}},
      {"resnet56", {{"batch", "4"}, {"mode", "training"}}},
      {"transformer", {{"batch", "2"}, {"mode", "training"}}},
  };
  auto cpu = cpu::make_backend();
  ASSERT_TRUE(cpu.ok());
  for (const auto& [workload, arguments] : cases) {
    SCOPED_TRACE(workload);
    const auto here = weights_after(**cpu, workload, arguments, 3),
               there = weights_after(*gpu_, workload, arguments, 3);
    ASSERT_EQ(here.size(), there.size());
    for (size_t v = 0; v < here.size(); ++v) {
      double difference = 0, norm = 0;
      for (size_t i = 0; i < here[v].size(); ++i) {
        difference += (here[v][i] - there[v][i]) * (here[v][i] - there[v][i]);
        norm += here[v][i] * here[v][i];
      }
      EXPECT_LE(std::sqrt(difference), 2e-3 * std::sqrt(norm) + 1e-5) << "parameter " << v;
    }
  }
}

TEST_F(Gpu, TheSameStepsGiveTheSameBits) {
  gpu_.reset();
  gpu_ = test::make_gpu(why_, {.index = 0, .deterministic = true});
  ASSERT_NE(gpu_, nullptr) << why_;
  const Arguments arguments{{"batch", "8"}, {"mode", "training"}};
  EXPECT_EQ(weights_after(*gpu_, "mlp", arguments, 3), weights_after(*gpu_, "mlp", arguments, 3));
}

}  // namespace
