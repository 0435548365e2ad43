// SPDX-License-Identifier: Apache-2.0
// Calls and what they launched find each other by correlation.
#include "profiler/capture/correlated.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

TEST(Correlated, EachKernelFindsTheCallThatLaunchedIt) {
  const auto capture = tests::sample_gpu_capture();
  const auto& a = capture->activities();
  ASSERT_FALSE(capture->gpu().kernels.empty());
  for (const KernelRecord& kernel : capture->gpu().kernels) {
    const auto call = launching_call(*capture, kernel.activity);
    ASSERT_TRUE(call.has_value());
    EXPECT_EQ(a.kind[*call], ActivityKind::api);
    EXPECT_EQ(a.correlation[*call], a.correlation[kernel.activity]);
    EXPECT_LT(a.start_ns[*call], a.start_ns[kernel.activity]);
    EXPECT_FALSE(launching_call(*capture, *call).has_value()) << "a call is launched by none";
  }
}

TEST(Correlated, NothingHasNoCorrelationAndListsEndWhereTheyAreToldTo) {
  const auto capture = tests::sample_gpu_capture();
  EXPECT_TRUE(rows_with(*capture, 0, 10).empty());
  EXPECT_TRUE(rows_with(*capture, 123456789, 10).empty());
  const uint64_t one = capture->activities().correlation[capture->gpu().kernels.front().activity];
  const auto rows = rows_with(*capture, one, 10);
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_EQ(rows_with(*capture, one, 1).size(), 1u);
}

}  // namespace
}  // namespace profiler
