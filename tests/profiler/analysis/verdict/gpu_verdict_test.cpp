// SPDX-License-Identifier: Apache-2.0
// Verdicts of ops and steps of a GPU, on kernels whose limit is known by construction.
#include "profiler/analysis/verdict/gpu_verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "profiler/analysis/analyze.h"
#include "tests/profiler/analysis/verdict/verdict_words.h"
#include "tests/support/gpu_lab.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

using tests::GpuLab;

Verdict verdict_of(GpuLab& lab) { return analyze(lab.finish())->verdicts[0]; }

// GpuLab: 1 TB/s and 10 TFLOP/s, 80 multiprocessors.

TEST(GpuVerdict, AStreamNearTheMemoryRoofIsMemoryBoundButNeverFirmByADataSheet) {
  GpuLab lab;
  lab.op({.bytes = 900e6, .flops = 1e6, .kernel_us = 1000});
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_EQ(v.level, "device memory");
  EXPECT_NEAR(v.utilisation, 0.9, 1e-6);
  EXPECT_FALSE(v.firm) << all(v);
  EXPECT_EQ(reason(v, ReasonKind::gpu_corners).number("specified_roofs"), 1);
}

TEST(GpuVerdict, CountedBytesCountBeforeCompulsoryOnes) {
  GpuLab lab;
  lab.op({.bytes = 300e6, .flops = 1e6, .kernel_us = 1000});  // alone: 30 % of the roof
  TrafficSource counted;
  counted.origin = Origin::measured;
  counted.links = {{"DRAM", "L2", kUnknownBytes}};
  counted.records = {{.op = 0, .link = 0, .read_bytes = 600e6, .written_bytes = 350e6, .error_band = 0.01}};
  const auto capture = CaptureBuilder::with_traffic(*lab.finish(), counted);
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const Verdict v = analyze(*capture)->verdicts[0];
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_NEAR(v.utilisation, 0.95, 1e-6);
  EXPECT_EQ(reason(v, ReasonKind::gpu_level).number("bytes"), 950e6);
  EXPECT_EQ(reason(v, ReasonKind::gpu_level).text("origin"), "measured");
  EXPECT_EQ(reason(v, ReasonKind::gpu_level).number("memory"), 1);
}

TEST(GpuVerdict, ABigProductNearThePeakIsComputeBound) {
  GpuLab lab;
  lab.op({.bytes = 100e6, .flops = 8.5e9, .kernel_us = 1000});
  EXPECT_EQ(verdict_of(lab).bound, Bound::compute);
}

TEST(GpuVerdict, AKernelShorterThanItsLaunchIsFirmlyLaunchBound) {
  GpuLab lab;
  lab.op({.bytes = 1e6, .flops = 1e3, .kernel_us = 4, .call_us = 6});
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::launch) << all(v);
  EXPECT_TRUE(v.firm) << all(v);
  EXPECT_NEAR(v.next_speedup, 2.5, 1e-9);
}

TEST(GpuVerdict, FewBlocksThatReachNoRoofAreAGridTooSmall) {
  GpuLab lab;
  lab.op({.bytes = 100e6, .flops = 1e9, .kernel_us = 1000, .blocks = 40});
  const Verdict v = verdict_of(lab);
  EXPECT_EQ(v.bound, Bound::parallelism) << all(v);
  EXPECT_TRUE(is_caused(v, ReasonKind::cause_gpu_few_blocks)) << all(v);
}

TEST(GpuVerdict, ManyBlocksThatReachNoRoofAreInefficientWhereNothingWasCounted) {
  GpuLab lab;
  lab.op({.bytes = 100e6, .flops = 1e9, .kernel_us = 1000});
  EXPECT_EQ(headline(verdict_of(lab)), "kernel inefficiency (likely)");
}

TEST(GpuVerdict, EqualUsesAreBalancedAndAnImpossibleTimeIsInconsistent) {
  GpuLab balanced, impossible;
  balanced.op({.bytes = 850e6, .flops = 8.6e9, .kernel_us = 1000});
  EXPECT_EQ(verdict_of(balanced).bound, Bound::balanced);
  impossible.op({.bytes = 2000e6, .flops = 1e6, .kernel_us = 1000});
  EXPECT_EQ(verdict_of(impossible).bound, Bound::inconsistent);
}

TEST(GpuVerdict, OperandsThatFitTheL2SayOnlyHowBusyTheMemoryWasAtMost) {
  GpuLab perhaps, surely_not;
  perhaps.op({.bytes = 10e6, .flops = 1e3, .kernel_us = 15, .call_us = 1});
  const Verdict v = verdict_of(perhaps);
  EXPECT_EQ(v.bound, Bound::unknown) << all(v);
  EXPECT_TRUE(says(v, ReasonKind::gpu_class_unknown)) << all(v);
  const Reason fits = reason(v, ReasonKind::gpu_fits_l2);
  EXPECT_NEAR(fits.number("roof_ns") / fits.number("time_ns"), 2 / 3.0, 1e-3);
  surely_not.op({.bytes = 10e6, .flops = 1e3, .kernel_us = 20, .call_us = 1});
  EXPECT_EQ(verdict_of(surely_not).bound, Bound::overhead) << "50 % at most";
}

TEST(GpuVerdict, BetweenBusyAndSaturatedItIsMostlySo) {
  const auto worded = [](double bytes, double flops) {
    GpuLab lab;
    lab.op({.bytes = bytes, .flops = flops, .kernel_us = 1000});
    return verdict_of(lab);
  };
  EXPECT_EQ(headline(worded(700e6, 1e6)), "mostly memory-bound at device memory (likely)");
  EXPECT_EQ(headline(worded(900e6, 1e6)), "memory-bound at device memory (likely)");
  EXPECT_EQ(headline(worded(100e6, 7e9)), "mostly compute-bound (likely)");
  EXPECT_EQ(headline(worded(650e6, 7e9)), "mostly balanced between compute and device memory (likely)");
  EXPECT_EQ(worded(500e6, 1e6).bound, Bound::overhead);
  const Reason use = reason(worded(700e6, 1e6), ReasonKind::gpu_use);
  EXPECT_NEAR(use.number("used_ratio"), 0.7, 1e-6);
  EXPECT_EQ(use.limit("saturated_limit").value, 0.8);
  EXPECT_EQ(use.limit("busy_limit").value, 0.6);
  EXPECT_EQ(reason_text(use),
            "Its busiest roof is used to 70 % (limits: 0.8 saturated, 0.6 busy): mostly that, with some waiting.");
  GpuCase c;
  c.kernel_ns = 1000, c.compute_ns = 1;
  c.levels[0] = {.bytes = 700, .ns = 700};
  c.levels[1].ns = c.memory_at_most_ns = std::nan("");
  const auto rules = VerdictRules::changed_by(R"({"saturated_ratio": 0.65})", "mine.json");
  ASSERT_TRUE(rules.ok()) << rules.error().message;
  EXPECT_TRUE(classify_gpu(c, VerdictRules::built_in()).mostly);
  EXPECT_FALSE(classify_gpu(c, *rules).mostly) << "the user's threshold holds";
}

/// `lab`'s capture with bytes that the GPU counted, of op 0.
std::shared_ptr<const Capture> counted(GpuLab& lab, double dram_bytes, double l2_bytes) {
  TrafficSource source;
  source.origin = Origin::measured;
  source.links = {{"DRAM", "L2", kUnknownBytes}, {"L2", "L1", kUnknownBytes}};
  source.records = {{.op = 0, .link = 0, .read_bytes = dram_bytes, .written_bytes = 0, .error_band = 0.01},
                    {.op = 0, .link = 1, .read_bytes = l2_bytes, .written_bytes = 0, .error_band = 0.01}};
  return *CaptureBuilder::with_traffic(*lab.finish(), source);
}

// V100's L2 serves 2048 bytes per cycle: 2.048 TB/s at the lab's 1 GHz.
TEST(GpuVerdict, TheL2CanBeWhatLimits) {
  GpuLab lab;
  lab.op({.bytes = 300e6, .flops = 1e6, .kernel_us = 1000});
  const auto analyzed = analyze(counted(lab, 310e6, 1.8e9));
  const Verdict& v = analyzed->verdicts[0];
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_EQ(v.level, "L2");
  EXPECT_EQ(headline(v), "memory-bound at L2 (likely)");
  EXPECT_NEAR(v.utilisation, 1.8 / 2.048, 1e-6);
  EXPECT_NEAR(v.next_speedup, 1000 / 310.0, 1e-6) << "device memory is next";
  EXPECT_EQ(cause_text(v),
            "reuse lost: 6.0 times the compulsory bytes cross from L2 (measured): larger tiles in shared memory and "
            "registers can help");
  EXPECT_EQ(analyzed->step.level, "L2") << all(analyzed->step);
}

TEST(GpuVerdict, TheL2sBandwidthIsThatOfTheWhitePaperOrUnknown) {
  EXPECT_NEAR(gpu_roofs({.compute_major = 8, .compute_minor = 0, .multiprocessors = 108, .clock_hz = 1'410'000'000},
                        engine::DType::float32)
                  .l2_bytes_per_s,
              7.2e12, 0.05e12);
  EXPECT_TRUE(
      std::isnan(gpu_roofs({.compute_major = 8, .compute_minor = 6, .multiprocessors = 84, .clock_hz = 1'700'000'000},
                           engine::DType::float32)
                     .l2_bytes_per_s));
  // Then L2 does not enter: what it moved is said, and the class is that of the roofs that are known.
  GpuCase c;
  c.kernel_ns = 1000, c.compute_ns = 1;
  c.levels[0] = {.bytes = 900, .ns = 900};
  c.levels[1] = {.bytes = 1e9, .ns = std::nan("")};
  EXPECT_EQ(classify_gpu(c, VerdictRules::built_in()).level, GpuLevel::memory);
}

TEST(GpuVerdict, TheSectorModelSaysWhatAProductMovesThroughL2) {
  GpuLab lab;
  lab.op({.bytes = 900e6, .flops = 1e6, .kernel_us = 1000});
  const auto capture = lab.finish();
  TrafficSource sectors;
  sectors.origin = Origin::modelled;
  sectors.links = {{"DRAM", "L2", 64e6}, {"L2", "L1", kUnknownBytes}};
  sectors.records = {{.op = 0, .link = 0, .read_bytes = 100e6, .written_bytes = 0, .error_band = 0.05},
                     {.op = 0, .link = 1, .read_bytes = 1.95e9, .written_bytes = 0, .error_band = 0.02}};
  const auto work = gpu_work(*capture);
  const Verdict v = judge_on_gpu(*capture, capture->ops()[0], *work[0], &sectors, VerdictRules::built_in());
  EXPECT_EQ(v.bound, Bound::memory) << all(v);
  EXPECT_EQ(v.level, "L2") << all(v);
  const auto level = [&](bool memory) {
    const auto found = std::ranges::find_if(v.reasons, [&](const Reason& r) {
      return r.kind == ReasonKind::gpu_level && (r.number("memory") > 0) == memory;
    });
    return found == v.reasons.end() ? Reason{ReasonKind::gpu_level} : *found;
  };
  EXPECT_EQ(level(false).text("origin"), "modelled") << all(v);
  EXPECT_FALSE(level(true).has("bytes")) << "the compulsory ones are more than the model's with caches cold: "
                                         << all(v);
  EXPECT_NEAR(level(true).number("roof_ns"), 900e3, 500);
}

TEST(GpuVerdict, AColumnWalkIsUncoalescedUnlessTheCountersRefuteIt) {
  const auto lab_of = [](int64_t row_stride, int64_t column_stride) {
    GpuLab lab;
    lab.op({.bytes = 2.0 * 4 * 8192 * 8192,
            .flops = 1e6,
            .kernel_us = 600,
            .shape = {8192, 8192},
            .read_strides = {row_stride, column_stride}});
    return lab;
  };
  GpuLab columns = lab_of(1, 8192), rows = lab_of(8192, 1), tiled = lab_of(1, 8192), counted_columns = lab_of(1, 8192);
  const Verdict walked = verdict_of(columns);
  EXPECT_EQ(walked.bound, Bound::memory) << all(walked);
  EXPECT_TRUE(
      cause_text(walked).starts_with("uncoalesced: 32 neighbours of the result read t0 in 32 sectors of 32 "
                                     "bytes where 4 suffice (modelled from strides; limit 1.5 times)"))
      << cause_text(walked);
  EXPECT_EQ(cause_text(verdict_of(rows)),
            "its compulsory bytes alone take that long: only fusion or a smaller dtype "
            "can help");
  const double once = 2.0 * 4 * 8192 * 8192;
  EXPECT_EQ(cause_text(analyze(counted(tiled, 1.05 * once, once))->verdicts[0]),
            "compulsory: only fusion or a smaller dtype can help")
      << "it goes by way of shared memory";
  GpuLab late;
  late.op({.bytes = once, .flops = 1e6, .kernel_us = 2400, .shape = {8192, 8192}, .read_strides = {8192, 1}});
  EXPECT_EQ(cause_text(analyze(counted(late, 4 * once, once))->verdicts[0]),
            "reuse lost: 4.0 times the compulsory bytes cross from device memory (measured), because the operands' 537 "
            "MB exceed the 61 MiB of L2");
}

TEST(GpuVerdict, WavesCountBlocksByThreadsAndRegisters) {
  const GpuDevice device{.compute_major = 7, .compute_minor = 0, .multiprocessors = 80};
  KernelRecord k{.grid = {640, 1, 1}, .block = {256, 1, 1}, .registers_per_thread = 32};
  EXPECT_DOUBLE_EQ(waves_of(k, device), 1) << "2048 / 256 = 8 blocks on each of 80";
  k.registers_per_thread = 64;  // 65536 / (256 x 64) = 4 blocks
  EXPECT_DOUBLE_EQ(waves_of(k, device), 2);
  k.grid[0] = -1;
  EXPECT_TRUE(std::isnan(waves_of(k, device)));
  EXPECT_TRUE(std::isnan(waves_of({.grid = {1, 1, 1}, .block = {1, 1, 1}},
                                  {.compute_major = 3, .compute_minor = 5, .multiprocessors = 13})));
}

TEST(GpuVerdict, TheHandMadeStepIsTransferBound) {
  const auto analyzed = analyze(tests::sample_gpu_capture());
  EXPECT_EQ(analyzed->step.bound, Bound::transfer) << all(analyzed->step);
  EXPECT_TRUE(analyzed->step.firm);
  EXPECT_NEAR(analyzed->step.next_speedup, 100 / 73.0, 1e-9) << "without the 27 us of copies alone";
}

TEST(GpuVerdict, CopiesAreHeldAgainstTheFastestOfTheirDirection) {
  CaptureBuilder builder = tests::sample_gpu_builder();
  const auto copy = [&](CopyKind kind, OpId op, int64_t start_ns, int64_t duration_ns, int64_t bytes) {
    Activity activity;
    activity.kind = ActivityKind::copy;
    activity.start_ns = start_ns, activity.duration_ns = duration_ns;
    activity.step = 0;
    activity.op = op;
    activity.track = builder.track(TrackKind::copy_engine, "copies", name(kind));
    builder.add_copy(activity,
                     {.kind = kind, .source = MemoryKind::pinned, .destination = MemoryKind::device, .bytes = bytes});
  };
  copy(CopyKind::host_to_device, 0, 1'031'000, 20'000, 1 << 20);       // as fast as the fastest from the host
  copy(CopyKind::device_to_device, kNoOp, 1'052'000, 1'000, 1 << 24);  // nothing to compare it with
  const auto capture = builder.finish();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const Verdict v = analyze(*capture)->verdicts[0];
  const Reason copies = reason(v, ReasonKind::gpu_copies);
  EXPECT_NEAR(copies.number("bytes_per_s"), 52.4e9, 0.05e9);
  EXPECT_NEAR(copies.number("use_ratio"), 1, 1e-6);
  EXPECT_EQ(copies.limit("limit").value, VerdictRules::built_in()[Rule::link_use_ratio]) << "the link is full";
}

TEST(GpuVerdict, RoofsFollowFromLanesAndClock) {
  const GpuDevice v100{.compute_major = 7, .compute_minor = 0, .multiprocessors = 80, .clock_hz = 1'530'000'000};
  EXPECT_NEAR(gpu_roofs(v100, engine::DType::float32).flop_per_s, 15.7e12, 0.05e12) << "data sheet: 15.7 TFLOP/s";
  EXPECT_NEAR(gpu_roofs(v100, engine::DType::float16).flop_per_s, 125e12, 1e12) << "data sheet: 125 TFLOP/s";
  EXPECT_TRUE(std::isnan(gpu_roofs(v100, engine::DType::float32).bytes_per_s));
  const GpuDevice h100{.compute_major = 9, .compute_minor = 0, .multiprocessors = 132, .clock_hz = 1'830'000'000};
  EXPECT_NEAR(gpu_roofs(h100, engine::DType::float32).flop_per_s, 62e12, 5e12);
  EXPECT_NEAR(gpu_roofs(h100, engine::DType::float32, engine::ProductFormat::tf32).flop_per_s, 494.7e12, 1e12)
      << "data sheet: 989 TFLOP/s with sparsity";
  EXPECT_NEAR(gpu_roofs(h100, engine::DType::bfloat16, engine::ProductFormat::fp8).flop_per_s, 1979e12, 2e12);
  EXPECT_DOUBLE_EQ(gpu_roofs(v100, engine::DType::float32, engine::ProductFormat::tf32).flop_per_s,
                   gpu_roofs(v100, engine::DType::float32).flop_per_s)
      << "Volta has no TF32: its libraries stay in f32";
  EXPECT_TRUE(std::isnan(gpu_roofs(v100, engine::DType::float32, engine::ProductFormat::fp8).flop_per_s))
      << "it has none: unknown, not f32's";
}

}  // namespace
}  // namespace profiler
