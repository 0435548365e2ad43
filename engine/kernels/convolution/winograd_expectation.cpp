// SPDX-License-Identifier: Apache-2.0
// What a convolution by Winograd's minimal filtering takes beside direct sums, in multiply-adds' worth.
#include "engine/kernels/convolution/winograd_expectation.h"

#include <algorithm>
#include <cmath>

#include "engine/kernels/convolution/winograd_gradient_loops.h"

namespace engine::cpu {
namespace {

// In multiply-adds' time, as loops::kReadTime.
/// Making an element of U, which waits for memory where all of it is larger than a second cache level.
constexpr double kMakeU = 20, kMakeLargeU = 60, kMakeHugeU = 130;
constexpr double kLargeU = 1 << 20, kHugeU = 4 << 20;  // bytes
/// Of a shape that can have been measured.
constexpr int64_t kLargestExtent = 1 << 16;
/// Reading a weight for direct sums.
constexpr double kReadWeight = 10;

/// Direct sums stay unless the other way is faster by more than runs of one of them differ.
constexpr double kWorthwhile = 0.85;

/// Of direct sums.
double direct_time(const loops::WinogradShape& s, int64_t outputs, int threads) {
  const double kernels = static_cast<double>(s.inputs) * static_cast<double>(outputs),
               results = static_cast<double>(s.images) * static_cast<double>(s.height * s.width);
  return 9 * kernels * (results * loops::kMultiplyAddTime + kReadWeight) / std::max(1, threads);
}

}  // namespace

double winograd_ratio(const loops::WinogradShape& s, int64_t lanes, int threads, bool constant) {
  const loops::WinogradCut cut(s, lanes, threads);
  const double kernels = static_cast<double>(s.inputs) * static_cast<double>(cut.outputs),
               u = static_cast<double>(loops::kWinogradPoints) * kernels, bytes = u * sizeof(float),
               team = std::max(1, threads);
  double time = cut.time(s);
  if (!constant) time += u * (bytes > kHugeU ? kMakeHugeU : bytes > kLargeU ? kMakeLargeU : kMakeU) / team;
  return time / direct_time(s, cut.outputs, threads);
}

double winograd_gradient_ratio(const loops::WinogradShape& s, int64_t lanes, int threads) {
  const loops::WinogradGradientCut cut(s, lanes);
  return cut.time(s, threads) / direct_time(s, cut.outputs, threads);
}

bool winograd_pays(double ratio, std::span<const WinogradTiming> timings, int64_t lanes) {
  return ratio * winograd_correction(timings, lanes) <= kWorthwhile;
}

double winograd_correction(std::span<const WinogradTiming> timings, int64_t lanes) {
  double sum = 0, count = 0;
  for (const WinogradTiming& t : timings) {
    // A file that was edited may say anything.
    if (!(t.direct_ns > 0 && t.winograd_ns > 0) || t.channels < 1 || t.extent < 1 ||
        std::max(t.channels, t.extent) > kLargestExtent)
      continue;
    const loops::WinogradShape s{.images = 1,
                                 .inputs = t.channels,
                                 .outputs = t.channels,
                                 .x_height = t.extent,
                                 .x_width = t.extent,
                                 .height = t.extent,
                                 .width = t.extent,
                                 .above = 1,
                                 .left = 1};
    sum += std::log(t.winograd_ns / t.direct_ns / winograd_ratio(s, lanes, 1, true));
    ++count;
  }
  return count == 0 ? 1 : std::exp(sum / count);
}

}  // namespace engine::cpu
