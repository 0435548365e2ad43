// SPDX-License-Identifier: Apache-2.0
// Which way of a 3x3 convolution a measured shape speaks for.
#include "engine/kernels/core/winograd_timing.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

/// Direct sums stay unless the other way was faster by more than runs of one of them differ.
constexpr double kWithinNoise = 1.05;

}  // namespace

bool winograd_is_faster(std::span<const WinogradTiming> timings, int64_t in, int64_t out, int64_t height,
                        int64_t width) {
  const auto log2 = [](int64_t a, int64_t b) {
    return (std::log2(static_cast<double>(a)) + std::log2(static_cast<double>(b))) / 2;
  };
  const double channels = log2(in, out), extent = log2(height, width);
  const auto distance = [&](const WinogradTiming& t) {
    return std::abs(log2(t.channels, t.channels) - channels) + std::abs(log2(t.extent, t.extent) - extent);
  };
  const auto nearest = std::ranges::min_element(timings, {}, distance);
  return nearest != timings.end() &&
         nearest->winograd_ns * kWithinNoise < nearest->direct_ns;  // false where one is unknown
}

}  // namespace engine
