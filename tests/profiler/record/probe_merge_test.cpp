// SPDX-License-Identifier: Apache-2.0
// Rows of products that another probe has, or that did not settle. (Whole probes are merged in probe_test.cpp.)
#include "profiler/record/probe_merge.h"

#include <gtest/gtest.h>

#include <limits>

namespace profiler {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

engine::MatmulTiming product(engine::DType dtype, int64_t n, double ns) {
  return {dtype, n, n, n, 1, ns, kNone, kNone};
}

Machine with(std::vector<engine::MatmulTiming> products, int unsettled) {
  Machine machine;
  machine.probed_at = "2026-01-01T10:00:00+0000";
  machine.matmul = std::move(products);
  machine.unsettled_shapes = unsettled;
  return machine;
}

TEST(ProbeMergeOfProducts, AKnownTimeIsBetterThanNone) {
  using enum engine::DType;
  Machine known = with({product(float32, 64, 100)}, 0), unknown = with({product(float32, 64, kNone)}, 0);
  known.winograd = {{64, 56, 90, 50}};
  unknown.winograd = {{64, 56, kNone, kNone}};
  for (const Machine& both : {probe::better_of(known, unknown), probe::better_of(unknown, known)}) {
    ASSERT_EQ(both.matmul.size(), 1u);
    EXPECT_EQ(both.matmul[0].onednn_ns, 100);
    EXPECT_EQ(both.winograd[0].winograd_ns, 50);
  }
}

TEST(ProbeMergeOfProducts, CountsTheShapesThatNeitherHas) {
  using enum engine::DType;
  const Machine earlier = with({product(float32, 64, 100), product(float32, 128, 100)}, 2),
                latest = with({product(float32, 256, 100)}, 3);
  ASSERT_EQ(latest.unsettled_shapes, 3);
  const Machine both = probe::better_of(earlier, latest);
  ASSERT_EQ(both.matmul.size(), 3u);
  EXPECT_EQ(both.unsettled_shapes, 1);
  const Machine all = probe::better_of(both, with({product(float32, 512, 100)}, 3));
  EXPECT_EQ(all.unsettled_shapes, 0) << "each is known from one of them";
  // What came after the time was out was not counted.
  EXPECT_EQ(probe::better_of(earlier, with({product(float32, 64, 100)}, 0)).unsettled_shapes, 2);
}

TEST(ProbeMergeOfProducts, RenewedShapesThatDidNotSettleKeepTheirEarlierTimes) {
  using enum engine::DType;
  std::vector<engine::MatmulTiming> timings{product(float32, 64, 10), product(bfloat16, 64, 20),
                                            product(bfloat16, 256, 30)};
  EXPECT_EQ(probe::renew(timings, bfloat16, {product(bfloat16, 64, 25)}, 2), 1)
      << "that of 256 is known, a third one is not";
  ASSERT_EQ(timings.size(), 3u);
  EXPECT_EQ(timings[0].onednn_ns, 10);
  EXPECT_EQ(timings[1].onednn_ns, 30);
  EXPECT_EQ(timings[2].onednn_ns, 25);
}

}  // namespace
}  // namespace profiler
