// SPDX-License-Identifier: Apache-2.0
// The parts of interpolation and its gradient (resize_loops.h), over memory that is plain (indexing_resize.cpp,
// resize_grad.cpp) or, in a test, notes each access.
#pragma once

#include "engine/graph/resize_axes.h"
#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/indexing/resize_loops.h"

namespace engine::cpu {

/// `blended`: a row of x, where the inner axis is resized.
template <class T, class M = ScalarMemory>
class ResizeParts : public loops::Computes {
 public:
  using Axis = loops::ResizeNest<ResizeAxis>::Axis;
  ResizeParts(const Axis& inner, const T* x, T* y, T extrapolation, T* blended)
      : inner_(inner), x_(x), y_(y), extrapolation_(extrapolation), blended_(blended) {}

  void outside(int64_t to) const { M::fill(y_ + to, inner_.outputs, extrapolation_); }
  void blend(const loops::BlendedRow& row, bool first, int64_t at) const {
    const T* from = x_ + row.offset;
    const T weight = static_cast<T>(row.weight);
    T* to = inner_.map.identity ? y_ + at : blended_;
    if (inner_.x_stride == 1) along(from, 1, weight, first, to);
    else along(from, inner_.x_stride, weight, first, to);
  }
  void interpolate(int64_t at) const {
    T* to = y_ + at;
    const int64_t taps = inner_.map.taps;
    for (int64_t i = 0; i < inner_.outputs; ++i) {
      T sum{0};
      for (int64_t t = 0; t < taps; ++t) {
        const auto tap = static_cast<size_t>(i * taps + t);
        // A tap without weight is not read: infinity times 0 would be NaN.
        if (inner_.map.weight[tap] != 0)
          sum += static_cast<T>(inner_.map.weight[tap]) * M::load(blended_ + inner_.map.index[tap]);
      }
      M::store(inner_.map.outside[static_cast<size_t>(i)] != 0 ? extrapolation_ : sum, to + i);
    }
  }

 private:
  [[gnu::always_inline]] void along(const T* from, int64_t step, T weight, bool first, T* to) const {
    if (first) {
      for (int64_t k = 0; k < inner_.inputs; ++k) M::store(weight * M::load(from + k * step), to + k);
      return;
    }
    for (int64_t k = 0; k < inner_.inputs; ++k) {
      const T before = M::load(to + k);
      M::store(before + weight * M::load(from + k * step), to + k);
    }
  }

  const Axis& inner_;
  const T* x_;
  T* y_;
  T extrapolation_;
  T* blended_;
};

/// `blended`: a row of dy, where the inner axis was resized.
template <class T, class M = ScalarMemory>
class ResizeGradientParts : public loops::Computes {
 public:
  using Axis = loops::ResizeGradientNest::Axis;
  ResizeGradientParts(const Axis& inner, const T* dy, T* dx, T* blended)
      : inner_(inner), dy_(dy), dx_(dx), blended_(blended) {}

  void clear(int64_t to) const { M::fill(whole(to), inner_.outputs, T{0}); }
  void add(const loops::BlendedRow& row, int64_t to) const {
    const T* from = dy_ + row.offset;
    const T weight = static_cast<T>(row.weight);
    if (inner_.dy_stride == 1) along(from, 1, weight, whole(to));
    else along(from, inner_.dy_stride, weight, whole(to));
  }
  void gather(int64_t to) const {
    for (size_t i = 0; i < static_cast<size_t>(inner_.inputs); ++i) {
      T sum{0};
      for (auto k = static_cast<size_t>(inner_.begin[i]); k < static_cast<size_t>(inner_.begin[i + 1]); ++k)
        sum += static_cast<T>(inner_.weight[k]) * M::load(blended_ + inner_.index[k]);
      M::store(sum, dx_ + to + i);
    }
  }

 private:
  T* whole(int64_t to) const { return inner_.identity ? dx_ + to : blended_; }
  [[gnu::always_inline]] void along(const T* from, int64_t step, T weight, T* to) const {
    for (int64_t k = 0; k < inner_.outputs; ++k) {
      const T before = M::load(to + k);
      M::store(before + weight * M::load(from + k * step), to + k);
    }
  }

  const Axis& inner_;
  const T* dy_;
  T* dx_;
  T* blended_;
};

}  // namespace engine::cpu
