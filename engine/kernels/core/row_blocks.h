// SPDX-License-Identifier: Apache-2.0
// Short rows of a loop nest as one stretch: an inner loop that is called for rows of three elements computes on a lane
// at a time and is mostly called. Operands that lie as the elements follow one another are taken where they are, others
// are gathered into a buffer first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/kernels/core/loop_nest.h"

namespace engine::cpu {

/// Elements that are converted, gathered and computed on at a time: they stay in the first-level cache.
inline constexpr int64_t kChunk = 512;

/// How an operand lies along all elements of a nest.
enum class Lies : uint8_t {
  together,  ///< element after element
  single,    ///< one for all
  apart,
};

template <int kMost>
Lies lies(const LoopNestOf<kMost>& loops, int operand, int64_t element_bytes) {
  bool single = loops.inner_stride[operand] == 0, together = loops.inner_stride[operand] == element_bytes;
  int64_t behind = loops.inner * element_bytes;
  for (size_t i = loops.outer.size(); i-- > 0;) {
    single = single && loops.outer[i].stride[operand] == 0;
    together = together && loops.outer[i].stride[operand] == behind;
    behind *= loops.outer[i].extent;
  }
  return single ? Lies::single : together ? Lies::together : Lies::apart;
}

/// Axes around the rows that may be followed at once.
inline constexpr size_t kMostBlockAxes = 12;

/// Whether rows are shorter than `short_row` and worth going through together.
template <int kMost>
bool has_short_rows(const LoopNestOf<kMost>& loops, int64_t short_row) {
  return !loops.outer.empty() && loops.outer.size() <= kMostBlockAxes && loops.inner < short_row;
}

/// Rows in memory; strides in bytes.
template <class Address>
struct RowsOf {
  Address at;
  int64_t row_stride = 0, stride = 0;
};
/// `rows` rows of `elements`, one after the other.
void copy_rows(const RowsOf<const std::byte*>& from, const RowsOf<std::byte*>& to, int64_t rows, int64_t elements,
               int64_t element_bytes);

/// Copies operand 1 of a nest to operand 0, row after row, split over `threads`.
inline void copy_loops(const LoopNest& loops, const Addresses& base, int threads, int64_t element_bytes) {
  const int64_t rows = loops.rows();
  const auto copy = [&](const Addresses& at, int64_t many, int64_t elements) {
    const auto step = [&](size_t k) { return loops.outer.empty() ? int64_t{0} : loops.outer.back().stride[k]; };
    copy_rows({at[1], step(1), loops.inner_stride[1]}, {at[0], step(0), loops.inner_stride[0]}, many, elements,
              element_bytes);
  };
  if (loops.outer.empty())
    return run_loops(loops, base, threads, [&](const Addresses& at, int64_t count) { copy(at, 1, count); });
  parallel_parts(threads, rows, 1, rows * loops.inner, [&](int64_t begin, int64_t end) {
    const int64_t extent = loops.outer.back().extent;
    for (int64_t row = begin, many = 0; row < end; row += many) {
      many = std::min(end - row, extent - row % extent);
      copy(loops.row(base, row), many, loops.inner);
    }
  });
}

/// One operand of a nest, whose elements are taken in the order of the nest.
struct NestOperand {
  struct Axis {
    int64_t extent = 1, stride = 0;
  };
  std::array<Axis, kMostBlockAxes + 1> axes{};  ///< outermost first; the last is the row
  int count = 0;
  int64_t bytes = 0;  ///< of an element: 1, 2, 4 or 8

  template <int kMost>
  static NestOperand of(const LoopNestOf<kMost>& loops, int operand, int64_t element_bytes) {
    NestOperand one{.bytes = element_bytes};
    for (const auto& axis : loops.outer)
      one.axes[static_cast<size_t>(one.count++)] = {axis.extent, axis.stride[operand]};
    one.axes[static_cast<size_t>(one.count++)] = {loops.inner, loops.inner_stride[operand]};
    one.join();
    return one;
  }

  /// Elements [first, first + many) side by side to `to`; `base`: the first element of all.
  void gather(const std::byte* base, int64_t first, int64_t many, std::byte* to) const;
  /// The same backwards: `from` holds elements side by side.
  void scatter(const std::byte* from, int64_t first, int64_t many, std::byte* base) const;

 private:
  /// Axes that lie behind one another in this operand become one.
  void join();
};

}  // namespace engine::cpu
