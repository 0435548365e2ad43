// SPDX-License-Identifier: Apache-2.0
// Medians, quantiles and the interval of the median against hand-computed values.
#include "profiler/base/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace profiler {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Statistics, MedianOfOddAndEvenSamples) {
  EXPECT_EQ(median(std::vector{3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median(std::vector{4.0, 1.0, 2.0, 3.0}), 2.5);
  EXPECT_EQ(median(std::vector{7.0}), 7.0);
}

TEST(Statistics, EmptyIsUnknownAndNotZero) {
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(quantile({}, 0.9)));
  EXPECT_TRUE(std::isnan(median_absolute_deviation({})));
  const Spread nothing = spread({});
  EXPECT_EQ(nothing.samples, 0);
  EXPECT_TRUE(std::isnan(nothing.median) && std::isnan(nothing.low) && std::isnan(nothing.high) &&
              std::isnan(nothing.mad));
}

TEST(Statistics, UnknownEntriesAreLeftOut) {
  EXPECT_EQ(median(std::vector{kNan, 5.0, kNan, 1.0, 3.0}), 3.0);
  EXPECT_EQ(spread(std::vector{kNan, 5.0}).samples, 1);
}

TEST(Statistics, QuantileInterpolates) {
  const std::vector<double> sample{10, 20, 30, 40};
  EXPECT_EQ(quantile(sample, 0), 10);
  EXPECT_EQ(quantile(sample, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(sample, 0.25), 17.5);
}

TEST(Statistics, MedianAbsoluteDeviation) {
  EXPECT_EQ(median_absolute_deviation(std::vector{1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0}), 1.0);
}

// Ranks from the binomial table (Conover, table A3): n = 6 -> (1, 6); n = 10 -> (2, 9); n = 20 ->
// (6, 15); n = 50 -> (18, 33).
TEST(Statistics, IntervalRanksMatchTheBinomialTable) {
  for (const auto& [n, low, high] :
       {std::tuple{6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {20, 6, 15}, {50, 18, 33}}) {
    std::vector<double> sample(static_cast<size_t>(n));
    std::iota(sample.begin(), sample.end(), 1.0);
    EXPECT_EQ(spread(sample).low, low) << n;
    EXPECT_EQ(spread(sample).high, high) << n;
  }
}

TEST(Statistics, SpreadEqualsWhatSortingGives) {
  std::mt19937 random(3);
  for (size_t n = 1; n < 200; ++n) {
    std::vector<double> sample(n);
    for (double& x : sample) x = static_cast<double>(random() % (n + 3));  // many equal ones
    const Spread s = spread(sample);
    std::vector<double> sorted = sample;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(s.median, quantile(sample, 0.5)) << n;
    EXPECT_EQ(s.mad, median_absolute_deviation(sample)) << n;
    const auto place = std::find(sorted.begin(), sorted.end(), s.low) - sorted.begin();
    EXPECT_LE(place, static_cast<std::ptrdiff_t>(n / 2)) << n;
    EXPECT_TRUE(std::binary_search(sorted.begin(), sorted.end(), s.high)) << n;
    EXPECT_LE(s.low, s.median);
    EXPECT_GE(s.high, s.median);
    std::vector<double> reversed(sorted.rbegin(), sorted.rend());
    EXPECT_EQ(spread(reversed).low, s.low) << n << ": order does not matter";
    EXPECT_EQ(spread(reversed).high, s.high) << n;
  }
}

TEST(Statistics, FewSamplesGiveTheirRange) {
  const Spread s = spread(std::vector{5.0, 1.0, 3.0});
  EXPECT_EQ(s.low, 1.0);
  EXPECT_EQ(s.high, 5.0);
  EXPECT_EQ(s.samples, 3);
}

TEST(Statistics, IntervalCoversTheTrueMedian) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> skewed(1.0);
  const double truth = std::log(2.0);
  for (const size_t n : {12u, 30u, 3000u}) {
    const int trials = n > 1000 ? 200 : 2000;
    int covered = 0;
    for (int t = 0; t < trials; ++t) {
      std::vector<double> sample(n);
      for (double& x : sample) x = skewed(random);
      const Spread s = spread(sample);
      covered += s.low <= truth && truth <= s.high;
    }
    EXPECT_GE(covered, trials * 0.93) << n;
    EXPECT_LE(covered, trials * 0.995) << n;
  }
}

TEST(Statistics, TheIntervalOfAMeanHoldsItAndCoversTheTruth) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(10, 2);
  for (const size_t n : {6u, 12u, 100u}) {
    int covered = 0;
    for (int t = 0; t < 2000; ++t) {
      std::vector<double> sample(n);
      for (double& x : sample) x = normal(random);
      const Spread s = spread_of_mean(sample);
      EXPECT_LE(s.low, s.median);
      EXPECT_GE(s.high, s.median);
      covered += s.low <= 10 && 10 <= s.high;
    }
    EXPECT_GE(covered, 2000 * 0.925) << n;  // cut at the outermost samples, which tells for 6
    EXPECT_LE(covered, 2000 * 0.975) << n;
  }
  const Spread few = spread_of_mean(std::vector{0.0, 0.0, 9.0});
  EXPECT_EQ(few.median, 3);
  EXPECT_EQ(few.low, 0);
  EXPECT_EQ(few.high, 9);
  EXPECT_EQ(few.mad, 3);
  EXPECT_TRUE(std::isnan(spread_of_mean({}).median));
}

}  // namespace
}  // namespace profiler
