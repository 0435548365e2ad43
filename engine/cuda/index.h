// SPDX-License-Identifier: Apache-2.0
// How the positions of a kernel's threads become element offsets: pure arithmetic, the same on host and device.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "engine/tensor/shape.h"

namespace engine::cuda {

/// Axes a kernel can walk, after neighbouring ones have been merged.
inline constexpr int kMaxAxes = 8;

/// N operands of one logical shape, walked in the memory order of the first. Passed to kernels by value.
template <int N>
struct Walk {
  int64_t count = 0;    ///< elements
  int32_t axes = 0;     ///< 0: one element
  bool narrow = true;   ///< positions are below 2^31: cheap divisions
  bool linear = false;  ///< at most one axis is left and each operand has stride 0 or 1
  int64_t extents[kMaxAxes] = {};
  int64_t strides[N][kMaxAxes] = {};
  uint32_t factors[kMaxAxes] = {};  ///< set_divisions(): the narrow extents' reciprocals
  uint8_t shifts[kMaxAxes] = {};
};

/// Division by an extent below 2^31 as a multiplication, exact for positions below 2^31. Source: Granlund, Montgomery,
/// "Division by invariant integers using multiplication", 1994.
constexpr void set_division(uint32_t extent, uint32_t& factor, uint8_t& shift) {
  shift = 0;
  while ((uint64_t{1} << shift) < extent) ++shift;
  factor = static_cast<uint32_t>(((uint64_t{1} << 32) * ((uint64_t{1} << shift) - extent)) / extent + 1);
}
constexpr uint32_t divided(uint32_t position, uint32_t factor, uint8_t shift) {
  return (static_cast<uint32_t>((uint64_t{position} * factor) >> 32) + position) >> shift;
}

/// After every change of the extents.
template <int N>
constexpr void set_divisions(Walk<N>& walk) {
  walk.narrow = walk.count <= int64_t{1} << 31;
  for (int axis = 0; axis < walk.axes && walk.narrow && walk.count > 0; ++axis) {
    set_division(static_cast<uint32_t>(walk.extents[axis]), walk.factors[axis], walk.shifts[axis]);
  }
}

/// The offset (in elements) of each operand at a position, which counts from 0 to count - 1, last axis fastest.
template <int N>
constexpr void offsets_at(const Walk<N>& walk, int64_t position, int64_t (&offsets)[N]) {
  for (int n = 0; n < N; ++n) offsets[n] = 0;
  if (walk.axes == 0) return;
  int64_t rest = position;
  for (int axis = walk.axes - 1; axis > 0; --axis) {
    int64_t up = 0;
    if (walk.narrow) {
      up = divided(static_cast<uint32_t>(rest), walk.factors[axis], walk.shifts[axis]);
    } else {
      up = rest / walk.extents[axis];
    }
    const int64_t at = rest - up * walk.extents[axis];
    for (int n = 0; n < N; ++n) offsets[n] += at * walk.strides[n][axis];
    rest = up;
  }
  for (int n = 0; n < N; ++n) offsets[n] += rest * walk.strides[n][0];
}

/// Strides of `shape`, which is broadcast to `to`: 0 along the axes that repeat. `strides` belongs to `shape`.
inline Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& to) {
  Strides result(to.size(), 0);
  const size_t missing = to.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) result[missing + i] = shape[i] == 1 ? 0 : strides[i];
  return result;
}

/// Leaves out axes of extent 1, orders the others by the first operand's strides, merges neighbours that lie in one
/// line in all operands. Nothing when more than kMaxAxes remain.
template <int N>
std::optional<Walk<N>> make_walk(const Shape& shape, const std::array<Strides, N>& strides) {
  std::vector<size_t> order;
  Walk<N> walk;
  walk.count = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    walk.count *= shape[axis];
    if (shape[axis] != 1) order.push_back(axis);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return std::abs(strides[0][a]) > std::abs(strides[0][b]); });
  std::vector<int64_t> extents;
  std::array<std::vector<int64_t>, N> merged;
  for (const size_t axis : order) {
    bool one_line = !extents.empty();
    for (size_t n = 0; n < N && one_line; ++n) one_line = merged[n].back() == strides[n][axis] * shape[axis];
    if (!one_line) extents.push_back(1);
    extents.back() *= shape[axis];
    for (size_t n = 0; n < N; ++n) {
      if (!one_line) merged[n].push_back(0);
      merged[n].back() = strides[n][axis];
    }
  }
  if (extents.size() > kMaxAxes) return std::nullopt;
  walk.axes = static_cast<int32_t>(extents.size());
  walk.linear = walk.axes <= 1;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    walk.extents[axis] = extents[axis];
    for (size_t n = 0; n < N; ++n) {
      walk.strides[n][axis] = merged[n][axis];
      walk.linear = walk.linear && (merged[n][axis] == 0 || merged[n][axis] == 1);
    }
  }
  set_divisions(walk);
  return walk;
}

/// A walk in steps of a few elements that lie side by side.
template <int N>
struct LaneWalk {
  Walk<N> walk;          ///< count: steps
  int64_t elements = 0;  ///< along one axis the last step may be cut short: elements counts them all
  bool beside[N] = {};   ///< the operand has its own element for each lane; else one number for all
};

/// Steps of `lanes` elements along the axis in which the first operand is dense: every other operand is dense there too
/// or repeats, and all steps begin at multiples of `lanes` (the caller looks at the addresses). Nothing where that
/// cannot be.
template <int N>
std::optional<LaneWalk<N>> by_lanes(const Walk<N>& walk, int64_t lanes) {
  if (walk.axes == 0 || walk.count == 0) return std::nullopt;
  LaneWalk<N> result{walk, walk.count, {}};
  const int last = walk.axes - 1;
  if (walk.axes > 1 && walk.extents[last] % lanes != 0) return std::nullopt;
  for (int n = 0; n < N; ++n) {
    const int64_t step = walk.strides[n][last];
    if (step != 1 && (step != 0 || n == 0)) return std::nullopt;
    result.beside[n] = step == 1;
    for (int axis = 0; axis < last; ++axis) {
      if (step == 1 && walk.strides[n][axis] % lanes != 0) return std::nullopt;
    }
    result.walk.strides[n][last] = step * lanes;
  }
  result.walk.extents[last] = (walk.extents[last] + lanes - 1) / lanes;
  result.walk.count = walk.axes == 1 ? result.walk.extents[0] : walk.count / lanes;
  set_divisions(result.walk);
  return result;
}

/// Blocks of a kernel in which each thread takes `per_thread` items and walks on with stride grid x block: enough to
/// fill the GPU several times over, never more than the hardware takes (2^31 - 1).
constexpr int64_t blocks_for(int64_t items, int64_t threads, int64_t per_thread, int64_t multiprocessors) {
  const int64_t per_block = threads * per_thread;
  const int64_t needed = items / per_block + (items % per_block != 0 ? 1 : 0);
  const int64_t enough = std::max<int64_t>(1, multiprocessors) * 32;
  return std::clamp<int64_t>(needed, 1, enough);
}

}  // namespace engine::cuda
