// SPDX-License-Identifier: Apache-2.0
// Verdicts on ops whose limit is known from closed forms (the machine's roofs are in OpLab).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_class.h"
#include "profiler/analysis/verdict/verdict_reason.h"
#include "profiler/base/origin.h"
#include "profiler/base/statistics.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/machine/roofs_trust.h"
#include "tests/profiler/analysis/verdict/verdict_ops.h"
#include "tests/support/one_thread.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

TEST(Verdict, StreamTriadInDramIsFirmlyMemoryBound) {
  OpLab lab;
  add_triad(lab, kTriadNs / 0.93, 0.02);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_EQ(v.level, "DRAM");
  EXPECT_TRUE(v.firm) << all(v);
  EXPECT_EQ(headline(v), "memory-bound at DRAM");
  EXPECT_NEAR(v.utilisation, 0.93, 1e-3);
  // Without DRAM the next limit is L3: the same bytes at 80 GB/s.
  EXPECT_NEAR(v.next_speedup, 4 / 0.93, 0.01);
  EXPECT_TRUE(is_caused(v, ReasonKind::cause_compulsory)) << all(v);
  EXPECT_NEAR(reason(v, ReasonKind::cause_line_fills).number("fills_ratio"), 0.25, 1e-3);
}

TEST(Verdict, WinogradsFilteringIsHeldAgainstDirectSumsAndItsOwnWeights) {
  const int64_t channels = 1024, w_bytes = channels * channels * 9 * 4, x_bytes = channels * 4 * 4 * 4;
  const double direct = 2.0 * 9 * channels * channels * 4 * 4, u_ns = 4.0 * w_bytes / 20;  // U through DRAM
  const auto of = [&](double time_ns, const char* graph = "planned") {
    OpLab lab;
    lab.builder().run().arguments["graph"] = graph;
    const auto x = lab.tensor(x_bytes, {.shape = {1, channels, 4, 4}}),
               y = lab.tensor(x_bytes, {.shape = {1, channels, 4, 4}}),
               w = lab.tensor(w_bytes, {.role = Role::weight, .shape = {channels, channels, 3, 3}});
    lab.op("conv2d", {x, w}, {y}, direct / 4, time_ns, 0, "net", "own gemm by Winograd's F(4x4, 3x3) (AVX3)");
    return verdict_of(lab);
  };
  const Verdict full = of(u_ns / 0.9), far = of(u_ns / 0.3);
  EXPECT_EQ(full.bound, Bound::memory) << all(full);
  EXPECT_EQ(full.level, "DRAM");
  ASSERT_TRUE(is_caused(full, ReasonKind::cause_transformed_weights)) << all(full);
  EXPECT_FALSE(is_caused(full, ReasonKind::cause_reuse_lost)) << "it is no loss of reuse";
  EXPECT_EQ(reason(full, ReasonKind::filtering).number("direct_flops"), direct);
  EXPECT_EQ(reason(full, ReasonKind::filtering).number("direct_roof_ns"), direct / 200);
  EXPECT_EQ(far.bound, Bound::overhead) << all(far);
  EXPECT_TRUE(is_caused(far, ReasonKind::cause_transforms)) << all(far);
  const Verdict anew = of(13.0 / 4 * u_ns / 0.9, "eager");  // W, and U filled, written and read
  EXPECT_EQ(anew.bound, Bound::memory) << all(anew);
  EXPECT_TRUE(is_caused(anew, ReasonKind::cause_transformed_weights)) << all(anew);
  EXPECT_FALSE(is_caused(anew, ReasonKind::cause_reuse_lost)) << all(anew);
}

TEST(Verdict, CountersThatSayWhatCyclesWaitForDecide) {
  const auto counted = [](TopDown t, const char* rules = "{}") {
    OpLab lab;
    const OpId op = add_triad(lab, kTriadNs / 0.93, 0.02);
    t.op = op;
    TrafficSource s;
    s.origin = Origin::measured;
    s.top_down.push_back(t);
    lab.builder().add_traffic(std::move(s));
    return analyze(lab.finish(), *VerdictRules::changed_by(rules, "my.json"))->verdicts[op];
  };
  const TopDown stalls{.retiring_ratio = 0.2,
                       .backend_ratio = 0.8,
                       .memory_ratio = 0.7,
                       .l2_ratio = 0.4,
                       .dram_ratio = 0.3,
                       .bandwidth_ratio = 0.5};
  const Verdict l2 = counted(stalls);
  EXPECT_EQ(l2.bound, Bound::memory);
  EXPECT_EQ(l2.level, "L2") << all(l2);
  EXPECT_EQ(headline(l2), "memory-bound at L2 (measured)");
  EXPECT_EQ(reason(l2, ReasonKind::before_counters).text("class"), "memory-bound at DRAM");
  EXPECT_EQ(reason(l2, ReasonKind::stalled_cycles).number("stalled_ratio"), 0.4);
  TopDown dram = stalls;
  dram.dram_ratio = 0.5;
  const Verdict agrees = counted(dram);
  EXPECT_EQ(agrees.level, "DRAM");
  EXPECT_TRUE(says(agrees, ReasonKind::counters_agree)) << all(agrees);
  dram.bandwidth_ratio = 0.1, dram.latency_ratio = 0.4;
  EXPECT_EQ(counted(dram).bound, Bound::latency);
  TopDown core = stalls;
  core.memory_ratio = 0.1;
  EXPECT_EQ(counted(core).bound, Bound::compute);
  EXPECT_EQ(headline(counted(core)), "compute-bound (measured)");
  TopDown busy = stalls;
  busy.retiring_ratio = 0.9, busy.backend_ratio = 0.1;
  EXPECT_EQ(headline(counted(busy)), "memory-bound at DRAM") << "nothing waits: bytes and times decide";
  EXPECT_EQ(counted(stalls, R"({"topdown_l2_ratio": 0.5})").level, "DRAM") << "a user's threshold";
}

TEST(Verdict, WhyHasTheNumbersOfTheReasoning) {
  OpLab lab;
  add_triad(lab, kTriadNs / 0.93, 0.02);
  const std::string why = all(verdict_of(lab));
  EXPECT_NE(why.find("Moves 1.07 GB from DRAM"), std::string::npos) << why;
  EXPECT_NE(why.find("= 18.6 GB/s, 93 % of the measured 20.0 GB/s (2 threads, 25 % writes)"), std::string::npos) << why;
  EXPECT_NE(why.find("16 corners"), std::string::npos) << why;
}

TEST(Verdict, BigGemmNearThePeakIsFirmlyComputeBound) {
  OpLab lab;
  add_gemm(lab, kGemmNs / 0.90);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::compute) << all(v);
  EXPECT_TRUE(v.firm) << all(v);
  EXPECT_NEAR(v.utilisation, 0.90, 1e-3);
  EXPECT_EQ(headline(v), "compute-bound");
  const Reason arithmetic = reason(v, ReasonKind::arithmetic);
  EXPECT_NEAR(arithmetic.number("roof_ns") / arithmetic.number("time_ns"), 0.90, 1e-3);
  EXPECT_NEAR(arithmetic.number("peak_flop_per_s"), 200e9, 1);
  EXPECT_EQ(arithmetic.text("dtype"), "f32");
  EXPECT_EQ(arithmetic.number("threads"), 2);
}

TEST(Verdict, ABackgroundLoadTakesFirmnessWhereItCouldHaveMadeTheAnswer) {
  const auto gemm = [](double of_peak, double load) {
    OpLab lab;
    add_gemm(lab, kGemmNs / of_peak);
    lab.builder().honesty().foreign_load_ratio = load;
    return verdict_of(lab);
  };
  const Verdict near = gemm(0.90, 0.6);
  EXPECT_EQ(near.bound, Bound::compute) << all(near);
  EXPECT_TRUE(near.firm) << "nothing is faster than its roof, so the load took no more than a tenth: " << all(near);
  EXPECT_EQ(headline(near), "compute-bound");
  const Verdict quiet = gemm(0.45, 0), busy = gemm(0.45, 0.6);
  EXPECT_EQ(busy.bound, quiet.bound) << all(busy);
  EXPECT_FALSE(busy.firm) << "it may be the load that keeps it from the peak: " << all(busy);
  EXPECT_NEAR(reason(busy, ReasonKind::corners).number("load_ratio"), 0.6, 1e-9);
  EXPECT_FALSE(reason(quiet, ReasonKind::corners).has("load_ratio"));
}

TEST(Verdict, CacheOfTheCauseIsThatOfTheThreadsUsed) {
  OpLab lab(4);
  tests::add_one_thread_roofs(lab.builder().machine());
  const int64_t n = 512, bytes = n * n * 4;
  const OpLab::Options square{.shape = {n, n}};
  const OpId op = lab.op("matmul", {lab.tensor(bytes, square), lab.tensor(bytes, square)}, {lab.tensor(bytes, square)},
                         1e6, 100e6 / 200 / 0.93);
  lab.builder().set_threads(op, 1);
  TrafficSource source;
  source.origin = Origin::simulated;
  source.links = {{"L2", "L1", 32768}};
  source.records = {
      {.op = op, .link = 0, .read_bytes = 100e6, .written_bytes = 0, .write_allocate_bytes = 0, .error_band = 0.05}};
  lab.builder().add_traffic(source);
  const Verdict v = verdict_of(lab, op);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_EQ(v.level, "L2") << all(v);
  EXPECT_EQ(reason(v, ReasonKind::cause_reuse_lost).text("level"), "L1");
  EXPECT_EQ(reason(v, ReasonKind::cause_reuse_lost).number("cache_bytes"), 32768);
}

/// A product of which the simulation says how many of its misses are conflicts: 100 MB from L2 at 200 GB/s of one
/// thread.
Verdict verdict_of_conflicts(double conflict, int64_t n = 512) {
  OpLab lab(1);
  const int64_t bytes = n * n * 4;
  const OpLab::Options square{.shape = {n, n}};
  lab.op("matmul", {lab.tensor(bytes, square), lab.tensor(bytes, square)}, {lab.tensor(bytes, square)}, 1e6,
         100e6 / 400 / 0.93);
  TrafficSource source;
  source.origin = Origin::simulated;
  source.links = {{"L3", "L2", 1 << 20}, {"L2", "L1", 32768}};
  source.records = {
      {.op = 0, .link = 0, .read_bytes = 1e6, .written_bytes = 0, .write_allocate_bytes = 0, .error_band = 0.05},
      {.op = 0, .link = 1, .read_bytes = 100e6, .written_bytes = 0, .write_allocate_bytes = 0, .error_band = 0.05}};
  source.causes = {
      {.op = 0, .link = 0, .compulsory_ratio = 1, .capacity_ratio = 0, .conflict_ratio = 0},
      {.op = 0, .link = 1, .compulsory_ratio = 0.01, .capacity_ratio = 0.99 - conflict, .conflict_ratio = conflict}};
  lab.builder().add_traffic(source);
  return verdict_of(lab);
}

TEST(Verdict, ConflictsAtTheBindingLinkAreTheCauseFromTheRuleOn) {
  const double limit = VerdictRules::built_in()[Rule::conflict_ratio];
  const Verdict v = verdict_of_conflicts(0.95);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_EQ(v.level, "L2") << all(v);
  EXPECT_EQ(reason(v, ReasonKind::cause_conflicts).text("level"), "L1");
  EXPECT_EQ(reason(v, ReasonKind::cause_conflicts).number("conflict_ratio"), 0.95);
  EXPECT_FALSE(is_caused(v, ReasonKind::cause_reuse_lost)) << "the size of the footprint is not to blame: " << all(v);
  const Reason misses = reason(v, ReasonKind::misses);
  EXPECT_EQ(misses.text("level"), "L1");
  EXPECT_EQ(misses.number("compulsory_ratio"), 0.01);
  EXPECT_NEAR(misses.number("capacity_ratio"), 0.04, 1e-9);
  EXPECT_EQ(misses.limit("limit").value, limit);
  EXPECT_TRUE(is_caused(verdict_of_conflicts(limit + 0.01), ReasonKind::cause_conflicts));
  const Verdict below = verdict_of_conflicts(limit - 0.01);
  EXPECT_FALSE(is_caused(below, ReasonKind::cause_conflicts)) << all(below);
  EXPECT_EQ(reason(below, ReasonKind::cause_reuse_lost).number("footprint_bytes"), 3 * kMiB);
  EXPECT_EQ(reason(below, ReasonKind::cause_reuse_lost).number("cache_bytes"), 32768);
  EXPECT_NEAR(reason(below, ReasonKind::misses).number("conflict_ratio"), 0.29, 1e-9)
      << "said although it is not the cause";
  EXPECT_EQ(reason(verdict_of_conflicts(0, 32), ReasonKind::cause_reuse_lost).number("footprint_bytes"), 12 << 10)
      << "no larger than L1";
}

TEST(Verdict, SlowGemmIsOverhead) {
  OpLab lab;
  add_gemm(lab, kGemmNs / 0.30);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::overhead) << all(v);
  EXPECT_FALSE(v.firm) << "modelled bytes do not know the kernel's loops";
  EXPECT_EQ(v.runner_up, "latency of misses");
  EXPECT_EQ(reason(v, ReasonKind::corners).number("unseen_misses"), 1);
  EXPECT_NEAR(v.next_speedup, 1 / 0.30, 0.05) << "without the overhead it would run at the roof";
}

TEST(Verdict, OpInL3IsBoundByL3) {
  OpLab lab;
  const int64_t n = 4 * kMiB;  // 12 MiB in the L3: 4 n at 80 GB/s
  lab.op("scaled_add", {lab.tensor(n), lab.tensor(n)}, {lab.tensor(n)}, 2.0 * n / 4, 4.0 * n / 80 / 0.9);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_EQ(v.level, "L3");
}

TEST(Verdict, OneThreadUsesTheSumOfTransfers) {
  // ECM with end-to-end roofs: a pure stream from DRAM takes its DRAM time, not the sum over all
  // levels.
  OpLab lab(1);
  add_triad(lab, kTriadNs / 0.97);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_EQ(v.level, "DRAM");
  EXPECT_TRUE(v.firm) << all(v);
}

TEST(Verdict, TinyOpIsDispatchBound) {
  OpLab lab;
  lab.op("add", {lab.tensor(4096), lab.tensor(4096)}, {lab.tensor(4096)}, 1024,
         4000);  // fork and join: 2000 ns
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::dispatch) << all(v);
  EXPECT_TRUE(v.firm);
  EXPECT_NEAR(v.next_speedup, 2, 1e-6);
  EXPECT_EQ(reason(v, ReasonKind::starting_threads).number("start_ns"), 2000);
  EXPECT_EQ(reason(v, ReasonKind::starting_threads).number("time_ns"), 4000);
}

TEST(Verdict, WhatTookLessThanAStartOfTheThreadsRefutesItsCost) {
  OpLab lab;
  lab.builder().machine().fork_join_ns = 22e6;  // a probe on a busy machine
  lab.op("add", {lab.tensor(4096), lab.tensor(4096)}, {lab.tensor(4096)}, 1024, 10000);
  const auto analyzed = analyze(lab.finish());
  const Verdict& v = analyzed->verdicts[0];
  EXPECT_EQ(v.bound, Bound::overhead) << all(v);
  EXPECT_EQ(reason(v, ReasonKind::refuted_start).number("start_ns"), 22e6);
  EXPECT_EQ(analyzed->step.bound, Bound::overhead) << all(analyzed->step);
}

TEST(Verdict, AKernelOfOneThreadStartsNone) {
  for (const char* kernel : {"own copy there and back (AVX2, one thread)", "OpenBLAS sgemm", "own gemv (AVX2)"}) {
    OpLab lab;
    lab.op("add", {lab.tensor(4096), lab.tensor(4096)}, {lab.tensor(4096)}, 1024, 4000, 0, "net", kernel);
    EXPECT_EQ(verdict_of(lab).bound, Bound::overhead) << kernel;
  }
  for (const char* kernel :
       {"OpenBLAS sgemm, split over threads", "own gemv (AVX2, split over threads)", "own gemm (AVX2)"}) {
    OpLab lab;
    lab.op("add", {lab.tensor(4096), lab.tensor(4096)}, {lab.tensor(4096)}, 1024, 4000, 0, "net", kernel);
    EXPECT_EQ(verdict_of(lab).bound, Bound::dispatch) << kernel;
  }
}

TEST(Verdict, OneThreadHasNothingToFork) {
  OpLab lab(1);
  lab.op("add", {lab.tensor(4096), lab.tensor(4096)}, {lab.tensor(4096)}, 1024, 4000);
  EXPECT_EQ(verdict_of(lab).bound, Bound::overhead);
}

TEST(Verdict, OpBelowTheTimersNoiseIsTooShort) {
  OpLab lab;
  lab.op("add", {lab.tensor(64), lab.tensor(64)}, {lab.tensor(64)}, 16, 150);  // 20 stamps of 10 ns
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::too_short) << all(v);
  EXPECT_TRUE(std::isnan(v.utilisation));
}

TEST(Verdict, TimeBelowTheBoundIsInconsistent) {
  OpLab lab;
  add_triad(lab, kTriadNs * 0.6);  // even 20 % fewer bytes need 0.8
  add_gemm(lab, kGemmNs * 0.8);    // FLOPs are exact: no band helps
  const auto analyzed = analyze(lab.finish());
  for (const Verdict& v : analyzed->verdicts) {
    EXPECT_EQ(v.bound, Bound::inconsistent) << all(v);
    EXPECT_TRUE(std::isnan(v.utilisation));
  }
  EXPECT_EQ(reason(analyzed->verdicts[0], ReasonKind::contradicts_level).text("level"), "DRAM");
  EXPECT_EQ(reason(analyzed->verdicts[0], ReasonKind::contradicts_level).text("origin"), "modelled");
  EXPECT_NEAR(reason(analyzed->verdicts[1], ReasonKind::contradicts_arithmetic).number("demanded_ns"), kGemmNs, 1);
  EXPECT_FALSE(says(analyzed->verdicts[1], ReasonKind::contradicts_level)) << "no byte is to blame";
}

/// Four times f32's rate is no contradiction for what multiplies bytes; without a roof of theirs nothing is claimed.
TEST(Verdict, ProductsOfBytesAreHeldAgainstTheirOwnPeak) {
  const auto verdict = [](bool timed, double peak_by_f32) {
    OpLab lab;
    const OpId id = add_gemm(lab, kGemmNs / 4 / 0.9);
    lab.builder().set_facts(id, {.name = "lab", .format = engine::ProductFormat::int8});
    Machine& machine = lab.builder().machine();
    const double rate = 200e9 * peak_by_f32;
    if (timed)
      machine.matmul.push_back({.dtype = engine::DType::int8, .m = 64, .n = 64, .k = 64, .threads = 2, .onednn_ns = 1});
    if (peak_by_f32 > 0)
      machine.compute.push_back({engine::DType::int8, 2, {rate, 0.98 * rate, 1.02 * rate, 5}, "lab"});
    return verdict_of(lab, id);
  };
  const Verdict fast = verdict(true, 4), slow = verdict(true, 40), no_unit = verdict(true, 0),
                unknown = verdict(false, 0);
  EXPECT_EQ(fast.bound, Bound::compute) << all(fast);
  EXPECT_NEAR(fast.utilisation, 0.9, 1e-3);
  EXPECT_EQ(reason(fast, ReasonKind::arithmetic).text("dtype"), "i8");
  EXPECT_NE(slow.bound, Bound::compute) << all(slow);
  EXPECT_EQ(no_unit.bound, Bound::inconsistent) << "f32's units are the faster ones: " << all(no_unit);
  EXPECT_EQ(unknown.bound, Bound::unknown) << all(unknown);
}

TEST(Verdict, AContradictionNamesTheOriginOfItsBytes) {
  OpLab lab;
  add_triad(lab, kTriadNs * 0.3);
  lab.builder().honesty().foreign_load_ratio = 0.4;
  TrafficSource simulated;
  simulated.origin = Origin::simulated;
  simulated.links = {{"DRAM", "L3", 1e9}};
  simulated.records = {
      {.op = 0, .link = 0, .read_bytes = 0.75 * kTriadBytes, .written_bytes = 0.25 * kTriadBytes, .error_band = 0.05}};
  lab.builder().add_traffic(simulated);
  const auto analyzed = analyze(lab.finish());
  const Verdict& v = analyzed->verdicts[0];
  ASSERT_EQ(v.bound, Bound::inconsistent) << all(v);
  EXPECT_EQ(reason(v, ReasonKind::contradicts_level).text("origin"), "simulated");
  EXPECT_FALSE(says(v, ReasonKind::corners)) << "a load makes no time too short: " << all(v);
  EXPECT_NE(summary(*analyzed).sentence.find("Time, roofs and simulated bytes contradict each other in scaled_add"),
            std::string::npos)
      << summary(*analyzed).sentence;
}

TEST(Verdict, TimesOfLevelsThatAddUpAreNamed) {
  // A stream from DRAM that comes from L2 again: 0.8 of the DRAM roof, and about all of the sum.
  OpLimits limits;
  limits.known = true;
  limits.levels = {
      {.level = "DRAM",
       .bytes = 8e3,
       .time_ns = 800,
       .low_roof_ns = 800,
       .high_roof_ns = 800,
       .nearer_time_ns = 300,
       .band = 0.2},
      {.level = "L2", .link = 2, .bytes = 2e4, .time_ns = 500, .low_roof_ns = 500, .high_roof_ns = 500, .band = 0.1}};
  OpLab lab;
  add_triad(lab, kTriadNs);
  const auto analyzed = analyze(lab.finish());
  const auto said = [&](double time_ns) {
    Verdict v;
    v.bound = Bound::memory;
    const Spread time{.median = time_ns, .low = time_ns, .high = time_ns, .samples = 9};
    add_reasons({*analyzed->capture,
                 analyzed->model,
                 nullptr,
                 limits,
                 analyzed->rules,
                 time,
                 time_ns,
                 {},
                 {},
                 {Bound::memory, 0},
                 16,
                 16},
                v);
    return all(v);
  };
  EXPECT_NE(said(1000).find("At the roofs it would take 1.00 µs (arithmetic 0 ns, data 1.00 µs = 500 ns for DRAM + 500 "
                            "ns for L2); it takes 1x that. Times of levels add up (ECM"),
            std::string::npos)
      << said(1000);
  EXPECT_EQ(said(1000).find("faster than that sum"), std::string::npos) << said(1000);
  EXPECT_NE(said(790).find("it takes 0.79x that. Times of levels add up"), std::string::npos) << said(790);
  EXPECT_NE(said(790).find("faster than that sum"), std::string::npos) << said(790);
}

TEST(Verdict, TimeWithinTheErrorBandOfTheBytesIsNotInconsistent) {
  OpLab lab;
  add_triad(lab, kTriadNs * 0.9);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_TRUE(std::isnan(v.utilisation)) << "111 % of a roof is no share of it: " << v.utilisation;
  EXPECT_NEAR(reason(v, ReasonKind::above_roof).number("most_bytes"), 0.9 * kTriadBytes, 1e3)
      << "times are whole nanoseconds";
}

TEST(Verdict, EqualLimitsAreBalancedWithTheAlternativeNamed) {
  // A stream with so many FLOPs per byte that arithmetic takes as long as DRAM. Bytes are
  // uncertain, so it cannot be firm.
  OpLab lab;
  const int64_t n = 256 * kMiB;
  lab.op("polynomial", {lab.tensor(n), lab.tensor(n)}, {lab.tensor(n)}, kTriadNs * 200, kTriadNs / 0.95);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::balanced) << all(v);
  EXPECT_FALSE(v.firm);
  EXPECT_FALSE(v.runner_up.empty());
  EXPECT_EQ(v.beside, "DRAM");
  EXPECT_EQ(headline(v), "balanced between compute and DRAM (likely)");
}

TEST(Verdict, NearTheBorderTheVerdictIsOnlyLikely) {
  // t / roof = 1.49 against a threshold of 1.5: firm in neither direction.
  OpLab lab;
  add_gemm(lab, kGemmNs * 1.49);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::compute) << all(v);
  EXPECT_FALSE(v.firm);
  EXPECT_EQ(v.runner_up, "kernel inefficiency");
}

TEST(Verdict, NoiseInTimeAloneCanMakeAVerdictLikely) {
  OpLab calm, noisy;
  add_gemm(calm, kGemmNs * 1.3);
  const int64_t n = 2048, bytes = n * n * 4;
  noisy.op("matmul", {noisy.tensor(bytes, {.shape = {n, n}}), noisy.tensor(bytes, {.shape = {n, n}})},
           {noisy.tensor(bytes, {.shape = {n, n}})}, kGemmFlops, kGemmNs * 1.3, 0.4);
  const Verdict a = verdict_of(calm), b = verdict_of(noisy);
  EXPECT_TRUE(a.firm) << all(a);
  EXPECT_FALSE(b.firm) << all(b);
}

/// A lab of one product that takes so many times its roof, jitter to both sides over five steps.
void add_noisy_gemm(OpLab& lab, double times_roof, double jitter) {
  const int64_t n = 2048, bytes = n * n * 4;
  lab.op("matmul", {lab.tensor(bytes, {.shape = {n, n}}), lab.tensor(bytes, {.shape = {n, n}})},
         {lab.tensor(bytes, {.shape = {n, n}})}, kGemmFlops, kGemmNs * times_roof, jitter);
}

/// What other programs added is not called the kernel's; steps faster than the roof decide nothing.
TEST(Verdict, NoisyTimesAreJudgedAtTheirLowerQuartile) {
  const auto judged = [](double times_roof, double jitter) {
    OpLab lab;
    add_noisy_gemm(lab, times_roof, jitter);
    return verdict_of(lab);
  };
  const Verdict steady = judged(3, 0.01);
  EXPECT_EQ(steady.bound, Bound::overhead) << all(steady);
  EXPECT_NEAR(steady.next_speedup, 3, 0.1);
  EXPECT_NEAR(steady.time_ns, 3 * kGemmNs, 1);
  EXPECT_FALSE(says(steady, ReasonKind::scattered_times));
  const Verdict slow = judged(4, 0.5);  // 2, 3, 4, 5, 6 times the roof
  EXPECT_EQ(slow.bound, Bound::overhead) << all(slow);
  EXPECT_NEAR(slow.time_ns, 3 * kGemmNs, 1);
  EXPECT_NEAR(slow.next_speedup, 3, 0.1) << "not 4";
  EXPECT_NEAR(slow.utilisation, 1 / 3.0, 0.02);
  EXPECT_TRUE(says(slow, ReasonKind::scattered_times));
  const Verdict near = judged(2, 0.6);  // 0.8, 1.4, 2, 2.6, 3.2 times
  EXPECT_EQ(near.bound, Bound::compute) << all(near);
  EXPECT_FALSE(near.firm) << "its median is far from the roof";
  EXPECT_EQ(near.runner_up, "kernel inefficiency");
  const Verdict beyond = judged(1.2, 0.6);  // 0.48, 0.84, 1.2, ... times: the quartile is above what the roof allows
  EXPECT_EQ(beyond.bound, Bound::compute) << all(beyond);
  EXPECT_NEAR(beyond.time_ns, 1.2 * kGemmNs, 1);
  EXPECT_NEAR(beyond.utilisation, 1 / 1.2, 0.02);
}

/// What halving the bytes or the time at a roof saves is part of the judged time, not of what others added.
TEST(Verdict, GainsOfNoisyOpsAreOfTheJudgedTime) {
  OpLab lab;
  add_noisy_gemm(lab, 4, 0.5);
  const auto a = analyze(lab.finish());
  const FindingInput input(*a);
  EXPECT_NEAR(input.second_ns(0), kGemmNs, 0.02 * kGemmNs) << "the roof";
  EXPECT_NEAR(input.gain_ns(0, 0), 2 * kGemmNs, 0.05 * kGemmNs) << "3 times the roof less the roof";
}

/// Steps of other tools' traces differ by themselves; work and times of their ops are means.
TEST(Verdict, StepsOfForeignTracesAreJudgedByTheirMean) {
  OpLab lab;
  add_noisy_gemm(lab, 4, 0.6);
  lab.builder().run().source = "trace of another tool";
  const auto a = analyze(lab.finish());
  EXPECT_EQ(a->times[0].judged_ns, a->times[0].ns.median);
}

TEST(Verdict, WhatComputesAndMovesNothingHasNoLimit) {
  OpLab lab;
  lab.op("concat", {lab.tensor(0, {.shape = {0, 4}})}, {lab.tensor(0, {.shape = {0, 4}})}, 0, 900);
  const auto a = analyze(lab.finish());
  const Verdict& v = a->verdicts[0];
  EXPECT_EQ(v.bound, Bound::unknown) << all(v);
  EXPECT_TRUE(says(v, ReasonKind::no_work));
  EXPECT_EQ(headline(v), "nothing to compute");
  EXPECT_TRUE(std::isnan(v.next_speedup));
  EXPECT_TRUE(says(a->step, ReasonKind::no_work)) << "nor has the step";
  EXPECT_EQ(summary(*a).sentence, "Nothing was computed: no tensor has elements.");
}

TEST(Verdict, ColumnWalkFromDramIsLatencyBound) {
  // A transposing copy reads 64 MiB with a stride of 16 KiB: 1 Mi lines x 100 ns / 10 misses / 2
  // threads = 5.2 ms.
  OpLab lab;
  const int64_t n = 4096, bytes = n * n * 4;
  const auto x = lab.tensor(bytes, {.shape = {n, n}, .strides = {1, n}});
  const auto y = lab.tensor(bytes, {.shape = {n, n}});
  lab.op("contiguous", {x}, {y}, 0, 1.55 * 3.0 * bytes / 20);
  const Verdict slow = verdict_of(lab);
  EXPECT_EQ(slow.bound, Bound::overhead) << "5.2 ms is not half of " << all(slow);

  OpLab far;  // the same with DRAM 400 ns away
  far.builder().machine().levels[3].latency_ns = {400, 400, 400, 5};
  const auto fx = far.tensor(bytes, {.shape = {n, n}, .strides = {1, n}});
  far.op("contiguous", {fx}, {far.tensor(bytes, {.shape = {n, n}})}, 0, 1.8 * 3.0 * bytes / 20);
  const Verdict v = verdict_of(far);
  EXPECT_EQ(v.bound, Bound::latency) << all(v);
  EXPECT_EQ(v.level, "DRAM");
  EXPECT_TRUE(is_caused(v, ReasonKind::cause_scattered_access)) << all(v);

  OpLab straight;  // and the same time with a straight walk: the prefetchers see it, so latency is
                   // no excuse
  straight.builder().machine().levels[3].latency_ns = {400, 400, 400, 5};
  straight.op("contiguous", {straight.tensor(bytes, {.shape = {n, n}})}, {straight.tensor(bytes, {.shape = {n, n}})}, 0,
              1.8 * 3.0 * bytes / 20);
  EXPECT_EQ(verdict_of(straight).bound, Bound::overhead);
}

TEST(Verdict, StoresPastTheCachesAreHeldAgainstTheirOwnRoof) {
  const auto copy_at = [](double bytes_per_ns, bool probed) {
    OpLab lab;
    const int64_t n = 256 * kMiB;
    if (probed)
      lab.builder().machine().bandwidth.push_back({"DRAM", AccessMix::copy_past, 2, {12e9, 11.8e9, 12.2e9, 5}, n});
    lab.op("copy", {lab.tensor(n)}, {lab.tensor(n)}, 0, 2.0 * n / bytes_per_ns, 0.01, "net",
           "own copy (AVX-512, non-temporal stores)");
    return verdict_of(lab);
  };
  const Verdict own = copy_at(11, true);
  EXPECT_EQ(own.bound, Bound::memory) << all(own);
  EXPECT_EQ(own.level, "DRAM");
  EXPECT_NEAR(own.utilisation, 11.0 / 12, 1e-3) << "a copy moves two bytes, none of them a fill";
  EXPECT_EQ(copy_at(11, false).bound, Bound::overhead) << "an older probe knows ordinary stores alone";
}

constexpr int64_t kLoads = 1 << 20;

/// A chain of kLoads loads over so many bytes of lines, at so many ns each.
void add_chain(OpLab& lab, int64_t bytes, double ns_per_load) {
  lab.op("pointer_chase", {lab.tensor(bytes)}, {lab.tensor(4)}, 0, ns_per_load * kLoads, 0.01, "net",
         "own pointer_chase, one thread, one load after the other");
  lab.builder().set_attributes(0, {{"accesses", kLoads}});
}
Verdict verdict_of_chain(int64_t bytes, double ns_per_load) {
  OpLab lab;
  add_chain(lab, bytes, ns_per_load);
  return verdict_of(lab);
}

TEST(Verdict, ChainOfLoadsWaitsForTheLevelThatHasItsLines) {
  struct Case {
    int64_t bytes;
    double ns;  // of one load, a little more than the latency
    const char* level;
  };
  for (const Case& c : {Case{16 << 10, 1.2, "L1"}, Case{kMiB / 2, 5.4, "L2"}, Case{8 * kMiB, 27, "L3"},
                        Case{512 * kMiB, 105, "DRAM"}}) {
    const Verdict v = verdict_of_chain(c.bytes, c.ns);
    EXPECT_EQ(v.bound, Bound::latency) << c.level << all(v);
    EXPECT_EQ(v.level, c.level) << all(v);
    EXPECT_TRUE(v.firm) << c.level << all(v);
    EXPECT_EQ(reason(v, ReasonKind::chain_of_loads).number("loads"), kLoads);
    EXPECT_TRUE(is_caused(v, ReasonKind::cause_chain)) << all(v);
  }
}

TEST(Verdict, TimeOfAChainSaysHowFarItsLoadsCanHaveGone) {
  // The model has all 48 MiB of lines come from memory; at 27 ns a load nearly none can have.
  const Verdict v = verdict_of_chain(48 * kMiB, 27);
  EXPECT_EQ(v.bound, Bound::latency) << all(v);
  EXPECT_EQ(v.level, "L3") << all(v);
  // Waiting fitted to the time agrees with it by construction: said, without a share of the time, and never firm.
  EXPECT_FALSE(v.firm) << all(v);
  EXPECT_GT(reason(v, ReasonKind::chain_of_loads).number("unlimited_ns"),
            reason(v, ReasonKind::chain_of_loads).number("waiting_ns"));
  EXPECT_EQ(reason(v, ReasonKind::corners).number("fitted_waiting"), 1);
  EXPECT_FALSE(reason(v, ReasonKind::corners).has("runner_up"));
  EXPECT_EQ(all(v).find("100 % of the time"), std::string::npos) << all(v);
  EXPECT_FALSE(reason(verdict_of_chain(8 * kMiB, 27), ReasonKind::chain_of_loads).has("unlimited_ns"))
      << "there was room for all of it";
}

/// 64 elements are 8 vectors; each of 2 threads does 4 of them, `in_flight` at a time, 100000 rounds each.
Verdict verdict_of_multiply_adds(int64_t in_flight, double time_ns, double each_ns) {
  OpLab lab;
  lab.builder().machine().multiply_add_ns = each_ns;
  lab.op("multiply_add_chain", {lab.tensor(256)}, {lab.tensor(256)}, 2 * 64e5, time_ns);
  lab.builder().set_attributes(0, {{"rounds", int64_t{100000}}, {"chains", in_flight}});
  return verdict_of(lab);
}

TEST(Verdict, ChainOfMultiplyAddsIsBoundByLatencyTimesLength) {
  const Verdict alone = verdict_of_multiply_adds(1, 4.1e5, 1);
  EXPECT_EQ(alone.bound, Bound::latency) << all(alone);
  EXPECT_EQ(alone.level, "multiply-add");
  EXPECT_NEAR(alone.utilisation, 4e5 / 4.1e5, 1e-9);
  EXPECT_DOUBLE_EQ(reason(alone, ReasonKind::chain_of_multiply_adds).number("chain_ns"), 4e5);
  EXPECT_TRUE(is_caused(alone, ReasonKind::cause_chain_of_multiply_adds)) << all(alone);
  EXPECT_EQ(verdict_of_multiply_adds(4, 1.05e5, 1).bound, Bound::latency) << "four vectors at once take one latency";
  EXPECT_EQ(verdict_of_multiply_adds(4, 4.1e5, 1).bound, Bound::overhead) << "its latencies are a quarter of that";
  EXPECT_EQ(verdict_of_multiply_adds(1, 4.1e5, 0).bound, Bound::overhead) << "the probe has no latency";
}

TEST(Verdict, StepOfAFittedChainIsNotFirmEither) {
  OpLab lab;
  add_chain(lab, 48 * kMiB, 27);
  const auto analyzed = analyze(lab.finish());
  const Verdict& v = analyzed->step;
  EXPECT_EQ(v.bound, Bound::latency) << all(v);
  EXPECT_FALSE(v.firm) << all(v);
  EXPECT_TRUE(reason(v, ReasonKind::unforeseen_misses).has("unlimited_ns"));
}

TEST(Verdict, ChainThatTakesLongerThanItsLatenciesIsOverhead) {
  EXPECT_EQ(verdict_of_chain(16 << 10, 20).bound, Bound::overhead);
}

TEST(Verdict, ViewsCostNothing) {
  OpLab lab;
  const auto x = lab.tensor(64);
  const auto y = lab.tensor(64, {.alias_of = x});
  lab.op("reshape", {x}, {y}, 0, 0);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::unknown);
  EXPECT_TRUE(says(v, ReasonKind::view)) << all(v);
  EXPECT_EQ(headline(v), "view: costs nothing");
}

TEST(Verdict, MostlyWeightsCallForABiggerBatch) {
  OpLab lab;
  const int64_t n = 8192;  // 256 MiB of weights for one sample
  const auto w = lab.tensor(n * n * 4, {.role = engine::Role::weight, .shape = {n, n}});
  lab.op("linear", {lab.tensor(n * 4), w}, {lab.tensor(n * 4)}, 2.0 * n * n, 4.0 * n * n / 20 / 0.95);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_EQ(reason(v, ReasonKind::cause_compulsory).number("weights"), 1);
}

TEST(Verdict, SimulatedBytesCountBeforeModelledOnesAndMeasuredBeforeBoth) {
  OpLab lab;
  add_triad(lab, kTriadNs / 0.93, 0.02);
  const auto with = [&](Origin origin, double factor) {
    TrafficSource source;
    source.origin = origin;
    source.links = {{"DRAM", "L3", 32.0 * kMiB}};
    source.records = {{.op = 0,
                       .link = 0,
                       .read_bytes = 0.75 * kTriadBytes * factor,
                       .written_bytes = 0.25 * kTriadBytes * factor,
                       .write_allocate_bytes = 0,
                       .error_band = 0.05}};
    lab.builder().add_traffic(source);
  };
  with(Origin::simulated, 0.9);
  with(Origin::measured, 0.8);
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_NEAR(v.utilisation, 0.93 * 0.8, 1e-3) << all(v);
  EXPECT_EQ(reason_of_level(v, ReasonKind::level, "DRAM").text("origin"), "measured");
  EXPECT_NEAR(reason_of_level(v, ReasonKind::level, "DRAM").number("band_ratio"), 0.05, 1e-9);
}

TEST(Verdict, BandsOfAllTheBytesMakeNoTimeNegative) {
  OpLab lab;
  add_triad(lab, kTriadNs / 0.93, 0.02);
  TrafficSource source;
  source.origin = Origin::simulated;
  source.links = {{"DRAM", "L3", 32.0 * kMiB}};
  source.records = {{.op = 0,
                     .link = 0,
                     .read_bytes = 0.75 * kTriadBytes,
                     .written_bytes = 0.25 * kTriadBytes,
                     .write_allocate_bytes = 0,
                     .error_band = 1.8}};
  lab.builder().add_traffic(source);
  const auto analyzed = analyze(lab.finish());
  const OpLimits limits = op_limits(*analyzed->capture, analyzed->model, analyzed->capture->ops()[0]);
  ASSERT_FALSE(limits.levels.empty());
  for (const LevelLimit& level : limits.levels) EXPECT_LE(level.band, kMostBand) << level.level;
  EXPECT_GT(limits.data_ns(-1, 1), 0);
  EXPECT_LT(limits.data_ns(-1, 1), limits.data_ns(0, 1));
}

TEST(Verdict, RulesHaveKeysMeaningsAndSources) {
  std::set<std::string> keys;
  for (const VerdictRule& rule : VerdictRules::built_in().rows()) {
    EXPECT_TRUE(keys.insert(rule.key).second) << rule.key;
    EXPECT_FALSE(rule.meaning.empty()) << rule.key;
    EXPECT_FALSE(rule.source.empty()) << rule.key;
    EXPECT_GT(rule.value, 0) << rule.key;
  }
  EXPECT_TRUE(keys.contains("saturated_ratio"));
}

TEST(Verdict, EveryOpOfTheSampleHasAReason) {
  const auto analyzed = analyze(tests::sample_capture());
  ASSERT_EQ(analyzed->verdicts.size(), size_t{tests::SampleOps::count});
  for (const Verdict& v : analyzed->verdicts) {
    EXPECT_FALSE(v.reasons.empty());
    EXPECT_EQ(all(v).find("nan"), std::string::npos) << "each sentence has its values: " << all(v);
    EXPECT_EQ(v.firm || v.bound == Bound::unknown, v.runner_up.empty()) << all(v);
  }
  EXPECT_EQ(analyzed->verdicts[tests::SampleOps::relu].bound, Bound::memory);
  EXPECT_EQ(analyzed->verdicts[tests::SampleOps::relu].level, "DRAM");
}

TEST(Verdict, AContradictionHasNoConfidence) {
  OpLab lab;
  add_triad(lab, kTriadNs * 0.3);  // three times as fast as memory
  lab.builder().machine().foreign_load_ratio = 0.4;
  const auto analyzed = analyze(lab.finish());
  const Verdict& v = analyzed->verdicts[0];
  ASSERT_EQ(v.bound, Bound::inconsistent) << all(v);
  EXPECT_EQ(headline(v), "inconsistent: faster than its roofs");
  const Table table = *table_by_name(*analyzed, "verdicts", OpsBy::op);
  const auto column =
      static_cast<size_t>(std::ranges::find(table.columns, "confidence", &Column::key) - table.columns.begin());
  EXPECT_EQ(std::get<std::string>(table.rows[0][column]), "");
}

TEST(Verdict, RemovingALimitMakesNothingSlower) {
  // Half of it is the start of the threads; its arithmetic alone would take four times as long at the peak, which so
  // was measured too low.
  OpLab lab;
  lab.op("add", {lab.tensor(4096), lab.tensor(4096)}, {lab.tensor(4096)}, 3.2e6, 4000);
  const auto analyzed = analyze(lab.finish());
  const Verdict& v = analyzed->verdicts[0];
  ASSERT_EQ(v.bound, Bound::dispatch) << all(v);
  EXPECT_EQ(v.next_speedup, 1) << all(v);
  EXPECT_EQ(reason(v, ReasonKind::without_limit).text("of"), "starting the threads");
  EXPECT_EQ(reason(v, ReasonKind::without_limit).number("speedup_ratio"), 1);
  const Table table = *table_by_name(*analyzed, "verdicts", OpsBy::op);
  const auto column =
      static_cast<size_t>(std::ranges::find(table.columns, "next_speedup_ratio", &Column::key) - table.columns.begin());
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[0][column]));
}

}  // namespace
}  // namespace profiler
