// SPDX-License-Identifier: Apache-2.0
// Loops of local response normalisation. Included once per vector unit (response_norm_simd.cpp), and by a test that
// notes each access: it has an include guard per unit, as Highway's own inner headers do.
#if defined(ENGINE_CPU_RESPONSE_NORM_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_RESPONSE_NORM_SIMD_INL_H
#undef ENGINE_CPU_RESPONSE_NORM_SIMD_INL_H
#else
#define ENGINE_CPU_RESPONSE_NORM_SIMD_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/norms/response_norm_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace response_norm {

namespace hn = hwy::HWY_NAMESPACE;

/// Calls f(tag, i) for whole vectors, then one by one for the rest.
template <class F>
HWY_INLINE void for_each(int64_t count, const F& f) {
  const hn::ScalableTag<float> wide;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) f(wide, i);
  for (; i < count; ++i) f(hn::CappedTag<float, 1>(), i);
}

template <class D, class V>
HWY_INLINE V denominator(D d, const ResponseSettings& s, V sum) {
  return hn::MulAdd(hn::Set(d, s.alpha), sum, hn::Set(d, s.bias));
}

/// v^-beta; the published beta, 3/4, by two roots.
template <class D, class V>
HWY_INLINE V power(D d, float beta, V v) {
  if (beta == 0.75f) {
    const V root = hn::Sqrt(v);
    return hn::Div(hn::Set(d, 1.0f), hn::Mul(root, hn::Sqrt(root)));
  }
  return hn::Exp(d, hn::Mul(hn::Set(d, -beta), hn::Log(d, v)));
}

template <class M>
void square(const float* x, int64_t count, float* to) {
  for_each(count, [=](auto d, int64_t i) HWY_ATTR {
    const auto v = M::load(d, x + i);
    M::store(hn::Mul(v, v), d, to + i);
  });
}

template <class M>
void add(const float* x, int64_t count, float* to) {
  for_each(count, [=](auto d, int64_t i) HWY_ATTR {
    const auto before = M::load(d, to + i), more = M::load(d, x + i);
    M::store(hn::Add(before, more), d, to + i);
  });
}

template <class M>
void normalize(const ResponseSettings& s, const float* x, const float* sums, int64_t count, float* y) {
  for_each(count, [=](auto d, int64_t i) HWY_ATTR {
    const auto value = M::load(d, x + i), sum = M::load(d, sums + i);
    M::store(hn::Mul(value, power(d, s.beta, denominator(d, s, sum))), d, y + i);
  });
}

template <class M>
void terms(const ResponseSettings& s, const float* dy, const float* x, const float* sums, int64_t count, float* to) {
  for_each(count, [=](auto d, int64_t i) HWY_ATTR {
    const auto change = M::load(d, dy + i), value = M::load(d, x + i), v = denominator(d, s, M::load(d, sums + i));
    M::store(hn::Div(hn::Mul(hn::Mul(change, value), power(d, s.beta, v)), v), d, to + i);
  });
}

template <class M>
void gradient(const ResponseSettings& s, const float* dy, const float* x, const float* sums, const float* term_sums,
              int64_t count, float* dx) {
  for_each(count, [=](auto d, int64_t i) HWY_ATTR {
    const auto change = M::load(d, dy + i), value = M::load(d, x + i), sum = M::load(d, sums + i),
               others = M::load(d, term_sums + i);
    const auto own = hn::Mul(change, power(d, s.beta, denominator(d, s, sum)));
    M::store(hn::NegMulAdd(hn::Mul(hn::Set(d, 2 * s.alpha * s.beta), others), value, own), d, dx + i);
  });
}

/// M: Memory, or what stands for it.
template <class M = Memory>
ResponseLoops loops_over() {
  return {square<M>, add<M>, normalize<M>, terms<M>, gradient<M>};
}

}  // namespace response_norm
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
