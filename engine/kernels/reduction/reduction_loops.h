// SPDX-License-Identifier: Apache-2.0
// Sums and other reductions over any axes: which stretch of x comes after which, and where what they gather goes.
// Computed by reduction-inl.h and reduce_simd-inl.h, described by reduction_access.cpp.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "engine/kernels/core/walk_loops.h"

namespace engine::loops {

/// Of x to y; operand 0 is y (stride 0 along axes that are gathered), operand 1 is x.
struct ReductionNest {
  using Nest = RowNest<2>;
  Nest kept;      ///< outer axes that stay; its rows are y's lines
  Nest gathered;  ///< outer axes that do not
  int64_t inner = 1;
  bool inner_gathered = false;
  int64_t y_step = 0;  ///< bytes between the elements of y in a kept row
  int64_t blocks = 1;  ///< per kept row; their number does not depend on the threads, so results do not, either

  /// Elements of y per kept row.
  int64_t width() const { return inner_gathered ? 1 : inner; }
  /// What blocks divide: gathered rows, or the inner axis where there is only one.
  bool splits_inner() const { return inner_gathered && gathered.rows() == 1; }
  int64_t length() const { return splits_inner() ? inner : gathered.rows(); }
  int64_t partial_count() const { return kept.rows() * blocks * width(); }
  Range block(int64_t number) const { return {length() * number / blocks, length() * (number + 1) / blocks}; }
};

/// Makes wide kept rows several, whose doubles stay in L1 while the gathered rows go by: 16 KiB at most, 2 KiB at
/// least. Rows with no such divisor stay as they are. `bytes` of an element of x.
inline void split_columns(ReductionNest& of, int64_t bytes) {
  constexpr int64_t kMostColumns = 2048, kFewestColumns = 256, kLine = 64;
  if (of.inner <= kMostColumns) return;
  const auto widest = [&](int64_t multiple) {
    int64_t width = kMostColumns;
    while (width >= kFewestColumns && of.inner % width != 0) width -= multiple;
    return width;
  };
  int64_t width = widest(kLine / bytes);  // rows that begin where lines of a cache do
  if (width < kFewestColumns) width = widest(1);
  if (width < kFewestColumns) return;
  of.kept.outer.push_back({.extent = of.inner / width, .stride = {of.y_step * width, bytes * width}});
  of.inner = width;
}

/// `axes` of x are gathered, all where none is named; y has them with extent 1 or not at all. Strides in elements of
/// `bytes`. Nothing where x's innermost axis does not lie together, and where y's along it does not but must
/// (`y_together`).
inline std::optional<ReductionNest> reduction_nest(std::span<const int64_t> axes, std::span<const int64_t> x_shape,
                                                   std::span<const int64_t> x_strides, std::span<const int64_t> y_shape,
                                                   std::span<const int64_t> y_strides, int64_t bytes,
                                                   bool y_together = false) {
  constexpr int64_t kBlockElements = 64 * 1024, kMostBlocks = 64;
  const auto rank = static_cast<int64_t>(x_shape.size());
  std::vector<bool> gone(x_shape.size(), axes.empty());
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) return std::nullopt;
    gone[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  const bool kept_axes = y_shape.size() == x_shape.size();
  if (!kept_axes && y_shape.size() + static_cast<size_t>(std::ranges::count(gone, true)) != x_shape.size())
    return std::nullopt;
  std::vector<ReductionNest::Nest::Axis> all;
  size_t of_y = 0;
  for (size_t axis = 0; axis < x_shape.size(); ++axis) {
    if (x_shape[axis] == 0) return std::nullopt;
    all.push_back({.extent = x_shape[axis], .stride = {0, x_strides[axis] * bytes}});
    if (gone[axis] && !kept_axes) continue;
    if (y_shape[of_y] != 1 && y_shape[of_y] != x_shape[axis]) return std::nullopt;
    if (y_shape[of_y] != 1) all.back().stride[0] = y_strides[of_y] * bytes;
    ++of_y;
  }
  const bool single = std::ranges::all_of(x_shape, [](int64_t extent) { return extent == 1; });
  ReductionNest::Nest nest = make_row_nest<2>(std::move(all), 2, 1);
  if (single) nest.inner_stride = {bytes, bytes};
  if (nest.inner_stride[1] != bytes || (y_together && nest.inner_stride[0] != 0 && nest.inner_stride[0] != bytes))
    return std::nullopt;
  ReductionNest of;
  of.inner = nest.inner;
  of.inner_gathered = nest.inner_stride[0] == 0;
  of.y_step = of.inner_gathered ? bytes : nest.inner_stride[0];
  of.kept.operands = of.gathered.operands = 2;
  for (const auto& axis : nest.outer) (axis.stride[0] == 0 ? of.gathered : of.kept).outer.push_back(axis);
  if (!of.inner_gathered) split_columns(of, bytes);
  of.blocks =
      std::clamp<int64_t>(of.gathered.rows() * of.inner / kBlockElements, 1, std::min(kMostBlocks, of.length()));
  return of;
}

/// Rows summed in x's type before the sums go to doubles.
inline constexpr int64_t kRowsPerSum = 256;
/// Elements of a line gathered in x's type before they go to a double.
inline constexpr int64_t kGatherStretch = 4096;

/// Rows side by side into a line, from `part` of the gathered rows. Sums: visitor.clear(): the line of doubles.
/// visitor.clear_near(): one of x's type. visitor.add(row): to that. visitor.flush(): that to the doubles. All else:
/// visitor.start(): the line of doubles. visitor.across(row): to that.
template <class Visitor>
[[gnu::always_inline]] inline void gather_across(Range part, bool sums, Visitor& visitor) {
  if (!sums) {
    visitor.start();
    for (int64_t row = part.begin; row < part.end && !visitor.stopped(); ++row) visitor.across(row);
    return;
  }
  visitor.clear();
  for (int64_t from = part.begin; from < part.end && !visitor.stopped(); from += kRowsPerSum) {
    visitor.clear_near();
    for (int64_t row = from; row < std::min(part.end, from + kRowsPerSum); ++row) visitor.add(row);
    visitor.flush();
  }
}

/// Rows into one number. visitor.line(row, elements): to a running value. visitor.keep(): it.
template <class Visitor>
[[gnu::always_inline]] inline void gather_along(const ReductionNest& of, Range part, Visitor& visitor) {
  if (of.splits_inner()) visitor.line(0, part);
  else
    for (int64_t row = part.begin; row < part.end && !visitor.stopped(); ++row) visitor.line(row, Range{0, of.inner});
  visitor.keep();
}

/// Block after block of kept row after row, `task` in all; `sums`: of x as it is.
template <class Visitor>
[[gnu::always_inline]] inline void gather_block(const ReductionNest& of, int64_t task, bool sums, Visitor& visitor) {
  const Range part = of.block(task % of.blocks);
  if (of.inner_gathered) gather_along(of, part, visitor);
  else gather_across(part, sums, visitor);
}

/// visitor.pass(greatest): gather_block() of all, in any order, then what a row's blocks gathered, joined, to y. The
/// logarithm of a sum of exponentials takes the greatest first.
template <class Visitor>
void reduce(bool exponentials, Visitor& visitor) {
  if (exponentials) visitor.pass(true);
  visitor.pass(false);
}

}  // namespace engine::loops
