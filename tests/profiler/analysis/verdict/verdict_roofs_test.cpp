// SPDX-License-Identifier: Apache-2.0
// Verdicts and the roofs they are held against: of as many threads as shared an op, moved since the probe, weak, or
// missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_reason.h"
#include "profiler/capture/capture.h"
#include "profiler/machine/roofs_beside.h"
#include "tests/profiler/analysis/verdict/verdict_ops.h"
#include "tests/support/one_thread.h"

namespace profiler {
namespace {

/// What DRAM's roofs were beside the run, as parts of the probed ones.
void measure_beside(OpLab& lab, double before, double after) {
  Machine& machine = lab.builder().machine();
  for (const BandwidthRoof& roof : machine.bandwidth) {
    if (roof.level != "DRAM" || (roof.mix != AccessMix::read && roof.mix != AccessMix::copy)) continue;
    const auto part = [&](double ratio) {
      return Measured{ratio * roof.bytes_per_s.median, ratio * roof.bytes_per_s.low, ratio * roof.bytes_per_s.high, 5};
    };
    machine.beside.push_back({roof.level, roof.mix, roof.threads, part(before), part(after)});
  }
}

TEST(Verdict, ARoofThatMovedSinceItsProbeIsTheOneBesideTheRun) {
  // DRAM gives half of what was probed, before and after: the op takes twice as long, and is at its roof all the same.
  OpLab unaware, aware;
  for (OpLab* lab : {&unaware, &aware}) add_triad(*lab, 2 * kTriadNs / 0.93, 0.02);
  measure_beside(aware, 0.5, 0.5);
  const auto analyzed = analyze(aware.finish());
  const Verdict half = verdict_of(unaware), v = analyzed->verdicts[0];
  EXPECT_NEAR(half.utilisation, 0.465, 1e-3) << "held against the probed roof it looks like half of it";
  EXPECT_NE(headline(half), "memory-bound at DRAM");
  EXPECT_EQ(headline(v), "memory-bound at DRAM") << all(v);
  EXPECT_TRUE(v.firm) << all(v);
  EXPECT_NEAR(v.utilisation, 0.93, 1e-3);
  EXPECT_NEAR(reason_of_level(v, ReasonKind::level, "DRAM").number("roof_bytes_per_s"), 10e9, 0.05e9);
  EXPECT_EQ(roofs_beside(analyzed->capture->machine()), BesideState::moved);
  EXPECT_TRUE(says(v, ReasonKind::roofs_beside)) << all(v);
}

TEST(Verdict, ARoofThatMovedDuringTheRunMakesNoVerdictFirmThatNeedsIt) {
  OpLab lab;
  add_triad(lab, kTriadNs / 0.93, 0.02);
  measure_beside(lab, 1, 2.1);  // at twice the bandwidth half of the time would be waiting for nothing
  const auto analyzed = analyze(lab.finish());
  const Verdict& v = analyzed->verdicts[0];
  EXPECT_EQ(roofs_beside(analyzed->capture->machine()), BesideState::unsteady);
  EXPECT_FALSE(v.firm) << all(v);
  EXPECT_EQ(headline(v), "memory-bound at DRAM (likely)") << all(v);
  EXPECT_TRUE(says(v, ReasonKind::roofs_beside)) << all(v);
  const Reason corners = reason(v, ReasonKind::corners);
  EXPECT_EQ(corners.texts("room_level"), std::vector<std::string>{"DRAM"});
  EXPECT_NEAR(corners.number("room_low_bytes_per_s"), 20e9, 0.05e9);
  EXPECT_NEAR(corners.number("room_high_bytes_per_s"), 42e9, 0.05e9);
}

TEST(Verdict, ARoofThatMovedLeavesFirmWhatDoesNotNeedIt) {
  OpLab lab;
  add_gemm(lab, kGemmNs / 0.90);
  measure_beside(lab, 0.5, 1);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(headline(v), "compute-bound") << all(v);
  EXPECT_TRUE(v.firm);
  EXPECT_FALSE(says(v, ReasonKind::roofs_beside)) << "nor is it said there: " << all(v);
}

TEST(Verdict, ABoundThatOneSpellContradictsIsNoContradiction) {
  // Faster than the probed roof allows, but not than the one after the run.
  OpLab lab, unaware;
  for (OpLab* each : {&lab, &unaware}) add_triad(*each, kTriadNs / 1.6, 0.01);
  EXPECT_EQ(verdict_of(unaware).bound, Bound::inconsistent);
  measure_beside(lab, 1, 2);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_FALSE(v.firm);
  EXPECT_TRUE(std::isnan(v.utilisation)) << "no share above a roof: " << v.utilisation;
  EXPECT_EQ(all(v).find("160 %"), std::string::npos) << all(v);
  EXPECT_NE(all(v).find("above the roof, which is no bound here: the measured 20.0 GB/s"), std::string::npos) << all(v);
}

TEST(Verdict, HeldRoofsChangeNothing) {
  OpLab with, without;
  add_triad(with, kTriadNs / 0.93, 0.02);
  add_triad(without, kTriadNs / 0.93, 0.02);
  measure_beside(with, 0.97, 1.04);
  EXPECT_EQ(all(verdict_of(with)), all(verdict_of(without)));
}

TEST(Verdict, WhatRanOnOneThreadIsHeldAgainstItsRoofs) {
  const auto judged = [](int threads) {
    OpLab lab;
    tests::add_one_thread_roofs(lab.builder().machine());
    const OpId op = add_gemm(lab, kGemmFlops / 100 / 0.94);  // 94 % of one thread's peak
    if (threads > 0) lab.builder().set_threads(op, threads);
    return verdict_of(lab);
  };
  const Verdict alone = judged(1);
  EXPECT_EQ(alone.bound, Bound::compute) << all(alone);
  EXPECT_TRUE(alone.firm) << all(alone);
  EXPECT_NEAR(alone.utilisation, 0.94, 1e-3);
  EXPECT_EQ(reason(alone, ReasonKind::few_threads).number("used_threads"), 1);
  EXPECT_EQ(reason(alone, ReasonKind::few_threads).number("run_threads"), 2);
  EXPECT_EQ(reason(alone, ReasonKind::few_threads).number("roof_threads"), 1);
  EXPECT_EQ(reason(alone, ReasonKind::arithmetic).number("threads"), 1);
  EXPECT_EQ(cause_text(alone), "runs on 1 of 2 threads: shared among all, its roofs would allow up to 2x");
  for (const int unknown_or_two : {0, 2}) {
    const Verdict shared = judged(unknown_or_two);
    EXPECT_EQ(shared.bound, Bound::overhead) << all(shared);
    EXPECT_FALSE(says(shared, ReasonKind::few_threads)) << all(shared);
  }
}

TEST(Verdict, WithoutRoofsOfSoFewThreadsTheNextOnesAreTakenAndSaidToBe) {
  OpLab lab;
  const OpId op = add_gemm(lab, kGemmNs / 0.94);
  lab.builder().set_threads(op, 1);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::compute) << all(v);
  EXPECT_EQ(reason(v, ReasonKind::few_threads).number("used_threads"), 1);
  EXPECT_EQ(reason(v, ReasonKind::few_threads).number("roof_threads"), 2);
  EXPECT_TRUE(v.causes.empty()) << "what all threads could do is not known";
}

TEST(Verdict, AnOpSeenOnOneThreadPaysForNoStartOfThem) {
  OpLab lab;
  tests::add_one_thread_roofs(lab.builder().machine());
  const OpId op = lab.op("add", {lab.tensor(4096), lab.tensor(4096)}, {lab.tensor(4096)}, 1024, 4000);
  lab.builder().set_threads(op, 1);
  const auto analyzed = analyze(lab.finish());
  EXPECT_EQ(analyzed->verdicts[op].bound, Bound::overhead) << all(analyzed->verdicts[op]);
  EXPECT_EQ(reason(analyzed->verdicts[op], ReasonKind::beyond_roofs).number("threads"), 1) << "none of them idle";
  EXPECT_NE(analyzed->step.bound, Bound::dispatch) << all(analyzed->step);
}

TEST(Verdict, UnprobedMachineGivesUnknownWithTheRemedy) {
  OpLab lab;
  Machine& m = lab.builder().machine();
  m.probed_at.clear();
  m.levels.clear();
  m.compute.clear();
  m.bandwidth.clear();
  add_triad(lab, kTriadNs);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::unknown);
  EXPECT_NE(all(v).find("tensortide probe"), std::string::npos) << all(v);
  EXPECT_TRUE(std::isnan(v.utilisation));
  EXPECT_TRUE(std::isnan(v.next_speedup));
}

TEST(Verdict, ThreadCountWithoutRoofsIsUnknownAndNamed) {
  OpLab lab(2);
  lab.builder().run().threads = 3;
  add_gemm(lab, kGemmNs);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::unknown);
  EXPECT_NE(all(v).find("3 threads"), std::string::npos) << all(v);
}

TEST(Verdict, CacheLevelWithoutARoofIsLeftOutAndCostsFirmness) {
  OpLab lab;
  std::erase_if(lab.builder().machine().bandwidth, [](const BandwidthRoof& r) { return r.level == "L2"; });
  add_triad(lab, kTriadNs / 0.93);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_EQ(v.level, "DRAM");
  EXPECT_FALSE(v.firm);
  EXPECT_EQ(v.runner_up, "L2 bandwidth");
  EXPECT_EQ(reason(v, ReasonKind::unmeasured_level).text("level"), "L2");

  OpLab without_dram;
  std::erase_if(without_dram.builder().machine().bandwidth, [](const BandwidthRoof& r) { return r.level == "DRAM"; });
  add_triad(without_dram, kTriadNs);
  EXPECT_EQ(verdict_of(without_dram).bound, Bound::unknown);
}

TEST(Verdict, OtherDevicesAreNotJudgedByTheProcessorsRoofs) {
  OpLab lab;
  lab.builder().run().device = "null";
  add_gemm(lab, kGemmNs);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::unknown);
  EXPECT_NE(all(v).find("null"), std::string::npos);
}

TEST(Verdict, WeakRoofsMakeNothingFirm) {
  OpLab lab;
  add_triad(lab, kTriadNs / 0.93, 0.02);
  lab.builder().machine().foreign_load_ratio = 0.4;
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_FALSE(v.firm) << all(v);
  EXPECT_EQ(headline(v), "memory-bound at DRAM (likely)");
  EXPECT_EQ(v.reasons.back().kind, ReasonKind::weak_roofs) << all(v);
  const Reason corners = reason(v, ReasonKind::corners);
  EXPECT_EQ(corners.number("firm"), 0);
  EXPECT_EQ(corners.number("weak_roofs"), 1);
  EXPECT_EQ(corners.number("agreeing"), corners.number("corners"));
  EXPECT_TRUE(reason_text(corners).starts_with("The same answer in all 16 corners of bytes")) << reason_text(corners);
  EXPECT_TRUE(reason_text(corners).ends_with(", but the roofs have low confidence: likely, not firm."))
      << reason_text(corners);
}

}  // namespace
}  // namespace profiler
