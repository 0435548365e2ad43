// SPDX-License-Identifier: Apache-2.0
// A vector of channels at a time through all taps. Included once per vector unit (depthwise_simd.cpp), and by a test
// that notes each access: it has an include guard per unit, as Highway's own inner headers do.
#if defined(ENGINE_CPU_DEPTHWISE_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_DEPTHWISE_SIMD_INL_H
#undef ENGINE_CPU_DEPTHWISE_SIMD_INL_H
#else
#define ENGINE_CPU_DEPTHWISE_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include "engine/kernels/convolution/depthwise_simd.h"
#include "engine/kernels/core/memory-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace depthwise {

namespace hn = hwy::HWY_NAMESPACE;

template <class T, class M>
void sum(const T* const* x, const T* const* w, int64_t count, const T* bias, int64_t channels, T* y) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + 2 * lanes <= channels; c += 2 * lanes) {  // two, so that one sum need not wait for the other
    auto first = bias != nullptr ? M::load(d, bias + c) : hn::Zero(d);
    auto second = bias != nullptr ? M::load(d, bias + c + lanes) : hn::Zero(d);
    for (int64_t i = 0; i < count; ++i) {
      const auto x0 = M::load(d, x[i] + c), w0 = M::load(d, w[i] + c), x1 = M::load(d, x[i] + c + lanes),
                 w1 = M::load(d, w[i] + c + lanes);
      first = hn::MulAdd(x0, w0, first);
      second = hn::MulAdd(x1, w1, second);
    }
    M::store(first, d, y + c);
    M::store(second, d, y + c + lanes);
  }
  for (; c < channels; ++c) {
    T value = bias != nullptr ? M::load(bias + c) : T{0};
    for (int64_t i = 0; i < count; ++i) {
      const T factor = M::load(x[i] + c);
      value += factor * M::load(w[i] + c);
    }
    M::store(value, y + c);
  }
}

template <class T, class M>
void accumulate(const T* const* x, const T* dy, int64_t count, int64_t channels, T* const* to) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) {
    const auto factor = M::load(d, dy + c);
    for (int64_t i = 0; i < count; ++i) {
      const auto from = M::load(d, x[i] + c);
      M::store(hn::MulAdd(from, factor, M::load(d, to[i] + c)), d, to[i] + c);
    }
  }
  for (; c < channels; ++c) {
    const T factor = M::load(dy + c);
    for (int64_t i = 0; i < count; ++i) {
      const T from = M::load(x[i] + c);
      M::store(M::load(to[i] + c) + from * factor, to[i] + c);
    }
  }
}

template <class T, class M = Memory>
DepthwiseLoops<T> loops_over() {
  return {sum<T, M>, accumulate<T, M>};
}

}  // namespace depthwise
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
