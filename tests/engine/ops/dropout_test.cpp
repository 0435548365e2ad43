// SPDX-License-Identifier: Apache-2.0
// Dropout draws another mask at each step, the same forwards and backwards, and drops the share it was asked to.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/ops/autograd.h"
#include "engine/ops/dropout.h"
#include "engine/ops/ops.h"
#include "engine/tensor/dropout_mask.h"
#include "tests/support/host_interpreter.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

TEST(Dropout, DrawsAnotherMaskEachStepAndUsesItBackwards) {
  GraphBuilder builder;
  const ValueId state = builder.state("draws", TensorType::contiguous(DType::int64, {}), {});
  const ValueId x = builder.parameter("x", TensorType::contiguous(DType::float64, {20, 10}), {Fill::Kind::ones});
  const ValueId draw = ops::next_draw(builder, state);
  const ValueId one = ops::dropout(builder, x, draw, 0.5, 1), two = ops::dropout(builder, x, draw, 0.5, 2);
  const ValueId loss = ops::sum(builder, ops::add(builder, one, two), {});
  const ValueId gradient = differentiate(builder, loss, std::vector<ValueId>{x})[0];
  Result<Graph> graph = builder.finish();
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  test::HostInterpreter interpreter(std::move(*graph));
  interpreter.run();
  const std::vector<double> first = test::values(interpreter.tensor(one)),
                            other = test::values(interpreter.tensor(two));
  EXPECT_NE(first, other);  // another seed
  std::vector<double> both = first;
  for (size_t i = 0; i < both.size(); ++i) both[i] += other[i];
  EXPECT_EQ(test::values(interpreter.tensor(gradient)), both);  // x is 1, so that y and dx agree
  interpreter.run();
  EXPECT_NE(test::values(interpreter.tensor(one)), first);  // another step
  EXPECT_EQ(interpreter.tensor(state).get_flat(0), 2);
}

TEST(Dropout, KeepsItsShareAtEachPositionAndPair) {
  constexpr int64_t kDraws = 200, kElements = 1000;
  double kept = 0, pairs = 0;
  for (int64_t draw = 0; draw < kDraws; ++draw) {
    const DropoutMask mask(0.3, 7, draw);
    for (uint64_t i = 0; i < kElements; ++i) {
      kept += mask.keeps(i);
      pairs += mask.keeps(i) && mask.keeps(i + 1);
    }
  }
  constexpr double kCount = kDraws * kElements;
  EXPECT_NEAR(kept / kCount, 0.7, 5 * std::sqrt(0.21 / kCount));     // five standard deviations
  EXPECT_NEAR(pairs / kCount, 0.49, 10 * std::sqrt(0.25 / kCount));  // neighbours are independent
}

TEST(Dropout, OfEverythingIsZero) {
  const DropoutMask all(1, 1, 1), none(0, 1, 1);
  EXPECT_EQ(all.factor(), 0);
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_FALSE(all.keeps(i));
    EXPECT_TRUE(none.keeps(i));
  }
}

}  // namespace
