// SPDX-License-Identifier: Apache-2.0
// Sweep: one workload at every point of a grid of settings: what was asked, what was predicted, what was measured.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/base/statistics.h"
#include "profiler/machine/machine.h"

namespace profiler {

/// One setting that is varied: "batch" over "1" "2" "4".
struct SweepAxis {
  std::string name;
  std::vector<std::string> values;
  friend bool operator==(const SweepAxis&, const SweepAxis&) = default;
};

/// Everything that decides what a sweep measures. Two sweeps with equal requests measure the same.
struct SweepRequest {
  std::string workload;                      ///< a workload's name, or the path of a model file
  std::vector<std::string> fixed;            ///< command-line words common to all points: "--mode" "training"
  std::vector<SweepAxis> axes;               ///< outermost first; the last varies fastest
  int least_samples = 3, most_samples = 10;  ///< fresh processes per point
  double noise_target = 0.02;                ///< stops a point once the relative standard error of its samples is below
  /// Whether the fixed words ask for simulated bytes of each point (--collect simulate).
  bool simulates() const;
  friend bool operator==(const SweepRequest&, const SweepRequest&) = default;
};

/// The loss of a training after some steps, warm-up included.
struct SweepLoss {
  int steps = 0;
  double loss = 0;
  friend bool operator==(const SweepLoss&, const SweepLoss&) = default;
};

/// One fresh process at one point: the median of its timed steps.
struct SweepSample {
  int round = 0;
  double step_ns = 0;  ///< measured
  int steps = 0;       ///< timed steps behind the median
  double foreign_load_ratio =
      std::numeric_limits<double>::quiet_NaN();                         ///< share of the processors other programs used
  double clock_drift_ratio = std::numeric_limits<double>::quiet_NaN();  ///< change of the clock rate during the process
  double queued_ratio = std::numeric_limits<double>::quiet_NaN();       ///< part of a step that a thread waited for a
                                                                   ///< processor: queued_ratio of Capture::honesty()
  double spin_ns =
      std::numeric_limits<double>::quiet_NaN();  ///< of a fixed chain of operations before its steps: the clock rate
  double throttle_events =
      std::numeric_limits<double>::quiet_NaN();  ///< how often processors slowed themselves down meanwhile
  double step_energy_j =
      std::numeric_limits<double>::quiet_NaN();  ///< of the processor packages per step; NaN: no counter
  std::vector<SweepLoss> losses = {};            ///< after 1, 2, 5, 10, ... steps; none: it trains nothing, or older
  /// Its spin against the median of all samples of the sweep: compare_clocks().
  double clock_off_ratio = std::numeric_limits<double>::quiet_NaN();
  /// The clock rate changed by over 5 % (our limit), differed as much from that of the other samples, or processors
  /// throttled. Measured beside the steps by a fixed chain of operations. Kept, counted, and left out where enough
  /// samples of a steady clock exist. Background load is no reason.
  bool unsteady_clock() const {
    return std::abs(clock_drift_ratio) > 0.05 || std::abs(clock_off_ratio) > 0.05 || throttle_events > 0;
  }
};

/// Bytes over one link per step.
struct SweepLink {
  std::string outer, inner;     ///< "DRAM", "L3"
  double compulsory_bytes = 0;  ///< exact
  double modelled_bytes = 0;    ///< modelled; NaN: unknown
  double weight_bytes = 0;      ///< modelled, of parameters
  double simulated_bytes =
      std::numeric_limits<double>::quiet_NaN();  ///< simulated: every op's; NaN: not simulated, or unknown of an op
};

/// What the roofs and shapes say before anything runs (modelled), or after (from the capture). Per step; NaN: unknown.
struct SweepFigures {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double samples = kUnknown;  ///< of one step: its batch; NaN: the workload has none
  double flops = kUnknown, compulsory_bytes = kUnknown, weight_compulsory_bytes = kUnknown;  ///< exact
  double memory_bytes = kUnknown;  ///< persistent + arena (+ workspace once known)
  double step_ns = kUnknown;       ///< predicted: sum of the ops' nearest limits; NaN: roofs unknown
  double roof_ratio = kUnknown;    ///< FLOP/s over the arithmetic peak
  /// Exact, where all ops of a step are chains of dependent operations. Operations of which each needs the one before,
  /// and those of all chains together.
  double in_a_row = kUnknown, in_all = kUnknown;
  double ops = kUnknown;         ///< ops of a step that run a kernel: its launches (exact)
  std::string limit;             ///< what takes most of the step: "arithmetic", "DRAM bandwidth"; empty: unknown
  std::vector<SweepLink> links;  ///< DRAM side first
};

enum class PointOutcome : uint8_t { pending, measured, out_of_memory, failed };
std::string_view name(PointOutcome);

struct SweepPoint {
  PointOutcome outcome = PointOutcome::pending;
  std::string message;     ///< out of memory, failed: what the run said
  SweepFigures predicted;  ///< before the run: modelled
  SweepFigures found;      ///< from the last sample's capture; step_ns is the median over samples
  std::vector<SweepSample> samples;
  std::string capture;     ///< file of the last sample, relative to the sweep's folder of points; empty: none
  std::string simulation;  ///< how the bytes of `found` were simulated, or why they are unknown; empty: they were not,
                           ///< or not yet
};

struct Sweep {
  SweepRequest request;
  std::string title, created_at, product_version;
  std::string dtype;               ///< of points that name none: the workload's own; empty: unknown
  std::string huge_pages;          ///< the system's setting: "always", "madvise", "never"; empty: unknown
  Machine machine;                 ///< whose roofs the predictions use
  std::vector<SweepPoint> points;  ///< the grid, the last axis fastest
  bool complete = false;           ///< every point has its outcome and enough samples

  size_t point_count() const;  ///< product of the axes' lengths
  /// Position on each axis of a point.
  std::vector<size_t> position(size_t point) const;
  /// The dtype a point computes in: an axis's, a fixed word's, or the workload's own; empty: unknown.
  std::string dtype_of(size_t point) const;
  /// "batch=4 dtype=f32"
  std::string label(size_t point) const;
};

/// The samples that count: those of a steady clock where there are at least `least`, else all.
std::vector<SweepSample> counted_samples(const SweepPoint&, int least);
/// Median and 95 % interval over them.
Spread sample_spread(const SweepPoint&, int least);
/// Whether that interval is too wide (profiler/capture/noise.h). False with one sample, whose scatter is unknown.
bool is_noisy(const SweepPoint&, int least);
/// Whether half of those samples or more, and so their median, waited for processors that other programs held (queued()
/// of noise.h).
bool is_queued(const SweepPoint&, int least);
/// Either of both: such a point is marked, takes part in no law and is neither the fastest nor the slowest.
bool is_disturbed(const SweepPoint&, int least);
/// Median of the counted samples' queued_ratio; NaN: unknown.
double queued_ratio(const SweepPoint&, int least);
/// Sets clock_off_ratio of all samples: a process that ran at another clock rate than most measured another machine.
void compare_clocks(Sweep&);
/// Median over the samples that sample_spread() counts; NaN: no counter.
double step_energy_j(const SweepPoint&, int least);

/// "batch=1,2,4..512": values and ranges. 1..16 doubles, 0..100+20 adds, 1..81*3 multiplies. A list before ".." sets
/// step (1,2,3..8) or factor (1,2,4..512); of two values, the one that reaches the end counts (10,20..50 adds). Refused
/// (usage) with the place: no name, no value, a value twice, an end that is not reached, over 1000 values. Refused with
/// both ways to write it: a range that doubling and adding both reach (10,20..80), or neither (2,5..9).
engine::Result<SweepAxis> parse_axis(const std::string& text);

}  // namespace profiler
