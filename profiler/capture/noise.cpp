// SPDX-License-Identifier: Apache-2.0
// The rule, and the one sentence on background load.
#include "profiler/capture/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "profiler/base/foreign_load.h"
#include "profiler/base/say.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {

bool noisy(const Spread& s) { return s.samples > 1 && s.high > kNoisyFactor * s.low; }

bool noisy(const Capture& capture) { return noisy(spread(timed_steps_ns(capture))); }

bool queued(double queued_ratio, double background_load_ratio) {
  return queued_ratio > kQueued && background_load_ratio > kBusyLoad;
}

bool queued(const Capture& capture) {
  return queued(capture.honesty().queued_ratio, capture.honesty().foreign_load_ratio);
}

bool disturbed(const Capture& capture) { return noisy(capture) || queued(capture); }

std::string queued_words(double queued_ratio, double background_load_ratio) {
  if (!queued(queued_ratio, background_load_ratio)) return {};
  return say(
      "Threads waited {:.0f} % of a step for processors that other programs held, so it took longer than the program "
      "needs.",
      100 * queued_ratio);
}

std::string queued_words(const Capture& capture) {
  return queued_words(capture.honesty().queued_ratio, capture.honesty().foreign_load_ratio);
}

std::string time_doubt_words(const Capture& capture) {
  std::string text =
      noisy(capture) ? say("These times scatter: other programs, a changing clock or unequal steps lengthened some.")
                     : std::string();
  if (const std::string waited = queued_words(capture); !waited.empty()) text += (text.empty() ? "" : " ") + waited;
  return text;
}

double idle_time_ratio(double background_load_ratio) {
  return background_load_ratio > kBusyLoad ? std::max(0.0, 1 - background_load_ratio) : 1;
}

double process_noise(std::span<const double> steps_ns) {
  constexpr double kQuartile = 0.25, kNormal = 1.96, kBeyond = 0.025;
  std::vector<double> sorted;
  std::ranges::copy_if(steps_ns, std::back_inserter(sorted), [](double ns) { return ns > 0 && std::isfinite(ns); });
  if (sorted.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(sorted);
  // Ranks of the 95 % interval of a quantile: how many of n steps lie below it is binomial (Conover, section 3.2). Of
  // five steps the slowest is left out.
  const size_t n = sorted.size();
  const auto below = [&](size_t k) {  // P(exactly k steps below the quartile)
    const double all = static_cast<double>(n), some = static_cast<double>(k);
    return std::exp(std::lgamma(all + 1) - std::lgamma(some + 1) - std::lgamma(all - some + 1) +
                    some * std::log(kQuartile) + (all - some) * std::log1p(-kQuartile));
  };
  size_t low = 0, high = n - 1;
  double fewer = 0, more = 0;
  for (size_t k = 0; k < n && (fewer += below(k)) <= kBeyond; ++k) low = k;
  for (size_t k = n; k > 0 && (more += below(k)) <= kBeyond; --k) high = k - 1;
  constexpr double kDependent = 3;
  return kDependent * std::log(sorted[high] / sorted[low]) / (2 * kNormal);
}

std::string background_load_words(std::span<const double> background_load_ratios) {
  std::vector<double> busy;
  for (const double ratio : background_load_ratios) {
    if (ratio > kBusyLoad) busy.push_back(100 * ratio);
  }
  if (busy.empty()) return {};
  const size_t all = background_load_ratios.size();
  if (all == 1) return say("Background load: {:.0f} % of the processors.", busy.front());
  const auto [low, high] = std::ranges::minmax(busy);
  const std::string range =
      std::lround(low) == std::lround(high) ? fmt::format("{:.0f} %", high) : say("{:.0f} to {:.0f} %", low, high);
  return say("Background load: {} of the processors beside {} of {} processes.", range, busy.size(), all);
}

std::string background_load_words(double background_load_ratio) {
  return background_load_words(std::span(&background_load_ratio, 1));
}

}  // namespace profiler
