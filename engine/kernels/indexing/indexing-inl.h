// SPDX-License-Identifier: Apache-2.0
// The parts of ops that go where indices send them (indexing_loops.h), over memory that is plain (indexing.cpp,
// indexing_sums.cpp, indexing_elements.cpp) or, in a test, notes each access.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "engine/graph/element_maps.h"
#include "engine/kernels/core/rows_simd.h"
#include "engine/kernels/indexing/indexing.h"
#include "engine/kernels/indexing/indexing_loops.h"

namespace engine::cpu {

/// x_rows, y_rows: where rows begin, in elements; those of a row lie side by side.
template <class M = ScalarMemory>
struct TriangleParts : loops::Computes {
  const std::byte* x = nullptr;
  std::byte* y = nullptr;
  int64_t bytes = 0;  ///< of an element
  std::vector<int64_t> x_rows, y_rows;

  void zero(int64_t row, loops::Range columns) const {
    M::zero_elements(y + (y_rows[static_cast<size_t>(row)] + columns.begin) * bytes, columns.size() * bytes, bytes);
  }
  void copy(int64_t row, loops::Range columns) const {
    const auto at = static_cast<size_t>(row);
    M::copy_elements(x + (x_rows[at] + columns.begin) * bytes, y + (y_rows[at] + columns.begin) * bytes,
                     columns.size() * bytes, bytes);
  }
};

template <class M>
struct IndexParts : loops::Computes {
  IndexReader indices;
  int64_t extent;

  IndexParts(const Tensor& of, int64_t along) : indices(of), extent(along) {}
  int64_t index(int64_t i) const { return indices.at<M>(i, extent); }
  int64_t index(int64_t i, int64_t along) const { return indices.at<M>(i, along); }
};

template <class M = ScalarMemory>
struct GatherParts : IndexParts<M> {
  const std::byte* x;
  std::byte* y;
  int64_t bytes;  ///< of an element
  ElementPattern beyond;

  GatherParts(const Tensor& of, int64_t along, DType dtype, const std::byte* from, std::byte* to)
      : IndexParts<M>(of, along), x(from), y(to), bytes(size_bytes(dtype)), beyond(dtype, outside_value(dtype)) {}
  void copy(int64_t from, int64_t to, int64_t count) const { M::copy_elements(x + from, y + to, count, bytes); }
  void outside(int64_t to, int64_t count) const { beyond.fill<M>(y + to, count / bytes); }
};

template <class M = ScalarMemory>
struct OneHotParts : IndexParts<M> {
  std::byte* y;
  int64_t bytes;  ///< of an element
  ElementPattern on_pattern, off_pattern;

  OneHotParts(const Tensor& of, int64_t along, DType dtype, double on_value, double off_value, std::byte* to)
      : IndexParts<M>(of, along),
        y(to),
        bytes(size_bytes(dtype)),
        on_pattern(dtype, on_value),
        off_pattern(dtype, off_value) {}
  void off(int64_t to, int64_t count) const { off_pattern.fill<M>(y + to * bytes, count); }
  void on(int64_t to) const { on_pattern.fill<M>(y + to * bytes, 1); }
};

template <class T, class M = ScalarMemory>
struct GatherGradientParts : IndexParts<M> {
  const T* dy;
  T* dx;
  RowLoops<T> lines;

  GatherGradientParts(const Tensor& of, int64_t along, const T* from, T* to, const RowLoops<T>& loops)
      : IndexParts<M>(of, along), dy(from), dx(to), lines(loops) {}
  void clear(int64_t to, int64_t count) const { M::fill(dx + to, count, T{0}); }
  void add(int64_t from, int64_t to, int64_t count) const {
    if (count >= loops::kFewColumns) return lines.add(dy + from, count, dx + to);
    for (int64_t k = 0; k < count; ++k) {
      const T before = M::load(dx + to + k);
      M::store(before + M::load(dy + from + k), dx + to + k);
    }
  }
};

/// table: `width` columns, rows `stride` elements apart.
template <class T, class M = ScalarMemory>
struct EmbeddingBagParts : IndexParts<M> {
  const T* table;
  T* y;
  int64_t stride, width, length;
  bool mean;
  RowLoops<T> lines;

  EmbeddingBagParts(const Tensor& of, int64_t along, const T* from, T* to, int64_t row, int64_t columns, int64_t of_bag,
                    bool averages, const RowLoops<T>& loops)
      : IndexParts<M>(of, along),
        table(from),
        y(to),
        stride(row),
        width(columns),
        length(of_bag),
        mean(averages),
        lines(loops) {}
  void clear(int64_t bag) const { M::fill(y + bag * width, width, T{0}); }
  void add(int64_t index, int64_t bag) const { lines.add(table + index * stride, width, y + bag * width); }
  void refuse(int64_t bag) const { M::fill(y + bag * width, width, std::numeric_limits<T>::quiet_NaN()); }
  void finish(int64_t bag) const {
    if (!mean) return;
    T* const sum = y + bag * width;
    for (int64_t k = 0; k < width; ++k) M::store(M::load(sum + k) / static_cast<T>(length), sum + k);
  }
};

/// T: an unsigned integer as wide as an element.
template <class T, class M = ScalarMemory>
struct GatherElementsParts : IndexParts<M> {
  const T* x;
  T *y, beyond{};

  GatherElementsParts(const Tensor& of, int64_t along, DType dtype, const T* from, T* to)
      : IndexParts<M>(of, along), x(from), y(to) {
    ElementPattern(dtype, outside_value(dtype)).fill(reinterpret_cast<std::byte*>(&beyond), 1);
  }
  void move(int64_t from, int64_t to) const { M::store(M::load(x + from), y + to); }
  void outside(int64_t to) const { M::store(beyond, y + to); }
};

/// T: the type of an element, or, where updates only replace, an unsigned integer as wide. Integers wrap around.
template <class T, class M = ScalarMemory>
struct ScatterParts : IndexParts<M> {
  const T* updates;
  T* y;
  ScatterReduction reduction;

  ScatterParts(const Tensor& of, int64_t along, const T* from, T* to, ScatterReduction how)
      : IndexParts<M>(of, along), updates(from), y(to), reduction(how) {}
  void meet(int64_t from, int64_t to) const {
    const T update = M::load(updates + from);
    if constexpr (std::is_floating_point_v<T>) {
      M::store(scattered(reduction, M::load(y + to), update), y + to);
    } else if (reduction == ScatterReduction::replace) {
      M::store(update, y + to);
    } else if (reduction == ScatterReduction::max || reduction == ScatterReduction::min) {
      M::store(scattered(reduction, M::load(y + to), update), y + to);
    } else {
      const uint64_t met = scattered(reduction, static_cast<uint64_t>(M::load(y + to)), static_cast<uint64_t>(update));
      M::store(static_cast<T>(met), y + to);
    }
  }
};

}  // namespace engine::cpu
