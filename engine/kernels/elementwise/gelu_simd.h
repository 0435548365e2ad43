// SPDX-License-Identifier: Apache-2.0
// erf and GELU on a vector: included by files that are compiled once per vector unit, after Highway's math.
#if defined(TENSORTIDE_GELU_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_GELU_SIMD_H
#undef TENSORTIDE_GELU_SIMD_H
#else
#define TENSORTIDE_GELU_SIMD_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "engine/kernels/core/exp_simd.h"
#include "engine/tensor/function_constants.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {

template <class D>
HWY_INLINE auto constant_of(D d, double value) {
  return hwy::HWY_NAMESPACE::Set(d, static_cast<hwy::HWY_NAMESPACE::TFromD<D>>(value));
}
template <class D, class V, size_t n>
HWY_INLINE V polynomial(D d, V x, const double (&coefficients)[n]) {
  namespace hn = hwy::HWY_NAMESPACE;
  V y = constant_of(d, coefficients[n - 1]);
  for (size_t i = n - 1; i-- > 0;) y = hn::MulAdd(y, x, constant_of(d, coefficients[i]));
  return y;
}

// erf(x) / x - 1 by powers of x^2 on [0, 1], and exp(x^2) erfc(x) by powers of u in [-1, 1], which stands for x in [1,
// 4] (f32) and [1, 6] (f64): Chebyshev interpolation in 40 digits, within 1.3e-9 and 2.7e-7 (f32), 1.3e-19 and 8.8e-16
// (f64).
inline constexpr double kErfNearF32[] = {0.128379166,   -0.376126267,    0.112835947,  -0.026854212,
                                         0.00518908742, -0.000801686429, 7.87587506e-5};
inline constexpr double kErfNearF64[] = {0.128379167095512574,    -0.376126389031837481,     0.112837916709548787,
                                         -0.0268661706450767932,  0.00522397762481801447,    -0.000854832698083378991,
                                         0.000120553311116427109, -0.0000149255952668311816, 1.6461000484121368e-6,
                                         -1.6350312701054695e-7,  1.46597752740474358e-8,    -1.13728488567916737e-9,
                                         5.9571761477489114e-11};
inline constexpr double kErfFarF32[] = {0.210806539,    -0.111521085,   0.0561017559,  -0.0270020506,
                                        0.0125582827,   -0.00559632116, 0.00221672053, -0.000936257157,
                                        0.000608016267, -0.000236270407};
inline constexpr double kErfFarF64[] = {
    0.155293655608894816,     -0.103308944583131446,    0.0666320824530159306,    -0.0417667881193592085,
    0.0254955596534909761,    -0.015182511549676457,    0.00883342370213728752,   -0.00502806787995365376,
    0.00280332861777838462,   -0.00153251671608442753,  0.000822238888179790798,  -0.000433354956181531391,
    0.000224600388967015059,  -0.000114471422680758442, 0.0000572186177175163087, -0.0000282936920561321385,
    0.0000142149661418366578, -6.80176207673208183e-6,  2.62496187682433641e-6,   -1.25374327406265132e-6,
    1.1335757606031641e-6,    -4.99308140927490844e-7,  -1.07198655596292418e-7,  4.09896791774415144e-8,
    9.77428666697960621e-8,   -4.14346979065254658e-8};

template <class D, class V>
HWY_INLINE V erf_of(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V one = constant_of(d, 1), a = hn::Abs(x), x2 = hn::Mul(x, x);
  V near, far;
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
    const V t = hn::Min(a, constant_of(d, 4));
    near = polynomial(d, x2, kErfNearF32);
    far = hn::Mul(hn::Exp(d, hn::Neg(hn::Mul(t, t))),
                  polynomial(d, hn::MulAdd(t, constant_of(d, 2.0 / 3), constant_of(d, -5.0 / 3)), kErfFarF32));
  } else {
    const V t = hn::Min(a, constant_of(d, 6));
    near = polynomial(d, x2, kErfNearF64);
    far = hn::Mul(hn::Exp(d, hn::Neg(hn::Mul(t, t))),
                  polynomial(d, hn::MulAdd(t, constant_of(d, 0.4), constant_of(d, -1.4)), kErfFarF64));
  }
  return nan_or(x, hn::IfThenElse(hn::Lt(a, one), hn::MulAdd(x, near, x), hn::CopySign(hn::Sub(one, far), x)));
}

/// sqrt(2 / pi) (x + 0.044715 x^3).
template <class D, class V>
HWY_INLINE V gelu_argument(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::Mul(hn::Mul(constant_of(d, kSqrt2OverPi), x),
                 hn::MulAdd(hn::Mul(constant_of(d, kGeluCubic), x), x, constant_of(d, 1)));
}

/// x / 2 (1 + erf(x / sqrt(2))), or its approximation by tanh.
template <class D, class V>
HWY_INLINE V gelu_of(D d, bool by_tanh, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V inner = by_tanh ? tanh_of(d, gelu_argument(d, x)) : erf_of(d, hn::Mul(x, constant_of(d, kInvSqrt2)));
  return hn::Mul(hn::Mul(x, constant_of(d, 0.5)), hn::Add(inner, constant_of(d, 1)));
}

}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
