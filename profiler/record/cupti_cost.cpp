// SPDX-License-Identifier: Apache-2.0
// The sentence about CUPTI's cost, or why there is none.
#include "profiler/record/cupti_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiler/base/change.h"
#include "profiler/base/statistics.h"
#include "profiler/base/table.h"

namespace profiler {
namespace {

constexpr size_t kFewestSteps = 4;  // fewer have no quartiles

double spread_ns(std::span<const double> steps) { return quantile(steps, 0.75) - quantile(steps, 0.25); }

}  // namespace

std::string cupti_cost_words(std::span<const double> with, std::span<const double> without,
                             const std::string& why_not) {
  const std::string left_out =
      "The cost of tracing leaves out CUPTI's, because CUPTI watches the GPU in untraced steps too; what CUPTI costs ";
  if (without.empty())
    return left_out + (why_not.empty() ? "was not measured." : fmt::format("was not measured ({}).", why_not));
  if (std::min(with.size(), without.size()) < kFewestSteps) {
    return left_out + fmt::format(
                          "is not known: {} steps with it and {} in a process without it are too few against "
                          "the noise.",
                          with.size(), without.size());
  }
  const double with_ns = process_time_ns(with), without_ns = process_time_ns(without);
  if (!(with_ns > 0) || !(without_ns > 0)) return left_out + "is not known: steps are shorter than the clock resolves.";
  const double cost = with_ns / without_ns - 1, noise = std::max(spread_ns(with), spread_ns(without)) / without_ns;
  const auto duration = [](double ns) { return format_quantity(ns, Quantity::duration_ns); };
  const std::string times =
      fmt::format("the lower quartile of steps is {} with it, {} in a process without it before this one",
                  duration(with_ns), duration(without_ns));
  if (cost < -noise) {
    return left_out + fmt::format(
                          "is not known: {}, slower by more than the steps' spread ({:.1f} %). That process "
                          "had background load.",
                          times, 100 * noise);
  }
  if (!(cost > noise))
    return fmt::format(
        "CUPTI costs less than the noise ({:.1f} % of a step, measured): {}. The "
        "cost of tracing above excludes it.",
        100 * noise, times);
  return fmt::format(
      "CUPTI costs {:+.1f} % of a step (measured, one process each; spread of steps {:.1f} %): {}. "
      "The "
      "cost of tracing above excludes it.",
      100 * cost, 100 * noise, times);
}

}  // namespace profiler
