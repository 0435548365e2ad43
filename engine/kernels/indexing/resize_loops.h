// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize and the gradient of any: which rows a row is blended from, and which elements an element of
// it is made of. Computed by resize-inl.h, whose threads share the rows, described by resize_access.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// A row of the operand, by its first element, and what it counts.
struct BlendedRow {
  int64_t offset = 0;
  double weight = 1;
};

/// Map: as engine::ResizeAxis. Strides and offsets in elements.
template <class Map>
class ResizeNest {
 public:
  struct Axis {
    int64_t x_stride = 0, y_stride = 1, inputs = 1, outputs = 1;
    Map map = {};
  };

  ResizeNest(std::span<const int64_t> x_shape, std::span<const int64_t> x_strides, std::span<const int64_t> y_shape,
             std::span<const int64_t> y_strides, std::vector<Map> maps) {
    for (size_t a = 0; a < maps.size(); ++a) {
      if (y_shape[a] == 1 && maps[a].identity) continue;
      axes_.push_back({x_strides[a], y_strides[a], x_shape[a], y_shape[a], std::move(maps[a])});
    }
    std::ranges::stable_sort(axes_, std::ranges::greater{}, &Axis::y_stride);
    if (axes_.empty() || axes_.back().y_stride != 1) axes_.push_back(single());
    for (size_t a = 0; a + 1 < axes_.size(); ++a) rows_ *= axes_[a].outputs;
  }

  int64_t rows() const { return rows_; }
  const Axis& inner() const { return axes_.back(); }

  /// The rows of x that row number `row` of y is blended from, and where it begins; false: it lies outside of x.
  bool find(int64_t row, std::vector<BlendedRow>& from, int64_t& to) const {
    to = 0;
    from.assign(1, BlendedRow{});
    bool inside = true;
    for (size_t a = axes_.size() - 1; a-- > 0;) {
      const Axis& axis = axes_[a];
      const int64_t at = row % axis.outputs;
      row /= axis.outputs;
      to += at * axis.y_stride;
      inside = inside && axis.map.outside[static_cast<size_t>(at)] == 0;
      const size_t count = from.size();
      for (size_t i = 0; i < count; ++i) {
        const BlendedRow before = from[i];
        bool first = true;
        for (int64_t t = 0; t < axis.map.taps; ++t) {
          const auto tap = static_cast<size_t>(at * axis.map.taps + t);
          if (axis.map.weight[tap] == 0) continue;
          const BlendedRow one{before.offset + axis.map.index[tap] * axis.x_stride,
                               before.weight * axis.map.weight[tap]};
          if (first) from[i] = one;
          else from.push_back(one);
          first = false;
        }
      }
    }
    return inside;
  }

 private:
  /// An axis of one element, where y has none that lies side by side.
  static Axis single() {
    return {
        .x_stride = 0, .y_stride = 1, .inputs = 1, .outputs = 1, .map = {.index = {0}, .weight = {1}, .outside = {0}}};
  }

  std::vector<Axis> axes_;  ///< outermost first in y; the last lies side by side
  int64_t rows_ = 1;
};

/// Row number `row` of y. visitor.outside(to): all of it. visitor.blend(from, first, to): a row of x, weighted, to y,
/// or, where the inner axis is resized, to one beside; onto what is there but for the first. visitor.interpolate(to):
/// that to y.
template <class Map, class Visitor>
void resize_row(const ResizeNest<Map>& nest, int64_t row, std::vector<BlendedRow>& rows, Visitor& visitor) {
  int64_t to = 0;
  if (!nest.find(row, rows, to)) return visitor.outside(to);
  for (size_t i = 0; i < rows.size(); ++i) visitor.blend(rows[i], i == 0, to);
  if (!nest.inner().map.identity) visitor.interpolate(to);
}

/// Backwards, in gather form.
class ResizeGradientNest {
 public:
  /// One axis seen from dx: element i went into elements index[k] of dy by weight[k], k from begin[i] to begin[i + 1].
  struct Axis {
    int64_t dx_stride = 1, dy_stride = 0, inputs = 1, outputs = 1;
    bool identity = true;
    std::vector<int64_t> begin, index;
    std::vector<double> weight;
  };

  /// Whether dx has an axis whose elements lie side by side, and none that goes backwards or repeats.
  static bool takes(std::span<const int64_t> dx_shape, std::span<const int64_t> dx_strides) {
    for (size_t a = 0; a < dx_shape.size(); ++a) {
      if (dx_shape[a] > 1 && dx_strides[a] < 1) return false;
    }
    return std::ranges::find(dx_strides, 1) != dx_strides.end();
  }

  template <class Map>
  ResizeGradientNest(std::span<const int64_t> dx_shape, std::span<const int64_t> dx_strides,
                     std::span<const int64_t> dy_strides, const std::vector<Map>& maps) {
    for (size_t a = 0; a < maps.size(); ++a) {
      axes_.push_back(transposed(maps[a], dx_shape[a]));
      axes_.back().dx_stride = dx_strides[a];
      axes_.back().dy_stride = dy_strides[a];
    }
    std::ranges::stable_sort(axes_, std::ranges::greater{}, &Axis::dx_stride);
    for (size_t a = 0; a + 1 < axes_.size(); ++a) rows_ *= axes_[a].inputs;
  }

  int64_t rows() const { return rows_; }
  const Axis& inner() const { return axes_.back(); }

  /// The rows of dy that row number `row` of dx went into; answers where it begins.
  int64_t find(int64_t row, std::vector<BlendedRow>& from) const {
    int64_t to = 0;
    from.assign(1, BlendedRow{});
    for (size_t a = axes_.size() - 1; a-- > 0;) {
      const Axis& axis = axes_[a];
      const auto at = static_cast<size_t>(row % axis.inputs);
      row /= axis.inputs;
      to += static_cast<int64_t>(at) * axis.dx_stride;
      const std::vector<BlendedRow> before = std::move(from);
      from.clear();
      for (const BlendedRow& one : before) {
        for (auto k = static_cast<size_t>(axis.begin[at]); k < static_cast<size_t>(axis.begin[at + 1]); ++k)
          from.push_back({one.offset + axis.index[k] * axis.dy_stride, one.weight * axis.weight[k]});
      }
    }
    return to;
  }

 private:
  template <class Map>
  static Axis transposed(const Map& map, int64_t inputs) {
    Axis axis{.inputs = inputs,
              .outputs = static_cast<int64_t>(map.outside.size()),
              .identity = map.identity,
              .begin = {},
              .index = {},
              .weight = {}};
    axis.begin.assign(static_cast<size_t>(inputs) + 1, 0);
    const auto for_each_tap = [&](const auto& visit) {
      for (int64_t i = 0; i < axis.outputs; ++i) {
        if (map.outside[static_cast<size_t>(i)] != 0) continue;
        for (int64_t t = 0; t < map.taps; ++t) {
          const auto tap = static_cast<size_t>(i * map.taps + t);
          if (map.weight[tap] != 0) visit(static_cast<size_t>(map.index[tap]), i, map.weight[tap]);
        }
      }
    };
    for_each_tap([&](size_t input, int64_t, double) { ++axis.begin[input + 1]; });
    for (size_t i = 0; i < static_cast<size_t>(inputs); ++i) axis.begin[i + 1] += axis.begin[i];
    axis.index.resize(static_cast<size_t>(axis.begin.back()));
    axis.weight.resize(axis.index.size());
    std::vector<int64_t> next = axis.begin;
    for_each_tap([&](size_t input, int64_t output, double weight) {
      const auto place = static_cast<size_t>(next[input]++);
      axis.index[place] = output;
      axis.weight[place] = weight;
    });
    return axis;
  }

  std::vector<Axis> axes_;  ///< outermost first in dx; the last lies side by side
  int64_t rows_ = 1;
};

/// Row number `row` of dx. visitor.clear(to): zeros in dx, or, where the inner axis was resized, in a row of dy's
/// length beside. visitor.add(from, to): a row of dy, weighted, onto that. visitor.gather(to): it to dx.
template <class Visitor>
void resize_gradient_row(const ResizeGradientNest& nest, int64_t row, std::vector<BlendedRow>& rows, Visitor& visitor) {
  const int64_t to = nest.find(row, rows);
  visitor.clear(to);
  for (const BlendedRow& from : rows) visitor.add(from, to);
  if (!nest.inner().identity) visitor.gather(to);
}

}  // namespace engine::loops
