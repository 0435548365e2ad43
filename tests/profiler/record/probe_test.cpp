// SPDX-License-Identifier: Apache-2.0
// The probe: its pure parts against made-up machines, the measurement itself for what must be true
// of any machine.
#include "profiler/record/probe.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "profiler/machine/probe_figures.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/record/probe_beside.h"
#include "profiler/record/probe_kernels.h"
#include "profiler/record/probe_levels.h"
#include "profiler/record/probe_merge.h"
#include "profiler/record/probe_timing.h"

namespace profiler {
namespace {

constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;

engine::DeviceInfo made_up(std::vector<engine::CacheLevel> caches) {
  engine::DeviceInfo info;
  info.caches = std::move(caches);
  info.memory_bytes = 16 * 1024 * kMiB;
  return info;
}

/// Latencies of a machine whose caches really have these sizes: a working set W beyond a cache of C
/// bytes hits it C / W of the time.
std::vector<LatencyPoint> curve_of(const std::vector<std::pair<int64_t, double>>& caches, double memory_ns,
                                   int64_t largest) {
  std::vector<LatencyPoint> curve;
  for (const int64_t size : probe::latency_sizes(largest, false)) {
    double latency = 0, left = 1;
    for (const auto& [capacity, ns] : caches) {
      const double share =
          std::min(left, std::max(0.0, static_cast<double>(capacity) / static_cast<double>(size) - (1 - left)));
      latency += share * ns;
      left -= share;
    }
    latency += left * memory_ns;
    curve.push_back({size, {latency, latency, latency, 3}});
  }
  return curve;
}

TEST(ProbeLevels, BelievesWhatTheCurveConfirms) {
  const auto info = made_up({{"L1d", 48 * kKiB, 64, 12, 1}, {"L2", 1 * kMiB, 64, 16, 1}, {"L3", 32 * kMiB, 64, 16, 8}});
  const auto curve = curve_of({{48 * kKiB, 1.0}, {kMiB, 4.0}, {32 * kMiB, 12.0}}, 110, 256 * kMiB);
  const auto levels = probe::derive_levels(info, curve, 4);
  ASSERT_EQ(levels.size(), 4u);
  EXPECT_EQ(levels[0].name, "L1");
  EXPECT_EQ(levels[0].effective_size_bytes, 48 * kKiB);
  EXPECT_EQ(levels[1].effective_size_bytes, kMiB);
  EXPECT_EQ(levels[2].effective_size_bytes, 32 * kMiB);
  EXPECT_NE(levels[2].note.find("as the system claims"), std::string::npos) << levels[2].note;
  EXPECT_EQ(levels[2].shared_by_threads, 4);
  EXPECT_EQ(levels[3].name, "DRAM");
  EXPECT_EQ(levels[3].effective_size_bytes, info.memory_bytes);
  EXPECT_DOUBLE_EQ(levels[0].latency_ns.median, 1.0);
  EXPECT_NEAR(levels[1].latency_ns.median, 4.0, 1.0);
  EXPECT_NEAR(levels[2].latency_ns.median, 12.0, 3.0);
  EXPECT_GT(levels[3].latency_ns.median, 90);
}

TEST(ProbeLevels, FindsTheSizeThatAVirtualMachineHides) {
  // The machine of design/engine.md: the system claims 480 MiB, of which some 80 MiB are ours.
  const auto info =
      made_up({{"L1d", 48 * kKiB, 64, 12, 1}, {"L2", 2 * kMiB, 64, 16, 1}, {"L3", 480 * kMiB, 64, 16, 2}});
  const auto curve = curve_of({{48 * kKiB, 1.3}, {2 * kMiB, 5.0}, {80 * kMiB, 36.0}}, 200, 512 * kMiB);
  const auto levels = probe::derive_levels(info, curve, 2);
  EXPECT_EQ(levels[0].effective_size_bytes, 48 * kKiB);
  EXPECT_EQ(levels[1].effective_size_bytes, 2 * kMiB);
  EXPECT_NEAR(static_cast<double>(levels[2].effective_size_bytes), 80.0 * kMiB, 0.2 * 80 * kMiB);
  EXPECT_EQ(levels[2].specified_size_bytes, 480 * kMiB);
  EXPECT_NE(levels[2].note.find("the system claims 480 MiB"), std::string::npos) << levels[2].note;
}

TEST(ProbeLevels, ADipOfTheClockIsNoLevel) {
  // Seen on a busy machine: the L2 answers 1.7 times slower while a few of its sizes are measured.
  const auto info = made_up({{"L1d", 48 * kKiB, 64, 12, 1}, {"L2", kMiB, 64, 16, 1}, {"L3", 32 * kMiB, 64, 16, 2}});
  auto curve = curve_of({{48 * kKiB, 1.0}, {kMiB, 3.2}, {32 * kMiB, 12.0}}, 110, 256 * kMiB);
  for (LatencyPoint& point : curve) {
    const bool dipped = point.working_set_bytes > 100 * kKiB && point.working_set_bytes < 300 * kKiB;
    if (dipped) point.latency_ns = {5.4, 5.3, 5.5, 3};
  }
  const auto levels = probe::derive_levels(info, curve, 2);
  EXPECT_EQ(levels[0].effective_size_bytes, 48 * kKiB);
  EXPECT_EQ(levels[1].effective_size_bytes, kMiB);
}

TEST(ProbeLevels, SaysWhenTheCurveEndsWithinALevel) {
  const auto info =
      made_up({{"L1d", 32 * kKiB, 64, 8, 1}, {"L2", 512 * kKiB, 64, 8, 1}, {"L3", 1024 * kMiB, 64, 16, 1}});
  const auto curve = curve_of({{32 * kKiB, 1.0}, {512 * kKiB, 4.0}, {1024 * kMiB, 20.0}}, 100, 128 * kMiB);
  const auto levels = probe::derive_levels(info, curve, 1);
  EXPECT_EQ(levels[2].effective_size_bytes, 1024 * kMiB);
  EXPECT_NE(levels[2].note.find("as the system claims"), std::string::npos) << levels[2].note;
}

TEST(ProbeLevels, WithoutACurveSizesAreUnknown) {
  const auto levels = probe::derive_levels(made_up({{"L1d", 32 * kKiB, 64, 8, 1}}), {}, 1);
  EXPECT_EQ(levels[0].effective_size_bytes, 0);
  EXPECT_EQ(levels[0].specified_size_bytes, 32 * kKiB);
  EXPECT_FALSE(levels[0].latency_ns.known());
}

TEST(ProbeLevels, WorkingSetsLieWithinOneLevel) {
  const auto info = made_up({{"L1d", 48 * kKiB, 64, 12, 1}, {"L2", kMiB, 64, 16, 1}, {"L3", 32 * kMiB, 64, 16, 8}});
  const auto levels =
      probe::derive_levels(info, curve_of({{48 * kKiB, 1.0}, {kMiB, 4.0}, {32 * kMiB, 12.0}}, 110, 256 * kMiB), 16);
  constexpr int64_t kLimit = 8 * 1024 * kMiB;
  for (const int threads : {1, 2, 8, 16}) {
    for (size_t i = 0; i < 4; ++i) {
      const auto size = probe::working_set(levels, i, threads, kLimit);
      ASSERT_TRUE(size.has_value()) << i << " " << threads;
      EXPECT_EQ(*size % (6 * kKiB), 0);
      if (i < 3) {
        EXPECT_LT(*size * std::min(threads, levels[i].shared_by_threads), levels[i].effective_size_bytes);
      }
      if (i > 0) {
        EXPECT_GT(*size * (i == 3 ? threads : 1), levels[i - 1].effective_size_bytes * (i == 3 ? 3 : 1));
      }
    }
  }
  EXPECT_FALSE(probe::working_set(levels, 3, 1, 8 * kMiB).has_value());  // memory too small for anything but cache
}

TEST(ProbeKernels, LoopsDoWhatTheyCount) {
  const probe::Loops loops = probe::best_loops();
  EXPECT_GE(loops.vector_bits, 32);
  EXPECT_GE(loops.flops_per_round_f32, loops.flops_per_round_f64);
  alignas(64) static float a[512], b[512], c[512];
  for (int i = 0; i < 512; ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = 2;
  }
  float sum = 0;
  for (const float value : a) sum += value;
  EXPECT_EQ(loops.read(a, 512, 3), 3 * sum);
  EXPECT_EQ(loops.read_ahead(a, 512, 3), 3 * sum);
  loops.triad(a, b, c, 512, 1);
  for (int i = 0; i < 512; ++i) ASSERT_EQ(c[i], a[i] + 6);
  loops.copy(a, c, 256, 2);
  for (int i = 0; i < 512; ++i) ASSERT_EQ(c[i], i < 256 ? a[i] : a[i] + 6);
  loops.write(c, 256, 1);
  for (int i = 0; i < 512; ++i) ASSERT_EQ(c[i], i < 256 ? 1 : a[i] + 6);
  // x -> x / 2 + 1 ends at 2 in every lane of the twelve chains: 2 FLOPs per chain and lane and
  // round.
  EXPECT_EQ(loops.multiply_add_f32(100), static_cast<double>(loops.flops_per_round_f32));
  if (loops.multiply_add_f64 != nullptr) {
    EXPECT_EQ(loops.multiply_add_f64(100), static_cast<double>(loops.flops_per_round_f64));
  }
}

TEST(ProbeKernels, LinksAreFollowedInOrder) {
  const void* links[5];
  for (int i = 0; i < 5; ++i) links[i] = &links[(i + 2) % 5];
  EXPECT_EQ(probe::follow_links(&links[0], 16), &links[32 % 5]);
  EXPECT_EQ(probe::follow_links(&links[1], 48), &links[(1 + 96) % 5]);
}

TEST(ProbeTiming, RatesAreAmountOverTime) {
  const probe::Effort effort{3, 0.004};
  const Measured rate =
      probe::measure_rate(1, 1000, effort, [](int, int64_t passes) { usleep(static_cast<useconds_t>(passes * 2000)); });
  EXPECT_EQ(rate.samples, 3);
  EXPECT_LE(rate.low, rate.median);
  EXPECT_LE(rate.median, rate.high);
  EXPECT_LE(rate.high, 1000 / 0.002);
  EXPECT_GT(rate.low, 1000 / 0.2);
  std::atomic<int> both{0};
  EXPECT_GT(probe::timed(2, 1, [&](int thread, int64_t) { both |= 1 << thread; }), 0);
  EXPECT_EQ(both, 3);
  EXPECT_FALSE(probe::summarize({}).known());
  const Measured three = probe::summarize({5, 1, 2});
  EXPECT_EQ(three.median, 2);
  EXPECT_EQ(three.low, 1);
  EXPECT_EQ(three.high, 5);
}

/// A machine whose regions take as long as the test wants.
struct MadeUpRegions {
  std::function<int64_t(int)> takes;  ///< nanoseconds, by number
  int64_t now = 0;
  int regions = 0, parted = 0;
  double least() {
    return probe::least_region_ns([this] { return now; }, [this] { now += takes(regions++); }, [this] { ++parted; });
  }
};

TEST(ProbeTiming, ABusyMachineDoesNotRaiseTheCostOfAParallelRegion) {
  // All wait for a time slice of others, but the hundredth.
  MadeUpRegions busy{.takes = [](int i) { return i == 99 ? 8'000 : 4'000'000; }};
  EXPECT_EQ(busy.least(), 8'000);
  EXPECT_GE(busy.regions, 100);
  EXPECT_GE(busy.parted, 99 / 8) << "its threads may have shared a processor";
  // None is without: it ends all the same.
  MadeUpRegions hopeless{.takes = [](int) { return 10'000'000; }};
  EXPECT_EQ(hopeless.least(), 10'000'000);
  EXPECT_EQ(hopeless.regions, 150) << "1.5 s";
  // A quiet machine: not longer than it needs.
  MadeUpRegions quiet{.takes = [](int i) { return 50'000 - i % 7; }};
  EXPECT_EQ(quiet.least(), 49'994);
  EXPECT_EQ(quiet.regions, 200);
  EXPECT_LE(quiet.parted, 1) << "before the first was timed";
}

TEST(ProbeTiming, AParallelRegionCostsSomething) {
  EXPECT_GT(probe::measure_fork_join_ns(2), 10) << "both threads were told and heard";
  EXPECT_EQ(probe::measure_fork_join_ns(1), 0);
}

TEST(Probe, MeasuresThisMachine) {
  ProbeOptions options;
  options.threads = 2;
  options.budget_s = 2;
  double last = -1;
  options.progress = [&](double fraction, const std::string& what) {
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1.0);
    EXPECT_FALSE(what.empty());
    last = fraction;
  };
  const auto machine = probe_machine(options);
  ASSERT_TRUE(machine.ok()) << machine.error().message;
  EXPECT_EQ(last, 1.0);
  EXPECT_TRUE(machine->probed());
  EXPECT_GT(machine->probe_seconds, 0);
  EXPECT_GT(machine->timer_ns, 0);
  EXPECT_GT(machine->fork_join_ns, 0);
  const auto peak = machine->compute_roof(engine::DType::float32, 1);
  ASSERT_TRUE(peak.has_value());
  EXPECT_GE(peak->flop_per_s.samples, 1);  // three, where other programs leave it the processors
  EXPECT_GT(peak->flop_per_s.median, 1e8);
  EXPECT_LT(peak->flop_per_s.median, 1e13);
  ASSERT_GE(machine->latency.size(), 3u);
  for (const LatencyPoint& point : machine->latency) EXPECT_GT(point.latency_ns.median, 0.05);
  EXPECT_GT(machine->latency.back().latency_ns.high, machine->latency.front().latency_ns.low);
  for (const BandwidthRoof& roof : machine->bandwidth) {
    EXPECT_GT(roof.bytes_per_s.low, 1e6);
    EXPECT_LE(roof.bytes_per_s.low, roof.bytes_per_s.median);
    EXPECT_LE(roof.bytes_per_s.median, roof.bytes_per_s.high);
  }
  EXPECT_EQ(machine->levels.back().name, "DRAM");
  EXPECT_FALSE(machine->notes.empty());
}

TEST(Probe, CanBeCancelled) {
  ProbeOptions options;
  options.cancelled = [] { return true; };
  const auto machine = probe_machine(options);
  ASSERT_FALSE(machine.ok());
  EXPECT_EQ(machine.error().kind, engine::ErrorKind::refused);
  EXPECT_FALSE(probe_machine({.threads = -1}).ok());
  EXPECT_FALSE(probe_machine({.budget_s = 0}).ok());
}

/// What an earlier probe left: one cache, and a product of 512 x 512 x 512 in bf16 that took `product_ns`.
Machine earlier_probe(double product_ns) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Machine machine;
  machine.timer_ns = 12;
  machine.latency = {{48 * kKiB, {1, 1, 1, 3}}};
  machine.levels = {{.name = "L1",
                     .specified_size_bytes = 48 * kKiB,
                     .effective_size_bytes = 40 * kKiB,
                     .latency_ns = {},
                     .note = {}},
                    {.name = "DRAM",
                     .specified_size_bytes = 1024 * kMiB,
                     .effective_size_bytes = 1024 * kMiB,
                     .latency_ns = {},
                     .note = {}}};
  machine.matmul = {{engine::DType::bfloat16, 512, 512, 512, 1, product_ns, kNone, kNone}};
  return machine;
}

TEST(Probe, KeepsTheLevelsOfAnEarlierOne) {
  const Machine earlier = earlier_probe(1000);
  const auto machine = probe_machine({.threads = 1, .budget_s = 0.5, .levels_of = &earlier});
  ASSERT_TRUE(machine.ok()) << machine.error().message;
  ASSERT_EQ(machine->levels.size(), 2u);
  EXPECT_EQ(machine->levels[0].effective_size_bytes, 40 * kKiB);
  EXPECT_EQ(machine->latency.size(), 1u);
  EXPECT_EQ(machine->timer_ns, 12);
  EXPECT_TRUE(machine->compute_roof(engine::DType::float32, 1).has_value());
  EXPECT_TRUE(machine->bandwidth_roof("L1", AccessMix::read, 1).has_value());
}

TEST(Probe, AddsAThreadCountToAnEarlierOne) {
  Machine earlier = earlier_probe(1000);
  earlier.probed_at = "2026-01-01T00:00:00+0000";
  earlier.notes = {"A note."};
  earlier.foreign_load_ratio = 2;  // more than any machine can have now
  earlier.unmeasured = {{"L3", 1, "no room"}, {"L3", 2, "no room"}};
  earlier.unsettled_shapes = 4;
  earlier.kept = {{"L1 read, 1 thread", "2025-12-31T00:00:00+0000"}};
  earlier.compute = {{engine::DType::float32, 1, {7e9, 7e9, 7e9, 5}, "lab"}};
  earlier.bandwidth = {{"L1", AccessMix::read, 1, {9e9, 9e9, 9e9, 5}, 48 * kKiB}};
  const auto machine = probe_machine({.threads = 2, .budget_s = 1, .levels_of = &earlier, .add_threads = true});
  ASSERT_TRUE(machine.ok()) << machine.error().message;
  EXPECT_EQ(machine->compute_roof(engine::DType::float32, 1)->flop_per_s.median, 7e9) << "what was there stays";
  EXPECT_EQ(machine->bandwidth_roof("L1", AccessMix::read, 1)->bytes_per_s.median, 9e9);
  EXPECT_EQ(machine->probed_at, earlier.probed_at) << "with its date";
  EXPECT_EQ(machine->notes.front(), "A note.");
  EXPECT_EQ(machine->foreign_load_ratio, 2) << "the worse of both";
  EXPECT_EQ(std::ranges::count(machine->unmeasured, 1, &UnmeasuredBandwidth::threads), 1);
  EXPECT_TRUE(std::ranges::none_of(machine->unmeasured, [](const UnmeasuredBandwidth& u) {
    return u.level == "L3" && u.threads == 2;
  })) << "of these it asked again";
  EXPECT_EQ(machine->unsettled_shapes, 4);
  ASSERT_EQ(machine->kept.size(), 1u);
  ASSERT_TRUE(machine->compute_roof(engine::DType::float32, 2).has_value());
  EXPECT_GT(machine->bandwidth_roof("L1", AccessMix::read, 2)->bytes_per_s.median, 1e6);
  EXPECT_EQ(machine->matmul.size(), earlier.matmul.size()) << "products are not timed again";
}

TEST(BesideProbe, MeasuresAsTheProbeDid) {
  Machine machine;
  machine.bandwidth = {{"DRAM", AccessMix::read, 1, {10e9, 10e9, 10e9, 5}, 64 * kMiB}};
  auto beside = BesideProbe::make(machine, 1);
  ASSERT_TRUE(beside.ok()) << beside.error().message;
  ASSERT_NE(*beside, nullptr);
  for (int spell = 0; spell < 2; ++spell) {
    std::vector<BandwidthRoof> roofs;
    for (int i = 0; i < 100 && roofs.empty(); ++i) roofs = (*beside)->measure();
    if (roofs.empty()) GTEST_SKIP() << "others hold the processors: nothing is measured then";
    ASSERT_EQ(roofs.size(), 3u);
    EXPECT_EQ(roofs[0].mix, AccessMix::read);
    EXPECT_EQ(roofs[1].mix, AccessMix::copy);
    EXPECT_EQ(roofs[2].mix, AccessMix::copy_past);
    for (const BandwidthRoof& roof : roofs) {
      EXPECT_EQ(roof.level, "DRAM");
      EXPECT_EQ(roof.threads, 1);
      EXPECT_EQ(roof.working_set_bytes, 64 * kMiB);
      EXPECT_GT(roof.bytes_per_s.median, 1e7);
      EXPECT_LT(roof.bytes_per_s.median, 1e13);
      EXPECT_GE(roof.bytes_per_s.samples, 1);
    }
  }
}

TEST(BesideProbe, NeedsAProbedRoofAndMemory) {
  Machine machine;
  machine.bandwidth = {{"DRAM", AccessMix::read, 1, {10e9, 10e9, 10e9, 5}, 1024 * kMiB}};
  const auto none = BesideProbe::make(machine, 2);
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, nullptr) << "nothing to hold it against";
  const auto large = BesideProbe::make(machine, 1);
  ASSERT_FALSE(large.ok());
  EXPECT_NE(large.error().message.find("1.0 GiB"), std::string::npos) << large.error().message;
}

class NarrowPeak : public testing::TestWithParam<engine::DType> {};

TEST_P(NarrowPeak, IsTheFastestProductWhereThatBeatsF32) {
  const engine::DType narrow = GetParam();
  const auto peaks = [narrow](double product_ns) {
    Machine machine = earlier_probe(product_ns);
    for (engine::MatmulTiming& t : machine.matmul) t.dtype = narrow;
    for (const int threads : {1, 2})
      machine.compute.push_back(
          {engine::DType::float32, threads, {100e9 * threads, 100e9 * threads, 100e9 * threads, 5}, "lab"});
    probe::add_product_peaks(machine, std::vector<int>{1, 2});
    return machine;
  };
  const Machine fast = peaks(1e6);  // 268 GFLOP/s on one thread
  const auto peak = fast.compute_roof(narrow, 1);
  ASSERT_TRUE(peak.has_value());
  EXPECT_EQ(peak->dtype, narrow);
  EXPECT_DOUBLE_EQ(peak->flop_per_s.median, 2.0 * 512 * 512 * 512 / 1e-3);
  EXPECT_NE(peak->method.find("512 x 512 x 512, oneDNN"), std::string::npos) << peak->method;
  EXPECT_DOUBLE_EQ(fast.compute_roof(narrow, 2)->flop_per_s.median, peak->flop_per_s.median)
      << "two threads can what one did";
  EXPECT_EQ(peaks(1e9).compute_roof(narrow, 1)->dtype, engine::DType::float32)
      << "emulated: f32's units are the faster ones";
}

INSTANTIATE_TEST_SUITE_P(Types, NarrowPeak, testing::ValuesIn(kTypesOfProducts),
                         [](const auto& info) { return std::string(engine::name(info.param)); });

TEST(Probe, AnOlderProbeHasNoPeakOfIntegers) {
  Machine machine = earlier_probe(1e6);
  machine.compute.push_back({engine::DType::float32, 1, {100e9, 100e9, 100e9, 5}, "lab"});
  EXPECT_FALSE(machine.compute_roof(engine::DType::int8, 1).has_value()) << "f32's would be another unit's";
}

TEST(Probe, NoPeakLiesBelowAProductOfTheSameProbe) {
  Machine machine = earlier_probe(1e6);
  for (engine::MatmulTiming& t : machine.matmul) t.dtype = engine::DType::float32;  // 268 GFLOP/s on one thread
  for (const int threads : {1, 2})
    machine.compute.push_back({engine::DType::float32, threads, {300e9 - 100e9 * threads, 90e9, 310e9, 5}, "lab"});
  probe::add_product_peaks(machine, std::vector<int>{1, 2});
  for (const int threads : {1, 2}) {
    const auto peak = machine.compute_roof(engine::DType::float32, threads);
    ASSERT_TRUE(peak.has_value());
    EXPECT_DOUBLE_EQ(peak->flop_per_s.median, 2.0 * 512 * 512 * 512 / 1e-3);
    EXPECT_GE(peak->flop_per_s.high, peak->flop_per_s.median);
    EXPECT_NE(peak->method.find("fastest measured product"), std::string::npos) << peak->method;
  }
}

/// A whole probe of a machine of L1, L2 and DRAM, of which others took `taken` while `what` was measured.
Machine disturbed_probe(const std::string& date, double compute_taken, double bandwidth_taken, double latency_taken) {
  Machine machine;
  machine.probed_at = date;
  machine.info = made_up({{"L1d", 48 * kKiB, 64, 12, 1}, {"L2", kMiB, 64, 16, 1}});
  machine.timer_ns = 20 * latency_taken, machine.fork_join_ns = 2000 * latency_taken;
  const auto rate = [](double value) { return Measured{value, 0.99 * value, 1.01 * value, 5}; };
  for (const int threads : {1, 2})
    machine.compute.push_back({engine::DType::float32, threads, rate(240e9 * threads / compute_taken), "lab"});
  machine.latency = curve_of({{48 * kKiB, 1.0}, {kMiB, 4.0}}, 110, 64 * kMiB);
  for (LatencyPoint& point : machine.latency) {
    for (double* ns : {&point.latency_ns.median, &point.latency_ns.low, &point.latency_ns.high}) *ns *= latency_taken;
  }
  machine.levels = probe::derive_levels(machine.info, machine.latency, 2);
  for (size_t level = 0; level < machine.levels.size(); ++level) {
    for (const int threads : {1, 2}) {
      const int64_t set = probe::working_set(machine.levels, level, threads, 1024 * kMiB).value();
      machine.bandwidth.push_back({machine.levels[level].name, AccessMix::read, threads,
                                   rate(200e9 * threads / std::pow(4, level) / bandwidth_taken), set});
    }
  }
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  machine.matmul = {{engine::DType::float32, 512, 512, 512, 2, 6e5 * compute_taken, 7e5 * compute_taken, kNone},
                    {engine::DType::int8, 512, 512, 512, 2, 3e5 * compute_taken, kNone, kNone}};
  machine.winograd = {{64, 56, 9e5 * compute_taken, 5e5 * compute_taken}};
  machine.foreign_load_ratio = 0.4;
  return machine;
}

constexpr double kUnknownLoad = std::numeric_limits<double>::quiet_NaN();

/// The date of the probe that a figure was kept from; empty: it is the last probe's own.
std::string kept_from(const Machine& machine, const std::string& figure) {
  for (const KeptReading& kept : machine.kept) {
    if (kept.figure == figure) return kept.probed_at;
  }
  return {};
}

TEST(ProbeMerge, OfTwoDisturbedProbesEachFigureIsTheBetterOne) {
  const Machine first = disturbed_probe("2026-01-01T10:00:00+0000", 1.0, 3.0, 1.0),
                second = disturbed_probe("2026-01-01T10:10:00+0000", 4.0, 1.0, 1.5);
  ASSERT_NE(roofs_weakness(first), "");
  for (const bool swapped : {false, true}) {
    const Machine& earlier = swapped ? second : first;
    const Machine& latest = swapped ? first : second;
    const Machine both = probe::better_of(earlier, latest);
    EXPECT_EQ(both.probed_at, latest.probed_at);
    EXPECT_DOUBLE_EQ(both.compute_roof(engine::DType::float32, 2)->flop_per_s.median, 480e9);
    EXPECT_DOUBLE_EQ(both.bandwidth_roof("DRAM", AccessMix::read, 2)->bytes_per_s.median, 25e9);
    EXPECT_DOUBLE_EQ(both.latency.front().latency_ns.median, first.latency.front().latency_ns.median);
    EXPECT_EQ(both.levels[1].effective_size_bytes, kMiB);
    EXPECT_DOUBLE_EQ(both.timer_ns, 20);
    EXPECT_DOUBLE_EQ(both.fork_join_ns, 2000);
    ASSERT_EQ(both.matmul.size(), 2u);
    EXPECT_DOUBLE_EQ(both.matmul[0].onednn_ns, 6e5);
    EXPECT_DOUBLE_EQ(both.winograd[0].winograd_ns, 5e5);
    EXPECT_EQ(kept_from(both, "f32 arithmetic, 2 threads"), swapped ? "" : first.probed_at);
    EXPECT_EQ(kept_from(both, "DRAM read, 1 thread"), swapped ? second.probed_at : "");
    EXPECT_EQ(kept_from(both, "f32 product 512 x 512 x 512, 2 threads"), swapped ? "" : first.probed_at);
    EXPECT_EQ(kept_from(both, kTimerFigure), swapped ? "" : first.probed_at);
    EXPECT_NE(roofs_weakness(both).find("kept from earlier probes under background load"), std::string::npos)
        << roofs_weakness(both);
    const auto back = machine_from_json(machine_to_json(both));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->kept.size(), both.kept.size());
    EXPECT_EQ(kept_from(*back, "DRAM read, 1 thread"), kept_from(both, "DRAM read, 1 thread"));
  }
}

TEST(ProbeMerge, OnlyWhatBothHadNoTimeForIsUnfinished) {
  Machine first = disturbed_probe("2026-01-01T10:00:00+0000", 1.0, 1.0, 1.0), second = first;
  first.unfinished = {"f64 arithmetic, 1 thread", "i8 matrix multiplications by each library"};
  first.unfinished_choices = {"convolutions by Winograd's filtering"};
  second.unfinished = {"L2 read, 2 threads", "f64 arithmetic, 1 thread"};
  second.unfinished_choices = {"f64 matrix multiplications by each library", "convolutions by Winograd's filtering"};
  EXPECT_EQ(probe::better_of(first, second).unfinished, std::vector<std::string>{"f64 arithmetic, 1 thread"});
  EXPECT_EQ(probe::better_of(first, second).unfinished_choices,
            std::vector<std::string>{"f64 matrix multiplications by each library"})
      << "convolutions are timed";
}

TEST(ProbeMerge, TimingsThatAProbeHadNoTimeForStayThoseOfTheEarlierOne) {
  Machine earlier = disturbed_probe("2026-01-01T10:00:00+0000", 1.0, 1.0, 1.0);
  earlier.matmul = {{.dtype = engine::DType::float32, .m = 8, .n = 8, .k = 8, .threads = 1},
                    {.dtype = engine::DType::int8, .m = 8, .n = 8, .k = 8, .threads = 1}};
  earlier.winograd = {{.channels = 64, .extent = 56, .direct_ns = 2, .winograd_ns = 1}};
  Machine latest = earlier;
  latest.matmul.erase(latest.matmul.begin()), latest.winograd.clear();
  latest.unfinished_choices = {"f32 matrix multiplications by each library",
                               "f64 matrix multiplications by each library", "convolutions by Winograd's filtering"};
  probe::take_choices(earlier, latest);
  EXPECT_EQ(latest.unfinished_choices, std::vector<std::string>{"f64 matrix multiplications by each library"});
  EXPECT_EQ(latest.matmul.size(), 2u);
  ASSERT_EQ(latest.winograd.size(), 1u);
  EXPECT_EQ(latest.winograd[0].channels, 64);
  ASSERT_FALSE(latest.notes.empty());
  EXPECT_EQ(latest.notes.back(), "Of the probe of 2026-01-01T10:00:00+0000: convolutions by Winograd's filtering.");
  Machine older = earlier;  // as older versions wrote it
  older.winograd.clear(), older.unfinished = {"convolutions by Winograd's filtering"};
  Machine again = latest;
  again.winograd.clear(), again.unfinished_choices = {"convolutions by Winograd's filtering"};
  EXPECT_EQ(probe::better_of(older, again).unfinished_choices,
            std::vector<std::string>{"convolutions by Winograd's filtering"});
}

TEST(Probe, WhatTimeWasShortForIsAllNamedAndComesFirstTheNextTime) {
  const auto first = probe_machine({.threads = 1, .budget_s = 1e-9});
  ASSERT_TRUE(first.ok()) << first.error().message;
  for (const char* what : {"f32 arithmetic, 1 thread", "i8 matrix multiplications by each library", "L1 read, 1 thread",
                           "DRAM read, 1 thread"})
    EXPECT_EQ(std::ranges::count(first->unfinished, what), 1) << what;
  for (const char* what : {"f32 matrix multiplications by each library", "convolutions by Winograd's filtering"})
    EXPECT_EQ(std::ranges::count(first->unfinished_choices, what), 1) << what;
  EXPECT_TRUE(first->matmul.empty() && first->winograd.empty());
  const auto order_of = [](const Machine* earlier) {
    const auto m = probe_machine({.threads = 1, .budget_s = 1e-9, .earlier = earlier});
    const auto at = [&](std::string_view what) {
      return std::ranges::find(m->unfinished, what) - m->unfinished.begin();
    };
    return at("i8 matrix multiplications by each library") < at("cost of a time stamp");
  };
  EXPECT_FALSE(order_of(nullptr));
  EXPECT_FALSE(order_of(&*first)) << "roofs it lacks matter more";
  EXPECT_LT(std::ranges::find(first->unfinished, "bf16 matrix multiplications by each library"),
            std::ranges::find(first->unfinished, "i8 matrix multiplications by each library"));
  Machine had = *first;
  had.unfinished = {"i8 matrix multiplications by each library"};
  EXPECT_TRUE(order_of(&had));
  had.unfinished = {"bf16 matrix multiplications by each library"};
  EXPECT_FALSE(order_of(&had));
  had.unfinished.clear();
  had.foreign_load_ratio = kUnknownLoad;
  EXPECT_EQ(roofs_weakness(had), "") << "a rule chooses: no roof lacks";
  EXPECT_NE(roofs_weakness(*first).find(" more"), std::string::npos) << "a sentence, no list of all";
}

TEST(ProbeMerge, WhatIsKeptKeepsItsDateAndStaysWeak) {
  const Machine first = disturbed_probe("2026-01-01T10:00:00+0000", 1.0, 1.0, 1.0);
  Machine second = disturbed_probe("2026-01-01T10:10:00+0000", 2.0, 2.0, 2.0),
          third = disturbed_probe("2026-01-01T10:20:00+0000", 3.0, 3.0, 3.0);
  third.foreign_load_ratio = kUnknownLoad;
  third.unfinished = {"L2 read, 2 threads"};
  std::erase_if(third.bandwidth, [](const BandwidthRoof& roof) { return roof.level == "DRAM"; });
  third.unmeasured = {{"DRAM", 2, "memory is full"}, {"L3", 2, "memory is full"}};
  const Machine all = probe::better_of(probe::better_of(first, second), third);
  EXPECT_EQ(all.probed_at, third.probed_at);
  EXPECT_EQ(kept_from(all, "f32 arithmetic, 1 thread"), first.probed_at) << "not that of the probe that kept it";
  ASSERT_TRUE(all.bandwidth_roof("DRAM", AccessMix::read, 2).has_value())
      << "the last probe ran out of time, an earlier one did not";
  EXPECT_TRUE(all.unfinished.empty());
  ASSERT_EQ(all.unmeasured.size(), 1u) << "an earlier one measured DRAM, and none L3";
  EXPECT_EQ(all.unmeasured[0].level, "L3");
  EXPECT_NE(roofs_weakness(all).find("busy machine"), std::string::npos)
      << "the figures are those of disturbed probes: " << roofs_weakness(all);
}

TEST(ProbeMerge, ABandwidthOfAnotherLevelIsNotTheBetterOne) {
  const Machine first = disturbed_probe("2026-01-01T10:00:00+0000", 1.0, 1.0, 1.0);
  Machine second = disturbed_probe("2026-01-01T10:10:00+0000", 1.0, 1.5, 1.0);
  for (BandwidthRoof& roof : second.bandwidth) {  // it took L2 for tiny, and so measured L1 as L2
    if (roof.level == "L2") roof.working_set_bytes = 24 * kKiB, roof.bytes_per_s = {900e9, 900e9, 900e9, 5};
  }
  EXPECT_DOUBLE_EQ(probe::better_of(first, second).bandwidth_roof("L2", AccessMix::read, 1)->bytes_per_s.median, 50e9);
  EXPECT_DOUBLE_EQ(probe::better_of(second, first).bandwidth_roof("L2", AccessMix::read, 1)->bytes_per_s.median, 50e9);
}

TEST(ProbeMerge, APeakOfProductsBelowTheKeptPeakOfF32IsNone) {
  const Machine first = disturbed_probe("2026-01-01T10:00:00+0000", 1.0, 1.0, 1.0);
  Machine second = disturbed_probe("2026-01-01T10:10:00+0000", 4.0, 1.0, 1.0);
  second.compute.push_back(
      {engine::DType::bfloat16, 1, {100e9, 100e9, 100e9, 1}, "a product"});  // above the 60 that f32 reached beside it
  const Machine both = probe::better_of(first, second);
  EXPECT_EQ(both.compute_roof(engine::DType::bfloat16, 1)->dtype, engine::DType::float32);
  EXPECT_EQ(kept_from(both, "bf16 arithmetic, 1 thread"), "");
}

class ProbeCache : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tensortide-probe-test-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    ProbeOptions options;
    options.budget_s = 0.02;  // the figures do not matter here
    options.threads = 1;
    machine_ = *probe_machine(options);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void spoil(const std::string& text) { std::ofstream(probe_cache_path()) << text; }

  std::filesystem::path folder_;
  Machine machine_;
};

TEST_F(ProbeCache, RemembersWithItsDate) {
  EXPECT_FALSE(cached_probe().has_value());
  ASSERT_TRUE(save_probe(machine_).ok());
  EXPECT_EQ(probe_cache_path().parent_path(), folder_ / "tensortide");
  const auto cached = cached_probe();
  ASSERT_TRUE(cached.has_value());
  EXPECT_EQ(cached->probed_at, machine_.probed_at);
  EXPECT_EQ(machine_to_json(*cached), machine_to_json(machine_));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "tensortide"), {}),
            1);  // no draft left behind
}

TEST_F(ProbeCache, RemembersThatItIsNotWhole) {
  ASSERT_TRUE(save_probe(machine_).ok());
  EXPECT_EQ(roofs_weakness(*cached_probe()), roofs_weakness(machine_));
  EXPECT_NE(roofs_weakness(machine_).find("time ran out before"), std::string::npos)
      << "20 ms are not enough: " << roofs_weakness(machine_);
}

TEST_F(ProbeCache, AWeakProbeTakesNothingFromASoundOneAndFromAWeakOneOnlyWhatIsBetter) {
  const auto probe_of = [&](const char* date, double taken) {
    Machine machine = disturbed_probe(date, taken, taken, taken);
    machine.info = machine_.info;
    return machine;
  };
  const Machine first = probe_of("2026-01-01T10:00:00+0000", 1), second = probe_of("2026-01-01T10:10:00+0000", 8);
  ASSERT_EQ(remember_probe(first).not_remembered, "");
  const ProbeOutcome worse = remember_probe(second);
  EXPECT_EQ(worse.not_remembered, "");
  EXPECT_DOUBLE_EQ(worse.machine.compute_roof(engine::DType::float32, 2)->flop_per_s.median, 480e9);
  EXPECT_EQ(machine_to_json(*cached_probe()), machine_to_json(worse.machine));
  EXPECT_EQ(kept_from(*cached_probe(), "f32 arithmetic, 2 threads"), first.probed_at);

  Machine sound = probe_of("2026-01-01T10:20:00+0000", 2);
  sound.foreign_load_ratio = kUnknownLoad;
  ASSERT_EQ(roofs_weakness(sound), "");
  EXPECT_EQ(remember_probe(sound).not_remembered, "");
  EXPECT_DOUBLE_EQ(cached_probe()->compute_roof(engine::DType::float32, 2)->flop_per_s.median, 240e9)
      << "a sound probe replaces all";
  EXPECT_EQ(roofs_weakness(*cached_probe()), "");

  const ProbeOutcome weak = remember_probe(first);
  EXPECT_TRUE(weak.worse);
  EXPECT_NE(weak.not_remembered.find(sound.probed_at), std::string::npos) << weak.not_remembered;
  EXPECT_DOUBLE_EQ(weak.machine.compute_roof(engine::DType::float32, 2)->flop_per_s.median, 480e9)
      << "it counts for who asked";
  EXPECT_EQ(cached_probe()->probed_at, sound.probed_at);
}

TEST_F(ProbeCache, ForgetsWhenTheMachineIsAnother) {
  for (int i = 0; i < 2; ++i) {
    Machine other = machine_;
    if (i == 0) other.info.model += " (another)";
    if (i == 1) other.info.cores += 1;
    ASSERT_TRUE(save_probe(other).ok());
    EXPECT_FALSE(cached_probe().has_value());
  }
}

TEST_F(ProbeCache, AFileThatIsNotOursIsNoCache) {
  ASSERT_TRUE(save_probe(machine_).ok());
  const std::string good = machine_to_json(machine_);
  for (size_t length = 0; length < good.size(); length += 97) {
    spoil(good.substr(0, length));
    EXPECT_FALSE(cached_probe().has_value()) << length;
  }
  for (const char* text : {"[]", "null", "{\"schema\": 99}", "\xff\xfe", "{\"schema\": 1, \"compute\": 7}"}) {
    spoil(text);
    EXPECT_FALSE(cached_probe().has_value()) << text;
  }
  Machine impossible = machine_;
  impossible.compute.push_back({engine::DType::float32, 1, {-5, -5, -5, 3}, "none"});
  ASSERT_TRUE(save_probe(impossible).ok());
  EXPECT_FALSE(cached_probe().has_value());
  spoil(good);
  EXPECT_TRUE(cached_probe().has_value());
}

/// A version before timed no products of bytes: its roofs stay valid, and a probe that is asked for repeats it.
TEST_F(ProbeCache, KnowsAProbeThatHasFewerPeaks) {
  Machine machine = machine_;
  machine.matmul = {{.dtype = engine::DType::float32, .m = 64, .n = 64, .k = 64, .threads = 1, .onednn_ns = 900}};
  ASSERT_TRUE(save_probe(machine).ok());
  ASSERT_TRUE(cached_probe().has_value());
  EXPECT_TRUE(lacks_peaks(*cached_probe()));
  machine.matmul.push_back({.dtype = engine::DType::int8, .m = 64, .n = 64, .k = 64, .threads = 1, .onednn_ns = 200});
  ASSERT_TRUE(save_probe(machine).ok());
  EXPECT_FALSE(lacks_peaks(*cached_probe()));
}

TEST_F(ProbeCache, OneProcessAtATimeProbes) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {  // holds the lock until it is killed
    const ProbeLock lock = ProbeLock::take({}, {});
    const char held = lock.held() ? 'y' : 'n';
    if (write(ready[1], &held, 1) == 1) pause();
    _exit(0);
  }
  char held = 0;
  ASSERT_EQ(read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 'y');
  std::vector<std::string> told;
  const auto tell = [&](const std::string& sentence) { told.push_back(sentence); };
  const ProbeLock refused = ProbeLock::take(tell, [] { return true; });
  EXPECT_FALSE(refused.held()) << "cancelled while it waited";
  bool killed = false;
  const ProbeLock lock = ProbeLock::take(tell, [&] {
    if (!killed) kill(child, SIGKILL);
    killed = true;
    return false;
  });
  EXPECT_TRUE(killed) << "it waited until the other process was gone";
  EXPECT_TRUE(lock.held()) << "a lock ends with its process";
  EXPECT_TRUE(lock.waited());
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("waiting for another process"), std::string::npos) << told[0];
  EXPECT_NE(told[0].find(probe_lock_path().string()), std::string::npos) << told[0];
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST_F(ProbeCache, WhereThereCanBeNoLockItProbesWithoutAndSaysSo) {
  std::ofstream(folder_.string()) << "a file where the folder should be";
  std::vector<std::string> told;
  const ProbeLock lock = ProbeLock::take([&](const std::string& sentence) { told.push_back(sentence); }, {});
  EXPECT_FALSE(lock.held());
  EXPECT_FALSE(lock.waited());
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("probing without a lock"), std::string::npos) << told[0];
}

TEST_F(ProbeCache, SaysWhereItCannotWrite) {
  std::ofstream(folder_.string()) << "a file where the folder should be";
  const auto saved = save_probe(machine_);
  ASSERT_FALSE(saved.ok());
  EXPECT_NE(saved.error().message.find(folder_.string()), std::string::npos) << saved.error().message;
  EXPECT_FALSE(cached_probe().has_value());
}

}  // namespace
}  // namespace profiler
