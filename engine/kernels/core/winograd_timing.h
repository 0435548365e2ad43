// SPDX-License-Identifier: Apache-2.0
// Winograd's minimal filtering of 3x3 convolutions: who may choose it, and how fast it was on this machine. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace engine {

/// fastest: where it is expected to be faster than direct sums (winograd_expectation.h), by what was measured
/// on this machine or else on another.
enum class WinogradUse : uint8_t { fastest, never, always };
/// As options say it.
inline constexpr std::array<std::string_view, 3> kWinogradNames{"auto", "off", "on"};
constexpr std::optional<WinogradUse> winograd_use(std::string_view word) {
  for (size_t i = 0; i < kWinogradNames.size(); ++i) {
    if (word == kWinogradNames[i]) return static_cast<WinogradUse>(i);
  }
  return std::nullopt;
}
constexpr std::string_view name(WinogradUse use) { return kWinogradNames[static_cast<size_t>(use)]; }

/// Nanoseconds of one image [channels, extent, extent] convolved with channels x channels kernels of 3x3, with a border
/// of zeros and stride 1, on one thread: the shortest of some runs. In files of older versions NaN: there was none.
struct WinogradTiming {
  int64_t channels = 0, extent = 0;
  double direct_ns = 0, winograd_ns = 0;
};

}  // namespace engine
