// SPDX-License-Identifier: Apache-2.0
// What the curves of a sweep say: where the knee is and what binds on each side, where caches overflow, how well
// threads scale.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/sweep/sweep.h"
#include "profiler/sweep/work.h"

namespace profiler {

/// A plateau, a growth in proportion or a knee describes times where it is off by at most this factor (root mean
/// square); ours.
inline constexpr double kLawFactor = 1.25;

/// t(x) = max(plateau, slope * x): below the knee a step costs the same whatever x is, above it grows with x.
struct Knee {
  double x = 0;  ///< plateau / slope
  double plateau = 0, slope = 0;
  double log_error = 0;  ///< root mean square of ln(fit / measured)
};
/// The fit with the least squares in ln t over all splits. The first k points are the plateau, the rest the slope, each
/// at least two points. Nothing with fewer than 4 points, or a value that is not above 0. Nothing either where one side
/// alone fits as well, or the fit is off by more than kLawFactor.
std::optional<Knee> find_knee(std::span<const double> x, std::span<const double> t);
/// Root mean square of ln(fit / measured). The fit is that of find_knee(), else the nearer of a plateau and a growth in
/// proportion to x. NaN where find_knee() has too few points, or values it cannot use.
double law_log_error(std::span<const double> x, std::span<const double> t);

/// A batch is almost as fast as one sample while its step takes at most this many times as long; ours.
inline constexpr double kAlmostAsFast = 1.1;
/// "Almost as fast as one sample", as a number.
struct AlmostOne {
  double x = 1;                            ///< the largest batch of which this holds, and of all smaller ones
  double time_ratio = 1;                   ///< its time over that of one sample
  double next_x = 0, next_time_ratio = 0;  ///< of the first batch of which it does not hold; 0: it holds of all
};
/// Of times over batches, ascending. Nothing without a batch of 1 and one more.
std::optional<AlmostOne> almost_one(std::span<const double> x, std::span<const double> t);

/// t(n) = t(1) (serial + (1 - serial) / n), Amdahl 1967; serial by least squares in t / t(1), clamped to [0, 1].
struct AmdahlFit {
  double serial_ratio = 0;
  double rms_error_ratio = 0;  ///< NaN: two thread counts, through which a law of one parameter always runs
  /// Of the serial part: its 95 % interval by Student's t over the thread counts. With two counts: what the spread of
  /// both times allows. NaN: unknown.
  double serial_low = std::numeric_limits<double>::quiet_NaN(), serial_high = serial_low;
  double time_ratio(double threads) const { return serial_ratio + (1 - serial_ratio) / threads; }  ///< t(n) / t(1)
};
/// Nothing without a point n = 1 and one more.
std::optional<AmdahlFit> fit_amdahl(std::span<const double> threads, std::span<const double> t);

/// Median step with one thread and the same other settings over this point's; NaN: no axis "threads", or one of them
/// was not measured.
double speed_up(const Sweep&, size_t point);

/// From one point to the next the modelled bytes over a link, per unit of work, grew by half or more. The nearer level
/// no longer holds them. Neighbours over one link are one cliff.
struct CacheCliff {
  size_t point = 0;          ///< the first point beyond
  double x = 0, last_x = 0;  ///< where it begins; where it ends
  std::string inner, outer;  ///< the level that overflows, and the one that serves instead
  double modelled_bytes_ratio =
      0;  ///< bytes per unit over that link, the last point of the cliff / the one before the first (modelled)
  double time_ratio = 0;  ///< time per unit, same ratio (measured; NaN: not measured, or one of them is_disturbed())
};

/// Marks from the machine's figures along an axis. Axis "working_set": capacities of caches. Axis "batch" of
/// parallel_width: threads times lanes.
struct MachineMark {
  double x = 0;
  std::string text;  ///< "L2: 1 MiB"
  Origin origin = Origin::specified;
};

/// Why a series has no law although enough of its points ran. Either most of them are is_disturbed(), or the nearest
/// law is off by over kLawFactor (law_log_error()). Or the work of a step does not grow from point to point.
enum class NoLaw : uint8_t { law, noisy, misfit, same_work };

/// The points along one numeric axis with all other axes fixed.
struct SweepSeries {
  std::string label;  ///< "dtype=f32"; empty: there is only one
  size_t axis = 0;
  std::vector<double> x;
  std::vector<size_t> points;
  std::optional<Knee> knee, predicted_knee;
  WorkUnit unit = WorkUnit::step;  ///< what cliffs are per
  size_t measured = 0, noisy = 0;  ///< points that ran, and those of them that are is_noisy() or is_queued(): in no law
  size_t queued = 0;               ///< those that are is_queued()
  NoLaw no_law = NoLaw::law;       ///< else neither knee nor amdahl is set
  double log_error =
      std::numeric_limits<double>::quiet_NaN();  ///< law_log_error() of the measured points that are neither
  std::string limit_left, limit_right;           ///< what binds at the first and the last measured point
  std::optional<AmdahlFit>
      amdahl;  ///< of an axis "threads", over the counts within the cores (all, where those are unknown)
  std::optional<AlmostOne> almost, predicted_almost;  ///< along an axis "batch": of the points that are not noisy
  std::vector<CacheCliff> cliffs;
  std::vector<MachineMark> machine_marks;
};
/// One series per combination of the other axes, along the first axis whose values are all numbers; none without such
/// an axis.
std::vector<SweepSeries> sweep_series(const Sweep&);

/// One row per point: settings, outcome, measured times with spread and samples, rates, bytes, memory, prediction and
/// limit.
Table sweep_table(const Sweep&);
/// Whether points have different numbers of ops that run a kernel.
bool ops_vary(const Sweep&);
/// The columns of sweep_table() that fit on a screen of text.
Table sweep_digest(const Sweep&);
/// How many points ran, how many of those are is_disturbed(), and how many is_queued().
struct SweepCounts {
  size_t measured = 0, noisy = 0, queued = 0;
  bool mostly_noisy() const { return 2 * noisy > measured; }
};
SweepCounts sweep_counts(const Sweep&);
/// The word for points that are left out, of which `queued` waited for a processor: "noisy", "queued", "noisy or
/// queued".
std::string doubt_word(size_t noisy, size_t queued);
/// Why a point is left out: its scatter, what it waited for a processor, or both; empty: it is not.
std::string doubt_sentence(const SweepPoint&, int least);
/// The curves in sentences: knees with the limit on each side, serial parts, cache cliffs, points that did not fit,
/// noise, waiting, and background load.
std::vector<std::string> sweep_sentences(const Sweep&);
/// The answer in one line: "Knee at batch = 8: memory latency limits below it, arithmetic above".
/// Without a knee it is the first of the sentences.
std::string sweep_headline(const Sweep&);
/// One row per series: knee found and predicted, what binds on each side, serial share, cliffs.
Table sweep_series_table(const Sweep&);

}  // namespace profiler
