// SPDX-License-Identifier: Apache-2.0
// Figures of a probe by name, and which of them were kept from an earlier probe: of two that others disturbed, each figure's better reading counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/model/machine.h"

namespace profiler {

/// "f32 arithmetic, 2 threads"
std::string figure_name(const ComputeRoof&);
/// "L3 copy, 1 thread"
std::string figure_name(const BandwidthRoof&);
/// "latency at 48 KiB"
std::string figure_name(const LatencyPoint&);
/// "f32 product 512 x 512 x 512, 2 threads"
std::string figure_name(const engine::MatmulTiming&);
/// "convolution of 64 channels of 56 x 56"
std::string figure_name(const engine::WinogradTiming&);
inline constexpr const char* kTimerFigure = "time stamp";
inline constexpr const char* kForkJoinFigure = "empty parallel region";

struct KeptReading {
  std::string figure;     ///< figure_name()
  std::string probed_at;  ///< of the probe that measured it
};
/// As Machine::notes say it, a note per probe: "Kept from the probe of 2026-11-22T18:20:11+0000: f32 arithmetic, 2 threads; L3 copy, 1 thread." Not
/// empty: the roofs are weak (roofs_trust.h).
std::vector<KeptReading> kept_readings(const Machine&);
/// Replaces those notes.
void set_kept_readings(Machine&, const std::vector<KeptReading>&);

}  // namespace profiler
