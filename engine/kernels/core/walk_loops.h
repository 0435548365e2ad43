// SPDX-License-Identifier: Apache-2.0
// Walks over operands of one shape and any strides, in lockstep: which axes are joined, and which row comes after
// which. Elementwise kernels go so (loop_nest.h), and their descriptions (describe_access.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// Rows of `inner` elements, and around them the loops `outer` (outermost first). Strides in bytes, of at most kMost
/// operands.
template <int kMost>
struct RowNest {
  int operands = 0;
  int64_t inner = 1;
  std::array<int64_t, kMost> inner_stride{};  ///< bytes between neighbours of a row
  struct Axis {
    int64_t extent = 1;
    std::array<int64_t, kMost> stride{};
  };
  std::vector<Axis> outer;

  int64_t rows() const {
    int64_t count = 1;
    for (const Axis& axis : outer) count *= axis.extent;
    return count;
  }
  /// Addresses of row number `row`; base: an array of those of the first.
  template <class Addresses>
  Addresses row(const Addresses& base, int64_t row) const {
    Addresses at = base;
    for (size_t i = outer.size(); i-- > 0;) {
      const int64_t position = row % outer[i].extent;
      row /= outer[i].extent;
      for (int k = 0; k < operands; ++k) at[k] += position * outer[i].stride[k];
    }
    return at;
  }
};

/// Axes of more than one element, ordered as operand `leader` lies in memory, and joined where they lie behind one
/// another in all operands. Without any axis a row is one element, and strides are 0.
template <int kMost>
RowNest<kMost> make_row_nest(std::vector<typename RowNest<kMost>::Axis> axes, int operands, int leader) {
  using Axis = typename RowNest<kMost>::Axis;
  std::erase_if(axes, [](const Axis& axis) { return axis.extent == 1; });
  std::stable_sort(axes.begin(), axes.end(), [leader](const Axis& a, const Axis& b) {
    return std::abs(a.stride[leader]) > std::abs(b.stride[leader]);
  });
  RowNest<kMost> nest;
  nest.operands = operands;
  const auto joins = [operands](const Axis& outer, const Axis& inner) {
    for (int k = 0; k < operands; ++k) {
      if (outer.stride[k] != inner.stride[k] * inner.extent) return false;
    }
    return true;
  };
  for (const Axis& axis : axes) {
    if (!nest.outer.empty() && joins(nest.outer.back(), axis))
      nest.outer.back() = {.extent = nest.outer.back().extent * axis.extent, .stride = axis.stride};
    else nest.outer.push_back(axis);
  }
  if (!nest.outer.empty()) {
    nest.inner = nest.outer.back().extent;
    nest.inner_stride = nest.outer.back().stride;
    nest.outer.pop_back();
  }
  return nest;
}

/// The longest row of a tiled nest: as many lines as fit a first cache level beside others.
inline constexpr int64_t kLongestTileRow = 64, kShortestTileRow = 16;

/// The same elements in an order in which operands that lie across each other (a transposition) are met tile by tile:
/// where some operand has its neighbours along an outer axis, that axis goes right outside of rows cut to a few lines,
/// so that each line of it serves all rows of a tile while it is in the cache. Other nests stay. `bytes`: of an element
/// of each operand.
template <int kMost>
RowNest<kMost> tiled(RowNest<kMost> nest, const std::array<int64_t, kMost>& bytes) {
  const auto neighbours = [&](const std::array<int64_t, kMost>& stride) {
    int count = 0;
    for (int k = 0; k < nest.operands; ++k)
      count += std::abs(stride[k]) == bytes[k] && std::abs(nest.inner_stride[k]) > bytes[k] ? 1 : 0;
    return count;
  };
  size_t across = nest.outer.size();
  for (size_t i = 0; i < nest.outer.size(); ++i) {
    const int count = neighbours(nest.outer[i].stride);
    if (count > 0 && (across == nest.outer.size() || count >= neighbours(nest.outer[across].stride))) across = i;
  }
  if (across == nest.outer.size()) return nest;
  int64_t row = nest.inner;
  if (row > kLongestTileRow) {
    for (row = kLongestTileRow; row >= kShortestTileRow && nest.inner % row != 0;) --row;
    if (row < kShortestTileRow) return nest;  // no even parts
  }
  auto axis = nest.outer[across];
  nest.outer.erase(nest.outer.begin() + static_cast<int64_t>(across));
  if (row < nest.inner) {
    auto parts = axis;
    parts.extent = nest.inner / row;
    for (int k = 0; k < nest.operands; ++k) parts.stride[k] = nest.inner_stride[k] * row;
    nest.outer.push_back(parts);
    nest.inner = row;
  }
  nest.outer.push_back(axis);
  return nest;
}

/// visitor.row(addresses), row after row.
template <int kMost, class Addresses, class Visitor>
void walk_rows(const RowNest<kMost>& nest, const Addresses& base, Range rows, Visitor& visitor) {
  if (nest.outer.empty()) {
    if (rows.size() > 0) visitor.row(base);
    return;
  }
  const auto& steps = nest.outer.back();  // rows with neighbours along it: no division for each
  for (int64_t row = rows.begin; row < rows.end && !visitor.stopped();) {
    Addresses at = nest.row(base, row);
    const int64_t stop = std::min(rows.end, row + steps.extent - row % steps.extent);
    visitor.row(at);
    for (++row; row < stop && !visitor.stopped(); ++row) {
      for (int k = 0; k < nest.operands; ++k) at[k] += steps.stride[k];
      visitor.row(at);
    }
  }
}

}  // namespace engine::loops
