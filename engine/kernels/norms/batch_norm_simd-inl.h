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

/// Two sums per channel: term(part, element, about, first, second) adds one element to both; `about` is by channel.
template <class T, class M, class Term>
struct ChannelSums : loops::Computes {
  const Term& term;
  int64_t channels;
  const T* about;
  T* scratch;
  double* sums;

  void clear() { M::fill(scratch, 2 * channels, T{0}); }
  void add(loops::Range rows) {
    for_vectors<M, T>(0, channels,
                      [own = about, near = scratch, count = channels, &each = term, rows](const auto& part, int64_t c)
                          HWY_ATTR {
                            const auto middle = part.load(own + c);
                            auto first = part.load(near + c), second = part.load(near + count + c);
                            for (int64_t r = rows.begin; r < rows.end; ++r)
                              each(part, r * count + c, middle, first, second);
                            part.store(first, near + c);
                            part.store(second, near + count + c);
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
            [=](const auto& part, int64_t i, auto about, auto& first, auto& second) HWY_ATTR {
              const auto v = hn::Sub(part.load(x + i), about);
              first = hn::Add(first, v);
              second = hn::MulAdd(v, v, second);
            });
}

template <class T, class M>
void gradient_sums(const T* dy, const T* x, int64_t rows, int64_t channels, const T* mean, T* scratch, double* sums) {
  sum<T, M>(rows, channels, mean, scratch, sums,
            [=](const auto& part, int64_t i, auto about, auto& first, auto& second) HWY_ATTR {
              const auto g = part.load(dy + i);
              first = hn::Add(first, g);
              second = hn::MulAdd(g, hn::Sub(part.load(x + i), about), second);
            });
}

template <class T, class M>
void normalize(const T* x, int64_t rows, int64_t channels, const T* mean, const T* factor, const T* bias, T* y) {
  for (int64_t r = 0; r < rows; ++r) {
    for_vectors<M, T>(0, channels, [&](const auto& part, int64_t c) HWY_ATTR {
      const auto own = part.load(x + r * channels + c), centred = hn::Sub(own, part.load(mean + c));
      const auto f = part.load(factor + c);
      part.store(hn::MulAdd(centred, f, part.load(bias + c)), y + r * channels + c);
    });
  }
}

template <class T, class M>
void gradient(const T* dy, const T* x, int64_t rows, int64_t channels, const T* mean, const T* factor, const T* a,
              const T* b, T* dx) {
  for (int64_t r = 0; r < rows; ++r) {
    for_vectors<M, T>(0, channels, [&](const auto& part, int64_t c) HWY_ATTR {
      const int64_t i = r * channels + c;
      const auto own = part.load(x + i), centred = hn::Sub(own, part.load(mean + c));
      const auto above = part.load(dy + i), g = hn::Sub(above, part.load(a + c));
      const auto slope = part.load(b + c);
      part.store(hn::Mul(part.load(factor + c), hn::NegMulAdd(centred, slope, g)), dx + i);
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
