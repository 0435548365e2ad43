// SPDX-License-Identifier: Apache-2.0
// The median step is one figure, however it is asked for.
#include "profiler/analysis/step_shares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/analysis/tables/summary.h"
#include "profiler/capture/capture_builder.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

TEST(StepShares, TheMedianStepIsThatOfTheSummary) {
  for (const auto& capture : {tests::sample_capture(), tests::sample_gpu_capture()}) {
    const double median = median_step_ns(*capture);
    EXPECT_GT(median, 0);
    EXPECT_EQ(median, summary(*analyze(capture)).step_ns.median);
  }
}

TEST(StepShares, WithoutATimedStepItIsUnknown) { EXPECT_TRUE(std::isnan(median_step_ns(**CaptureBuilder().finish()))); }

}  // namespace
}  // namespace profiler
