// SPDX-License-Identifier: Apache-2.0
// When a run is warm, when it has steps enough, and what tracing cost it.
#include "profiler/record/step_schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "profiler/base/statistics.h"

namespace profiler {
namespace {

constexpr int kMostWarmups = 5, kFewestSteps = 5, kMostSteps = 50;
constexpr size_t kMostPairs = 25;
constexpr double kWarmAgreement = 0.05, kSteadyInterval = 0.02;
constexpr double kWarmupLimitNs = 5e9, kLimitNs = 20e9;

}  // namespace

bool StepSchedule::warm() const {
  const size_t n = warmup_ns_.size();
  if (options_.warmup_steps >= 0) return n >= static_cast<size_t>(options_.warmup_steps);
  if (n >= kMostWarmups || (n > 0 && warmup_total_ns_ >= kWarmupLimitNs)) return true;
  return n >= 2 && std::abs(warmup_ns_[n - 1] - warmup_ns_[n - 2]) <= kWarmAgreement * warmup_ns_[n - 2];
}

bool StepSchedule::pairing() const { return options_.measure_cost && untraced_ns_.size() < kMostPairs; }

double StepSchedule::uncertainty() const {
  const Spread s = spread(traced_ns_);
  return s.samples == 0 ? std::numeric_limits<double>::quiet_NaN() : (s.high - s.low) / 2 / s.median;
}

bool StepSchedule::steady() const { return traced_steps() >= kFewestSteps && uncertainty() <= kSteadyInterval; }

bool StepSchedule::enough() const {
  if (traced_ns_.empty()) return false;
  if (options_.steps > 0) return traced_steps() >= options_.steps;
  return steady() || traced_steps() >= kMostSteps || total_ns_ >= kLimitNs;
}

std::optional<StepKind> StepSchedule::next() const {
  if (!warm()) return StepKind::warmup;
  const size_t traced = traced_ns_.size(), untraced = untraced_ns_.size();
  if (options_.measure_cost && traced != untraced && std::min(traced, untraced) < kMostPairs &&
      std::max(traced, untraced) <= kMostPairs) {
    return traced < untraced ? StepKind::traced : StepKind::untraced;  // the other half of a pair
  }
  if (enough()) return std::nullopt;
  // Whatever happens between steps (writing the capture) then hits both kinds alike.
  return pairing() && traced % 2 == 1 ? StepKind::untraced : StepKind::traced;
}

void StepSchedule::ran(StepKind kind, double ns) {
  switch (kind) {
    case StepKind::warmup:
      warmup_ns_.push_back(ns);
      warmup_total_ns_ += ns;
      return;
    case StepKind::traced: traced_ns_.push_back(ns); break;
    case StepKind::untraced: untraced_ns_.push_back(ns); break;
  }
  total_ns_ += ns;
}

TracingCost StepSchedule::cost() const {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(traced_ns_.size(), untraced_ns_.size()); ++i) {
    if (untraced_ns_[i] > 0) ratios.push_back(traced_ns_[i] / untraced_ns_[i] - 1);
  }
  const Spread s = spread(ratios);
  return {.ratio = s.median,
          .noise_ratio = s.samples < 2 ? std::numeric_limits<double>::quiet_NaN() : (s.high - s.low) / 2};
}

double StepSchedule::fraction() const {
  const double done = traced_steps();
  if (options_.steps > 0) return std::min(1.0, done / options_.steps);
  // steady runs end early: the fraction then jumps, which nobody minds
  return std::min(1.0, std::max(done / kMostSteps, total_ns_ / kLimitNs));
}

}  // namespace profiler
