// SPDX-License-Identifier: Apache-2.0
// Points of curves, and what is said of their sampling.
#include "profiler/memory/miss_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler {
namespace {

double error_at(const StackDistance&, uint64_t) { return 0; }
double error_at(const SampledDistance& d, uint64_t lines) { return d.miss_ratio_error(lines); }

template <class Distances>
MissCurve points_of(const Distances& distances, int line_bytes) {
  MissCurve curve;
  curve.accesses = distances.accesses();
  curve.distinct_bytes = distances.lines() * static_cast<uint64_t>(line_bytes);
  const auto lookups = static_cast<double>(curve.accesses);
  for (uint64_t base = 4;
       curve.points.empty() || static_cast<uint64_t>(curve.points.back().cache_bytes) < curve.distinct_bytes;
       base *= 2) {
    for (uint64_t quarter = 0; quarter < 4; ++quarter) {
      const uint64_t lines = base + base * quarter / 4;
      const auto misses = static_cast<double>(distances.misses(lines));
      curve.points.push_back({static_cast<int64_t>(lines) * line_bytes, static_cast<uint64_t>(std::llround(misses)),
                              lookups > 0 ? misses / lookups : 0, error_at(distances, lines)});
    }
  }
  const double allowed = static_cast<double>(distances.first_uses()) + std::floor(lookups / 20);
  uint64_t low = 0, high = distances.lines();  // high suffices: then nothing but first uses misses
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (static_cast<double>(distances.misses(middle)) <= allowed) high = middle;
    else low = middle + 1;
  }
  curve.working_set_bytes = static_cast<int64_t>(low) * line_bytes;
  return curve;
}

}  // namespace

double MissCurve::mean_error() const {
  double sum = 0;
  for (const CurvePoint& p : points) sum += p.miss_ratio_error;
  return sum / static_cast<double>(points.size());
}

double MissCurve::largest_error() const {
  double most = 0;
  for (const CurvePoint& p : points) most = std::max(most, p.miss_ratio_error);
  return most;
}

MissCurve curve_of(const StackDistance& distances, int line_bytes) {
  MissCurve curve = points_of(distances, line_bytes);
  curve.sampled_lines = distances.lines();
  return curve;
}

MissCurve curve_of(const SampledDistance& distances, int line_bytes) {
  MissCurve curve = points_of(distances, line_bytes);
  curve.rate = distances.rate();
  curve.sampled_lines = distances.sampled_lines();
  return curve;
}

std::string sampling_text(const MissCurve& curve) {
  if (!curve.sampled()) return {};
  return fmt::format("1/{:.4g} of the lines, {} of about {:.3g}: miss ratios ± {:.2g} on average, ± {:.2g} at most",
                     1 / curve.rate, curve.sampled_lines, static_cast<double>(curve.sampled_lines) / curve.rate,
                     curve.mean_error(), curve.largest_error());
}

SampledDistance::Options usual_sample(uint64_t lines, int line_bytes) {
  constexpr double kUsual = 0.01, kMost = 1.0 / 16, kEnough = 16384;
  constexpr uint64_t kMostLines = 1u << 18;
  const double rate = lines == 0 ? kUsual : std::clamp(kEnough / static_cast<double>(lines), kUsual, kMost);
  return {.rate = rate, .most_lines = kMostLines, .line_bytes = line_bytes};
}

}  // namespace profiler
