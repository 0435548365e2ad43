// SPDX-License-Identifier: Apache-2.0
// Medians, spreads and intervals of repeated timings.
#pragma once

#include <span>

namespace profiler {

// NaN in a sample means "unknown": it is left out everywhere below.

/// Median of a non-empty sample (mean of the middle two). NaN when empty.
double median(std::span<const double>);
/// Linear-interpolated quantile, q in [0, 1]. NaN when empty.
double quantile(std::span<const double>, double q);
/// The same of a sample that ascends and has no NaN: for several quantiles of one.
double quantile_of_sorted(std::span<const double> sorted, double q);
/// Median absolute deviation (not scaled). NaN when empty.
double median_absolute_deviation(std::span<const double>);

/// Fewer samples cannot carry a 95 % interval of the median (n < 6: 1 - 2 * 0.5^n < 0.95).
inline constexpr int kSamplesOfAnInterval = 6;

struct Spread {
  double median = 0, low = 0, high = 0,
         mad = 0;  ///< low/high: distribution-free 95 % interval of the median (order statistics)
  int samples = 0;
};
/// Fewer than 6 samples cannot carry a 95 % interval: low and high are then the smallest and the largest. All NaN when
/// empty. Source of the interval: binomial order statistics, Conover, Practical Nonparametric Statistics, 3rd ed.,
/// section 3.2.
Spread spread(std::span<const double>);
/// About the mean: `median` is the mean, low and high its 95 % interval by Student's t, within the samples. Below 6
/// samples: the smallest and the largest. mad: the median distance from the mean. All NaN when empty.
Spread spread_of_mean(std::span<const double>);

}  // namespace profiler
