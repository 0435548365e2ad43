// SPDX-License-Identifier: Apache-2.0
// Order statistics: median, quantiles, MAD, and the distribution-free interval of the median.
#include "profiler/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "profiler/base/unknown.h"

namespace profiler {
namespace {

std::vector<double> sorted_known(std::span<const double> sample) {
  std::vector<double> sorted;
  sorted.reserve(sample.size());
  std::copy_if(sample.begin(), sample.end(), std::back_inserter(sorted), [](double x) { return !std::isnan(x); });
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double median_deviation(const std::vector<double>& sample, double center) {
  if (sample.empty()) return kUnknown;
  std::vector<double> deviations(sample.size());
  std::transform(sample.begin(), sample.end(), deviations.begin(), [center](double x) { return std::abs(x - center); });
  // the one or two in the middle, without sorting the rest
  const auto middle = deviations.begin() + static_cast<std::ptrdiff_t>((deviations.size() - 1) / 2);
  std::nth_element(deviations.begin(), middle, deviations.end());
  if (deviations.size() % 2 == 1) return *middle;
  return *middle + 0.5 * (*std::min_element(middle + 1, deviations.end()) - *middle);
}

/// Largest k >= 1 with P(Binomial(n, 1/2) <= k - 1) <= 2.5 %: [x_(k), x_(n+1-k)] then covers the
/// median with at least 95 %. 0 when no such k exists (n < 6).
size_t interval_rank(size_t n) {
  const double size = static_cast<double>(n);
  if (n > 2000) {  // the normal approximation is within one rank here
    return static_cast<size_t>(std::max(0.0, std::floor(0.5 * size - 0.98 * std::sqrt(size))));
  }
  double below = 0;
  size_t rank = 0;
  while (rank < n / 2) {
    const double k = static_cast<double>(rank);
    below += std::exp(std::lgamma(size + 1) - std::lgamma(k + 1) - std::lgamma(size - k + 1) - size * std::log(2.0));
    if (below > 0.025) break;
    ++rank;
  }
  return rank;
}

/// 97.5 % quantile of Student's t, within 1 % from 5 degrees of freedom on. Source: Abramowitz & Stegun, 26.7.5.
double student_t(double freedom) {
  constexpr double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

}  // namespace

double quantile_of_sorted(std::span<const double> sorted, double q) {
  if (sorted.empty()) return kUnknown;
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const double share = position - static_cast<double>(below);
  if (share == 0) return sorted[below];
  return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

double median(std::span<const double> sample) { return quantile(sample, 0.5); }

double quantile(std::span<const double> sample, double q) { return quantile_of_sorted(sorted_known(sample), q); }

double median_absolute_deviation(std::span<const double> sample) {
  const std::vector<double> sorted = sorted_known(sample);
  return median_deviation(sorted, quantile_of_sorted(sorted, 0.5));
}

Spread spread(std::span<const double> sample) {
  std::vector<double> known;
  known.reserve(sample.size());
  std::copy_if(sample.begin(), sample.end(), std::back_inserter(known), [](double x) { return !std::isnan(x); });
  Spread result;
  result.samples = static_cast<int>(known.size());
  if (known.empty()) {
    result.median = result.mad = result.low = result.high = kUnknown;
    return result;
  }
  // Only the ranks asked for are put in their places, from below; sorting all of them took a tenth of opening a big
  // capture.
  const size_t rank = std::max<size_t>(interval_rank(known.size()), 1);
  const auto at = [&known](size_t place) { return known.begin() + static_cast<std::ptrdiff_t>(place); };
  const size_t low = rank - 1, middle = (known.size() - 1) / 2, high = known.size() - rank;
  std::nth_element(known.begin(), at(low), known.end());
  result.low = known[low];  // read at once: the next step may move it
  std::nth_element(at(low), at(middle), known.end());
  result.median = known[middle];
  if (known.size() % 2 == 0) result.median += 0.5 * (*std::min_element(at(middle + 1), known.end()) - known[middle]);
  std::nth_element(at(middle), at(high), known.end());
  result.high = known[high];
  result.mad = median_deviation(known, result.median);
  return result;
}

Spread spread_of_mean(std::span<const double> sample) {
  Spread result = spread(sample);
  if (result.samples == 0) return result;
  const std::vector<double> known = sorted_known(sample);
  const auto n = static_cast<double>(known.size());
  const double mean = std::accumulate(known.begin(), known.end(), 0.0) / n;
  result.median = mean;
  result.mad = median_deviation(known, mean);
  result.low = known.front(), result.high = known.back();
  if (result.samples < kSamplesOfAnInterval) return result;
  double squares = 0;
  for (const double x : known) squares += (x - mean) * (x - mean);
  const double half = student_t(n - 1) * std::sqrt(squares / (n - 1) / n);
  result.low = std::max(result.low, mean - half), result.high = std::min(result.high, mean + half);
  return result;
}

}  // namespace profiler
