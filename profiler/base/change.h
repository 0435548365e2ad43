// SPDX-License-Identifier: Apache-2.0
// Change: whether something takes longer after than before, from repeated timings in processes of their own.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace profiler {

enum class ChangeClass : uint8_t { unsure, same, faster, slower };
/// "UNSURE", "SAME", "FASTER", "SLOWER".
std::string_view name(ChangeClass);

/// With fewer processes on a side, ChangeTest::single_noise is the least noise.
inline constexpr int kFewProcesses = 3;

/// How a change is judged. One sample is one *process*. Steps inside a process share its memory layout, its clock and
/// its neighbours. Two runs of one program therefore differ by more than their steps suggest. process_time_ns() makes
/// one figure of a process.
///
/// The test: Student's t on ln t with one variance for both sides, of as many degrees of freedom as the repeats give. A
/// few repeats may agree by chance. The variance is therefore never below its mean with a prior, (d0 s0^2 + d s^2) /
/// (d0 + d). Source: moderated t of Smyth 2004, doi 10.2202/1544-6115.1027; here upwards only, without its extra
/// degrees of freedom. FASTER or SLOWER: the two-sided p is below `error_rate` and the change is at least
/// `least_change`. SAME: not so, and the 95 % interval lies within `same_margin` of 1. UNSURE: neither. The test is
/// then repeated without the processes beyond the outer fences, because a single outlier makes the interval useless.
/// Fences: three interquartile ranges from the quartiles (Tukey 1977), of the deviations of both sides from their
/// medians. They are never narrower than those of s0. The answer may then be SAME, never FASTER or SLOWER. With one
/// process on each side the noise is an assumption; with two it is at least as much.
struct ChangeTest {
  double error_rate =
      0.005;  ///< of calling a change that is none; where several are judged together, each gets its part of it
  double same_margin = 0.05;   ///< differences below this may pass as SAME
  double least_change = 0.01;  ///< smaller ones are never called, however sure
  double prior_noise =
      0.015;  ///< s0: standard deviation of ln t between processes that is expected before looking; our assumption
  double prior_freedom = 3;  ///< d0: as many samples' worth of weight
  /// The same where a side has one or two processes: our assumption, above what we saw between processes.
  double single_noise = 0.05;
  /// Standard error of the difference of ln t that no number of processes lowers, such as waiting of all processes of
  /// one side. 0: none is known.
  double common_error = 0;
  int fewest_fenced = 5;  ///< processes a side from which on fences are drawn
};

struct Change {
  double ratio = 0;           ///< after / before (geometric means over processes); NaN: a side has no known sample
  double low = 0, high = 0;   ///< its 95 % interval
  double probability = 1;     ///< p: of a change as large by chance alone
  double noise = 0;           ///< standard deviation of ln t between processes, as used
  int before = 0, after = 0;  ///< processes on each side that count
  int left_out = 0;           ///< processes of both sides beyond the fences
  ChangeClass verdict = ChangeClass::unsure;
  bool noise_assumed = false;  ///< no repeats: the noise is an assumption, not measured
};

/// Two sets of times [ns, or anything positive], one per process. NaN and what is not positive are left out.
Change judge_change(std::span<const double> before, std::span<const double> after, const ChangeTest& = {});

/// The same for runs in pairs, before[i] beside after[i] in time, so that slow drifts cancel: a t test of ln(after /
/// before). Pairs with an unknown half are left out.
Change judge_pairs(std::span<const double> before, std::span<const double> after, const ChangeTest& = {});

/// One process in one figure: the lower quartile of its steps. Disturbances only ever add time, and rarely to three
/// steps of four. NaN when empty.
double process_time_ns(std::span<const double> steps_ns);

}  // namespace profiler
