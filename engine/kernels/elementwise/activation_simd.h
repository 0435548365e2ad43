// SPDX-License-Identifier: Apache-2.0
// Activations of one comparison, and gradients by the output: included by files that are compiled once per vector unit.
#if defined(TENSORTIDE_ACTIVATION_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_ACTIVATION_SIMD_H
#undef TENSORTIDE_ACTIVATION_SIMD_H
#else
#define TENSORTIDE_ACTIVATION_SIMD_H
#endif

#include <hwy/highway.h>

#include "engine/kernels/core/bounds_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {

/// x, or 0 where it is negative: NaN stays NaN and -0 stays -0, as in the reference.
template <class D, class V>
HWY_INLINE V relu_of(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  return at_least(hn::Zero(d), x);
}
/// x, or slope x where it is not positive.
template <class D, class V>
HWY_INLINE V leaky_relu_of(D d, V slope, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(slope, x));
}
/// alpha x + beta within [0, 1].
template <class D, class V>
HWY_INLINE V hard_sigmoid_of(D d, V alpha, V beta, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V t = hn::MulAdd(alpha, x, beta);
  return nan_or(t, hn::Min(hn::Max(t, hn::Zero(d)), hn::Set(d, hn::TFromD<D>{1})));
}
/// x (x + 3) / 6 within [-3, 3], 0 below and x above.
template <class D, class V>
HWY_INLINE V hard_swish_of(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<D>;
  const V three = hn::Set(d, T{3}), sixth = hn::Set(d, static_cast<T>(1.0 / 6));
  const V low = hn::IfThenZeroElse(hn::Le(x, hn::Neg(three)), hn::Mul(hn::Mul(x, hn::Add(x, three)), sixth));
  return hn::IfThenElse(hn::Ge(x, three), x, low);
}
/// x within [low, high]; NaN stays NaN.
template <class D, class V>
HWY_INLINE V clip_of(D, V low, V high, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  return nan_or(x, hn::Min(hn::Max(x, low), high));
}
/// dy where y > 0.
template <class D, class V>
HWY_INLINE V relu_slope(D d, V dy, V y) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), dy);
}
/// dy y (1 - y).
template <class D, class V>
HWY_INLINE V sigmoid_slope(D d, V dy, V y) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::Mul(dy, hn::Mul(y, hn::Sub(hn::Set(d, hn::TFromD<D>{1}), y)));
}
/// dy (1 - y) (1 + y).
template <class D, class V>
HWY_INLINE V tanh_slope(D d, V dy, V y) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V one = hn::Set(d, hn::TFromD<D>{1});
  return hn::Mul(dy, hn::Mul(hn::Sub(one, y), hn::Add(one, y)));
}

}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
