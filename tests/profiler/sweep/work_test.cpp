// SPDX-License-Identifier: Apache-2.0
// The unit of work that follows from counts: batches, arrays, matrices, sequences, tiles; cliffs and knees along each.
#include "profiler/sweep/work.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "profiler/sweep/curve.h"

namespace profiler {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Counts {
  double samples = kNan, flops = kNan, bytes = kNan, step_ns = 1000;
  double dram = 0;  ///< bytes over DRAM->L3 per step
};

Sweep along(const std::string& axis, const std::vector<double>& values, const std::function<Counts(double)>& counts) {
  Sweep sweep;
  sweep.request.workload = "work";
  sweep.request.axes = {{axis, {}}};
  for (const double x : values) {
    sweep.request.axes[0].values.push_back(fmt::format("{}", x));
    const Counts c = counts(x);
    SweepPoint& point = sweep.points.emplace_back();
    point.outcome = PointOutcome::measured;
    for (int i = 0; i < 3; ++i) point.samples.push_back({.round = i, .step_ns = c.step_ns, .steps = 5});
    point.found.samples = c.samples, point.found.flops = c.flops, point.found.compulsory_bytes = c.bytes,
    point.found.step_ns = c.step_ns;
    point.found.links = {{"DRAM", "L3", c.bytes, c.dram, 0}};
    point.predicted = point.found;
  }
  return sweep;
}

std::vector<double> doubling(double from, double to) {
  std::vector<double> values;
  for (double x = from; x <= to; x *= 2) values.push_back(x);
  return values;
}

WorkUnit unit_of(const Sweep& sweep) {
  std::vector<size_t> all(sweep.points.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return work_unit(sweep, all);
}

std::string said(const Sweep& sweep) {
  std::string text;
  for (const std::string& sentence : sweep_sentences(sweep)) text += sentence + "\n";
  return text;
}

TEST(SweepWork, TheUnitFollowsFromTheCounts) {
  const auto xs = doubling(1, 64);
  EXPECT_EQ(unit_of(along("batch", xs,
                          [](double b) {
                            return Counts{b, 100 * b + 10, 4 * b + 1000};
                          })),
            WorkUnit::sample);
  EXPECT_EQ(unit_of(along("n", xs, [](double n) { return Counts{kNan, 2 * n, 12 * n}; })), WorkUnit::byte) << "STREAM";
  EXPECT_EQ(unit_of(along("n", xs,
                          [](double n) {
                            return Counts{kNan, 0, 8 * n};
                          })),
            WorkUnit::byte)
      << "a copy computes nothing";
  EXPECT_EQ(unit_of(along("m", xs,
                          [](double m) {
                            return Counts{kNan, 200 * m, 40 * m + 400};
                          })),
            WorkUnit::flop)
      << "a product with one matrix fixed";
  EXPECT_EQ(unit_of(along("sequence", xs,
                          [](double s) {
                            return Counts{4, 200 * s, 40 * s + 4000};
                          })),
            WorkUnit::flop)
      << "the batch is the same at each point";
  EXPECT_EQ(unit_of(along("tile", xs, [](double) { return Counts{kNan, 200, 40}; })), WorkUnit::step);
  EXPECT_EQ(unit_of(along("width", xs,
                          [](double w) {
                            return Counts{kNan, 200, 40 * w};
                          })),
            WorkUnit::step)
      << "the same arithmetic";
  EXPECT_EQ(unit_of(along("x", xs, [](double) { return Counts{}; })), WorkUnit::step) << "nothing is known";
}

TEST(SweepWork, ArraysThatGrowOverflowACacheOnce) {
  // In the cache up to n = 1024: then all bytes come from DRAM, at each size as many as there are.
  const Sweep sweep = along("n", doubling(256, 16384), [](double n) {
    return Counts{kNan, 2 * n, 12 * n, n, n > 1024 ? 12 * n : 0};
  });
  const auto cliffs = sweep_series(sweep).front().cliffs;
  ASSERT_EQ(cliffs.size(), 1u);
  EXPECT_EQ(cliffs[0].x, 2048);
  EXPECT_NEAR(cliffs[0].time_ratio, 1, 1e-9) << "per byte, not per step";
  EXPECT_NE(said(sweep).find("time per compulsory byte is 1 times"), std::string::npos) << said(sweep);
  EXPECT_EQ(said(sweep).find("per sample"), std::string::npos) << said(sweep);
}

TEST(SweepWork, AMatrixThatGrowsAndASequenceHaveNoCliffWhereTheirBytesFollowTheWork) {
  const auto values = doubling(1, 4096);
  const auto work = [](double samples) {
    return [=](double x) { return Counts{samples, 200 * x, 40 * x + 400, 10 * x, 44 * x + 400}; };
  };
  EXPECT_TRUE(sweep_series(along("m", values, work(kNan))).front().cliffs.empty());
  EXPECT_TRUE(sweep_series(along("sequence", values, work(4))).front().cliffs.empty());
  EXPECT_TRUE(sweep_series(along("hidden", values,
                                 [](double h) {
                                   return Counts{4, 2 * h * h, 4 * h * h, h * h, 4 * h * h};
                                 }))
                  .front()
                  .cliffs.empty());
  // What no longer fits is found per FLOP, too.
  const auto lost = sweep_series(along("m", values,
                                       [&](double m) {
                                         Counts c = work(kNan)(m);
                                         c.dram *= m >= 512 ? 4 : 1;
                                         return c;
                                       }))
                        .front()
                        .cliffs;
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].x, 512);
}

TEST(SweepWork, JumpsThatFollowOneAnotherAreOneCliff) {
  // Lines leave a cache over three sizes.
  const Sweep sweep = along("n", {1, 2, 4, 8, 16, 32}, [](double n) {
    return Counts{kNan, 2 * n, 12 * n, n, 12 * n * std::clamp((n - 2) / 12, 0.0, 1.0)};
  });
  const auto cliffs = sweep_series(sweep).front().cliffs;
  ASSERT_EQ(cliffs.size(), 1u);
  EXPECT_EQ(cliffs[0].x, 4);
  EXPECT_EQ(cliffs[0].last_x, 16);
}

TEST(SweepWork, TheSameWorkHasAFastestValueAndNoKnee) {
  const Sweep tiles = along("tile", doubling(4, 512), [](double t) {
    return Counts{kNan, 200, 40, 1000 * (64 / t + t / 64), 40};
  });
  const SweepSeries series = sweep_series(tiles).front();
  EXPECT_FALSE(series.knee || series.predicted_knee);
  EXPECT_EQ(series.no_law, NoLaw::same_work);
  EXPECT_NE(said(tiles).find("the fastest step is at tile = 64 (2.00 µs), the slowest at tile = 4 (16.1 µs, 8.03 times "
                             "as long) (measured)."),
            std::string::npos)
      << said(tiles);
  EXPECT_EQ(said(tiles).find("knee"), std::string::npos) << said(tiles);
  const Sweep flat = along("padding", {0, 16, 32, 64}, [](double) { return Counts{kNan, 200, 40}; });
  EXPECT_EQ(said(flat).find("fastest step is at"), std::string::npos) << "all take as long: " << said(flat);
}

TEST(SweepWork, TheFastestAndTheSlowestAreNoNoisyPoints) {
  Sweep tiles = along("tile", doubling(4, 512), [](double t) {
    return Counts{kNan, 200, 40, 1000 * (64 / t + t / 64), 40};
  });
  const auto disturb = [&](size_t point) {  // as others make it: slow, and every process otherwise
    std::vector<SweepSample>& samples = tiles.points[point].samples;
    while (samples.size() < 3) samples.push_back(samples.front());
    for (size_t i = 0; i < samples.size(); ++i) samples[i].step_ns *= 10.0 * static_cast<double>(1 + i);
  };
  disturb(0);
  ASSERT_TRUE(is_noisy(tiles.points[0], tiles.request.least_samples));
  EXPECT_NE(said(tiles).find("the fastest step is at tile = 64 (2.00 µs), the slowest at tile = 8 (8.12 µs, 4.06 times "
                             "as long) (measured; 1 noisy point is left out)."),
            std::string::npos)
      << said(tiles);
  for (size_t i = 1; i < 5; ++i) disturb(i);
  EXPECT_NE(said(tiles).find("no value of tile is called the fastest: 5 of the 8 points that ran are noisy."),
            std::string::npos)
      << said(tiles);
}

TEST(SweepWork, AKneeOverWorkThatGrowsWithTheCubeIsSaidOnTheAxis) {
  // 1000 ns up to size 16 (4096 units of work), then in proportion to the work.
  const Sweep sweep = along("size", doubling(1, 256), [](double s) {
    return Counts{kNan, s * s * s, s * s, std::max(1000.0, 1000 * s * s * s / 4096)};
  });
  const SweepSeries series = sweep_series(sweep).front();
  ASSERT_TRUE(series.knee);
  EXPECT_NEAR(series.knee->x, 16, 0.1);
}

TEST(SweepWork, TheTableHasRatesAndBytesPerStepWithoutABatch) {
  const Table table = sweep_table(along("n", {256, 512}, [](double n) {
    return Counts{kNan, 2 * n, 12 * n, n, 5 * n};
  }));
  const auto value = [&](const char* key) {
    const auto column =
        static_cast<size_t>(std::ranges::find(table.columns, key, &Column::key) - table.columns.begin());
    return column < table.columns.size() && std::holds_alternative<double>(table.rows[1][column])
               ? std::get<double>(table.rows[1][column])
               : kNan;
  };
  EXPECT_DOUBLE_EQ(value("compulsory_bytes"), 6144);
  EXPECT_DOUBLE_EQ(value("compulsory_bytes_per_s"), 12e9);
  EXPECT_DOUBLE_EQ(value("DRAM_L3_bytes"), 2560);
  EXPECT_TRUE(std::isnan(value("sample_ns")));
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
}

}  // namespace
}  // namespace profiler
