// SPDX-License-Identifier: Apache-2.0
// Knees, Amdahl's fit, cliffs and series of hand-made sweeps.
#include "profiler/sweep/curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "profiler/machine/roofs_trust.h"
#include "profiler/sweep/setting.h"

namespace profiler {
namespace {

TEST(SweepCurve, FindsTheKneeOfTwoLines) {
  std::vector<double> x, t;
  for (double b = 1; b <= 1024; b *= 2) x.push_back(b), t.push_back(std::max(700.0, 35 * b));
  const auto knee = find_knee(x, t);
  ASSERT_TRUE(knee);
  EXPECT_NEAR(knee->x, 20, 1e-9);
  EXPECT_NEAR(knee->plateau, 700, 1e-9);
  EXPECT_NEAR(knee->slope, 35, 1e-9);
  EXPECT_NEAR(knee->log_error, 0, 1e-9);
}

TEST(SweepCurve, ARoundedKneeIsFoundWithinAFactor) {
  std::vector<double> x, t;
  for (double b = 1; b <= 1024; b *= 2) x.push_back(b), t.push_back(700 + 35 * b);  // a sum instead of a maximum
  const auto knee = find_knee(x, t);
  ASSERT_TRUE(knee);
  EXPECT_GT(knee->x, 20 / 1.5);
  EXPECT_LT(knee->x, 20 * 1.5);
}

TEST(SweepCurve, NoKneeWhereOneLineFits) {
  const std::vector<double> x{1, 2, 4, 8, 16};
  EXPECT_FALSE(find_knee(x, std::vector<double>{5, 10, 20, 40, 80}));
  EXPECT_FALSE(find_knee(x, std::vector<double>{5, 5.1, 4.9, 5, 5.05}));
  EXPECT_FALSE(find_knee(std::vector<double>{1, 2, 4}, std::vector<double>{5, 5, 10})) << "too few points";
  EXPECT_FALSE(find_knee(x, std::vector<double>{5, 5, 0, 5, 80})) << "a time of 0";
  EXPECT_FALSE(find_knee(std::vector<double>{1, 2, 2, 8, 16}, std::vector<double>{5, 5, 5, 20, 80}))
      << "x does not grow";
}

// Through one point any line passes, so that a curve which only bends was said to have a knee behind its first point.
TEST(SweepCurve, AKneeHasTwoPointsOnEachSideAndFitsThem) {
  const std::vector<double> work{1, 8, 64, 512};  // n = 32, 64, 128, 256 cubed
  for (const auto& bend :
       {std::vector<double>{7.07, 25, 120, 709}, {6.9, 24.3, 119, 723}, {1, 5, 25, 125}, {4, 9, 30, 190}}) {
    EXPECT_FALSE(find_knee(work, bend)) << bend[0];
    EXPECT_GT(law_log_error(work, bend), std::log(kLawFactor)) << bend[0];
  }
  const std::vector<double> x{1, 2, 4, 8, 16};
  EXPECT_FALSE(find_knee(x, std::vector<double>{5, 5, 5, 5, 40})) << "one point on the slope";
  EXPECT_FALSE(find_knee(x, std::vector<double>{40, 5, 10, 20, 40})) << "one point on the plateau";
  ASSERT_TRUE(find_knee(x, std::vector<double>{5, 5, 5, 10, 20}));
  EXPECT_NEAR(find_knee(x, std::vector<double>{5, 5, 5, 10, 20})->x, 4, 1e-9);
  // The same corner with a scatter of a factor of 1.5 around it, which is said for no knee.
  const std::vector<double> wide{1, 2, 4, 8, 16, 32, 64, 128}, rough{7.5, 3.3, 7.5, 3.3, 15, 13.3, 60, 53};
  EXPECT_FALSE(find_knee(wide, rough));
  EXPECT_GT(law_log_error(wide, rough), std::log(kLawFactor));
}

TEST(SweepCurve, AlmostAsFastAsOneSampleUpToATenth) {
  const std::vector<double> x{1, 2, 4, 8};
  const auto some = almost_one(x, std::vector<double>{10, 10.5, 11, 12});
  ASSERT_TRUE(some);
  EXPECT_DOUBLE_EQ(some->x, 4);
  EXPECT_DOUBLE_EQ(some->time_ratio, 1.1);
  EXPECT_DOUBLE_EQ(some->next_x, 8);
  EXPECT_DOUBLE_EQ(some->next_time_ratio, 1.2);
  const auto none = almost_one(x, std::vector<double>{10, 20, 10, 10});
  ASSERT_TRUE(none);
  EXPECT_DOUBLE_EQ(none->x, 1) << "a larger batch that is as fast does not count behind a slower one";
  EXPECT_DOUBLE_EQ(none->next_time_ratio, 2);
  const auto every = almost_one(x, std::vector<double>{10, 9, 9.5, 10});
  ASSERT_TRUE(every);
  EXPECT_DOUBLE_EQ(every->x, 8);
  EXPECT_DOUBLE_EQ(every->next_x, 0);
  EXPECT_FALSE(almost_one(std::vector<double>{2, 4}, std::vector<double>{1, 1})) << "nobody measured one sample";
  EXPECT_FALSE(almost_one(std::vector<double>{1}, std::vector<double>{1}));
}

TEST(SweepCurve, AmdahlsSerialPart) {
  const std::vector<double> n{1, 2, 4, 8};
  std::vector<double> t;
  for (const double threads : n) t.push_back(1000 * (0.2 + 0.8 / threads));
  const auto fit = fit_amdahl(n, t);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->serial_ratio, 0.2, 1e-12);
  EXPECT_NEAR(fit->rms_error_ratio, 0, 1e-12);
  EXPECT_NEAR(fit->serial_low, 0.2, 1e-9);
  EXPECT_NEAR(fit->serial_high, 0.2, 1e-9);
  // y = t / t1 - 1 / n over a = 1 - 1 / n: 0.12 over 0.5, 0.14 over 0.75. Serial 0.165 / 0.8125, squares of the rest
  // 4.923e-4 with one degree of freedom, whose quantile is 12.706.
  const auto rough = fit_amdahl(std::vector<double>{1, 2, 4}, std::vector<double>{1000, 620, 390});
  ASSERT_TRUE(rough);
  EXPECT_NEAR(rough->serial_ratio, 0.165 / 0.8125, 1e-9);
  EXPECT_NEAR(rough->serial_high, 0.165 / 0.8125 + 12.7062 * std::sqrt(4.92308e-4 / 0.8125), 1e-5);
  EXPECT_EQ(rough->serial_low, 0) << "no less than nothing is serial";
  EXPECT_FALSE(fit_amdahl(std::vector<double>{2, 4, 8}, std::vector<double>{3, 2, 1})) << "without one thread";
  // Slower with threads: all serial, and the error says that the law does not hold.
  const auto worse = fit_amdahl(n, std::vector<double>{1, 2, 3, 4});
  ASSERT_TRUE(worse);
  EXPECT_EQ(worse->serial_ratio, 1);
  EXPECT_GT(worse->rms_error_ratio, 1);
}

SweepPoint measured(double step_ns, double batch, double dram_bytes, const std::string& limit) {
  SweepPoint point;
  point.outcome = PointOutcome::measured;
  for (int i = 0; i < 3; ++i) point.samples.push_back({i, step_ns, 5, 0.01, 0.0});
  point.found.samples = batch;
  point.found.step_ns = step_ns;
  point.found.compulsory_bytes = 1000 * batch;
  point.found.limit = limit;
  point.found.links = {{"DRAM", "L3", 1000 * batch, dram_bytes, 100}};
  point.predicted = point.found;
  point.predicted.step_ns = 0.9 * step_ns;
  return point;
}

Sweep two_axes() {
  Sweep sweep;
  sweep.request.workload = "mlp";
  sweep.request.axes = {{"dtype", {"f32", "bf16"}}, {"batch", {"1", "2", "4", "8", "16"}}};
  for (int dtype = 0; dtype < 2; ++dtype) {
    for (double batch = 1; batch <= 16; batch *= 2) {
      const double knee = dtype == 0 ? 4 : 2;
      // From batch 8 on, ten times the bytes come from DRAM.
      sweep.points.push_back(measured(std::max(100.0, 100 / knee * batch), batch, (batch >= 8 ? 1000 : 100) * batch,
                                      batch < knee ? "DRAM bandwidth" : "arithmetic"));
    }
  }
  return sweep;
}

TEST(SweepCurve, OneSeriesPerCombinationOfTheOtherAxes) {
  const std::vector<SweepSeries> series = sweep_series(two_axes());
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].label, "dtype=f32");
  EXPECT_EQ(series[1].label, "dtype=bf16");
  ASSERT_TRUE(series[0].knee && series[1].knee && series[0].predicted_knee);
  EXPECT_NEAR(series[0].knee->x, 4, 1e-9);
  EXPECT_NEAR(series[1].knee->x, 2, 1e-9);
  EXPECT_NEAR(series[0].predicted_knee->x, 4, 1e-9);
  ASSERT_TRUE(series[0].almost && series[1].almost && series[0].predicted_almost);
  EXPECT_EQ(series[0].almost->x, 4);
  EXPECT_EQ(series[1].almost->x, 2);
  EXPECT_NE(sweep_headline(two_axes()).find("Almost as fast as one sample up to batch = 4 (dtype=f32), 2 (dtype=bf16)"),
            std::string::npos)
      << sweep_headline(two_axes());
  EXPECT_EQ(series[0].limit_left, "DRAM bandwidth");
  EXPECT_EQ(series[0].limit_right, "arithmetic");
  ASSERT_EQ(series[0].cliffs.size(), 1u);
  EXPECT_EQ(series[0].cliffs[0].x, 8);
  EXPECT_EQ(series[0].cliffs[0].inner, "L3");
  EXPECT_NEAR(series[0].cliffs[0].modelled_bytes_ratio, 10, 1e-9);
}

/// n elements are 12 n compulsory bytes, at 60 GB/s while they stay in the cache and at 20 GB/s beyond it.
TEST(SweepCurve, AStreamNamesItsBandwidthOnBothSidesOfACache) {
  Sweep sweep;
  sweep.request.workload = "stream";
  sweep.request.axes = {{"n", {"1000", "2000", "4000", "8000", "16000"}}};
  for (double n = 1000; n <= 16000; n *= 2) {
    const bool fits = n <= 2000;
    SweepPoint point = measured(12 * n / (fits ? 60 : 20), 0, fits ? 0 : 12 * n, "DRAM bandwidth");
    point.found.samples = std::nan("");
    point.found.flops = 2 * n, point.found.compulsory_bytes = 12 * n;
    point.predicted = point.found;
    sweep.points.push_back(point);
  }
  const auto said = [&] {
    std::string all;
    for (const std::string& sentence : sweep_sentences(sweep)) all += sentence + "\n";
    return all;
  };
  ASSERT_EQ(sweep_series(sweep)[0].cliffs.size(), 1u);
  EXPECT_NE(said().find("The bandwidth is 60.0 GB/s at n = 2000 and 20.0 GB/s at n = 4000 (measured)."),
            std::string::npos)
      << said();
  EXPECT_NE(sweep_headline(sweep).find("overflows at n = 4000 (modelled); 60.0 GB/s at most, 20.0 GB/s behind"),
            std::string::npos)
      << sweep_headline(sweep);
  EXPECT_NE(said().find("huge pages is unknown"), std::string::npos) << said();
  sweep.huge_pages = "never";
  EXPECT_NE(said().find("setting is never, so they have none"), std::string::npos) << said();
  EXPECT_EQ(sweep_sentences(two_axes()).back().find("huge"), std::string::npos) << "sizes are not varied there";
}

std::string said_of_batch(const Sweep& sweep) { return sweep_sentences(sweep).front(); }

TEST(SweepCurve, SidesOfAKneeAreNamedWhereTheirLimitsAreKnown) {
  Sweep sweep = two_axes();
  EXPECT_NE(said_of_batch(sweep).find(" Below it DRAM bandwidth binds, above it arithmetic."), std::string::npos)
      << said_of_batch(sweep);
  for (const char* limit : {"unknown", "inconsistent figures", ""}) {
    for (SweepPoint& point : sweep.points) point.found.limit = limit;
    EXPECT_TRUE(said_of_batch(sweep).starts_with("dtype=f32: the knee is at batch = 4 (measured; fit error 0 %)"))
        << said_of_batch(sweep);
    EXPECT_EQ(said_of_batch(sweep).find("binds"), std::string::npos) << said_of_batch(sweep);
  }
  sweep.points[4].found.limit = "arithmetic";
  EXPECT_EQ(said_of_batch(sweep).find("binds"), std::string::npos) << "one side alone is known";
}

Sweep one_axis(const std::vector<double>& steps_ns) {
  Sweep sweep;
  sweep.request.workload = "mlp";
  sweep.request.axes = {{"batch", {}}};
  for (size_t i = 0; i < steps_ns.size(); ++i) {
    const double batch = 1 + 3 * static_cast<double>(i);
    sweep.request.axes[0].values.push_back(std::to_string(static_cast<int>(batch)));
    sweep.points.push_back(measured(steps_ns[i], batch, 100, "arithmetic"));
  }
  return sweep;
}

TEST(SweepCurve, NoLawOfTimesThatFollowNone) {
  const Sweep steady = one_axis({100, 102, 99, 101, 100, 98});
  EXPECT_EQ(sweep_series(steady)[0].no_law, NoLaw::law);
  EXPECT_TRUE(said_of_batch(steady).starts_with(
      "no knee within these values of batch: time per step follows one law all along (fit error 1 %)"))
      << said_of_batch(steady);
  // Steps of 0.1 to 7 ms by turns, as on a machine whose owner works.
  const Sweep zigzag = one_axis({100, 7000, 150, 5000, 180, 7100, 210, 6000});
  const SweepSeries series = sweep_series(zigzag)[0];
  EXPECT_EQ(series.no_law, NoLaw::misfit);
  EXPECT_FALSE(series.knee);
  EXPECT_GT(series.log_error, std::log(3));
  EXPECT_TRUE(said_of_batch(zigzag).starts_with("no law of time over batch is fitted. No plateau"))
      << said_of_batch(zigzag);
  EXPECT_EQ(said_of_batch(zigzag).find("one law"), std::string::npos);
}

void scatter(SweepPoint& point) { point.samples[0].step_ns *= 0.5, point.samples[2].step_ns *= 2; }  // the median stays

TEST(SweepCurve, NoLawOfPointsThatAreMostlyNoisy) {
  Sweep sweep = two_axes();
  sweep.request.axes.erase(sweep.request.axes.begin());
  sweep.points.resize(5);
  scatter(sweep.points[0]);
  ASSERT_TRUE(sweep_series(sweep)[0].knee) << "one of five";
  EXPECT_TRUE(
      said_of_batch(sweep).starts_with("the knee is at batch = 4 (measured; fit error 0 %; 1 noisy point is left out)"))
      << said_of_batch(sweep);
  scatter(sweep.points[1]);
  EXPECT_FALSE(sweep_series(sweep)[0].knee) << "two of five";
  EXPECT_TRUE(said_of_batch(sweep).starts_with(
      "a knee needs at least four values of batch that ran and are not noisy; there are 3."))
      << said_of_batch(sweep);
  scatter(sweep.points[2]);
  const SweepSeries series = sweep_series(sweep)[0];
  EXPECT_EQ(series.no_law, NoLaw::noisy);
  EXPECT_FALSE(series.knee);
  EXPECT_TRUE(series.predicted_knee) << "what the roofs say needs no quiet machine";
  EXPECT_TRUE(
      said_of_batch(sweep).starts_with("no law of time over batch is fitted: 3 of the 5 points that ran are noisy."))
      << said_of_batch(sweep);
  ASSERT_EQ(series.cliffs.size(), 1u);
  EXPECT_TRUE(std::isnan(series.cliffs[0].time_ratio)) << "batch 8 against 4, which is noisy";
  // Points that never ran count for nothing.
  sweep.request.axes[0].values.insert(sweep.request.axes[0].values.end(), {"32", "64", "128", "256"});
  sweep.points.resize(9);
  EXPECT_EQ(sweep_counts(sweep).measured, 5u);
  EXPECT_EQ(sweep_counts(sweep).noisy, 3u);
  const auto said = sweep_sentences(sweep);
  EXPECT_TRUE(std::ranges::any_of(said, [](const std::string& s) {
    return s.starts_with("3 of 5 points that ran are noisy (batch=1; batch=2; batch=4)");
  }));
  EXPECT_EQ(sweep_series(sweep)[0].no_law, NoLaw::noisy);
}

TEST(SweepCurve, NoisyPointsAreInNoLaw) {
  Sweep sweep = one_axis({100, 100, 100, 400, 700, 1000, 1300});  // batch 1, 4, 7, 10, ...
  for (size_t i = 2; i < 7; ++i) {
    for (SweepSample& sample : sweep.points[i].samples) sample.step_ns = 25 * sweep.points[i].found.samples;
  }
  const double quiet = sweep_series(sweep)[0].knee.value().x;
  EXPECT_NEAR(quiet, 4, 1e-9);
  // Others slowed one point down tenfold, unevenly: the knee stays.
  for (SweepSample& sample : sweep.points[3].samples) sample.step_ns *= 10;
  scatter(sweep.points[3]);
  ASSERT_TRUE(sweep_series(sweep)[0].knee);
  EXPECT_NEAR(sweep_series(sweep)[0].knee->x, quiet, 1e-9);
  EXPECT_EQ(sweep_series(sweep)[0].noisy, 1u);
}

/// All processes of the point waited as long for their processors, so that their times hardly scatter.
void wait_for_processors(SweepPoint& point, double queued, double load) {
  for (SweepSample& sample : point.samples)
    sample.queued_ratio = queued, sample.foreign_load_ratio = load, sample.step_ns *= 1 + 0.003 * (sample.round - 1);
}

TEST(SweepCurve, PointsThatWaitedForProcessorsAreInNoLaw) {
  const auto with = [](double queued, double load) {
    Sweep sweep = two_axes();
    sweep.request.axes.erase(sweep.request.axes.begin());
    sweep.points.resize(5);
    wait_for_processors(sweep.points[0], queued, load);
    return sweep;
  };
  for (const Sweep& fine : {with(0.01, 0.96), with(0.19, 0.96), with(0.9, 0.05)}) {
    EXPECT_FALSE(is_disturbed(fine.points[0], 3));
    EXPECT_EQ(sweep_series(fine)[0].noisy, 0u);
    EXPECT_EQ(said_of_batch(fine).find("left out"), std::string::npos) << said_of_batch(fine);
  }
  Sweep sweep = with(0.48, 0.96);
  EXPECT_FALSE(is_noisy(sweep.points[0], 3));
  EXPECT_TRUE(is_queued(sweep.points[0], 3));
  EXPECT_NE(said_of_batch(sweep).find("1 queued point is left out"), std::string::npos) << said_of_batch(sweep);
  const auto said = sweep_sentences(sweep);
  EXPECT_TRUE(std::ranges::any_of(said, [](const std::string& s) {
    return s.starts_with("1 of 5 points that ran is queued (batch=1): threads waited up to 48 % of a step");
  }));
  EXPECT_EQ(sweep_digest(sweep).rows[0].size(), sweep_digest(sweep).columns.size());
  EXPECT_EQ(doubt_sentence(sweep.points[0], 3),
            "Queued: threads waited 48 % of a step for processors that other programs held.");
  EXPECT_EQ(doubt_sentence(sweep.points[1], 3), "");
  sweep.points[0].samples[1].queued_ratio = sweep.points[0].samples[2].queued_ratio = 0;
  EXPECT_FALSE(is_queued(sweep.points[0], 3)) << "one process of three: the median is another's";
  for (size_t i = 0; i < 3; ++i) wait_for_processors(sweep.points[i], 0.5, 0.9);
  EXPECT_EQ(sweep_series(sweep)[0].no_law, NoLaw::noisy);
  EXPECT_TRUE(
      said_of_batch(sweep).starts_with("no law of time over batch is fitted: 3 of the 5 points that ran are queued."))
      << said_of_batch(sweep);
  scatter(sweep.points[3]);
  EXPECT_TRUE(said_of_batch(sweep).starts_with(
      "no law of time over batch is fitted: 4 of the 5 points that ran are noisy or queued."))
      << said_of_batch(sweep);
}

TEST(SweepCurve, GainsOfNoisyThreadCountsAreNamedNoisy) {
  Sweep sweep;
  sweep.request.axes = {{"threads", {"1", "2", "4"}}};
  sweep.machine.info.cores = 4;
  for (const double step_ns : {1000.0, 600.0, 400.0}) sweep.points.push_back(measured(step_ns, 4, 100, "arithmetic"));
  EXPECT_NE(sweep_sentences(sweep).front().find("4 threads are 2.5 times as fast as one (measured),"),
            std::string::npos)
      << sweep_sentences(sweep).front();
  scatter(sweep.points[2]);
  EXPECT_NE(sweep_sentences(sweep).front().find("4 threads are 2.5 times as fast as one (measured, noisy),"),
            std::string::npos)
      << sweep_sentences(sweep).front();
  EXPECT_TRUE(std::isnan(sweep_series(sweep)[0].amdahl.value().rms_error_ratio)) << "two counts are left";
  std::swap(sweep.points[0].samples, sweep.points[2].samples);
  std::swap(sweep.points[0].found, sweep.points[2].found);
  EXPECT_FALSE(sweep_series(sweep)[0].amdahl) << "nothing to compare with";
}

TEST(SweepCurve, ALoadWithoutScatterTakesNoLawAndIsSaidOnce) {
  Sweep sweep = two_axes();
  const std::vector<SweepSeries> quiet = sweep_series(sweep);
  for (SweepPoint& point : sweep.points) {
    for (SweepSample& sample : point.samples)
      sample.foreign_load_ratio = 0.46, sample.step_ns *= 1 + 0.003 * (sample.round - 1);
  }
  const std::vector<SweepSeries> busy = sweep_series(sweep);
  ASSERT_TRUE(busy[0].knee && busy[1].knee);
  EXPECT_NEAR(busy[0].knee->x, quiet[0].knee->x, 1e-6);
  EXPECT_GT(busy[0].cliffs.at(0).time_ratio, 0);
  const auto said = sweep_sentences(sweep);
  EXPECT_EQ(std::ranges::count_if(said, [](const std::string& s) { return s.find("46 %") != std::string::npos; }), 1);
  EXPECT_NE(std::ranges::find(said, "Background load: 46 % of the processors beside 30 of 30 processes."), said.end());
}

/// The text shows simulated bytes of each link that moves some, and no model of a link that was simulated.
TEST(SweepCurve, TheTextHasSimulatedBytesOfEachLinkThatMovesSome) {
  Sweep sweep;
  sweep.request.workload = "ladder";
  sweep.request.axes = {{"tile", {"4", "8"}}};
  for (const double bytes : {806e3, 403e3}) {
    sweep.points.push_back(measured(1000, 1000, 100, "L1 bandwidth"));
    SweepFigures& f = sweep.points.back().found;
    f.samples = std::nan("");
    f.links = {{.outer = "DRAM", .inner = "L3", .modelled_bytes = 0, .simulated_bytes = 0},
               {.outer = "L2", .inner = "L1", .modelled_bytes = 900e3, .simulated_bytes = bytes},
               {.outer = "L1", .inner = "core", .modelled_bytes = 1e6, .simulated_bytes = 1e6}};
  }
  const Table digest = sweep_digest(sweep);
  const auto has = [&](const char* key) {
    return std::ranges::find(digest.columns, key, &Column::key) != digest.columns.end();
  };
  EXPECT_TRUE(has("L2_L1_simulated_bytes"));
  EXPECT_FALSE(has("DRAM_L3_simulated_bytes")) << "nothing crosses";
  EXPECT_FALSE(has("L1_core_simulated_bytes"));
  EXPECT_FALSE(has("L2_L1_bytes")) << "modelled, and the same for every tile";
}

TEST(SweepCurve, TimesOfNoisyPointsAreMarkedWhereverTheyStand) {
  Sweep sweep;
  sweep.request.workload = "latency_ladder";
  sweep.request.axes = {{"working_set", {"4096", "16384", "1048576", "268435456"}}};
  sweep.request.least_samples = 2;
  for (const double ns : {1000.0, 1100.0, 12000.0, 90000.0})
    sweep.points.push_back(measured(ns, 1000, 100, "L1 latency"));
  for (const auto& [name, size] : {std::pair{"L1", 48 << 10}, {"DRAM", 1 << 30}}) {
    sweep.machine.levels.push_back(
        {.name = name, .specified_size_bytes = size, .effective_size_bytes = size, .latency_ns = {}, .note = {}});
  }
  const auto mark_of = [&](size_t row) {
    const Table digest = sweep_digest(sweep);
    const auto column = std::ranges::find(digest.columns, "step_mark", &Column::key);
    return column == digest.columns.end()
               ? std::string("no such column")
               : std::get<std::string>(digest.rows[row][static_cast<size_t>(column - digest.columns.begin())]);
  };
  const auto said_of = [&](const std::string& what) {
    for (const std::string& s : sweep_sentences(sweep)) {
      if (s.find(what) != std::string::npos) return s;
    }
    return std::string();
  };
  EXPECT_EQ(mark_of(0), "no such column") << "nothing to mark";
  const std::string quiet = said_of("per access well inside");
  ASSERT_FALSE(quiet.empty());
  EXPECT_EQ(quiet.find("(noisy)"), std::string::npos) << quiet;
  scatter(sweep.points[2]);
  EXPECT_EQ(mark_of(2), "noisy: 6.00 µs to 24.0 µs");
  EXPECT_EQ(mark_of(0), "");
  EXPECT_NE(said_of("per access well inside").find("12 ns per access just beyond (noisy) (measured)"),
            std::string::npos)
      << said_of("per access well inside");
  EXPECT_EQ(said_of("per access well inside").find("well inside (noisy)"), std::string::npos);
}

TEST(SweepCurve, ValuesInAnyOrder) {
  Sweep sweep = two_axes();
  std::ranges::reverse(sweep.request.axes[1].values);
  std::reverse(sweep.points.begin(), sweep.points.begin() + 5);
  std::reverse(sweep.points.begin() + 5, sweep.points.end());
  const std::vector<SweepSeries> series = sweep_series(sweep);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].x, (std::vector<double>{1, 2, 4, 8, 16}));
  ASSERT_TRUE(series[0].knee);
  EXPECT_NEAR(series[0].knee->x, 4, 1e-9);
}

TEST(SweepCurve, SaysTheLargestBatchThatFitsAndThatItRan) {
  Sweep sweep = two_axes();
  for (SweepPoint& point : sweep.points) point.found.memory_bytes = 2e9;
  sweep.points[4] = {};
  sweep.points[4].outcome = PointOutcome::out_of_memory;
  sweep.points[4].predicted.memory_bytes = 30e9;
  const std::vector<std::string> said = sweep_sentences(sweep);
  EXPECT_NE(std::ranges::find(said,
                              "dtype=f32: batch = 8 (2.00 GB as planned) fits, as predicted, and ran; batch = 16 (30.0 "
                              "GB as planned) does not fit."),
            said.end());
  EXPECT_TRUE(std::ranges::none_of(said, [](const std::string& s) { return s.starts_with("dtype=bf16: batch ="); }))
      << "all of them fitted";
}

TEST(SweepCurve, EnergyPerStepAndSampleOrAWordAboutIt) {
  Sweep sweep = two_axes();
  const auto without = sweep_sentences(sweep);
  EXPECT_TRUE(std::ranges::any_of(without, [](const std::string& s) { return s.starts_with("Energy is unknown"); }));
  for (SweepSample& sample : sweep.points[2].samples) sample.step_energy_j = 6;
  const auto with = sweep_sentences(sweep);
  EXPECT_FALSE(std::ranges::any_of(with, [](const std::string& s) { return s.starts_with("Energy is unknown"); }));
  const Table table = sweep_table(sweep);
  const auto column = [&](const std::string& key) {
    return static_cast<size_t>(std::ranges::find(table.columns, key, &Column::key) - table.columns.begin());
  };
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[2][column("step_energy_j")]), 6);
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[2][column("sample_energy_j")]), 1.5);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1][column("step_energy_j")]));
}

TEST(SweepCurve, UnknownStaysUnknownInTheTable) {
  Sweep sweep = two_axes();
  sweep.points[3] = {};
  sweep.points[3].outcome = PointOutcome::out_of_memory;
  sweep.points[3].message = "needs 10 TB";
  sweep.points[0].found.roof_ratio = 0.5, sweep.points[1].found.roof_ratio = 2.06;
  const Table table = sweep_table(sweep);
  ASSERT_EQ(table.rows.size(), 10u);
  const auto column = [&](const std::string& key) {
    return static_cast<size_t>(std::ranges::find(table.columns, key, &Column::key) - table.columns.begin());
  };
  EXPECT_EQ(std::get<std::string>(table.rows[3][column("outcome")]), "out of memory");
  EXPECT_EQ(std::get<std::string>(table.rows[3][column("message")]), "needs 10 TB");
  for (const char* key :
       {"step_ns", "sample_ns", "flop_per_s", "memory_bytes", "roof_ratio", "DRAM_L3_bytes_per_sample"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[3][column(key)])) << key;
  }
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[2][column("sample_ns")]), 25);
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[0][column("roof_ratio")]), 0.5);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1][column("roof_ratio")]))
      << "206 % is no part of a peak";
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
  bool said = false;
  for (const std::string& sentence : sweep_sentences(sweep))
    said |= sentence == "1 of 10 points does not fit into memory.";
  EXPECT_TRUE(said);
}

TEST(SweepCurve, ThreadsHaveSpeedUpAmdahlAndHyperThreads) {
  Sweep sweep;
  sweep.request.workload = "mlp";
  sweep.request.axes = {{"dtype", {"f32", "bf16"}}, {"threads", {"1", "2", "4"}}};
  sweep.machine.info.cores = 2;
  for (const double step_ns : {900.0, 500.0, 480.0, 600.0, 400.0, 300.0})
    sweep.points.push_back(measured(step_ns, 4, 100, "arithmetic"));
  EXPECT_DOUBLE_EQ(speed_up(sweep, 0), 1);
  EXPECT_DOUBLE_EQ(speed_up(sweep, 1), 1.8);
  EXPECT_DOUBLE_EQ(speed_up(sweep, 4), 1.5) << "against one thread of its own dtype";
  const std::vector<SweepSeries> series = sweep_series(sweep);
  ASSERT_EQ(series.size(), 2u);
  ASSERT_EQ(series[0].machine_marks.size(), 1u);
  EXPECT_EQ(series[0].machine_marks[0].x, 2);
  EXPECT_EQ(series[0].machine_marks[0].text, "2 cores; beyond: hyper-threads, or waiting for one");
  const std::vector<std::string> said = sweep_sentences(sweep);
  const auto says = [&](const std::string& words) {
    return std::ranges::any_of(said, [&](const std::string& s) { return s.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says("2 threads are 1.8 times as fast as one (measured), 90 % of what each could give."));
  EXPECT_TRUE(says(
      "4 threads are 1.88 times as fast as one (measured), on 2 cores: beyond those two share one (hyper-threads)"));
  // On two cores there are but two counts: an exact line, and no error that could be known.
  const auto two = fit_amdahl(std::vector<double>{1, 2}, std::vector<double>{1000, 600});
  ASSERT_TRUE(two);
  EXPECT_NEAR(two->serial_ratio, 0.2, 1e-12);
  EXPECT_TRUE(std::isnan(two->rms_error_ratio));
  EXPECT_TRUE(std::isnan(two->serial_low)) << "times without their spread";
  EXPECT_FALSE(fit_amdahl(std::vector<double>{1}, std::vector<double>{1000}));
  sweep.request.axes.pop_back();
  EXPECT_TRUE(std::isnan(speed_up(sweep, 0))) << "no axis of threads";
}

TEST(SweepCurve, ThreadsBeyondTheCoresAreInNoLaw) {
  Sweep sweep;
  sweep.request.axes = {{"threads", {"1", "2", "3", "4"}}};
  for (const double step_ns : {1000.0, 1000.0 / 1.36, 1600.0, 2100.0})
    sweep.points.push_back(measured(step_ns, 4, 100, "arithmetic"));
  const auto sentence = [&](int cores) {
    sweep.machine.info.cores = cores;
    return sweep_sentences(sweep).front();
  };
  // Two threads 1.36 times as fast: serial s with s + (1 - s) / 2 = 1 / 1.36.
  EXPECT_TRUE(sentence(2).starts_with("Amdahl's fit up to 2 threads, one a core: 47.1 % of the one-thread step"))
      << sentence(2);
  EXPECT_NEAR(sweep_series(sweep).front().amdahl->serial_ratio, 2 / 1.36 - 1, 1e-9);
  EXPECT_NE(sentence(2).find("4 threads are 0.476 times as fast as one (measured), on 2 cores"), std::string::npos)
      << sentence(2);
  // Counts within the cores that no serial part explains are said not to fit, rather than all serial beside a row
  // of 1.36.
  EXPECT_TRUE(sentence(8).starts_with("Amdahl's law does not describe these times up to 8 threads")) << sentence(8);
  EXPECT_TRUE(sentence(1).starts_with("4 threads are 0.476 times as fast as one (measured), on 1 core:"))
      << sentence(1);
  EXPECT_FALSE(sweep_series(sweep).front().amdahl);
}

TEST(SweepCurve, SettingsOfAPoint) {
  Sweep sweep = two_axes();
  sweep.request.fixed = {"--preset", "small", "--set", "mode=training", "--set", "batch=7"};
  EXPECT_EQ(setting_of(sweep, 6, "batch"), "2") << "the axis goes before the fixed words";
  EXPECT_EQ(setting_of(sweep, 6, "dtype"), "bf16");
  EXPECT_EQ(setting_of(sweep, 6, "preset"), "small");
  EXPECT_EQ(setting_of(sweep, 6, "mode"), "training");
  EXPECT_EQ(setting_of(sweep, 6, "threads"), "");
}

TEST(SweepCurve, WeakRoofsAreSaid) {
  Sweep sweep = two_axes();
  sweep.machine.probed_at = "2026-01-01T00:00:00+00:00";
  const auto weak = [](const Sweep& s) {
    return std::ranges::count_if(
        sweep_sentences(s), [](const std::string& t) { return t.starts_with("Roofs measured on a busy machine"); });
  };
  EXPECT_EQ(weak(sweep), 0);
  sweep.machine.foreign_load_ratio = 0.3;
  EXPECT_EQ(weak(sweep), 1);
}

}  // namespace
}  // namespace profiler
