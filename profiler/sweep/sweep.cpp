// SPDX-License-Identifier: Apache-2.0
// The grid of a sweep, and the figure of a point from its samples.
#include "profiler/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "engine/base/display_text.h"
#include "profiler/capture/noise.h"
#include "profiler/sweep/setting.h"

namespace profiler {

std::string_view name(PointOutcome outcome) {
  constexpr std::array<std::string_view, 4> kNames{"pending", "measured", "out of memory", "failed"};
  return kNames[static_cast<size_t>(outcome)];
}

size_t Sweep::point_count() const {
  size_t count = 1;
  for (const SweepAxis& axis : request.axes) count *= axis.values.size();
  return count;
}

std::vector<size_t> Sweep::position(size_t point) const {
  std::vector<size_t> at(request.axes.size());
  for (size_t axis = at.size(); axis-- > 0;) {
    at[axis] = point % request.axes[axis].values.size();
    point /= request.axes[axis].values.size();
  }
  return at;
}

std::string Sweep::dtype_of(size_t point) const {
  const std::string set = setting_of(*this, point, "dtype");
  const bool several = std::ranges::any_of(request.axes, [](const SweepAxis& a) { return a.name == "workload"; });
  return !set.empty() || several ? set : dtype;
}

bool SweepRequest::simulates() const {
  for (size_t i = 0; i + 1 < fixed.size(); ++i) {
    if (fixed[i] == "--collect") return ("," + fixed[i + 1] + ",").find(",simulate,") != std::string::npos;
  }
  return false;
}

std::string setting_of(const Sweep& sweep, size_t point, std::string_view name) {
  const std::vector<size_t> at = sweep.position(point);
  for (size_t a = 0; a < at.size(); ++a) {
    if (sweep.request.axes[a].name == name) return sweep.request.axes[a].values[at[a]];
  }
  const std::string flag = fmt::format("--{}", name), pair = fmt::format("{}=", name);
  for (size_t i = 0; i + 1 < sweep.request.fixed.size(); ++i) {
    const std::string& value = sweep.request.fixed[i + 1];
    if (sweep.request.fixed[i] == flag) return value;
    if (sweep.request.fixed[i] == "--set" && value.starts_with(pair)) return value.substr(pair.size());
  }
  return {};
}

std::string Sweep::label(size_t point) const {
  std::string text;
  const std::vector<size_t> at = position(point);
  for (size_t axis = 0; axis < at.size(); ++axis) {
    text += fmt::format("{}{}={}", axis > 0 ? " " : "", request.axes[axis].name,
                        engine::display_line(request.axes[axis].values[at[axis]]));
  }
  return text;
}

std::vector<SweepSample> counted_samples(const SweepPoint& point, int least) {
  std::vector<SweepSample> steady;
  std::ranges::copy_if(point.samples, std::back_inserter(steady),
                       [](const SweepSample& s) { return !s.unsteady_clock(); });
  return static_cast<int>(steady.size()) < least ? point.samples : steady;
}

bool is_noisy(const SweepPoint& point, int least) { return noisy(sample_spread(point, least)); }

bool is_queued(const SweepPoint& point, int least) {
  const std::vector<SweepSample> samples = counted_samples(point, least);
  const auto waited =
      std::ranges::count_if(samples, [](const SweepSample& s) { return queued(s.queued_ratio, s.foreign_load_ratio); });
  return waited > 0 && 2 * waited >= std::ssize(samples);
}

bool is_disturbed(const SweepPoint& point, int least) { return is_noisy(point, least) || is_queued(point, least); }

double queued_ratio(const SweepPoint& point, int least) {
  std::vector<double> ratios;
  for (const SweepSample& sample : counted_samples(point, least)) ratios.push_back(sample.queued_ratio);
  return median(ratios);
}

void compare_clocks(Sweep& sweep) {
  std::vector<double> spins;
  for (const SweepPoint& point : sweep.points) {
    for (const SweepSample& sample : point.samples) spins.push_back(sample.spin_ns);
  }
  const double usual = median(spins);
  for (SweepPoint& point : sweep.points) {
    for (SweepSample& sample : point.samples) sample.clock_off_ratio = sample.spin_ns / usual - 1;
  }
}

double step_energy_j(const SweepPoint& point, int least) {
  std::vector<double> joules;
  for (const SweepSample& sample : counted_samples(point, least)) joules.push_back(sample.step_energy_j);
  return median(joules);
}

Spread sample_spread(const SweepPoint& point, int least) {
  std::vector<double> steps;
  for (const SweepSample& sample : counted_samples(point, least)) steps.push_back(sample.step_ns);
  return spread(steps);
}

}  // namespace profiler
