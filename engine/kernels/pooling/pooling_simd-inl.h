// SPDX-License-Identifier: Apache-2.0
// Pooling over channels side by side. Included once per vector unit (pooling_simd.cpp), and by a test that notes each
// access: it has an include guard per unit, as Highway's own inner headers do.
#if defined(ENGINE_CPU_POOLING_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_POOLING_SIMD_INL_H
#undef ENGINE_CPU_POOLING_SIMD_INL_H
#else
#define ENGINE_CPU_POOLING_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/pooling/pooling_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace pooling {

namespace hn = hwy::HWY_NAMESPACE;

/// Calls f(tag, channel) for whole vectors of channels, then one by one for the rest.
template <class F>
HWY_INLINE void for_channels(int64_t channels, const F& f) {
  const hn::ScalableTag<float> wide;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) f(wide, c);
  for (; c < channels; ++c) f(hn::CappedTag<float, 1>(), c);
}

/// Channels c .. of one window, kVectors vectors at a time.
template <class M, int kVectors, class D>
HWY_INLINE void max_of(D d, const float* x, const Window& w, int64_t width, int64_t channels, int64_t c, float* y,
                       int32_t* index) {
  const hn::RebindToSigned<D> di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t first = w.top * width + w.left;
  hn::Vec<D> best[kVectors];
  hn::Vec<decltype(di)> best_at[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    best[v] = M::load(d, x + first * channels + c + v * lanes);
    best_at[v] = hn::Set(di, static_cast<int32_t>(first));
  }
  for (int64_t row = w.top; row < w.bottom; ++row) {
    for (int64_t column = w.left; column < w.right; ++column) {
      const int64_t pixel = row * width + column;
      const auto at = hn::Set(di, static_cast<int32_t>(pixel));
      for (int v = 0; v < kVectors; ++v) {
        const auto value = M::load(d, x + pixel * channels + c + v * lanes);
        // Not (value <= best) and best is a number: value is larger, or the first NaN.
        const auto wins = hn::AndNot(hn::Le(value, best[v]), hn::Eq(best[v], best[v]));
        best[v] = hn::IfThenElse(wins, value, best[v]);
        best_at[v] = hn::IfThenElse(hn::RebindMask(di, wins), at, best_at[v]);
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    M::store(best[v], d, y + c + v * lanes);
    M::store(best_at[v], di, index + c + v * lanes);
  }
}

template <class M>
void max(const float* x, const Window& w, int64_t width, int64_t channels, float* y, int32_t* index) {
  const hn::ScalableTag<float> wide;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t c = 0;
  for (; c + loops::kPoolVectors * lanes <= channels; c += loops::kPoolVectors * lanes)
    max_of<M, loops::kPoolVectors>(wide, x, w, width, channels, c, y, index);
  for (; c + lanes <= channels; c += lanes) max_of<M, 1>(wide, x, w, width, channels, c, y, index);
  for (; c < channels; ++c) max_of<M, 1>(hn::CappedTag<float, 1>(), x, w, width, channels, c, y, index);
}

template <class M>
void average(const float* x, const Window& w, int64_t width, int64_t channels, float factor, float* y) {
  for_channels(channels, [&](auto d, int64_t c) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (int64_t row = w.top; row < w.bottom; ++row) {
      // Rows by themselves: a large plane summed one by one stops growing at 2^24 times a pixel.
      auto line = hn::Zero(d);
      for (int64_t column = w.left; column < w.right; ++column)
        line = hn::Add(line, M::load(d, x + (row * width + column) * channels + c));
      sum = hn::Add(sum, line);
    }
    M::store(hn::Mul(sum, hn::Set(d, factor)), d, y + c);
  });
}

template <class M>
void accumulate(const float* from, int64_t channels, float factor, bool first, float* to) {
  for_channels(channels, [&](auto d, int64_t c) HWY_ATTR {
    const auto before = first ? hn::Zero(d) : M::load(d, to + c);
    M::store(hn::MulAdd(M::load(d, from + c), hn::Set(d, factor), before), d, to + c);
  });
}

template <class M = Memory>
PoolingLoops loops_over() {
  return {max<M>, average<M>, accumulate<M>};
}

}  // namespace pooling
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
