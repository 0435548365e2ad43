// SPDX-License-Identifier: Apache-2.0
// Curves from a sample of the lines against exact ones: how far off, and whether the error that is said covers it.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "profiler/memory/cache_simulator.h"
#include "profiler/memory/miss_curve.h"
#include "tests/profiler/memory/cache_hierarchy.h"
#include "tests/profiler/memory/cache_streams.h"

namespace profiler {
namespace {

using Loop = std::function<void(engine::AccessSink&)>;

struct Case {
  const char* name;
  Loop loop;
  double doubling;  // error allowed where sizes double
};

Loop on_arrays(int64_t elements, void (*loop)(engine::AccessSink&, const test::ThreeArrays&, int64_t),
               int64_t argument) {
  return [=](engine::AccessSink& sink) { loop(sink, test::ThreeArrays(elements), argument); };
}

/// The references on which LibCacheSimAtTenSizesAtOnce was run (cache_oracles_test.cpp), with `times` as many of them
/// and of the lines: 3/8 to 20 lines, 3/8 to 300, 1/4 to 5000.
Loop three_sets(uint64_t times) {
  return [times](engine::AccessSink& sink) {
    uint64_t state = 5;
    const auto next = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
    for (uint64_t i = 0; i < 50000 * times; ++i) {
      const uint64_t a = next(), kind = next() % 8,
                     line = kind < 3   ? a % (20 * times)
                            : kind < 6 ? a % (300 * times)
                                       : a % (5000 * times);
      sink.group(1, {test::load(line * 64, 0)});
    }
  };
}

/// All distances, by the simulator that classifies misses.
std::unique_ptr<StackDistance> exactly(const Loop& loop) {
  std::unique_ptr<StackDistance> distances;
  const auto done = simulate(
      test::hierarchy({"4KiB/8/64:lru"}), {.classify = true}, {""},
      [&](engine::AccessSink& sink, size_t) { loop(sink); }, &distances);
  EXPECT_TRUE(done.ok());
  return distances;
}

struct Errors {
  double even = 0,
         doubling = 0;  // mean absolute errors of the miss ratio at sizes that lie evenly, and at those of a curve
  double said = 0;      // the latter as said
  int points = 0, covered = 0;  // of the curve
};

Errors errors_of(const StackDistance& exact, const SampledDistance& sampled) {
  Errors e;
  const auto all = static_cast<double>(exact.accesses());
  constexpr uint64_t kSizes = 100;
  for (uint64_t i = 1; i <= kSizes; ++i) {
    const uint64_t lines = 1 + exact.lines() * i / kSizes;
    e.even += std::abs(sampled.misses(lines) - static_cast<double>(exact.misses(lines))) / all / kSizes;
  }
  const MissCurve want = curve_of(exact, 64), got = curve_of(sampled, 64);
  for (const CurvePoint& p : want.points) {
    const auto lines = static_cast<uint64_t>(p.cache_bytes / 64);
    const double off = std::abs(sampled.misses(lines) / all - p.miss_ratio);
    e.doubling += off / static_cast<double>(want.points.size());
    ++e.points;
    e.covered += off <= sampled.miss_ratio_error(lines) ? 1 : 0;
  }
  e.said = got.mean_error();
  return e;
}

// FAST '15 asks for a mean absolute error below 0.01, at sizes that lie evenly. Where they double, as here, the
// steepest place of a curve weighs as much as all that lies above it: a column of 256 lines, of which a hundredth are
// 3, is a step that is met as a slope.
TEST(SampledDistance, AHundredthOfTheLinesMakesTheSameCurve) {
  const std::vector<Case> cases = {
      {"ikj 256", on_arrays(256 * 256, test::ikj, 256), 0.01},
      {"ijk 256", on_arrays(256 * 256, test::ijk, 256), 0.05},
      {"tiled 256", [](engine::AccessSink& s) { test::tiled(s, test::ThreeArrays(256 * 256), 256, 32); }, 0.01},
      {"triad 1M x2", on_arrays(1000000, test::triad, 2), 0.01},
      {"transpose 1024 x2",
       [](engine::AccessSink& s) {
         for (int i = 0; i < 2; ++i) test::transpose(s, test::ThreeArrays(1024 * 1024), 1024);
       },
       0.015},
      {"transpose 1000", on_arrays(1000 * 1000, test::transpose, 1000), 0.015},
      {"stencil 4000x400", [](engine::AccessSink& s) { test::stencil(s, test::ThreeArrays(4000 * 400), 4000, 400); },
       0.01},
      {"three sets x100", three_sets(100), 0.01},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const auto exact = exactly(one.loop);
    SampledDistance sampled({.rate = 0.01});
    one.loop(sampled);
    EXPECT_EQ(sampled.accesses(), exact->accesses());
    EXPECT_NEAR(static_cast<double>(sampled.lines()), static_cast<double>(exact->lines()),
                0.02 * static_cast<double>(exact->lines()) + 100);
    const Errors e = errors_of(*exact, sampled);
    fmt::print(
        "{:<18} {:>9} accesses, {:>7} lines, {:>5} of them followed: mean error {:.5f}, where sizes double {:.5f}, "
        "said {:.5f}, covers {} of {}\n",
        one.name, exact->accesses(), exact->lines(), sampled.sampled_lines(), e.even, e.doubling, e.said, e.covered,
        e.points);
    EXPECT_LT(e.even, 0.01);
    EXPECT_LT(e.doubling, one.doubling);
    EXPECT_LT(e.doubling, e.said);
    EXPECT_GE(e.covered, e.points * 9 / 10);
  }
}

TEST(SampledDistance, MemoryStaysBoundedWhileTheRateFalls) {
  const Loop loop = three_sets(20);
  const auto exact = exactly(loop);
  for (const uint64_t most : {256, 2000, 16384}) {
    SCOPED_TRACE(most);
    SampledDistance sampled({.most_lines = most});
    loop(sampled);
    EXPECT_LE(sampled.sampled_lines(), most);
    EXPECT_GE(sampled.sampled_lines(), most / 3) << "halved, and no further";
    EXPECT_EQ(std::exp2(std::round(std::log2(sampled.rate()))), sampled.rate());
    const Errors e = errors_of(*exact, sampled);
    EXPECT_LT(e.even, 1 / std::sqrt(static_cast<double>(most)));
    EXPECT_LT(e.doubling, e.said);
  }
}

TEST(SampledDistance, AllLinesMakeTheExactCurve) {
  const auto check = [](const Loop& loop) {
    const auto exact = exactly(loop);
    for (const uint64_t most :
         {uint64_t{0}, exact->lines()}) {  // never more than so many: followed one by one all the same
      SampledDistance sampled({.most_lines = most});
      loop(sampled);
      EXPECT_EQ(sampled.rate(), 1);
      EXPECT_EQ(sampled.lines(), exact->lines());
      for (const uint64_t lines : {1, 2, 3, 5, 40, 255, 256}) {
        EXPECT_NEAR(sampled.misses(lines), static_cast<double>(exact->misses(lines)),
                    1e-6 * static_cast<double>(exact->accesses()))
            << lines;
        EXPECT_EQ(sampled.miss_ratio_error(lines), 0);
      }
      EXPECT_NEAR(sampled.first_uses(), static_cast<double>(exact->first_uses()),
                  1e-6 * static_cast<double>(exact->accesses()));
    }
  };
  check(on_arrays(64 * 64, test::ijk, 64));
  check(on_arrays(100 * 100, test::ikj, 100));
  check([](engine::AccessSink& s) { test::stencil(s, test::ThreeArrays(50 * 40), 50, 40); });
  check([](engine::AccessSink& s) {  // across lines, past the caches, backwards, more streams than lines of a step
    for (int i = 0; i < 3; ++i) {
      s.group(100, {{0x1003c, 48, 0, 8, engine::AccessKind::load},
                    {0x20000, 4, 0, 4, engine::AccessKind::store_past_caches},
                    {0x30ffc, -4, 0, 4, engine::AccessKind::store}});
      s.group(200, {{0x40ffc, -132, 0, 4, engine::AccessKind::load},
                    {0x30000, 4, 0, 4, engine::AccessKind::load},
                    {0x30000, 4, 0, 4, engine::AccessKind::store}});
      s.group(10, std::vector<engine::AccessStream>(20, test::load(0x10000, 64)));
    }
  });
}

TEST(SampledDistance, KnowsWhatItCannotSay) {
  SampledDistance nothing({.rate = 0.5});
  EXPECT_TRUE(std::isnan(nothing.miss_ratio_error(10)));
  EXPECT_EQ(nothing.misses(10), 0);
  // Two lines in turn, of which a thousandth are followed: most likely none. All that is known is that nothing is.
  SampledDistance few({.rate = 0.001});
  for (int i = 0; i < 100; ++i) few.group(1, {test::load(0, 0), test::load(4096, 0)});
  EXPECT_EQ(few.accesses(), 200u);
  EXPECT_EQ(few.sampled_lines(), 0u);
  EXPECT_GT(few.miss_ratio_error(1), 0.9);
  SampledDistance none({.rate = 1});
  none.group(0, {test::load(0, 0)});
  none.group(-3, {test::load(0, 0)});
  EXPECT_EQ(none.accesses(), 0u);
}

TEST(SampledDistance, ItsTextSaysHowMuchWasFollowedAndHowFarOff) {
  SampledDistance half({.rate = 0.5});
  on_arrays(4096, test::triad, 2)(half);
  const MissCurve curve = curve_of(half, 64);
  EXPECT_TRUE(curve.sampled());
  EXPECT_GT(curve.largest_error(), 0);
  EXPECT_GE(curve.largest_error(), curve.mean_error());
  EXPECT_EQ(sampling_text(curve).substr(0, 17), "1/2 of the lines,") << sampling_text(curve);
  EXPECT_EQ(sampling_text(curve_of(StackDistance(), 64)), "");
  EXPECT_EQ(usual_sample(0, 64).rate, 0.01);
  EXPECT_EQ(usual_sample(1 << 30, 64).rate, 0.01);
  EXPECT_EQ(usual_sample(1 << 20, 64).rate, 1.0 / 64);
  EXPECT_EQ(usual_sample(100, 64).rate, 1.0 / 16);
}

TEST(StackDistance, ForgottenLinesLieBetweenNoAccesses) {
  StackDistance d(16);
  for (const uint32_t line : {1, 2, 3, 4}) d.touch(line);
  d.forget(3);
  d.forget(7);
  EXPECT_EQ(d.lines(), 3u);
  EXPECT_EQ(d.touch(1), 2u);
  EXPECT_EQ(d.touch(3), StackDistance::kFirstUse);
  d.forget(3);
  EXPECT_EQ(d.touch(3), StackDistance::kFirstUse) << "also where it was the last one";
  for (uint32_t i = 0; i < 1000; ++i) d.touch(10 + i % 20);  // compacted again and again
  EXPECT_EQ(d.touch(2), 23u);
}

}  // namespace
}  // namespace profiler
