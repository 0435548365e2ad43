// SPDX-License-Identifier: Apache-2.0
// The unit of work that follows from the counts of the points.
#include "profiler/sweep/work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace profiler {
namespace {

constexpr double kSame = 0.01;

bool has_counts(const SweepFigures& f) { return f.flops > 0 || f.compulsory_bytes > 0; }

/// All of them within 1 % of the first.
bool constant(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double v) { return std::abs(v - values.front()) <= kSame * values.front(); });
}

bool known(const std::vector<double>& values) {
  return !values.empty() && std::ranges::all_of(values, [](double v) { return v > 0 && std::isfinite(v); });
}

struct Counts {
  std::vector<double> samples, flops, bytes;
};

Counts counts_of(const Sweep& sweep, std::span<const size_t> points) {
  Counts c;
  for (const size_t point : points) {
    const SweepFigures& f = figures_of(sweep.points[point]);
    if (!has_counts(f)) continue;
    c.samples.push_back(f.samples), c.flops.push_back(f.flops), c.bytes.push_back(f.compulsory_bytes);
  }
  return c;
}

}  // namespace

std::string_view name(WorkUnit unit) {
  constexpr std::array<std::string_view, 4> kNames{"step", "sample", "compulsory byte", "FLOP"};
  return kNames[static_cast<size_t>(unit)];
}

const SweepFigures& figures_of(const SweepPoint& point) {
  return point.samples.empty() ? point.predicted : point.found;
}

WorkUnit work_unit(const Sweep& sweep, std::span<const size_t> points) {
  const Counts c = counts_of(sweep, points);
  const std::vector<double>& work = known(c.flops) ? c.flops : c.bytes;
  if (!known(work) || constant(work)) return WorkUnit::step;
  if (known(c.samples) && !constant(c.samples)) return WorkUnit::sample;
  if (!known(c.flops)) return WorkUnit::byte;
  if (!known(c.bytes)) return WorkUnit::flop;
  std::vector<double> intensity;
  for (size_t i = 0; i < c.flops.size(); ++i) intensity.push_back(c.flops[i] / c.bytes[i]);
  return constant(intensity) ? WorkUnit::byte : WorkUnit::flop;
}

double work_of(const SweepFigures& f, WorkUnit unit) {
  switch (unit) {
    case WorkUnit::step: return 1;
    case WorkUnit::sample: return f.samples;
    case WorkUnit::byte: return f.compulsory_bytes;
    case WorkUnit::flop: return f.flops;
  }
  return 1;
}

bool work_grows(const Sweep& sweep, std::span<const size_t> points) {
  const Counts c = counts_of(sweep, points);
  if (c.bytes.empty()) return true;  // unknown: only its times can say
  const std::vector<double>& work = known(c.flops) ? c.flops : c.bytes;
  for (size_t i = 1; i < work.size(); ++i) {
    if (!(work[i] > (1 + kSame) * work[i - 1])) return false;
  }
  return true;
}

}  // namespace profiler
