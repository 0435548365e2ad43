// SPDX-License-Identifier: Apache-2.0
// Local response normalisation and its gradient, a stretch of an image at a time: sums over the channels around each
// one. Channels last, a pixel's channels are one line and windows are that line shifted; row-major, channels are rows
// and windows add them. Computed by response_norm-inl.h, whose threads share the stretches, described by
// response_norm_access.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// Neighbouring pixels of a row-major image that are computed at a time, with all their channels.
inline constexpr int64_t kResponsePixels = 128;

struct ResponseShape {
  int64_t batch = 0, channels = 0, pixels = 0;
  bool channels_last = false;
  int64_t before = 0, after = 0;  ///< channels around each one; further ones than there are need not be looked for
  bool gradient = false;

  /// Of [N, C, ...], row-major, or, of rank 4, channels last, but for axes of extent 1; batch 0: neither.
  static ResponseShape of(std::span<const int64_t> shape, std::span<const int64_t> strides) {
    if (shape.size() < 2) return {};
    const auto lies = [&](bool channels_last) {
      int64_t step = 1;
      const auto behind = [&](size_t axis) {
        const bool so = shape[axis] == 1 || strides[axis] == step;
        step *= shape[axis];
        return so;
      };
      bool all = !channels_last || behind(1);
      for (size_t axis = shape.size(); axis-- > 0;) {
        if (!channels_last || axis != 1) all = behind(axis) && all;
      }
      return all;
    };
    const bool rows = lies(false);
    if (!rows && (shape.size() != 4 || !lies(true))) return {};
    ResponseShape of{.batch = shape[0], .channels = shape[1], .pixels = 1, .channels_last = !rows};
    for (size_t axis = 2; axis < shape.size(); ++axis) of.pixels *= shape[axis];
    return of;
  }
  void set_size(int64_t size) {
    before = std::min((size - 1) / 2, channels);
    after = std::min(size / 2, channels);
  }
  int64_t pieces_of_image() const { return channels_last ? pixels : (pixels + kResponsePixels - 1) / kResponsePixels; }
  int64_t pieces() const { return batch * pieces_of_image(); }
  /// Elements for sums, and for values with zeros around them; as many again for the gradient's terms.
  int64_t part() const { return channels_last ? 2 * (channels + before + after) : 3 * channels * kResponsePixels; }
  int64_t scratch_elements() const { return 2 * part(); }
};

/// What follows names elements of x, dy and y by `at`, those of a scratch by the others. visitor.zero(to, count).
/// visitor.square(at, count, to): of x. visitor.add(from, count, to): within the scratch. visitor.normalize(at, sums,
/// count): x to y. visitor.terms(at, sums, count, to): of the gradient. visitor.gradient(at, sums, term_sums, count):
/// to y, which is dx.
template <class Visitor>
[[gnu::always_inline]] inline void response_line(const ResponseShape& s, int64_t at, Visitor& visitor) {
  const int64_t around = std::max(s.before, s.after), sums = 0, padded = s.channels + around, term_sums = s.part();
  const auto window = [&](int64_t before, int64_t after, int64_t to) {
    visitor.zero(to, s.channels);
    for (int64_t shift = -before; shift <= after; ++shift) visitor.add(padded + shift, s.channels, to);
  };
  visitor.zero(padded - around, s.channels + 2 * around);
  visitor.square(at, s.channels, padded);
  window(s.before, s.after, sums);
  if (!s.gradient) return visitor.normalize(at, sums, s.channels);
  visitor.terms(at, sums, s.channels, padded);
  window(s.after, s.before, term_sums);
  visitor.gradient(at, sums, term_sums, s.channels);
}

/// `count` pixels from element `at` of a row-major image.
template <class Visitor>
[[gnu::always_inline]] inline void response_stretch(const ResponseShape& s, int64_t at, int64_t count,
                                                    Visitor& visitor) {
  const int64_t whole = s.channels * kResponsePixels, values = 0, sums = whole, term_sums = 2 * whole;
  const auto place = [&](int64_t c) { return at + c * s.pixels; };
  const auto window = [&](int64_t before, int64_t after, int64_t to) {
    for (int64_t c = 0; c < s.channels; ++c) {
      visitor.zero(to + c * kResponsePixels, count);
      const int64_t end = std::min(s.channels - 1, c + after);
      for (int64_t other = std::max<int64_t>(0, c - before); other <= end; ++other)
        visitor.add(values + other * kResponsePixels, count, to + c * kResponsePixels);
    }
  };
  for (int64_t c = 0; c < s.channels; ++c) visitor.square(place(c), count, values + c * kResponsePixels);
  window(s.before, s.after, sums);
  if (!s.gradient) {
    for (int64_t c = 0; c < s.channels; ++c) visitor.normalize(place(c), sums + c * kResponsePixels, count);
    return;
  }
  for (int64_t c = 0; c < s.channels; ++c)
    visitor.terms(place(c), sums + c * kResponsePixels, count, values + c * kResponsePixels);
  window(s.after, s.before, term_sums);
  for (int64_t c = 0; c < s.channels; ++c)
    visitor.gradient(place(c), sums + c * kResponsePixels, term_sums + c * kResponsePixels, count);
}

template <class Visitor>
[[gnu::always_inline]] inline void response_piece(const ResponseShape& s, int64_t piece, Visitor& visitor) {
  const int64_t plane = s.channels * s.pixels, n = piece / s.pieces_of_image(), p = piece % s.pieces_of_image();
  if (s.channels_last) response_line(s, n * plane + p * s.channels, visitor);
  else
    response_stretch(s, n * plane + p * kResponsePixels, std::min(kResponsePixels, s.pixels - p * kResponsePixels),
                     visitor);
}

}  // namespace engine::loops
