// SPDX-License-Identifier: Apache-2.0
// exp of numbers that are not positive, and the sigmoid and hyperbolic tangent made of it: included by files that are
// compiled once per vector unit, behind Highway. In f32 half the instructions of Highway's Exp, which also serves
// positive numbers.
#if defined(TENSORTIDE_EXP_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_EXP_SIMD_H
#undef TENSORTIDE_EXP_SIMD_H
#else
#define TENSORTIDE_EXP_SIMD_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "engine/kernels/core/bounds_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {

/// x where it is NaN, else y.
template <class V>
HWY_INLINE V nan_or(V x, V y) {
  return hwy::HWY_NAMESPACE::IfThenElse(hwy::HWY_NAMESPACE::Eq(x, x), y, x);
}

/// exp(x), or exp(-x), as mantissa * power with a mantissa in [0.7, 1.42] and a power of two.
template <class V>
struct ExpParts {
  V mantissa, power;
};

/// f32, for an exponent in [-87, 89]; from 88.4 on the power is infinity. NaN gives NaN as mantissa.
/// x = n ln 2 + r, exp(r) = 1 + r + r^2 q(r) with q fitted over |r| <= ln(2) / 2 to 3e-9.
template <bool kNegated, class D, class V>
HWY_INLINE ExpParts<V> exp_parts(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<int32_t, D> whole;
  // 1.5 * 2^23: a sum with it is rounded to a whole number, in its lowest bits; 127 more, and these are a float's
  // exponent.
  const V shifter = hn::Set(d, 12582912.0f + 127.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, kNegated ? -1.44269504f : 1.44269504f), shifter),
          n = hn::Sub(shifted, shifter);
  const V upper = hn::Set(d, -0.693145752f);  // ln 2 in two parts
  V r = kNegated ? hn::MulSub(n, upper, x) : hn::MulAdd(n, upper, x);
  r = hn::MulAdd(n, hn::Set(d, -1.42860677e-6f), r);
  V q = hn::MulAdd(r, hn::Set(d, 1.381453999e-3f), hn::Set(d, 8.368745246e-3f));
  q = hn::MulAdd(q, r, hn::Set(d, 4.166839080e-2f));
  q = hn::MulAdd(q, r, hn::Set(d, 1.666652040e-1f));
  q = hn::MulAdd(q, r, hn::Set(d, 4.999999343e-1f));
  const V one = hn::Set(d, 1.0f), y = hn::MulAdd(hn::MulAdd(q, r, one), r, one);
  return {y, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(whole, shifted)))};
}

/// exp(x) for x <= 0 and -infinity, within 2 units in the last place; 0 below -87 (f32: of what is up to 1.65e-38), NaN
/// for NaN.
template <class D, class V>
HWY_INLINE V exp_down(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  if constexpr (sizeof(hn::TFromD<D>) != sizeof(float)) {
    return nan_or(x, hn::Exp(d, x));
  } else {
    const auto e = exp_parts<false>(d, x);
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.0f)), hn::Mul(e.mantissa, e.power));
  }
}

#if HWY_TARGET <= HWY_AVX3  // AVX-512

/// y 2^floor(n).
HWY_INLINE __m128 scaled(__m128 y, __m128 n) { return _mm_scalef_ps(y, n); }
HWY_INLINE __m256 scaled(__m256 y, __m256 n) { return _mm256_scalef_ps(y, n); }
HWY_INLINE __m512 scaled(__m512 y, __m512 n) { return _mm512_scalef_ps(y, n); }

/// 2^(i / 32).
HWY_ALIGN inline constexpr float kPowers[32] = {
    1.0f,        1.0218972f,  1.04427373f, 1.06714046f, 1.09050775f, 1.1143868f,  1.13878858f, 1.1637249f,
    1.18920708f, 1.21524739f, 1.24185777f, 1.26905096f, 1.29683959f, 1.32523668f, 1.35425556f, 1.38390994f,
    1.41421354f, 1.44518077f, 1.47682619f, 1.50916445f, 1.54221082f, 1.5759809f,  1.61049032f, 1.64575553f,
    1.68179286f, 1.71861935f, 1.75625217f, 1.79470909f, 1.8340081f,  1.87416768f, 1.91520655f, 1.95714414f};

/// exp(-x), f32, for x in [-89, 87]: infinity below -88.8; NaN for NaN. -x = n ln 2 + r with n in steps of 1/32: two
/// registers hold the powers of two in between, and exp(r) = 1 + r + r^2 / 2 is near enough, its linear term grown to
/// share out r^3 / 6 over |r| <= ln(2) / 64 (to 5.3e-8). Five instructions less than exp_parts.
template <class D, class V>
HWY_INLINE V exp_negated(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<int32_t, D> whole;
  const V shifter =
      hn::Set(d, 393216.0f);  // 1.5 * 2^18: a sum with it is rounded to 1/32, whose number is in its lowest five bits
  const V shifted = hn::MulAdd(x, hn::Set(d, -1.44269504f), shifter), n = hn::Sub(shifted, shifter);
  const V r = hn::MulSub(n, hn::Set(d, -0.693147182f),
                         x);  // ln 2 in one part: two units in the last place of the least results
  const auto index = hn::BitCast(whole, shifted);
  V power;
  if constexpr (hn::MaxLanes(d) == 16) {
    power = V{_mm512_permutex2var_ps(hn::Load(d, kPowers).raw, index.raw, hn::Load(d, kPowers + 16).raw)};
  } else {  // what is left behind the last vector
    power = hn::GatherIndex(d, kPowers, hn::And(index, hn::Set(whole, 31)));
  }
  const V slope = hn::MulAdd(r, hn::Set(d, 0.5f), hn::Set(d, 1.0000146f));
  return V{scaled(hn::MulAdd(slope, hn::Mul(power, r), power).raw, n.raw)};
}

#endif

/// 1 / (1 + exp(-x)); NaN for NaN. f32: within 2.5 units in the last place from -80 on, with AVX-512 within 5 from -40
/// on and 7 before; 0 below -88.7.
template <class D, class V>
HWY_INLINE V sigmoid_of(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
  if constexpr (sizeof(T) != sizeof(float)) {
    const V e = exp_down(d, hn::Neg(hn::Abs(x)));  // at most 1: never overflows
    return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
  } else {
    const V bounded = at_most(hn::Set(d, 87.0f), at_least(hn::Set(d, -89.0f), x));
#if HWY_TARGET <= HWY_AVX3
    return hn::Div(one, hn::Add(exp_negated(d, bounded), one));
#else
    const auto e = exp_parts<true>(d, bounded);
    return hn::Div(one, hn::MulAdd(e.mantissa, e.power, one));
#endif
  }
}

/// tanh(x); NaN for NaN. f32: x + x^3 p(x^2) with p fitted over |x| <= 0.625 to 4e-9, and (1 - e) / (1 + e) beyond.
template <class D, class V>
HWY_INLINE V tanh_of(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  if constexpr (sizeof(hn::TFromD<D>) != sizeof(float)) {
    return nan_or(x, hn::Tanh(d, x));
  } else {
    const V one = hn::Set(d, 1.0f), size = hn::Abs(x), x2 = hn::Mul(x, x);
    const auto e = exp_parts<true>(d, at_most(hn::Set(d, 40.0f), hn::Add(size, size)));
    const V far =
        hn::CopySign(hn::Div(hn::NegMulAdd(e.mantissa, e.power, one), hn::MulAdd(e.mantissa, e.power, one)), x);
    V p = hn::MulAdd(x2, hn::Set(d, -5.717042340e-3f), hn::Set(d, 2.065058493e-2f));
    p = hn::MulAdd(p, x2, hn::Set(d, -5.374349738e-2f));
    p = hn::MulAdd(p, x2, hn::Set(d, 1.333149128e-1f));
    p = hn::MulAdd(p, x2, hn::Set(d, -3.333328392e-1f));
    const V near = hn::CopySign(hn::MulAdd(hn::Mul(p, x2), size, size), x);  // of -0, too
    return hn::IfThenElse(hn::Gt(size, hn::Set(d, 0.625f)), far, near);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
