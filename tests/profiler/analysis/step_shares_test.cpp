// SPDX-License-Identifier: Apache-2.0
// The median step is one figure, however it is asked for.
#include "profiler/analysis/step_shares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/capture/capture_builder.h"
#include "tests/support/rank_lab.h"
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

/// Eleven steps without a gap and one that is nearly all gap: 8 % of all time, and nothing of the median step.
TEST(StepShares, IdleTimeOfAGpuIsOfTheStepThatItsOpsAreOf) {
  for (const bool imported : {false, true}) {
    tests::RankLab lab(1, 12, 1000);
    const OpId mm = lab.op("aten::mm");
    for (uint32_t step = 0; step < 12; ++step) lab.kernel("sgemm", {0, step, 0, step == 11 ? 1 : 1000}, mm);
    if (!imported) lab.builder().run().source.clear();
    const auto capture = lab.finish();
    const double all = 999.0 / 12'000;
    EXPECT_NEAR(gpu_idle_ratio(*capture), all, 1e-3);
    EXPECT_NEAR(untimed_ratio(*capture), imported ? all : 0, 1e-3) << imported;
  }
}

TEST(StepShares, WithoutATimedStepItIsUnknown) { EXPECT_TRUE(std::isnan(median_step_ns(**CaptureBuilder().finish()))); }

}  // namespace
}  // namespace profiler
