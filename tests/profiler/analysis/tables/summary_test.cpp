// SPDX-License-Identifier: Apache-2.0
// The four answers: figures from closed forms, and the sentences a user reads first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/base/origin.h"
#include "profiler/base/table.h"
#include "profiler/capture/accelerator.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/noise.h"
#include "profiler/machine/roofs_trust.h"
#include "tests/support/op_lab.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

using tests::OpLab;
constexpr int64_t kN = 256 * OpLab::kMiB;
constexpr double kTriadNs = 4.0 * kN / 20;

void add_triad(OpLab& lab, double time_ns = kTriadNs / 0.93) {
  lab.op("scaled_add", {lab.tensor(kN), lab.tensor(kN)}, {lab.tensor(kN)}, 2.0 * kN / 4, time_ns);
}

void add_gemm(OpLab& lab) {
  const int64_t n = 2048, bytes = n * n * 4;
  const OpLab::Options square{.shape = {n, n}};
  lab.op("matmul", {lab.tensor(bytes, square), lab.tensor(bytes, square)}, {lab.tensor(bytes, square)}, 2.0 * n * n * n,
         2.0 * n * n * n / 200 / 0.9);
}

TEST(Summary, FiguresOfATriad) {
  OpLab lab;
  lab.builder().run().arguments["batch"] = "8";
  add_triad(lab);
  const auto a = analyze(lab.finish());
  const Summary s = summary(*a);
  EXPECT_EQ(s.step_ns.samples, 5);
  EXPECT_NEAR(s.step_ns.median, kTriadNs / 0.93, 1);
  EXPECT_DOUBLE_EQ(s.flops, 2.0 * kN / 4);
  EXPECT_NEAR(s.flop_per_s, s.flops / s.step_ns.median * 1e9, 1);
  EXPECT_NEAR(s.roof_ratio, s.flop_per_s / 200e9, 1e-9);
  EXPECT_DOUBLE_EQ(s.compulsory_bytes, 3.0 * kN);
  EXPECT_DOUBLE_EQ(s.dram_bytes, 4.0 * kN);
  EXPECT_DOUBLE_EQ(s.amplification, 4.0 / 3);
  EXPECT_NEAR(s.samples_per_s, 8 / s.step_ns.median * 1e9, 1e-6);
  EXPECT_NEAR(s.untimed_ratio, 0, 1e-9);
  ASSERT_EQ(s.limiters.size(), 1u);
  EXPECT_NEAR(s.limiters[0].share, 1, 1e-6);
  EXPECT_EQ(s.sentence, "Limited by DRAM bandwidth in scaled_add (100 % of the step).");
  const std::vector<RunFinding> found = findings(*a);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(s.change, advice_text(found.front())) << "one answer everywhere: the first finding";
  EXPECT_EQ(s.advice, s.change);
}

TEST(Summary, BytesAreTheBestThatAllOpsHave) {
  const auto of = [](bool both) {
    TrafficSource simulated;
    simulated.origin = Origin::simulated;
    simulated.links = {{"DRAM", "L3", 1e6}};
    simulated.records = {{.op = 0, .link = 0, .read_bytes = 6e8, .written_bytes = 2e8}};
    if (both) simulated.records.push_back({.op = 1, .link = 0, .read_bytes = 3e8, .written_bytes = 1e8});
    OpLab lab;
    add_triad(lab);
    add_triad(lab);
    lab.builder().add_traffic(simulated);
    return summary(*analyze(lab.finish()));
  };
  EXPECT_EQ(of(true).dram_origin, Origin::simulated);
  EXPECT_DOUBLE_EQ(of(true).dram_bytes, 12e8);
  EXPECT_DOUBLE_EQ(of(true).amplification, 12e8 / (6.0 * kN));
  EXPECT_EQ(of(false).dram_origin, Origin::modelled) << "one op was not simulated";
  EXPECT_DOUBLE_EQ(of(false).dram_bytes, 8.0 * kN);
}

TEST(Summary, AboveThePeakThereIsNoShare) {
  OpLab lab;
  const int64_t n = 2048, bytes = n * n * 4;
  lab.op("matmul", {lab.tensor(bytes), lab.tensor(bytes)}, {lab.tensor(bytes)}, 2.0 * n * n * n,
         2.0 * n * n * n / 200 / 2.06);  // twice the probed peak
  const Summary s = summary(*analyze(lab.finish()));
  EXPECT_TRUE(s.above_roof);
  EXPECT_TRUE(std::isnan(s.roof_ratio));
}

TEST(Summary, LimitersAreSharesOfTheStepLargestFirst) {
  OpLab lab;
  add_triad(lab);
  add_gemm(lab);
  const Summary s = summary(*analyze(lab.finish()));
  ASSERT_EQ(s.limiters.size(), 2u);
  EXPECT_EQ(s.limiters[0].bound, Bound::compute);
  EXPECT_EQ(s.limiters[1].bound, Bound::memory);
  EXPECT_EQ(s.limiters[1].level, "DRAM");
  EXPECT_NEAR(s.limiters[0].share + s.limiters[1].share + s.untimed_ratio, 1, 1e-9);
  EXPECT_EQ(s.sentence, "Limited by arithmetic in matmul (62 % of the step).");
}

TEST(Summary, ComputeBoundStepIsAdvisedAFasterDtypeOnlyWhereTheProbeSawOne) {
  OpLab plain, fast;
  add_gemm(plain);
  add_gemm(fast);
  fast.builder().machine().compute.push_back({engine::DType::bfloat16, 2, {620e9, 620e9, 620e9, 5}, "lab"});
  EXPECT_EQ(summary(*analyze(plain.finish())).advice.find("bf16"), std::string::npos);
  fast.builder().run().arguments["dtype"] = "f32";
  const std::string advice = summary(*analyze(fast.finish())).advice;
  EXPECT_EQ(advice, "Compute in bf16.");
}

TEST(Summary, OverheadNamesTheNearestRoofAndWithoutAFindingNothingIsProposed) {
  OpLab lab;
  const int64_t n = 2048, bytes = n * n * 4;
  const OpLab::Options square{.shape = {n, n}};
  lab.op("matmul", {lab.tensor(bytes, square), lab.tensor(bytes, square)}, {lab.tensor(bytes, square)}, 2.0 * n * n * n,
         2.0 * n * n * n / 200 / 0.4);
  const Summary s = summary(*analyze(lab.finish()));
  EXPECT_EQ(s.sentence,
            "Probably limited by kernel inefficiency: matmul (100 % of the step) at 40 % of the nearest roof, "
            "arithmetic.");
  EXPECT_EQ(
      s.advice,
      "No change is proposed: the kernels of matmul run below their roofs. Record with `--collect simulate` to see "
      "whether cache misses explain it.");
}

/// Fusion is named where there is more than one kind of op to fuse and the run could have fused.
TEST(Summary, KernelsBelowTheirRoofsAreFusedFirst) {
  const auto advice = [](const char* fuse, bool several, const char* graph = "static") {
    OpLab lab;
    const int64_t n = 2048, bytes = n * n * 4;
    const OpLab::Options square{.shape = {n, n}};
    const auto a = lab.tensor(bytes, square), b = lab.tensor(bytes, square), c = lab.tensor(bytes, square);
    const double flops = 2.0 * n * n * n;
    lab.op("matmul", {a, b}, {c}, flops, flops / 200 / 0.4);
    if (several) lab.op("conv2d", {a, b}, {c}, flops, flops / 200 / 0.4);
    lab.builder().run().arguments["fuse"] = fuse;
    lab.builder().run().arguments["graph"] = graph;
    return summary(*analyze(lab.finish())).advice;
  };
  EXPECT_EQ(advice("off", true).rfind("`--fuse on` may help", 0), 0u) << advice("off", true);
  EXPECT_EQ(advice("off", true, "eager").rfind("No change is proposed", 0), 0u) << "which eager mode refuses";
  EXPECT_EQ(advice("on", true).rfind("No change is proposed", 0), 0u) << advice("on", true);
  EXPECT_EQ(advice("off", false).rfind("No change is proposed", 0), 0u) << advice("off", false);
}

TEST(Summary, UnsteadyStepsAreToBeRecordedAgainBeforeAnyAdvice) {
  OpLab lab;
  const auto x = lab.tensor(kN), y = lab.tensor(kN), z = lab.tensor(kN);
  lab.op("scaled_add", {x, y}, {z}, 2.0 * kN / 4, 1.2 * kTriadNs, 0.3);
  const Summary s = summary(*analyze(lab.finish()));
  EXPECT_EQ(s.advice.rfind("First record again on a quiet machine", 0), 0u) << s.advice;
}

TEST(Summary, UncertainVerdictsMakeAnUncertainSentence) {
  OpLab lab;
  add_triad(lab, kTriadNs * 1.49);
  const Summary s = summary(*analyze(lab.finish()));
  EXPECT_EQ(s.sentence.rfind("Probably limited", 0), 0u) << s.sentence;
}

TEST(Summary, UnprobedMachineSaysSoAndWhatToDo) {
  OpLab lab;
  Machine& m = lab.builder().machine();
  m.probed_at.clear();
  m.levels.clear();
  m.compute.clear();
  m.bandwidth.clear();
  add_triad(lab);
  const Summary s = summary(*analyze(lab.finish()));
  EXPECT_NE(s.sentence.find("unknown"), std::string::npos) << s.sentence;
  EXPECT_NE(s.advice.find("tensortide probe"), std::string::npos) << s.advice;
  EXPECT_TRUE(std::isnan(s.roof_ratio));
  EXPECT_TRUE(std::isnan(s.dram_bytes));
  EXPECT_TRUE(std::isnan(s.amplification));
  EXPECT_DOUBLE_EQ(s.compulsory_bytes, 3.0 * kN) << "exact without any probe";
}

/// No probe helps where none can measure: nobody is sent for one.
TEST(Summary, RoofsThatNoProbeMeasuresAreNotAskedFor) {
  OpLab lab;
  lab.builder().machine() = Machine{};
  lab.builder().run().device = "opencl";
  add_triad(lab);
  const auto a = analyze(lab.finish());
  const Summary s = summary(*a);
  EXPECT_EQ(s.sentence,
            "The limit is unknown: roofs of OpenCL devices are not measured. Most time goes to scaled_add (100 % of "
            "the step).");
  EXPECT_EQ(s.advice, "No change is proposed: the limit is unknown.");
  EXPECT_EQ(a->model.unknown_reason, "OpenCL has no counters and no cache sizes");
  EXPECT_EQ(accelerator_noun(*a->capture), "device") << "OpenCL leads to processors, too";
}

TEST(Summary, WorkloadWithoutBatchHasNoSamples) {
  OpLab lab;
  add_triad(lab);
  EXPECT_TRUE(std::isnan(summary(*analyze(lab.finish())).samples_per_s));
}

TEST(Summary, CaptureWithoutStepsHasUnknownTime) {
  CaptureBuilder b;
  const auto capture = b.finish();
  ASSERT_TRUE(capture.ok());
  const Summary s = summary(*analyze(*capture));
  EXPECT_TRUE(std::isnan(s.step_ns.median));
  EXPECT_TRUE(s.limiters.empty());
  EXPECT_FALSE(s.sentence.empty());
}

TEST(Summary, SharesAddUpWhenStepsVaryAndTimeBetweenOpsIsItsOwn) {
  // Each op is slow in another step: their medians are 10 of 100, yet only a fifth of every step
  // passes outside them.
  CaptureBuilder b;
  b.add_track({});
  for (const char* name : {"a", "b", "c"}) {
    OpRecord op;
    op.name = op.type = op.kernel = b.intern(name);
    b.add_op(op, {});
  }
  const int64_t times[3][3] = {{60, 10, 10}, {10, 60, 10}, {10, 10, 60}};
  for (uint32_t step = 0; step < 3; ++step) {
    int64_t now = 1000 * step;
    for (OpId op = 0; op < 3; ++op) {
      Activity a;
      a.start_ns = now;
      a.duration_ns = times[step][op];
      a.op = op;
      a.step = step;
      b.add_activity(a);
      now += a.duration_ns;
    }
    b.add_step({step, 1000 * step, 100, true, false});
  }
  const auto capture = b.finish();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const Summary s = summary(*analyze(*capture));
  EXPECT_NEAR(s.untimed_ratio, 0.2, 1e-9);
  double shares = 0;
  for (const Limiter& l : s.limiters) shares += l.share;
  EXPECT_NEAR(shares, 0.3, 1e-9) << "three medians of 10 in a step of 100";
  const StepParts parts = step_parts(*analyze(*capture));
  EXPECT_NEAR(parts.rest_ns, 50, 1e-9) << "one op of each step is 50 slower than its median";
  EXPECT_NEAR(shares + s.untimed_ratio + parts.rest_ns / parts.step_ns, 1, 1e-9);
  double rows = 0;
  const Table table = ops_table(*analyze(*capture), OpsBy::op);
  const auto column =
      static_cast<size_t>(std::ranges::find(table.columns, "share_ratio", &Column::key) - table.columns.begin());
  for (const auto& row : table.rows) rows += std::get<double>(row[column]);
  EXPECT_NEAR(rows, shares, 1e-9) << "shares of one step everywhere";
}

/// Steps of 1 and of 99 ms with an op of 1 ms each: what the long ones hold beside it passes between ops, and is no
/// slowness of theirs.
TEST(Summary, StepsOfDifferentLengthsAreMadeOfTimesNotOfRatios) {
  OpLab lab;
  add_triad(lab);
  CaptureBuilder& b = lab.builder();
  b.add_track({});
  int64_t now = 0;
  for (uint32_t step = 0; step < 2; ++step) {
    const int64_t length = step == 0 ? 1'000'000 : 99'000'000;
    b.add_activity({.start_ns = now, .duration_ns = 1'000'000, .op = 0, .step = step});
    b.add_step({step, now, length, true, false});
    now += length;
  }
  const auto capture = b.finish();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const StepParts parts = step_parts(*analyze(*capture));
  EXPECT_DOUBLE_EQ(parts.step_ns, 50e6);
  EXPECT_DOUBLE_EQ(parts.ops_ns, 1e6);
  EXPECT_NEAR(parts.between_ns, 49e6, 1e-3);
  EXPECT_FALSE(parts.has_rest()) << parts.rest_ns;
  EXPECT_NEAR(summary(*analyze(*capture)).untimed_ratio, 0.98, 1e-9);
}

/// A finding about the ops' time does not stand in for the time that passes outside of them.
TEST(Summary, TimeOutsideOfTheOpsIsSaidWhateverIsFoundInside) {
  OpLab lab;
  add_triad(lab);
  CaptureBuilder& b = lab.builder();
  b.add_track({});
  const auto op_ns = static_cast<int64_t>(kTriadNs / 0.93), step_ns = 5 * op_ns / 2;
  for (uint32_t step = 0; step < 3; ++step) {
    b.add_activity({.start_ns = step * step_ns, .duration_ns = op_ns, .op = 0, .step = step});
    b.add_step({step, step * step_ns, step_ns, true, false});
  }
  const auto capture = b.finish();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const auto analyzed = analyze(*capture);
  const std::vector<RunFinding> found = findings(*analyzed);
  ASSERT_FALSE(found.empty());
  EXPECT_GT(found.front().gain_ns, 0.1 * static_cast<double>(step_ns)) << "worth leading, were it about that time";
  EXPECT_EQ(summary(*analyzed).sentence,
            "60 % of the step passes outside all ops. Of the rest: Limited by DRAM bandwidth in scaled_add (40 % of "
            "the step).");
}

TEST(Summary, SampleCaptureSharesAddUp) {
  const Summary s = summary(*analyze(tests::sample_capture()));
  const StepParts parts = step_parts(*analyze(tests::sample_capture()));
  double shares = s.untimed_ratio + parts.rest_ns / parts.step_ns;
  for (const Limiter& l : s.limiters) shares += l.share;
  EXPECT_NEAR(shares, 1, 0.01);
  EXPECT_NE(s.sentence.find("DRAM bandwidth"), std::string::npos) << s.sentence;
  EXPECT_EQ(s.step_ns.samples, 3) << "warm-up and untraced steps left out";
}

TEST(Summary, WeakRoofsAreSaidFirst) {
  OpLab lab;
  add_triad(lab);
  lab.builder().machine().unfinished = {"DRAM read, 2 threads"};
  const auto a = analyze(lab.finish());
  const Summary s = summary(*a);
  EXPECT_EQ(s.sentence,
            "Probably limited by DRAM bandwidth in scaled_add (100 % of the "
            "step).");
  EXPECT_EQ(s.advice, kMeasureAgain);
}

/// Two doubts do not hide one another.
TEST(Summary, ThreadsThatWaitedAreSaidBesideWeakRoofs) {
  OpLab lab;
  add_triad(lab);
  lab.builder().machine().unfinished = {"DRAM read, 2 threads"};
  lab.builder().honesty().queued_ratio = 0.8;
  lab.builder().honesty().foreign_load_ratio = 0.9;
  const auto capture = lab.finish();
  const std::string waited = queued_words(*capture);
  ASSERT_FALSE(waited.empty());
  const Summary s = summary(*analyze(capture));
  EXPECT_EQ(s.time_doubt, waited);
  EXPECT_EQ(s.advice, kMeasureAgain);
}

}  // namespace
}  // namespace profiler
