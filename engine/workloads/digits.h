// SPDX-License-Identifier: Apache-2.0
// Handwritten-looking digits drawn by rule: data with the shape of MNIST that needs no download.
#pragma once

#include <cstdint>
#include <span>

namespace engine {

inline constexpr int64_t kDigitSide = 28, kDigitPixels = kDigitSide * kDigitSide, kDigitClasses = 10;

/// Draws the digits number `first`, `first` + 1, ... of the endless sequence that belongs to `seed`: strokes of the
/// digit's shape, turned, sheared, stretched, shifted, of varying width, with noise. `pixels`: kDigitPixels per label,
/// row-major, in [0, 1].
void draw_digits(uint64_t seed, int64_t first, std::span<float> pixels, std::span<int64_t> labels);

}  // namespace engine
