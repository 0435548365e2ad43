// SPDX-License-Identifier: Apache-2.0
// Steps rebuilt from captures alone: closed forms of what streams move, what is unknown and why, threads, samples,
// limits; one op by itself.
#include "profiler/memory/step_simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <functional>
#include <map>
#include <utility>

#include "engine/ops/gradients.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"
#include "profiler/memory/cache_simulator.h"
#include "profiler/memory/captured_access.h"
#include "profiler/memory/op_simulation.h"
#include "profiler/record/plan_records.h"
#include "tests/profiler/memory/cache_hierarchy.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

using tests::OpLab;

CacheConfig small_caches() { return test::hierarchy({"8KiB/8/64:lru", "64KiB/8/64:lru"}); }

TrafficSource simulated(const std::shared_ptr<const Capture>& capture, int threads = 1, double seconds = 60) {
  auto source = simulate_step(capture, {.config = small_caches(), .threads = threads, .seconds = seconds});
  EXPECT_TRUE(source.ok()) << source.error().message;
  return *source;
}

constexpr int64_t kBig = int64_t{1} << 20, kSmall = 4096;

TEST(StepSimulation, AStreamLargerThanAllCachesMovesEveryLineAndTheLinesItWrites) {
  OpLab lab;
  const auto a = lab.tensor(kBig), b = lab.tensor(kBig), c = lab.tensor(kBig);
  const OpId op = lab.op("multiply", {a, b}, {c});
  const auto capture = lab.finish();
  const TrafficSource s = simulated(capture);
  EXPECT_EQ(s.origin, Origin::simulated);
  EXPECT_EQ(s.sampled, 1);
  ASSERT_EQ(s.links.size(), 3u);
  EXPECT_EQ(s.links[0].outer + s.links[0].inner + s.links[2].outer + s.links[2].inner, "DRAML2L1core");
  for (uint32_t l = 0; l < 3; ++l) {
    const TrafficRecord* r = s.of(op, l);
    ASSERT_NE(r, nullptr);
    EXPECT_EQ(r->read_bytes, (l < 2 ? 3 : 2) * double{kBig}) << "two loads, and the lines of the store fetched first";
    EXPECT_EQ(r->written_bytes, double{kBig});
    if (l == 2) continue;
    EXPECT_EQ(r->write_allocate_bytes, double{kBig});
    EXPECT_EQ(r->misses, 3.0 * kBig / 64);
    EXPECT_EQ(r->hits, l == 1 ? 3.0 * kBig / 4 - 3.0 * kBig / 64 : 0);
  }
  double by_tensor = 0;
  for (const TrafficRecord& r : s.of(op)) by_tensor += r.tensor != kNoTensor && r.link == 0 ? r.total_bytes() : 0;
  EXPECT_EQ(by_tensor, 4.0 * kBig);
  EXPECT_NE(s.op_notes[op].find("loops of our kernel"), std::string::npos);
}

TEST(StepSimulation, LinesFetchedAheadCrossTheLinksOnTheirWay) {
  OpLab lab;
  const auto a = lab.tensor(kBig), b = lab.tensor(kBig), c = lab.tensor(kBig);
  const OpId op = lab.op("multiply", {a, b}, {c});
  CacheConfig config = small_caches();
  config.levels.front().stride_prefetch = true;
  const auto s = simulate_step(lab.finish(), {.config = config, .threads = 1, .seconds = 60});
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_LT(s->of(op, 1)->misses, 3.0 * kBig / 64 / 2) << "fetched ahead";
  for (uint32_t l = 0; l < 2; ++l) EXPECT_EQ(s->of(op, l)->read_bytes, 3.0 * kBig) << l;
}

TEST(StepSimulation, WhatStaysInACacheFromStepToStepCostsNothingBeyondIt) {
  OpLab lab;
  const auto a = lab.tensor(kSmall), b = lab.tensor(kSmall);
  const OpId first = lab.op("relu", {a}, {b});
  const TrafficSource s = simulated(lab.finish());
  EXPECT_EQ(s.of(first, 0)->total_bytes(), 0) << "known to be nothing, which is not unknown";
  EXPECT_TRUE(s.of(first, 0)->known());
  EXPECT_EQ(s.of(first, 2)->total_bytes(), 2.0 * kSmall);
}

TEST(StepSimulation, StoresPastTheCachesFetchNothingAndCrossEveryLink) {
  OpLab lab;
  const auto a = lab.tensor(kBig), c = lab.tensor(kBig);
  const OpId op = lab.op("relu", {a}, {c}, 0, 1e6, 0, "net", "own relu (AVX-512, non-temporal stores)");
  const TrafficSource s = simulated(lab.finish());
  for (uint32_t l = 0; l < 3; ++l) {
    EXPECT_EQ(s.of(op, l)->read_bytes, double{kBig});
    EXPECT_EQ(s.of(op, l)->written_bytes, double{kBig});
  }
}

TEST(StepSimulation, OpsWithoutDescriptionAreUnknownWithAReason) {
  OpLab lab;
  const auto a = lab.tensor(kSmall), b = lab.tensor(kSmall);
  const OpId strange = lab.op("telepathy", {a}, {b}), misfit = lab.op("matmul", {a, b}, {a}),
             fine = lab.op("relu", {a}, {b});
  const TrafficSource s = simulated(lab.finish());
  for (const OpId op : {strange, misfit}) {
    for (uint32_t l = 0; l < s.links.size(); ++l) EXPECT_FALSE(s.of(op, l)->known());
  }
  EXPECT_NE(s.op_notes[strange].find("has no op \"telepathy\""), std::string::npos);
  EXPECT_NE(s.op_notes[misfit].find("does not fit the op"), std::string::npos);
  EXPECT_TRUE(s.of(fine, 0)->known());
  EXPECT_NE(s.method.find("2 of 3 ops are not simulated"), std::string::npos);
}

TEST(StepSimulation, CausesAreToldApartWhereLinesComeAgainAndAgain) {
  // Columns of 64 rows, 512 bytes apart: they share two of 16 sets of 8 ways, while all 64 lines would fit a cache of
  // 128.
  const auto causes_at = [](int64_t row) {
    OpLab lab;
    const auto a = lab.tensor(4 * 64 * 64, {.shape = {64, 64}, .strides = {64, 1}}),
               b = lab.tensor(4 * 64 * row, {.shape = {64, 64}, .strides = {row, 1}});
    const auto c = lab.tensor(4 * 64 * 64, {.shape = {64, 64}, .strides = {64, 1}});
    const OpId op = lab.op("ladder_product", {a, b}, {c}, 0, 1e6, 0, "net", "own ladder, naive");
    lab.builder().set_attributes(op, {{"rung", std::string("naive")}, {"tile", int64_t{64}}, {"sigmoid", int64_t{0}}});
    lab.op("relu", {lab.tensor(kSmall)}, {lab.tensor(kSmall)});
    return simulated(lab.finish()).causes;
  };
  const std::vector<MissCauses> causes = causes_at(128);
  ASSERT_FALSE(causes.empty());
  const auto l1 = std::ranges::find(causes, 1u, &MissCauses::link);
  ASSERT_NE(l1, causes.end());
  EXPECT_EQ(l1->op, 0u);
  EXPECT_GT(l1->conflict_ratio, 0.9);
  EXPECT_NEAR(l1->compulsory_ratio + l1->capacity_ratio + l1->conflict_ratio, 1, 1e-9);
  for (const MissCauses& padded : causes_at(128 + 16)) {
    if (padded.link != 1) continue;
    EXPECT_LT(padded.conflict_ratio, 0.2) << "a line of padding: what comes again did not fit anyway";
  }
}

TEST(StepSimulation, MissesInFarStepsAreCountedByTheirStep) {
  const auto misses_at = [](int64_t row, double beyond) {
    OpLab lab;
    const auto a = lab.tensor(4 * 64 * 64, {.shape = {64, 64}, .strides = {64, 1}}),
               b = lab.tensor(4 * 64 * row, {.shape = {64, 64}, .strides = {row, 1}});
    const auto c = lab.tensor(4 * 64 * 64, {.shape = {64, 64}, .strides = {64, 1}});
    const OpId op = lab.op("ladder_product", {a, b}, {c}, 0, 1e6, 0, "net", "own ladder, naive");
    lab.builder().set_attributes(op, {{"rung", std::string("naive")}, {"tile", int64_t{64}}, {"sigmoid", int64_t{0}}});
    const auto x = lab.tensor(kBig);
    lab.op("relu", {x}, {lab.tensor(kBig)});
    const TrafficSource s = simulated(lab.finish());
    EXPECT_EQ(s.misses_beyond(1, 1, 0), 0) << "memory in order";
    EXPECT_GT(s.of(op, 1)->error_band, 0);
    return std::pair(s.misses_beyond(op, 1, beyond), s.of(op, 1)->error_band);
  };
  // Columns of the second operand: 64 rows of a KiB, each a line of its own, in sets they share.
  const auto [far, far_band] = misses_at(1024, 2048);
  EXPECT_GT(far, 64.0 * 64 * 64 * 0.5);
  EXPECT_EQ(misses_at(1024, 4096).first, 0) << "steps of 4 KiB are not beyond 4 KiB";
  const auto [near, near_band] = misses_at(256, 2048);
  EXPECT_EQ(near, 0) << "steps of a KiB";
  EXPECT_GT(far_band, near_band);
}

TEST(StepSimulation, ALibrarysKernelIsModelledNotExact) {
  OpLab lab;
  const OpLab::Options square{.shape = {64, 64}, .strides = {64, 1}};
  const auto a = lab.tensor(4 * 64 * 64, square), b = lab.tensor(4 * 64 * 64, square),
             c = lab.tensor(4 * 64 * 64, square);
  const OpId own = lab.op("matmul", {a, b}, {c}, 0, 1e6, 0, "net", "own gemm (AVX-512)");
  const OpId library = lab.op("matmul", {a, b}, {c}, 0, 1e6, 0, "net", "oneDNN brgemm:avx512_core");
  const TrafficSource s = simulated(lab.finish());
  EXPECT_GT(s.of(library, 1)->error_band, s.of(own, 1)->error_band);
  EXPECT_NE(s.op_notes[library].find("oneDNN brgemm"), std::string::npos);
  EXPECT_EQ(s.of(library, 1)->read_bytes > 0, true);
}

TEST(StepSimulation, WhatTheReferenceComputesIsModelledNotExact) {
  OpLab lab;
  const OpLab::Options square{.shape = {64, 64}, .strides = {64, 1}};
  const auto x = lab.tensor(4 * 64 * 64, square), y = lab.tensor(4 * 64 * 64, square);
  const OpId own = lab.op("relu", {x}, {y}, 0, 1e6, 0, "net", "own elementwise (AVX-512)");
  const OpId reference = lab.op("relu", {x}, {y}, 0, 1e6, 0, "net", "reference");
  const TrafficSource s = simulated(lab.finish());
  EXPECT_NE(s.op_notes[own].find("loops of our kernel"), std::string::npos);
  EXPECT_NE(s.op_notes[reference].find("modelled: the reference computes it"), std::string::npos)
      << s.op_notes[reference];
  EXPECT_GT(s.of(reference, 1)->error_band, s.of(own, 1)->error_band);
}

TEST(StepSimulation, ThreadsChangeNothing) {
  OpLab lab;
  const OpLab::Options square{.shape = {160, 160}, .strides = {160, 1}};
  const auto a = lab.tensor(4 * 160 * 160, square), b = lab.tensor(4 * 160 * 160, square),
             c = lab.tensor(4 * 160 * 160, square);
  const auto x = lab.tensor(kBig), y = lab.tensor(kBig);
  lab.op("matmul", {a, b}, {c});
  lab.op("relu", {x}, {y});
  const auto capture = lab.finish();
  const TrafficSource one = simulated(capture), four = simulated(capture, 4);
  EXPECT_EQ(one.records, four.records);
}

/// Processor time of this process, so that other programs do not matter; as a machine would take that is so many times
/// slower.
std::function<double()> slow_clock(double times) {
  return [=] { return times * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
}

TEST(StepSimulation, KeepsToItsTimeOnASlowMachineAndLeavesNoOpOut) {
  OpLab lab;
  const OpLab::Options square{.shape = {400, 400}, .strides = {400, 1}};
  std::vector<OpId> ops;
  for (int layer = 0; layer < 6; ++layer) {
    const auto a = lab.tensor(4 * 400 * 400, square), b = lab.tensor(4 * 400 * 400, square),
               c = lab.tensor(4 * 400 * 400, square);
    ops.push_back(lab.op("matmul", {a, b}, {c}));
    ops.push_back(lab.op("relu", {c}, {lab.tensor(4 * 400 * 400, square)}));
  }
  const auto capture = lab.finish();
  const CacheConfig config = test::hierarchy({"32KiB/8/64:plru", "256KiB/8/64:lru"});
  constexpr double kSlow = 1000;  // an hour of such a machine
  const auto clock = slow_clock(kSlow);
  const auto timed = [&](double seconds, double& took) {
    const double start = clock();
    auto source = simulate_step(capture, {.config = config, .seconds = seconds, .clock = clock});
    took = clock() - start;
    EXPECT_TRUE(source.ok());
    return *source;
  };
  double all = 0, again = 0, part = 0;
  const TrafficSource exact = timed(1e9, all);
  timed(1e9, again);
  all = std::min(all, again);  // a processor that slows down for a while has not a quarter of that time to spare
  EXPECT_EQ(exact.sampled, 1);
  const TrafficSource sampled = timed(all / 4, part);
  EXPECT_GT(sampled.sampled, 1);
  EXPECT_LT(part, 2.75 * all / 4) << "twice, and half of it for the causes;"
                                     "of "
                                  << all << " s for all sets";
  EXPECT_NE(sampled.method.find("one set of"), std::string::npos);
  EXPECT_GT(sampled.sampling_error, 0);
  for (const OpId op : ops) {
    ASSERT_TRUE(sampled.of(op, 1)->known()) << op;
    EXPECT_NEAR(sampled.of(op, 1)->read_bytes, exact.of(op, 1)->read_bytes, 0.05 * exact.of(op, 1)->read_bytes);
    EXPECT_GT(sampled.of(op, 1)->error_band, exact.of(op, 1)->error_band);
    EXPECT_EQ(sampled.of(op, 2)->error_band, exact.of(op, 2)->error_band) << "bytes that the op names are not sampled";
  }
}

/// Of a machine that is busy for so many looks at the clock, a second each, and then free.
std::function<double()> busy_clock(int looks) {
  return [looks, time = 0.0, asked = 0]() mutable { return time += asked++ < looks ? 1 : 1e-6; };
}

/// Large streams, and an op whose data stay in the caches.
std::shared_ptr<const Capture> streams_and_a_hot_op(int streams) {
  OpLab lab;
  const auto x = lab.tensor(kSmall), y = lab.tensor(kSmall);
  for (int i = 0; i < streams; ++i) lab.op("relu", {lab.tensor(kBig)}, {lab.tensor(kBig)});
  lab.op("relu", {x}, {y});
  lab.op("relu", {x}, {y});
  return lab.finish();
}

TEST(StepSimulation, BandsOfASampleStayBelowTheWholeAndNoMissesAreNoError) {
  OpLab lab;
  const OpLab::Options square{.shape = {80, 80}, .strides = {80, 1}};  // three of 25 KiB: near the L2
  const auto a = lab.tensor(4 * 80 * 80, square), b = lab.tensor(4 * 80 * 80, square),
             c = lab.tensor(4 * 80 * 80, square);
  const auto x = lab.tensor(512), y = lab.tensor(512);
  for (int i = 0; i < 8; ++i) lab.op("relu", {lab.tensor(kBig)}, {lab.tensor(kBig)});
  lab.op("matmul", {a, b}, {c}, 0, 1e6, 0, "net", "oneDNN brgemm:avx512_core");
  lab.op("relu", {x}, {y});
  const OpId hot = lab.op("relu", {x}, {y});
  const auto capture = lab.finish();
  const TrafficSource exact = simulated(capture);
  const auto sampled = simulate_step(capture, {.config = small_caches(), .seconds = 20, .clock = busy_clock(4)});
  ASSERT_TRUE(sampled.ok());
  ASSERT_GT(sampled->sampled, 1);
  for (const TrafficRecord& r : sampled->records) EXPECT_LT(r.error_band, 1) << r.op << " link " << r.link;
  for (const uint32_t link : {0u, 1u}) {
    ASSERT_EQ(sampled->of(hot, link)->misses, 0);
    EXPECT_EQ(sampled->of(hot, link)->error_band, exact.of(hot, link)->error_band) << "nothing moved";
  }
  EXPECT_LT(sampled->sampling_error, 0.2) << "what was sampled are streams";
}

TEST(StepSimulation, WhereNothingMissesInTheSampleItsErrorIsNotSaidInPercent) {
  OpLab lab;
  const auto x = lab.tensor(kSmall / 2), y = lab.tensor(kSmall / 2);
  for (int i = 0; i < 1000; ++i) lab.op("relu", {x}, {y});
  const auto sampled =
      simulate_step(lab.finish(), {.config = small_caches(), .seconds = 1000, .clock = busy_clock(100)});
  ASSERT_TRUE(sampled.ok());
  ASSERT_GT(sampled->sampled, 1);
  EXPECT_EQ(sampled->sampling_error, 0);
  EXPECT_NE(sampled->method.find("simulated and scaled (no misses in these sets)"), std::string::npos)
      << sampled->method;
}

TEST(StepSimulation, ThreadsChangeNothingOfASample) {
  const auto capture = streams_and_a_hot_op(10);
  const auto at = [&](int threads) {
    auto source =
        simulate_step(capture, {.config = small_caches(), .threads = threads, .seconds = 20, .clock = busy_clock(4)});
    EXPECT_TRUE(source.ok());
    return *source;
  };
  const TrafficSource one = at(1), four = at(4);
  ASSERT_EQ(one.sampled, 4) << "four of 16 slices: one for each thread";
  EXPECT_EQ(four.sampled, one.sampled);
  EXPECT_EQ(four.sampling_error, one.sampling_error);
  EXPECT_EQ(four.records, one.records);
}

TEST(StepSimulation, ProgressDoesNotFallBackWithANewStart) {
  std::vector<double> seen;
  const auto busy_in_the_third_op = [time = 0.0, asked = 0]() mutable { return time += asked++ == 7 ? 5 : 1e-6; };
  const auto source = simulate_step(streams_and_a_hot_op(10), {.config = small_caches(),
                                                               .seconds = 20,
                                                               .clock = busy_in_the_third_op,
                                                               .progress = [&](double done) { seen.push_back(done); }});
  ASSERT_TRUE(source.ok());
  ASSERT_GT(source->sampled, 1);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(seen.back(), 1);
}

/// A second per look, and once, where so much is done, so many more.
TrafficSource with_a_jump(const std::shared_ptr<const Capture>& capture, double at, double seconds) {
  double time = 0, done = 0;
  const auto clock = [&] {
    if (done >= at) time += std::exchange(seconds, 0);
    return time += 1;
  };
  auto source = simulate_step(
      capture, {.config = small_caches(), .seconds = 100, .clock = clock, .progress = [&](double now) { done = now; }});
  EXPECT_TRUE(source.ok());
  return *source;
}

TEST(StepSimulation, ALateChangeOfPaceKeepsTheOpsThatAreDone) {
  const auto capture = streams_and_a_hot_op(10);
  const auto known = [&](const TrafficSource& s) {
    return std::ranges::count_if(capture->ops(), [&](const OpRecord& op) { return s.of(op.id, 0)->known(); });
  };
  const TrafficSource late = with_a_jump(capture, 0.75, 145);
  EXPECT_EQ(late.sampled, 1) << "at this pace it would not end, but a new start would not either";
  EXPECT_EQ(known(late), 12);
  const TrafficSource too_late = with_a_jump(capture, 0.75, 300);
  EXPECT_EQ(too_late.sampled, 1);
  EXPECT_GE(known(too_late), 4);
  EXPECT_LT(known(too_late), 12);
  EXPECT_NE(too_late.op_notes[11].find("time allowed"), std::string::npos);
  const TrafficSource early = with_a_jump(capture, 0.2, 60);
  EXPECT_GT(early.sampled, 1) << "a new start fits";
  EXPECT_EQ(known(early), 12);
}

/// A column of 64 Ki lines in one set of the upper half: of two threads the first has nothing to do but listen.
std::shared_ptr<const Capture> one_set(int ops) {
  OpLab lab;
  constexpr int64_t kRows = 65536, kRow = 1024;
  const OpLab::Options column{.shape = {kRows, 1}, .strides = {kRow / 4, 1}};
  lab.tensor(512);
  const auto x = lab.tensor(kRows * kRow, column), y = lab.tensor(kRows * kRow, column);
  for (int i = 0; i < ops; ++i) lab.op("relu", {x}, {y});
  return lab.finish();
}

TEST(StepSimulation, TheHardEndIsKeptWhileTheFirstThreadWaitsForTheOthers) {
  constexpr int kOps = 256;
  bool through = false;
  int asked = 0;
  const auto clock = [&] { return through ? ++asked, 1e6 : 0.0; };
  const auto source = simulate_step(
      one_set(kOps),
      {.config = small_caches(), .threads = 2, .clock = clock, .progress = [&](double done) { through = done == 1; }});
  ASSERT_TRUE(source.ok());
  EXPECT_GE(asked, 2) << "while it waits, and once for the causes";
  EXPECT_FALSE(source->of(kOps - 1, 0)->known());
  EXPECT_NE(source->op_notes[kOps - 1].find("time allowed"), std::string::npos);
}

TEST(StepSimulation, AStopWhileTheFirstThreadWaitsForTheOthersIsARefusal) {
  std::atomic<bool> stop = false;
  const auto note = [&](double done) {
    if (done == 1) stop = true;
  };
  EXPECT_FALSE(
      simulate_step(one_set(256), {.config = small_caches(), .threads = 2, .stop = &stop, .progress = note}).ok());
  EXPECT_TRUE(stop);
}

TEST(StepSimulation, EndsWhenItsTimeIsOverOrWhenStopped) {
  OpLab lab;
  const auto x = lab.tensor(kBig), y = lab.tensor(kBig);
  const OpId op = lab.op("relu", {x}, {y});
  const auto capture = lab.finish();
  const TrafficSource none = simulated(capture, 1, 1e-9);
  EXPECT_FALSE(none.of(op, 0)->known());
  EXPECT_NE(none.op_notes[op].find("time allowed"), std::string::npos);
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(simulate_step(capture, {.config = small_caches(), .stop = &stop}).ok());
  CacheConfig through = small_caches();
  through.levels[0].write_back = false;
  EXPECT_NE(simulate_step(capture, {.config = through}).error().message.find("write-back"), std::string::npos);
}

TEST(CapturedStep, EveryOpOfEveryWorkloadIsRebuiltFromItsCapture) {
  int ops = 0;
  for (const engine::Workload& workload : engine::workloads()) {
    const auto arguments = engine::resolve(workload, {});
    ASSERT_TRUE(arguments.ok());
    const auto graph = engine::build_graph(workload, *arguments);
    ASSERT_TRUE(graph.ok()) << workload.name;
    const auto memory = engine::plan_memory(*graph);
    ASSERT_TRUE(memory.ok()) << workload.name;
    CaptureBuilder builder;
    add_planned(builder, *graph, *memory);
    const auto capture = builder.finish();
    ASSERT_TRUE(capture.ok());
    const auto step = CapturedStep::make(*capture, uint64_t{1} << 50);
    ASSERT_TRUE(step.ok()) << workload.name << ": " << step.error().message;
    for (const OpRecord& op : (*capture)->ops()) {
      EXPECT_EQ(step->objection(op.id), "")
          << workload.name << ": " << (*capture)->name(op.name) << " (an op lists its attributes)";
      ++ops;
    }
  }
  EXPECT_GT(ops, 1000);
}

TEST(CapturedStep, AFileThatSaysNonsenseIsRefusedOpByOp) {
  const auto objection = [](auto&& spoil) {
    OpLab lab;
    const auto a = lab.tensor(kSmall, {.shape = {32, 32}, .strides = {32, 1}}),
               b = lab.tensor(kSmall, {.shape = {32, 32}, .strides = {32, 1}});
    const auto far = lab.tensor(kSmall, {.shape = {32, 32}, .strides = {int64_t{1} << 60, 1}});
    const OpId op = spoil(lab, a, b, far);
    const auto step = CapturedStep::make(lab.finish(), uint64_t{1} << 37);
    EXPECT_TRUE(step.ok());
    return step.ok() ? step->objection(op) : std::string();
  };
  EXPECT_EQ(objection([](OpLab& l, auto a, auto b, auto) { return l.op("relu", {a}, {b}); }), "");
  EXPECT_NE(objection([](OpLab& l, auto a, auto b, auto far) {
              return static_cast<void>(a), l.op("relu", {far}, {b});
            }).find("its bytes"),
            std::string::npos);
  EXPECT_NE(objection([](OpLab& l, auto, auto b, auto) { return l.op("relu", {}, {b}); }), "");
  EXPECT_NE(objection([](OpLab& l, auto a, auto, auto) { return l.op("relu", {a}, {}); }).find("results"),
            std::string::npos);
  EXPECT_NE(objection([](OpLab& l, auto a, auto b, auto) {
              const OpId op = l.op("softmax", {a}, {b});
              l.builder().set_attributes(op, {{"axis", std::string("one")}});
              return op;
            }).find("\"axis\""),
            std::string::npos);
  const auto resized = [&](const char* key, engine::Attributes::Item item) {
    return objection([&](OpLab& l, auto a, auto b, auto) {
      const OpId op = l.op("resize", {a}, {b});
      l.builder().set_attributes(op, {{"sizes", std::vector<int64_t>{32, 32}}, {key, item}});
      return op;
    });
  };
  EXPECT_EQ(resized("scale_1", 1.0), "") << "one for each axis";
  for (const char* key : {"scale_x", "epsilon_1", "wings"})
    EXPECT_NE(resized(key, 1.0).find(key), std::string::npos) << key;
  EXPECT_NE(resized("scale_1", int64_t{1}).find("\"scale_1\""), std::string::npos) << "of another kind";
}

/// Uneven shares of threads can speak against a product over plain weights: its kernel says what ran.
TEST(CapturedStep, AGradientOverPlainWeightsIsOneWhereItRanSo) {
  OpLab lab;
  const std::vector<int64_t> image{1, 64, 7, 7}, dense{64 * 49, 1, 7 * 64, 64};
  const auto dy = lab.tensor(64 * 49 * 4, {.shape = image, .strides = dense}),
             dx = lab.tensor(64 * 49 * 4, {.shape = image, .strides = dense});
  const auto weight = lab.tensor(64 * 64 * 9 * 4, {.shape = {64, 64, 3, 3}, .strides = {64 * 9, 9, 3, 1}});
  const auto op = [&](const char* kernel) {
    const OpId id = lab.op("conv2d_grad_input", {dy, weight}, {dx}, 1, 1e6, 0, "net", kernel);
    engine::Attributes attributes{{"stride", std::vector<int64_t>{1, 1}},
                                  {"padding", std::vector<int64_t>{1, 1, 1, 1}}};
    engine::ops::set_result_type(attributes, "input",
                                 engine::TensorType::channels_last(engine::DType::float32, {1, 64, 7, 7}));
    lab.builder().set_attributes(id, attributes);
    return id;
  };
  const OpId own = op("own gemm over plain weights (AVX3)"), other = op("oneDNN brgconv:avx512_core"), never = op("");
  const auto step = CapturedStep::make(lab.finish(), uint64_t{1} << 37);
  ASSERT_TRUE(step.ok());
  struct Loads final : engine::AccessSink {
    std::map<uint64_t, int64_t> elements;  ///< by their address
    using AccessSink::group;
    void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
      for (const engine::AccessStream& s : streams) elements[s.address] += iterations;
    }
  };
  const auto accesses = [&](OpId id) {
    EXPECT_EQ(step->objection(id), "");
    Loads loads;
    EXPECT_EQ(engine::access::describe(step->call(id), loads), engine::access::Fidelity::modelled);
    return loads.elements;
  };
  EXPECT_NE(accesses(own), accesses(other));
  EXPECT_EQ(accesses(own), accesses(never)) << "what did not run is described as it would";
}

/// Weights that a graph computes, and all those of eager ops, are packed in every step.
TEST(CapturedStep, OnlyWeightsOfAPlanAreReady) {
  const auto ready = [](const char* graph, Role role) {
    OpLab lab;
    const std::vector<int64_t> image{1, 8, 6, 6}, dense{8 * 36, 1, 6 * 8, 8};
    const auto x = lab.tensor(8 * 36 * 4, {.shape = image, .strides = dense}),
               y = lab.tensor(8 * 36 * 4, {.shape = image, .strides = dense});
    const auto weight = lab.tensor(8 * 8 * 9 * 4, {.role = role, .shape = {8, 8, 3, 3}, .strides = {72, 9, 3, 1}});
    const OpId id = lab.op("conv2d", {x, weight}, {y}, 0, 1e6, 0, "net", "own gemm over columns of the image (AVX3)");
    lab.builder().set_attributes(
        id, {{"stride", std::vector<int64_t>{1, 1}}, {"padding", std::vector<int64_t>{1, 1, 1, 1}}});
    lab.builder().run().arguments["graph"] = graph;
    const auto step = CapturedStep::make(lab.finish(), uint64_t{1} << 37);
    return step.ok() && step->call(id).constant_weights;
  };
  EXPECT_TRUE(ready("static", Role::weight));
  EXPECT_FALSE(ready("eager", Role::weight));
  EXPECT_FALSE(ready("static", Role::activation));
}

/// 16-bit weights of a plan are widened before the step: they are read as f32, and no store makes them.
TEST(CapturedStep, CopiesOfWeightsOfAPlanAreReady) {
  struct Bytes final : engine::AccessSink {
    double loaded = 0, stored = 0;
    using AccessSink::group;
    void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
      for (const engine::AccessStream& s : streams)
        (s.kind == engine::AccessKind::load ? loaded : stored) += static_cast<double>(iterations * s.bytes);
    }
  };
  const auto bytes = [](const char* graph, Role role, const char* op, std::vector<int64_t> weight) {
    OpLab lab;
    const auto tensor = [&](std::vector<int64_t> shape, Role r) {
      int64_t elements = 1;
      for (const int64_t extent : shape) elements *= extent;
      return lab.tensor(2 * elements, {.role = r, .shape = std::move(shape), .dtype = engine::DType::float16});
    };
    const auto x = tensor({64, 128}, Role::activation), y = tensor({64, 128}, Role::activation);
    const OpId id = lab.op(op, {x, tensor(std::move(weight), role)}, {y}, 0, 1e6, 0, "net",
                           "f32 via workspace, f16 in and out: own");
    lab.builder().run().arguments["graph"] = graph;
    const auto step = CapturedStep::make(lab.finish(), uint64_t{1} << 37);
    EXPECT_TRUE(step.ok());
    EXPECT_EQ(step->objection(id), "");
    Bytes counted;
    step->describe(id, counted);
    return counted;
  };
  for (const auto& [op, weight] :
       {std::pair<const char*, std::vector<int64_t>>{"linear", {128, 128}}, {"matmul", {128, 128}}}) {
    SCOPED_TRACE(op);
    double elements = 1;
    for (const int64_t extent : weight) elements *= static_cast<double>(extent);
    const Bytes ready = bytes("static", Role::weight, op, weight), eager = bytes("eager", Role::weight, op, weight),
                computed = bytes("static", Role::activation, op, weight);
    EXPECT_EQ(eager.stored - ready.stored, 4 * elements);
    EXPECT_EQ(eager.loaded - ready.loaded, 2 * elements);
    EXPECT_EQ(computed.stored, eager.stored);
  }
}

/// Which library a convolution ran by is in its kernel's name, in fused ops, too.
TEST(CapturedStep, AConvolutionByOwnProductsIsDescribedByTheirLoops) {
  OpLab lab;
  const std::vector<int64_t> image{1, 8, 6, 6}, dense{8 * 36, 1, 6 * 8, 8};
  const auto x = lab.tensor(8 * 36 * 4, {.shape = image, .strides = dense}),
             y = lab.tensor(8 * 36 * 4, {.shape = image, .strides = dense});
  const auto weight = lab.tensor(8 * 8 * 9 * 4, {.shape = {8, 8, 3, 3}, .strides = {72, 9, 3, 1}});
  const auto op = [&](const char* kernel) {
    const OpId id = lab.op("conv2d", {x, weight}, {y}, 0, 1e6, 0, "net", kernel);
    lab.builder().set_attributes(
        id, {{"stride", std::vector<int64_t>{1, 1}}, {"padding", std::vector<int64_t>{1, 1, 1, 1}}});
    return id;
  };
  const OpId own = op("own gemm over columns of the image (AVX3)"),
             fused = op("own loop after own gemm over columns of the image (AVX2)"),
             other = op("oneDNN brgconv:avx512_core"), plain = op("own gemm over plain weights (AVX3)");
  const auto step = CapturedStep::make(lab.finish(), uint64_t{1} << 37);
  ASSERT_TRUE(step.ok());
  struct Deaf final : engine::AccessSink {
    using AccessSink::group;
    void group(int64_t, std::span<const engine::AccessStream>) override {}
  } deaf;
  EXPECT_EQ(step->describe(own, deaf), engine::access::Fidelity::loops);
  EXPECT_EQ(step->describe(fused, deaf), engine::access::Fidelity::loops);
  EXPECT_EQ(step->describe(other, deaf), engine::access::Fidelity::modelled);
  EXPECT_EQ(step->describe(plain, deaf), engine::access::Fidelity::modelled);
  EXPECT_EQ(step->call(own).threads, step->capture().run().threads);
}

TEST(CapturedStep, BytesOfTheArenaBelongToWhoWroteThemLast) {
  OpLab lab;
  lab.op("relu", {lab.tensor(kSmall, {.persistent = true})}, {lab.tensor(kSmall)});
  const auto capture = lab.finish();
  const auto step = CapturedStep::make(capture, uint64_t{1} << 37);
  ASSERT_TRUE(step.ok());
  TensorOwners owners(*step);
  EXPECT_TRUE(owners.produce(0));
  const auto ranges = owners.ranges();
  ASSERT_EQ(ranges.size(), 3u) << "two tensors and the panels";
  for (size_t i = 0; i + 1 < ranges.size(); ++i) EXPECT_LE(ranges[i].end, ranges[i + 1].begin);
}

TEST(OpSimulation, CountsCausesCurveAndOrderOfAStream) {
  OpLab lab;
  const auto a = lab.tensor(kBig), b = lab.tensor(kBig), c = lab.tensor(kBig);
  const OpId op = lab.op("multiply", {a, b}, {c});
  const auto capture = lab.finish();
  const auto one = simulate_op(
      capture, op, {.config = small_caches(), .causes = true, .curve = true, .first_accesses = 7, .seconds = 60});
  ASSERT_TRUE(one.ok()) << one.error().message;
  const uint64_t lines = 3 * kBig / 64;
  ASSERT_EQ(one->epochs.size(), 2u);
  EXPECT_EQ(one->accesses, 3u * kBig / 4);
  EXPECT_EQ(one->epochs[0].total(0).misses(), lines);
  EXPECT_EQ(one->epochs[0].total(0).compulsory, lines);
  EXPECT_EQ(one->epochs[1].total(0).capacity, lines) << "once more: nothing was kept";
  EXPECT_EQ(one->curve.distinct_bytes, 3u * kBig);
  EXPECT_EQ(one->curve.working_set_bytes, 3 * 64) << "three lines at a time";
  EXPECT_EQ(one->curve.points.back().misses, lines);
  ASSERT_EQ(one->tensors.size(), 4u);
  EXPECT_EQ(one->tensors[2].tensor, c);
  EXPECT_EQ(one->epochs[0].levels[0][2].store_misses, lines / 3);
  ASSERT_EQ(one->first_accesses.size(), 7u);
  EXPECT_EQ(one->first_accesses[2].kind, engine::AccessKind::store);
  EXPECT_EQ(one->first_accesses[0].level, 2) << "memory";
  EXPECT_EQ(one->first_accesses[3].level, 0) << "the next element of the same line";
  EXPECT_EQ(one->first_accesses[3].address, one->first_accesses[0].address + 4);
}

TEST(OpSimulation, SamplesWhereItWouldTakeTooLongAndStops) {
  OpLab lab;
  const auto a = lab.tensor(kBig), c = lab.tensor(kBig);
  const OpId op = lab.op("relu", {a}, {c});
  const auto capture = lab.finish();
  const auto quick = simulate_op(capture, op, {.config = small_caches(), .curve = true, .seconds = 1e-3});
  ASSERT_TRUE(quick.ok());
  EXPECT_GT(quick->epochs[0].sampled, 1);
  EXPECT_NEAR(static_cast<double>(quick->epochs[0].total(0).misses()), 2.0 * kBig / 64, 0.02 * kBig / 64);
  ASSERT_FALSE(quick->curve.points.empty());
  EXPECT_LT(quick->curve.rate, 1);
  EXPECT_NEAR(quick->curve.points.back().miss_ratio, 1.0 / 16,
              std::max(1e-3, quick->curve.points.back().miss_ratio_error))
      << "each line of 16 elements is met once";
  EXPECT_NE(quick->how.find("the curve is sampled by lines (SHARDS), 1/"), std::string::npos) << quick->how;
  const auto causes = simulate_op(capture, op, {.config = small_caches(), .causes = true, .seconds = 1e-3});
  ASSERT_TRUE(causes.ok());
  EXPECT_TRUE(causes->curve.points.empty());
  EXPECT_NE(causes->how.find("causes were left out"), std::string::npos) << causes->how;
  EXPECT_NE(quick->how.find("misses of the cold run L1 ± "), std::string::npos) << quick->how;
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(simulate_op(capture, op, {.config = small_caches(), .stop = &stop}).ok());
  EXPECT_FALSE(simulate_op(capture, op, {.config = {}}).ok());
}

}  // namespace
}  // namespace profiler
