// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions by Winograd's minimal filtering F(4x4, 3x3): 4 x 4 results of a pair of channels take 36 products
// instead of 144 (A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016, section 4.3).
// Tiles of x are transformed (V), multiplied with the transformed weights (M = V U) and transformed back. Computed by
// winograd_simd-inl.h, described by winograd_access.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/kernels/convolution/winograd_rule.h"
#include "engine/kernels/core/visitor_loops.h"
#include "engine/kernels/gemm/gemm_blocking_loops.h"

namespace engine::loops {

using WinogradShape = winograd_rule::Shape;
/// A tile is of (m + 2) x (m + 2) pixels.
inline constexpr int64_t kWinogradTile = winograd_rule::kTile, kWinogradSide = kWinogradTile + 2,
                         kWinogradPoints = kWinogradSide * kWinogradSide;
/// Steps of a sum between two visits of M: a panel of U of so many steps stays in the first cache level.
inline constexpr int64_t kWinogradDepth = 128;
/// Bytes of V and M that a thread's unit of tiles may take, part of a second cache level.
inline constexpr int64_t kWinogradBlockBytes = int64_t{1} << 20;
/// Fewer tiles at a time would read U too often, more gain nothing.
inline constexpr int64_t kFewestTiles = 24, kMostTiles = 96;
/// Threads that a unit of all threads may be larger for.
inline constexpr int64_t kMostTogether = 4;
/// Beside every point of V and M: points that lie a power of two apart would share lines of a cache.
inline constexpr int64_t kBesidePoint = 16;

/// Where a tile lies.
struct WinogradTile {
  int64_t image = 0, row = 0, column = 0;  ///< of its first result
};
constexpr WinogradTile winograd_tile_at(const WinogradShape& s, int64_t tile) {
  const int64_t row = tile / s.across();
  return {.image = row / s.down(), .row = row % s.down() * kWinogradTile, .column = tile % s.across() * kWinogradTile};
}

/// Where the results of some tiles lie: stretch(first, count) for pixels side by side of those of all images.
template <class Stretch>
void winograd_stretches(const WinogradShape& s, Range tiles, const Stretch& stretch) {
  for (int64_t t = tiles.begin; t < tiles.end;) {
    const int64_t row = t / s.across(), from = t % s.across(), to = std::min(s.across(), from + tiles.end - t);
    const int64_t top = row % s.down() * kWinogradTile, first = row / s.down() * s.height + top,
                  high = std::min(kWinogradTile, s.height - top), left = from * kWinogradTile,
                  right = std::min(s.width, to * kWinogradTile);
    if (right - left == s.width) stretch(first * s.width, high * s.width);
    else
      for (int64_t i = first; i < first + high; ++i) stretch(i * s.width + left, right - left);
    t += to - from;
  }
}

// What a convolution takes, in multiply-adds' time of a thread near its peak. Measured on Sapphire Rapids, one and two
// threads, vectors of 64 bytes, 34 layers of 16 to 2,048 channels in networks whose weights no cache holds.
/// A multiply-add; reading an element of U, which a unit does once; transforming an element to V, or of M back;
/// taking it from another thread's cache.
inline constexpr double kMultiplyAddTime = 0.9, kReadTime = 20, kTransformTime = 16, kExchangeTime = 8;

/// What both cuts below share: panels of outputs for vectors of `lanes` elements, units of tiles, and where the points
/// of V, M and U lie.
struct WinogradPanels {
  int64_t lanes = 0, vectors = 0;  ///< vectors: of a panel of outputs
  int64_t outputs = 0;             ///< up to whole vectors
  int64_t units = 0, block = 0;    ///< block: tiles of the largest unit

  constexpr WinogradPanels(const WinogradShape& s, int64_t lanes_of_unit)
      : lanes(lanes_of_unit),
        vectors(vectors_in_registers(lanes_of_unit >= 16)),
        outputs((s.outputs + lanes - 1) / lanes * lanes) {}

  constexpr int64_t panel() const { return vectors * lanes; }
  constexpr int64_t panels() const { return (outputs + panel() - 1) / panel(); }
  constexpr Range unit(const WinogradShape& s, int64_t index) const {
    return {s.tiles() * index / units, s.tiles() * (index + 1) / units};
  }
  /// Elements from one point of V, or of M, to the next of a unit of so many tiles.
  constexpr int64_t v_point(const WinogradShape& s, int64_t tiles) const {
    return in_lines(tiles * s.inputs) + kBesidePoint;
  }
  constexpr int64_t m_point(int64_t tiles) const { return in_lines(tiles * outputs) + kBesidePoint; }
  /// Of one V, and M behind it.
  constexpr int64_t scratch(const WinogradShape& s) const {
    return kWinogradPoints * (v_point(s, block) + m_point(block));
  }
  /// Elements of U, or dU: [point][panel][input][output of the panel].
  constexpr int64_t weights(const WinogradShape& s) const { return kWinogradPoints * u_point(s); }
  constexpr int64_t u_point(const WinogradShape& s) const { return s.inputs * outputs + kBesidePoint; }
  /// `output`: the first of a panel.
  constexpr int64_t weights_at(const WinogradShape& s, int64_t point, int64_t output, int64_t input) const {
    return point * u_point(s) + output * s.inputs + input * std::min(panel(), outputs - output);
  }

 protected:
  constexpr int64_t tile_bytes(const WinogradShape& s) const {
    return kWinogradPoints * (s.inputs + outputs) * static_cast<int64_t>(sizeof(float));
  }
};

/// How the tiles are cut. Units are computed one after another: by one thread each, or, `joint`, each by all threads,
/// who share its tiles in the transforms and its points in the products. So U is read once, not by each thread.
struct WinogradCut : WinogradPanels {
  int64_t threads = 1;
  bool joint = false;

  constexpr WinogradCut(const WinogradShape& s, int64_t lanes_of_unit, int threads_of_run)
      : WinogradPanels(s, lanes_of_unit), threads(std::max(1, threads_of_run)) {
    WinogradCut together = *this;
    together.joint = threads > 1;
    together.cut_tiles(s);
    cut_tiles(s);
    if (together.joint && together.time(s) < time(s)) *this = together;
  }
  /// Of one thread, the weights transformed before.
  constexpr double time(const WinogradShape& s) const {
    const double points = static_cast<double>(kWinogradPoints), tiles = static_cast<double>(s.tiles()),
                 u = points * static_cast<double>(s.inputs) * static_cast<double>(outputs),
                 vm = points * static_cast<double>(s.inputs + outputs) * tiles, share = static_cast<double>(threads),
                 all = static_cast<double>(units);
    if (joint)
      return u * (all * kReadTime + tiles * kMultiplyAddTime) / share + vm * (kTransformTime + kExchangeTime) / share;
    const auto own = static_cast<double>((units + threads - 1) / threads);  // of the thread with the most units
    return u * (own * kReadTime + own / all * tiles * kMultiplyAddTime) + own / all * vm * kTransformTime;
  }
  /// V and M that lie in the workspace.
  constexpr int64_t scratches() const { return joint ? 1 : threads; }

 private:
  constexpr void cut_tiles(const WinogradShape& s) {
    // Reading U for a block costs as much as V and M of so many tiles.
    const int64_t even = s.inputs * outputs / (2 * (s.inputs + outputs)), all = s.tiles();
    const int64_t most = std::clamp(std::max(kWinogradBlockBytes / tile_bytes(s), even), kFewestTiles, kMostTiles) *
                         (joint ? std::min<int64_t>(threads, kMostTogether) : 1);
    units = (all + most - 1) / most;
    if (!joint) units = std::min(all, (units + threads - 1) / threads * threads);
    block = (all + units - 1) / units;
  }
};

/// Rows and columns of M that one call of the micro-kernel computes.
struct WinogradProduct {
  int64_t point = 0;
  Range steps, tiles, outputs;  ///< tiles: within the unit; outputs: a panel
  int64_t part = 0, parts = 1;  ///< of the unit's tiles: each fetches its part of the next panel of U
};

/// Products of points and panels, numbered point by point: visitor.multiply(WinogradProduct, tiles of the unit).
template <class Visitor>
void winograd_products(const WinogradShape& s, const WinogradCut& cut, int64_t count, Range products,
                       Visitor& visitor) {
  const int64_t parts = even_tiles(count), panels = cut.panels();
  for (int64_t index = products.begin; index < products.end; ++index) {
    const int64_t o = index % panels * cut.panel();
    for (int64_t k = 0; k < s.inputs; k += kWinogradDepth) {
      for (int64_t part = 0; part < parts && !visitor.stopped(); ++part)
        visitor.multiply(WinogradProduct{.point = index / panels,
                                         .steps = {k, std::min(s.inputs, k + kWinogradDepth)},
                                         .tiles = {count * part / parts, count * (part + 1) / parts},
                                         .outputs = {o, std::min(cut.outputs, o + cut.panel())},
                                         .part = part,
                                         .parts = parts},
                         count);
    }
  }
}

/// visitor.transform(unit, tiles): V of these tiles of a unit. visitor.results(unit, tiles): their y.
template <class Visitor>
void winograd_unit(const WinogradShape& s, const WinogradCut& cut, Range unit, Visitor& visitor) {
  visitor.transform(unit, unit);
  winograd_products(s, cut, unit.size(), {0, kWinogradPoints * cut.panels()}, visitor);
  if (!visitor.stopped()) visitor.results(unit, unit);
}

}  // namespace engine::loops
