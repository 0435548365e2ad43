// SPDX-License-Identifier: Apache-2.0
// The parts of depthwise convolutions (depthwise_loops.h) around their loops over channels. A test compiles them over a
// memory that notes each access.
#pragma once

#include <vector>

#include "engine/kernels/convolution/convolution_parts.h"
#include "engine/kernels/convolution/depthwise_loops.h"
#include "engine/kernels/convolution/depthwise_simd.h"

namespace engine::cpu {

template <class T>
class DepthwiseParts : public loops::Computes {
 public:
  DepthwiseParts(const DepthwiseLoops<T>& loops, const loops::ConvolutionGeometry& g, const T* from, const T* packed,
                 const T* bias, T* to)
      : loops_(loops),
        channels_(g.groups),
        from_(from),
        packed_(packed),
        bias_(bias),
        to_(to),
        x_(static_cast<size_t>(g.taps())),
        w_(x_.size()) {}

  void tap(int64_t from, int64_t weights) {
    x_[count_] = from_ + from;
    w_[count_++] = packed_ + weights;
  }
  void sum(int64_t to) {
    loops_.sum(x_.data(), w_.data(), static_cast<int64_t>(count_), bias_, channels_, to_ + to);
    count_ = 0;
  }

 private:
  const DepthwiseLoops<T> loops_;
  int64_t channels_;
  const T *from_, *packed_, *bias_;
  T* to_;
  std::vector<const T*> x_, w_;  ///< of the taps met so far
  size_t count_ = 0;
};

/// near, far: [tap][channel]. M: ScalarMemory, or what stands for it.
template <class T, class M = ScalarMemory>
class DepthwiseWeightParts : public loops::Computes {
 public:
  DepthwiseWeightParts(const DepthwiseLoops<T>& loops, const loops::ConvolutionGeometry& g, const T* x, const T* dy,
                       T* near, double* far, T* weight)
      : loops_(loops),
        x_(x),
        dy_(dy),
        near_(near),
        far_(far),
        weight_(weight),
        from_(static_cast<size_t>(g.taps())),
        to_(from_.size()) {}

  void clear(int64_t first, int64_t count) const {
    for (int64_t i = first; i < first + count; ++i) M::store(T{0}, near_ + i), M::store(0.0, far_ + i);
  }
  void tap(int64_t x, int64_t first) {
    from_[count_] = x_ + x;
    to_[count_++] = near_ + first;
  }
  void accumulate(int64_t dy, int64_t count) {
    loops_.accumulate(from_.data(), dy_ + dy, static_cast<int64_t>(count_), count, to_.data());
    count_ = 0;
  }
  void flush(int64_t first, int64_t count) const {
    for (int64_t i = first; i < first + count; ++i) {
      const auto near = static_cast<double>(M::load(near_ + i));
      M::store(M::load(far_ + i) + near, far_ + i);
      M::store(T{0}, near_ + i);
    }
  }
  void write(int64_t first, const loops::Place& to, int64_t count) const {
    for (int64_t i = 0; i < count; ++i)
      M::store(static_cast<T>(M::load(far_ + first + i)), weight_ + to.first + i * to.apart);
  }

 private:
  const DepthwiseLoops<T> loops_;
  const T *x_, *dy_;
  T* near_;
  double* far_;
  T* weight_;
  std::vector<const T*> from_;
  std::vector<T*> to_;  ///< of the taps met so far
  size_t count_ = 0;
};

}  // namespace engine::cpu
