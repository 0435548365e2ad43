// SPDX-License-Identifier: Apache-2.0
// Batch normalisation over rows of channels. Included once per vector unit (batch_norm_simd.cpp), and by a test that
// notes each access: it has an include guard per unit, as Highway's own inner headers do.
#if defined(ENGINE_CPU_BATCH_NORM_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_BATCH_NORM_SIMD_INL_H
#undef ENGINE_CPU_BATCH_NORM_SIMD_INL_H
#else
#define ENGINE_CPU_BATCH_NORM_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/norms/batch_norm_loops.h"
#include "engine/kernels/norms/batch_norm_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace batch_norm {

namespace hn = hwy::HWY_NAMESPACE;

/// Calls f(tag, channel) for whole vectors of channels, then one by one for the rest.
template <class T, class F>
HWY_INLINE void for_channels(int64_t channels, const F& f) {
  const hn::ScalableTag<T> wide;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) f(wide, c);
  for (; c < channels; ++c) f(hn::CappedTag<T, 1>(), c);
}

/// Two sums per channel: term(d, element, about, first, second) adds one element to both; `about` is by channel.
template <class T, class M, class Term>
struct ChannelSums : loops::Computes {
  const Term& term;
  int64_t channels;
  const T* about;
  T* scratch;
  double* sums;

  void clear() { M::fill(scratch, 2 * channels, T{0}); }
  void add(loops::Range rows) {
    for_channels<T>(channels,
                    [own = about, near = scratch, count = channels, &each = term, rows](auto d, int64_t c) HWY_ATTR {
                      const auto middle = M::load(d, own + c);
                      auto first = M::load(d, near + c), second = M::load(d, near + count + c);
                      for (int64_t r = rows.begin; r < rows.end; ++r) each(d, r * count + c, middle, first, second);
                      M::store(first, d, near + c);
                      M::store(second, d, near + count + c);
                    });
  }
  void flush() {
    for (int64_t i = 0; i < 2 * channels; ++i) {
      const double before = M::load(sums + i);
      M::store(before + static_cast<double>(M::load(scratch + i)), sums + i);
    }
  }
};
template <class T, class M, class Term>
HWY_INLINE void sum(int64_t rows, int64_t channels, const T* about, T* scratch, double* sums, const Term& term) {
  ChannelSums<T, M, Term> parts{{}, term, channels, about, scratch, sums};
  loops::sum_channels({0, rows}, parts);
}

template <class T, class M>
void moments(const T* x, int64_t rows, int64_t channels, const T* shift, T* scratch, double* sums) {
  sum<T, M>(rows, channels, shift, scratch, sums,
            [=](auto d, int64_t i, auto about, auto& first, auto& second) HWY_ATTR {
              const auto v = hn::Sub(M::load(d, x + i), about);
              first = hn::Add(first, v);
              second = hn::MulAdd(v, v, second);
            });
}

template <class T, class M>
void gradient_sums(const T* dy, const T* x, int64_t rows, int64_t channels, const T* mean, T* scratch, double* sums) {
  sum<T, M>(rows, channels, mean, scratch, sums,
            [=](auto d, int64_t i, auto about, auto& first, auto& second) HWY_ATTR {
              const auto g = M::load(d, dy + i);
              first = hn::Add(first, g);
              second = hn::MulAdd(g, hn::Sub(M::load(d, x + i), about), second);
            });
}

template <class T, class M>
void normalize(const T* x, int64_t rows, int64_t channels, const T* mean, const T* factor, const T* bias, T* y) {
  for (int64_t r = 0; r < rows; ++r) {
    for_channels<T>(channels, [&](auto d, int64_t c) HWY_ATTR {
      const auto own = M::load(d, x + r * channels + c), centred = hn::Sub(own, M::load(d, mean + c));
      const auto f = M::load(d, factor + c);
      M::store(hn::MulAdd(centred, f, M::load(d, bias + c)), d, y + r * channels + c);
    });
  }
}

template <class T, class M>
void gradient(const T* dy, const T* x, int64_t rows, int64_t channels, const T* mean, const T* factor, const T* a,
              const T* b, T* dx) {
  for (int64_t r = 0; r < rows; ++r) {
    for_channels<T>(channels, [&](auto d, int64_t c) HWY_ATTR {
      const int64_t i = r * channels + c;
      const auto own = M::load(d, x + i), centred = hn::Sub(own, M::load(d, mean + c));
      const auto above = M::load(d, dy + i), g = hn::Sub(above, M::load(d, a + c));
      const auto slope = M::load(d, b + c);
      M::store(hn::Mul(M::load(d, factor + c), hn::NegMulAdd(centred, slope, g)), d, dx + i);
    });
  }
}

template <class T, class M = Memory>
BatchNormLoops<T> loops_over() {
  return {moments<T, M>, normalize<T, M>, gradient_sums<T, M>, gradient<T, M>};
}

}  // namespace batch_norm
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
