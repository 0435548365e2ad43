// SPDX-License-Identifier: Apache-2.0
// Ops that go where indices send them: which index is read when, and what is moved then. Computed by indexing-inl.h,
// described by indexing_access.cpp. visitor.index(i) is index number i, counted from the front; below 0: it lies
// outside. Places in elements but where it is said.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// Blocks of neighbouring elements, one per index and outer element. Places in bytes.
struct GatherShape {
  std::vector<int64_t> outer;  ///< where the outer elements of x begin
  int64_t step = 0;            ///< from one index to the next
  int64_t block = 1;           ///< of y, one after the other
  int64_t indices = 0;

  int64_t blocks() const { return indices * static_cast<int64_t>(outer.size()); }
};

/// Block number `number` of y. visitor.copy(from, to, bytes), visitor.outside(to, bytes).
template <class Visitor>
[[gnu::always_inline]] inline void gather_block(const GatherShape& s, int64_t number, Visitor& visitor) {
  const int64_t index = visitor.index(number % s.indices);
  if (index < 0) visitor.outside(number * s.block, s.block);
  else visitor.copy(s.outer[static_cast<size_t>(number / s.indices)] + index * s.step, number * s.block, s.block);
}

/// y as [outer, extent, inner].
struct OneHotShape {
  int64_t outer = 1, extent = 1, inner = 1;
};

/// visitor.off(to, elements): all of them. visitor.on(to): one.
template <class Visitor>
[[gnu::always_inline]] inline void one_hot_block(const OneHotShape& s, int64_t number, Visitor& visitor) {
  const int64_t to = number * s.extent * s.inner;
  visitor.off(to, s.extent * s.inner);
  for (int64_t k = 0; k < s.inner; ++k) {
    if (const int64_t index = visitor.index(number * s.inner + k); index >= 0) visitor.on(to + index * s.inner + k);
  }
}

/// Rows of fewer columns are added one by one, others in vectors.
inline constexpr int64_t kFewColumns = 16;

/// dx as [outer, extent, inner]; `rows`: where those of dy begin, one per outer element and index.
struct GatherGradientShape {
  int64_t outer = 1, extent = 1, inner = 1, indices = 0;
  std::vector<int64_t> rows;
};

/// Some columns of some rows of dx seen as [outer * extent, inner]. visitor.clear(to, elements). visitor.add(from, to,
/// elements): of dy to dx.
template <class Visitor>
void gather_gradient(const GatherGradientShape& s, Range rows, Range columns, Visitor& visitor) {
  for (int64_t row = rows.begin; row < rows.end; ++row) visitor.clear(row * s.inner + columns.begin, columns.size());
  for (int64_t o = rows.begin / s.extent; o * s.extent < rows.end && !visitor.stopped(); ++o) {
    for (int64_t i = 0; i < s.indices; ++i) {
      const int64_t index = visitor.index(i), row = o * s.extent + index;
      if (index < 0 || row < rows.begin || row >= rows.end) continue;
      visitor.add(s.rows[static_cast<size_t>(o * s.indices + i)] + columns.begin, row * s.inner + columns.begin,
                  columns.size());
    }
  }
}

/// Bag number `number` of `length` indices, into a row of y. visitor.clear(bag), visitor.add(index, bag): a row of the
/// table. visitor.refuse(bag): an index lies outside. visitor.finish(bag).
template <class Visitor>
[[gnu::always_inline]] inline void embedding_bag(int64_t length, int64_t number, Visitor& visitor) {
  visitor.clear(number);
  for (int64_t i = 0; i < length; ++i) {
    const int64_t index = visitor.index(number * length + i);
    if (index < 0) return visitor.refuse(number);
    visitor.add(index, number);
  }
  visitor.finish(number);
}

/// How a tensor's elements lie along lines: element (o, i, k) of [outer, extent, inner] is at outer[o] + i * step +
/// inner[k].
struct IndexedRows {
  std::vector<int64_t> outer, inner;
  int64_t step = 0;

  int64_t width() const { return static_cast<int64_t>(inner.size()); }
};

/// Row number `number` of y, which is row-major, `count` per outer element of x. visitor.move(from, to),
/// visitor.outside(to).
template <class Visitor>
[[gnu::always_inline]] inline void gather_elements_row(const IndexedRows& x, int64_t count, int64_t number,
                                                       Visitor& visitor) {
  const int64_t base = x.outer[static_cast<size_t>(number / count)], width = x.width();
  for (int64_t k = 0; k < width; ++k) {
    const int64_t to = number * width + k, index = visitor.index(to);
    if (index < 0) visitor.outside(to);
    else visitor.move(base + index * x.step + x.inner[static_cast<size_t>(k)], to);
  }
}

/// Whether all `count` indices lie inside.
template <class Visitor>
bool all_inside(int64_t count, Visitor& visitor) {
  for (int64_t i = 0; i < count && !visitor.stopped(); ++i) {
    if (visitor.index(i) < 0) return false;
  }
  return true;
}

/// Slices of updates to slices of y, each named by a tuple of `length` indices.
struct ScatterTuples {
  struct Axis {
    int64_t extent = 1, step = 0;
  };
  std::vector<Axis> named;        ///< the axes of y that a tuple's indices go along
  std::vector<int64_t> batches;   ///< where y's batches begin
  std::vector<int64_t> rows;      ///< where each tuple's updates begin
  std::vector<int64_t> from, to;  ///< elements of a slice, of the updates and of y

  int64_t tuples() const { return static_cast<int64_t>(rows.size()); }
  int64_t width() const { return static_cast<int64_t>(to.size()); }
};

/// Where each tuple's slice begins in y; false where an index lies outside. visitor.index(i, extent).
template <class Visitor>
bool scatter_places(const ScatterTuples& s, std::vector<int64_t>& places, Visitor& visitor) {
  const size_t per_batch = s.rows.size() / s.batches.size();
  places.resize(s.rows.size());
  for (size_t t = 0; t < places.size() && !visitor.stopped(); ++t) {
    int64_t place = s.batches[t / per_batch];
    for (size_t m = 0; m < s.named.size(); ++m) {
      const int64_t index = visitor.index(static_cast<int64_t>(t * s.named.size() + m), s.named[m].extent);
      if (index < 0) return false;
      place += index * s.named[m].step;
    }
    places[t] = place;
  }
  return true;
}

/// Some elements of all slices, in the order of the updates. visitor.meet(from, to).
template <class Visitor>
[[gnu::always_inline]] inline void scatter_slices(const ScatterTuples& s, const std::vector<int64_t>& places,
                                                  Range columns, Visitor& visitor) {
  for (size_t t = 0; t < places.size() && !visitor.stopped(); ++t) {
    const int64_t row = s.rows[t], place = places[t], *from = s.from.data(), *to = s.to.data();
    for (int64_t k = columns.begin; k < columns.end; ++k) visitor.meet(row + from[k], place + to[k]);
  }
}

/// Lines [begin, end) of outer * inner, `count` updates each. visitor.meet(from, to): an update and the place it goes
/// to.
template <class Visitor>
void scatter_elements(const IndexedRows& updates, const IndexedRows& y, int64_t count, Range lines, Visitor& visitor) {
  const int64_t inner = y.width();
  for (int64_t o = lines.begin / inner; o * inner < lines.end; ++o) {
    const int64_t first = std::max(lines.begin - o * inner, int64_t{0}), last = std::min(lines.end - o * inner, inner);
    for (int64_t i = 0; i < count && !visitor.stopped(); ++i) {
      const int64_t from = updates.outer[static_cast<size_t>(o)] + i * updates.step,
                    to = y.outer[static_cast<size_t>(o)];
      for (int64_t k = first; k < last; ++k) {
        const int64_t index = visitor.index((o * count + i) * inner + k);
        visitor.meet(from + updates.inner[static_cast<size_t>(k)],
                     to + index * y.step + y.inner[static_cast<size_t>(k)]);
      }
    }
  }
}

}  // namespace engine::loops
