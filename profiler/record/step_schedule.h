// SPDX-License-Identifier: Apache-2.0
// StepSchedule: which step comes next (warm-up, traced, untraced) and when there are enough.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace profiler {

enum class StepKind : uint8_t { warmup, traced, untraced };

struct ScheduleOptions {
  int warmup_steps = -1;     ///< -1: until two consecutive steps agree within 5 %, at most 5 and at most 5 s
  int steps = 0;             ///< traced; 0: until the median's 95 % interval is within +-2 %, 5 to 50, at most 20 s
  bool measure_cost = true;  ///< pairs a traced with an untraced step, the order alternating (at most 25 pairs)
};

/// What profiling costs: the median over pairs of traced / untraced - 1, and the half-width of its
/// 95 % interval. NaN: no pairs.
struct TracingCost {
  double ratio, noise_ratio;
};

class StepSchedule {
 public:
  explicit StepSchedule(const ScheduleOptions& options) : options_(options) {}
  /// The next step to run; nothing when there are enough.
  std::optional<StepKind> next() const;
  /// A step of the kind next() named took this long.
  void ran(StepKind, double ns);

  int traced_steps() const { return static_cast<int>(traced_ns_.size()); }
  const std::vector<double>& traced_ns() const { return traced_ns_; }
  /// Half-width of the 95 % interval of the median of traced steps, relative to it. NaN before the
  /// first.
  double uncertainty() const;
  bool steady() const;
  TracingCost cost() const;
  /// Estimate of how much is done, 0..1.
  double fraction() const;

 private:
  bool warm() const;
  bool enough() const;
  bool pairing() const;

  ScheduleOptions options_;
  std::vector<double> warmup_ns_, traced_ns_, untraced_ns_;
  double warmup_total_ns_ = 0, total_ns_ = 0;
};

}  // namespace profiler
