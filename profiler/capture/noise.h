// SPDX-License-Identifier: Apache-2.0
// Noise: whether repeated times scatter too far to be used, or include waiting for processors, and the words on
// background load. Every decision asks here.
#pragma once

#include <span>
#include <string>

#include "profiler/base/statistics.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// Times are noisy when the ends of the 95 % interval of their median lie a larger factor apart; ours.
inline constexpr double kNoisyFactor = 1.25;

/// Judged by the scatter that was seen. Background load alone makes nothing noisy: what it did to the times is in their
/// scatter. Fewer than two times: false, because their scatter is unknown.
bool noisy(const Spread&);
/// Of the timed steps of a run.
bool noisy(const Capture&);

/// From this part of a step on, its time is not that of the program. A step that waited q of its time took 1 / (1 - q)
/// times as long as on processors of its own. At q = 0.2 that is kNoisyFactor, the limit of scatter.
inline constexpr double kQueued = 1 - 1 / kNoisyFactor;

/// Threads waited for processors that other programs held: over kQueued of a step, beside a load above kBusyLoad. Such
/// waiting may lengthen all steps alike and leave no scatter. Load alone does not count: it may have used processors
/// that the program did not want. Nor does waiting alone: threads of a team larger than the machine wait for each
/// other. Unknown figures (NaN): false.
bool queued(double queued_ratio, double background_load_ratio);
bool queued(const Capture&);
/// noisy() or queued().
bool disturbed(const Capture&);
/// "Threads waited 48 % of a step for processors that other programs held, so it took longer than the program needs.";
/// empty: not queued().
std::string queued_words(double queued_ratio, double background_load_ratio);
std::string queued_words(const Capture&);
/// Why the times of a run's steps may not be the program's: noisy(), queued() or both, a sentence each; empty: neither.
std::string time_doubt_words(const Capture&);

/// Lower bound of the time that a process needs on an idle machine, relative to its time under this load (0 to 1). A
/// constant load lengthens all steps alike and leaves no scatter: at most by the share of the processors that it used.
/// 1 where the load is unknown or not above kBusyLoad.
double idle_time_ratio(double background_load_ratio);

/// Standard deviation of ln t between processes of one program, estimated from the steps of one process. It is 3 times
/// the standard error of their lower quartile (process_time_ns) by order statistics. The factor is ours: steps of a
/// process are not independent. Of 546 pairs of equal runs under a load of 67 to 97 %, 2 were called different; 75 with
/// a factor of 1. NaN with fewer than 2 steps.
double process_noise(std::span<const double> steps_ns);

/// "Background load: 46 % of the processors." of the highest of these shares; empty: none is above kBusyLoad.
std::string background_load_words(std::span<const double> background_load_ratios);
std::string background_load_words(double background_load_ratio);

}  // namespace profiler
