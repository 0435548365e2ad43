// SPDX-License-Identifier: Apache-2.0
// Figures of a probe by name, which tells the same figure of two probes.
#pragma once

#include <string>

#include "profiler/machine/machine.h"

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
/// Of all GEMMs of a type, and of all convolutions.
std::string products_figure(engine::DType);
inline constexpr const char* kConvolutionsFigure = "convolutions by Winograd's filtering";
inline constexpr const char* kMultiplyAddFigure = "latency of a multiply-add";
inline constexpr const char* kTimerFigure = "time stamp";
inline constexpr const char* kForkJoinFigure = "empty parallel region";

}  // namespace profiler
