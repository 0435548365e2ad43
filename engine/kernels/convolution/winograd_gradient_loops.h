// SPDX-License-Identifier: Apache-2.0
// The gradient of 3x3 convolutions by their weights, by the transposed transforms of winograd_loops.h: tiles of dy
// become those of dM, sums of products V dM over all tiles those of dU, and these dW. Computed by
// winograd_simd-inl.h, described by winograd_access.cpp.
#pragma once

#include "engine/kernels/convolution/winograd_loops.h"

namespace engine::loops {

/// How the tiles are cut: units one after another, each by all threads, who share its tiles in the transforms and its
/// points in the products.
struct WinogradGradientCut : WinogradPanels {
  /// Tiles of a unit at most: V and dM stay within tens of megabytes.
  static constexpr int64_t kMost = 256;

  constexpr WinogradGradientCut(const WinogradShape& s, int64_t lanes_of_unit) : WinogradPanels(s, lanes_of_unit) {
    // Reading and writing dU for a unit costs as much as V and dM of so many tiles.
    const int64_t even = s.inputs * outputs / (s.inputs + outputs),
                  most = std::clamp(std::max(kWinogradBlockBytes / tile_bytes(s), even), kFewestTiles, kMost);
    units = (s.tiles() + most - 1) / most;
    block = (s.tiles() + units - 1) / units;
  }
  /// In multiply-adds' time. Each unit reads and writes dU, which is transformed at the end.
  constexpr double time(const WinogradShape& s, int threads) const {
    const double points = static_cast<double>(kWinogradPoints), tiles = static_cast<double>(s.tiles()),
                 u = points * static_cast<double>(s.inputs) * static_cast<double>(outputs),
                 vm = points * static_cast<double>(s.inputs + outputs) * tiles,
                 exchange = threads > 1 ? kExchangeTime : 0;
    return (u * (static_cast<double>(units + 1) * kReadTime + tiles * kMultiplyAddTime) +
            vm * (kTransformTime + exchange)) /
           std::max(1, threads);
  }
};

/// Some inputs and a panel of outputs of dU at a point, summed over tiles of the unit.
struct WinogradSum {
  int64_t point = 0;
  Range tiles, inputs, outputs;
  bool add = false;  ///< onto what dU holds
};

/// Sums of points and panels, numbered point by point: visitor.sum(WinogradSum, tiles of the unit).
template <class Visitor>
void winograd_sums(const WinogradShape& s, const WinogradGradientCut& cut, Range unit, Range sums, Visitor& visitor) {
  const int64_t count = unit.size(), panels = cut.panels();
  for (int64_t index = sums.begin; index < sums.end; ++index) {
    const int64_t o = index % panels * cut.panel();
    for (int64_t t = 0; t < count; t += kWinogradDepth) {
      for (int64_t c = 0; c < s.inputs && !visitor.stopped(); c += kRowsInRegisters)
        visitor.sum(WinogradSum{.point = index / panels,
                                .tiles = {t, std::min(count, t + kWinogradDepth)},
                                .inputs = {c, std::min<int64_t>(s.inputs, c + kRowsInRegisters)},
                                .outputs = {o, std::min(cut.outputs, o + cut.panel())},
                                .add = unit.begin > 0 || t > 0},
                    count);
    }
  }
}

/// visitor.transform(unit, tiles): V. visitor.spread(unit, tiles): dM. visitor.gradients(inputs): dW of these.
template <class Visitor>
void winograd_gradient(const WinogradShape& s, const WinogradGradientCut& cut, Visitor& visitor) {
  for (int64_t index = 0; index < cut.units && !visitor.stopped(); ++index) {
    const Range unit = cut.unit(s, index);
    visitor.transform(unit, unit);
    visitor.spread(unit, unit);
    winograd_sums(s, cut, unit, {0, kWinogradPoints * cut.panels()}, visitor);
  }
  visitor.gradients(Range{0, s.inputs});
}

}  // namespace engine::loops
