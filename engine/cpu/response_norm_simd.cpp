// SPDX-License-Identifier: Apache-2.0
// Loops of local response normalisation; this file is compiled once per vector unit.
#include "engine/cpu/response_norm_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/response_norm_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

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

void square(const float* x, int64_t count, float* to) {
  for_each(count, [=](auto d, int64_t i) HWY_ATTR {
    const auto v = hn::LoadU(d, x + i);
    hn::StoreU(hn::Mul(v, v), d, to + i);
  });
}

void add(const float* x, int64_t count, float* to) {
  for_each(count, [=](auto d, int64_t i) HWY_ATTR { hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, x + i)), d, to + i); });
}

void normalize(const ResponseSettings& s, const float* x, const float* sums, int64_t count, float* y) {
  for_each(count, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i), power(d, s.beta, denominator(d, s, hn::LoadU(d, sums + i)))), d, y + i);
  });
}

void terms(const ResponseSettings& s, const float* dy, const float* x, const float* sums, int64_t count, float* to) {
  for_each(count, [=](auto d, int64_t i) HWY_ATTR {
    const auto v = denominator(d, s, hn::LoadU(d, sums + i));
    hn::StoreU(hn::Div(hn::Mul(hn::Mul(hn::LoadU(d, dy + i), hn::LoadU(d, x + i)), power(d, s.beta, v)), v), d, to + i);
  });
}

void gradient(const ResponseSettings& s, const float* dy, const float* x, const float* sums, const float* term_sums, int64_t count, float* dx) {
  for_each(count, [=](auto d, int64_t i) HWY_ATTR {
    const auto own = hn::Mul(hn::LoadU(d, dy + i), power(d, s.beta, denominator(d, s, hn::LoadU(d, sums + i))));
    const auto others = hn::Mul(hn::Set(d, 2 * s.alpha * s.beta), hn::LoadU(d, term_sums + i));
    hn::StoreU(hn::NegMulAdd(others, hn::LoadU(d, x + i), own), d, dx + i);
  });
}

ResponseLoops loops() { return {square, add, normalize, terms, gradient}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(loops);
ResponseLoops response_loops() { return HWY_DYNAMIC_DISPATCH(loops)(); }

}  // namespace engine::cpu
#endif
