// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/backend.h"

#include <gtest/gtest.h>

#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"

namespace engine {
namespace {

TEST(SimulatedBackend, ComputesWhatTheHostComputesInMemoryOfItsOwnName) {
  GraphBuilder builder;
  const Fill normal{Fill::Kind::normal, 0, 1};
  const ValueId m = builder.input("m", TensorType::contiguous(DType::float32, {10, 10}), normal);
  const ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {10, 100}), normal);
  const ValueId y = ops::matmul(builder, m, x);
  builder.mark_output(y);
  const auto graph = std::make_shared<const Graph>(*builder.finish());
  const auto host = *cpu::make_backend(1);
  const auto device = sim::make_backend(3, *cpu::make_backend(1));
  const auto expected = *Plan::make(graph, *host);
  const auto actual = *Plan::make(graph, *device);
  expected->run_step(0, nullptr);
  actual->run_step(0, nullptr);
  EXPECT_EQ(to_string(actual->tensor(y).storage()->device()), "sim:3");
  EXPECT_EQ(to_string(expected->tensor(y).storage()->device()), "cpu");
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(actual->tensor(y).get_flat(i), expected->tensor(y).get_flat(i));
}

TEST(SimulatedBackend, SaysWhoDoesItsWork) {
  const auto device = sim::make_backend(0, *cpu::make_backend(2));
  EXPECT_EQ(to_string(device->info().device), "sim:0");
  EXPECT_EQ(device->info().model, "simulated by " + cpu::describe().model);
  EXPECT_EQ(device->threads(), 2);
  EXPECT_FALSE(device->allocate(int64_t{1} << 60).ok());
}

}  // namespace
}  // namespace engine
