// SPDX-License-Identifier: Apache-2.0
// Interleaved rounds over the points of a sweep.
#include "profiler/sweep/schedule.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace profiler {

double sample_noise(const SweepPoint& point, int least) {
  double count = 0, sum = 0, squares = 0;
  for (const SweepSample& sample : counted_samples(point, least)) {
    ++count;
    sum += sample.step_ns;
    squares += sample.step_ns * sample.step_ns;
  }
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  const double mean = sum / count;
  const double variance = std::max(0.0, (squares - sum * mean) / (count - 1));
  return std::sqrt(variance / count) / mean;
}

bool enough_samples(const SweepRequest& request, const SweepPoint& point) {
  if (point.outcome == PointOutcome::out_of_memory || point.outcome == PointOutcome::failed) return true;
  const auto samples = static_cast<int>(point.samples.size());
  if (samples >= request.most_samples) return true;
  if (samples < request.least_samples) return false;
  const double noise = sample_noise(point, request.least_samples);
  return samples == 1 || noise <= request.noise_target;
}

std::optional<size_t> next_point(const Sweep& sweep) {
  size_t fewest = SIZE_MAX;
  std::vector<size_t> open;
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    if (enough_samples(sweep.request, sweep.points[i])) continue;
    const size_t samples = sweep.points[i].samples.size();
    if (samples < fewest) open.clear();
    fewest = std::min(fewest, samples);
    if (samples == fewest) open.push_back(i);
  }
  if (open.empty()) return std::nullopt;
  return fewest % 2 == 0 ? open.front() : open.back();
}

std::optional<size_t> next_simulation(const Sweep& sweep) {
  if (!sweep.request.simulates()) return std::nullopt;
  const auto next = std::ranges::find_if(
      sweep.points, [](const SweepPoint& p) { return p.outcome == PointOutcome::measured && p.simulation.empty(); });
  return next == sweep.points.end() ? std::nullopt : std::optional(static_cast<size_t>(next - sweep.points.begin()));
}

double fraction_done(const Sweep& sweep) {
  double done = 0, needed = 0;
  for (const SweepPoint& point : sweep.points) {
    const double wanted = sweep.request.least_samples;
    const bool measurable = point.outcome == PointOutcome::pending || point.outcome == PointOutcome::measured;
    if (sweep.request.simulates() && measurable) {
      needed += wanted;
      if (!point.simulation.empty()) done += wanted;
    }
    needed += wanted;
    done += enough_samples(sweep.request, point) ? wanted
                                                 : std::min(wanted - 0.5, static_cast<double>(point.samples.size()));
  }
  return needed > 0 ? done / needed : 1;
}

}  // namespace profiler
