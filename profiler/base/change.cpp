// SPDX-License-Identifier: Apache-2.0
// Student's t on logarithms of times, with a floor under the variance.
#include "profiler/base/change.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "engine/base/check.h"
#include "profiler/base/statistics.h"
#include "profiler/base/unknown.h"

namespace profiler {
namespace {

/// An assumption has no degrees of freedom to lose: the law is normal.
constexpr double kAssumedFreedom = 1e6;

bool usable(double time) { return std::isfinite(time) && time > 0; }

std::vector<double> logarithms(std::span<const double> times) {
  std::vector<double> logs;
  for (const double time : times) {
    if (usable(time)) logs.push_back(std::log(time));
  }
  return logs;
}

/// Interquartile range of the normal law, in standard deviations.
constexpr double kNormalRange = 1.349;
constexpr double kOuterFence = 3;

/// The sides without what lies beyond the outer fences of their common deviations; how many lay there.
int fence(std::vector<double>& a, std::vector<double>& b, const ChangeTest& test) {
  if (std::min(a.size(), b.size()) < static_cast<size_t>(test.fewest_fenced)) return 0;
  const double middle_a = quantile(a, 0.5), middle_b = quantile(b, 0.5);
  std::vector<double> deviations;
  for (const double v : a) deviations.push_back(v - middle_a);
  for (const double v : b) deviations.push_back(v - middle_b);
  const double low = quantile(deviations, 0.25), high = quantile(deviations, 0.75);
  const double reach = kOuterFence * std::max(high - low, kNormalRange * test.prior_noise);
  const auto beyond = [&](double middle) {
    return [=](double v) { return v - middle < low - reach || v - middle > high + reach; };
  };
  return static_cast<int>(std::erase_if(a, beyond(middle_a)) + std::erase_if(b, beyond(middle_b)));
}

struct Moments {
  double mean = 0, squares = 0;  ///< squares: sum of squared deviations
};

Moments moments(const std::vector<double>& values) {
  Moments m;
  for (const double v : values) m.mean += v / static_cast<double>(values.size());
  for (const double v : values) m.squares += (v - m.mean) * (v - m.mean);
  return m;
}

/// `weight`: the difference's variance is the variance of one process times this.
Change judge(double difference, double squares, double freedom, double weight, Change change, const ChangeTest& test) {
  CHECK(test.error_rate > 0 && test.error_rate < 1 && test.prior_freedom >= 0 && test.same_margin > 0);
  change.noise_assumed = freedom < 1;
  const double prior = test.prior_noise * test.prior_noise;
  const double moderated = (test.prior_freedom * prior + squares) / (test.prior_freedom + freedom);
  change.noise = change.noise_assumed ? test.single_noise : std::sqrt(std::max(moderated, squares / freedom));
  if (std::min(change.before, change.after) < kFewProcesses) change.noise = std::max(change.noise, test.single_noise);
  const double error = std::hypot(change.noise * std::sqrt(weight), test.common_error);
  const boost::math::students_t law(change.noise_assumed ? kAssumedFreedom : freedom);
  const double t = std::abs(difference) / error;
  const double half_width = error * boost::math::quantile(boost::math::complement(law, 0.025));
  change.ratio = std::exp(difference);
  change.low = std::exp(difference - half_width);
  change.high = std::exp(difference + half_width);
  change.probability = 2 * boost::math::cdf(boost::math::complement(law, t));
  const double margin = std::log1p(test.same_margin);
  if (change.probability < test.error_rate && std::abs(difference) >= std::log1p(test.least_change)) {
    change.verdict = difference > 0 ? ChangeClass::slower : ChangeClass::faster;
  } else if (std::abs(difference) + half_width <= margin) {
    change.verdict = ChangeClass::same;
  }
  return change;
}

Change judge_logarithms(const std::vector<double>& a, const std::vector<double>& b, const ChangeTest& test) {
  Change change;
  change.before = static_cast<int>(a.size());
  change.after = static_cast<int>(b.size());
  if (a.empty() || b.empty()) {
    change.ratio = change.low = change.high = change.noise = change.probability = kUnknown;
    return change;
  }
  const Moments from = moments(a), to = moments(b);
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  return judge(to.mean - from.mean, from.squares + to.squares, n + m - 2, 1 / n + 1 / m, change, test);
}

}  // namespace

std::string_view name(ChangeClass verdict) {
  switch (verdict) {
    case ChangeClass::unsure: return "UNSURE";
    case ChangeClass::same: return "SAME";
    case ChangeClass::faster: return "FASTER";
    case ChangeClass::slower: return "SLOWER";
  }
  return "UNSURE";
}

Change judge_change(std::span<const double> before, std::span<const double> after, const ChangeTest& test) {
  std::vector<double> a = logarithms(before), b = logarithms(after);
  const Change change = judge_logarithms(a, b, test);
  if (change.verdict != ChangeClass::unsure) return change;
  const int left_out = fence(a, b, test);
  if (left_out == 0) return change;
  Change fenced = judge_logarithms(a, b, test);
  fenced.left_out = left_out;
  return fenced.verdict == ChangeClass::same ? fenced : change;
}

Change judge_pairs(std::span<const double> before, std::span<const double> after, const ChangeTest& test) {
  std::vector<double> differences;
  for (size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (usable(before[i]) && usable(after[i])) differences.push_back(std::log(after[i] / before[i]));
  }
  Change change;
  change.before = change.after = static_cast<int>(differences.size());
  if (differences.empty()) {
    change.ratio = change.low = change.high = change.noise = change.probability = kUnknown;
    return change;
  }
  const Moments m = moments(differences);
  const double n = static_cast<double>(differences.size());
  // A difference of two processes has twice the variance of one.
  return judge(m.mean, m.squares / 2, n - 1, 2 / n, change, test);
}

double process_time_ns(std::span<const double> steps_ns) { return quantile(steps_ns, 0.25); }

}  // namespace profiler
