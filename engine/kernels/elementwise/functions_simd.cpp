// SPDX-License-Identifier: Apache-2.0
// Mathematical functions, activations and their gradients: one struct per op, `value` of one vector of each input, and
// a loop around it; this file is compiled once per vector unit. Highway's functions are used where they are accurate;
// lanes outside of that range (NaN, infinities, huge angles) are computed by the C library, one by one.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "engine/kernels/elementwise/elementwise_simd.h"
#include "engine/tensor/function_constants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/elementwise/functions_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "engine/kernels/core/exp_simd.h"
#include "engine/kernels/elementwise/activation_simd.h"
#include "engine/kernels/elementwise/gelu_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

template <class D>
using Lane = hn::TFromD<D>;

template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T kMost = std::numeric_limits<T>::max();
template <class T>
constexpr bool kSingle = sizeof(T) == 4;

template <class D>
HWY_INLINE hn::Vec<D> set(D d, double value) {
  return hn::Set(d, static_cast<Lane<D>>(value));
}

/// y where low <= x <= high, elsewhere scalar(x).
template <class D, class V, class Scalar>
HWY_INLINE V within(D d, V x, double low, double high, V y, Scalar scalar) {
  const auto good = hn::And(hn::Ge(x, set(d, low)), hn::Le(x, set(d, high)));
  if (HWY_LIKELY(hn::AllTrue(d, good))) return y;
  using T = Lane<D>;
  T from[hn::MaxLanes(d)], to[hn::MaxLanes(d)], is_good[hn::MaxLanes(d)];
  hn::StoreU(x, d, from);
  hn::StoreU(y, d, to);
  hn::StoreU(hn::IfThenElseZero(good, set(d, 1)), d, is_good);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (is_good[i] == 0) to[i] = scalar(from[i]);
  }
  return hn::LoadU(d, to);
}

template <class D, class V>
HWY_INLINE V exp_of(D d, V x) {
  using T = Lane<D>;
  return within(d, x, -kInfinity<T>, kSingle<T> ? 88 : 706, hn::Exp(d, x), [](T t) { return std::exp(t); });
}
/// exp(-|x|), which never overflows.
template <class D, class V>
HWY_INLINE V exp_of_minus(D d, V x) {
  return exp_down(d, hn::Neg(hn::Abs(x)));
}
template <class D, class V>
HWY_INLINE V log_of(D d, V x) {
  using T = Lane<D>;
  return within(d, x, std::numeric_limits<T>::denorm_min(), kMost<T>, hn::Log(d, x), [](T t) { return std::log(t); });
}
template <class D, class V>
HWY_INLINE V sin_of(D d, V x) {
  const V y = within(d, x, -39000, 39000, hn::Sin(d, x), [](Lane<D> t) { return std::sin(t); });
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);  // -0 of -0
}
template <class D, class V>
HWY_INLINE V cos_of(D d, V x) {
  return within(d, x, -39000, 39000, hn::Cos(d, x), [](Lane<D> t) { return std::cos(t); });
}
template <class D, class V>
HWY_INLINE V cosh_of(D d, V x) {
  const double end = kSingle<Lane<D>> ? 88 : 700;
  const V half = set(d, 0.5), e = hn::Exp(d, hn::Min(hn::Abs(x), set(d, end)));
  return within(d, x, -end, end, hn::MulAdd(half, e, hn::Div(half, e)), [](Lane<D> t) { return std::cosh(t); });
}
template <class D, class V>
HWY_INLINE V sinh_of(D d, V x) {
  const double end = kSingle<Lane<D>> ? 88 : 700;
  return within(d, x, -end, end, hn::Sinh(d, x), [](Lane<D> t) { return std::sinh(t); });
}
/// tanh(log(1 + exp(x))) by e = exp(-|x|).
template <class D, class V>
HWY_INLINE V tanh_softplus(D d, V x) {
  const V e = exp_of_minus(d, x), two = set(d, 2), one = set(d, 1);
  const auto negative = hn::Lt(x, hn::Zero(d));
  const V numerator = hn::IfThenElse(negative, hn::Mul(e, hn::Add(e, two)), hn::MulAdd(two, e, one));
  const V rest = hn::IfThenElse(negative, two, hn::Mul(two, hn::Mul(e, e)));
  return nan_or(x, hn::Div(numerator, hn::Add(numerator, rest)));
}

template <class D, class V>
HWY_INLINE V sign_of(D d, V x) {
  const V zero = hn::Zero(d), one = set(d, 1);
  return hn::IfThenElse(hn::Gt(x, zero), one, hn::IfThenElse(hn::Lt(x, zero), hn::Neg(one), x));
}
template <class D, class V>
HWY_INLINE V inverse(D d, V x) {
  return hn::Div(set(d, 1), x);
}

// ---- loops: f(d, constants, x) on vectors
// -----------------------------------------------------------------------------------------

/// Vector i of input `which`: loaded, or its one element repeated.
template <class D, class T = Lane<D>>
HWY_INLINE hn::Vec<D> input(D d, const RowArguments& a, int which, int64_t i) {
  const T* from = reinterpret_cast<const T*>(a.in[which]);
  return (a.repeated >> which & 1) != 0 ? hn::Set(d, *from) : hn::LoadU(d, from + i);
}

template <class T, class At>
HWY_INLINE void store_all(const RowArguments& a, const At& at) {
  T* out = reinterpret_cast<T*>(a.out[0]);
  const hn::ScalableTag<T> wide;
  const auto lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t i = 0;
  for (; i + lanes <= a.count; i += lanes) hn::StoreU(at(wide, i), wide, out + i);
  for (; i < a.count; ++i) hn::StoreU(at(hn::CappedTag<T, 1>(), i), hn::CappedTag<T, 1>(), out + i);
}

template <class T, auto f>
void one(const RowArguments& a) {
  store_all<T>(a, [&](auto d, int64_t i) HWY_ATTR { return f(d, a.constants, input(d, a, 0, i)); });
}
template <class T, auto f>
void two(const RowArguments& a) {
  store_all<T>(a, [&](auto d, int64_t i) HWY_ATTR { return f(d, a.constants, input(d, a, 0, i), input(d, a, 1, i)); });
}
template <class T, auto f>
void three(const RowArguments& a) {
  store_all<T>(a, [&](auto d, int64_t i)
                      HWY_ATTR { return f(d, a.constants, input(d, a, 0, i), input(d, a, 1, i), input(d, a, 2, i)); });
}
/// dx = dy * f(x or y).
template <class T, auto f>
void slope(const RowArguments& a) {
  store_all<T>(
      a, [&](auto d, int64_t i) HWY_ATTR { return hn::Mul(input(d, a, 0, i), f(d, a.constants, input(d, a, 1, i))); });
}

using Numbers = const double*;

template <class T>
RowFunction find_function(std::string_view op) {
  if (op == "absolute") return one<T, [](auto, Numbers, auto x) HWY_ATTR { return hn::Abs(x); }>;
  if (op == "negate") return one<T, [](auto, Numbers, auto x) HWY_ATTR { return hn::Neg(x); }>;
  if (op == "exp") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return exp_of(d, x); }>;
  if (op == "log") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return log_of(d, x); }>;
  if (op == "sqrt") return one<T, [](auto, Numbers, auto x) HWY_ATTR { return hn::Sqrt(x); }>;
  if (op == "reciprocal") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return inverse(d, x); }>;
  if (op == "sin") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return sin_of(d, x); }>;
  if (op == "cos") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return cos_of(d, x); }>;
  if (op == "tan") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return hn::Div(sin_of(d, x), cos_of(d, x)); }>;
  if (op == "asin") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return hn::Asin(d, x); }>;
  if (op == "acos") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return hn::Acos(d, x); }>;
  if (op == "atan") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return nan_or(x, hn::Atan(d, x)); }>;
  if (op == "sinh") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return sinh_of(d, x); }>;
  if (op == "cosh") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return cosh_of(d, x); }>;
  if (op == "tanh") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return tanh_of(d, x); }>;
  if (op == "asinh")
    return one<T, [](auto d, Numbers, auto x) HWY_ATTR {
      return within(d, x, -kMost<T>, kMost<T>, hn::Asinh(d, x), [](T t) { return std::asinh(t); });
    }>;
  if (op == "acosh")
    return one<T, [](auto d, Numbers, auto x) HWY_ATTR {
      return within(d, x, 1, kMost<T>, hn::Acosh(d, x), [](T t) { return std::acosh(t); });
    }>;
  if (op == "atanh")
    return one<T, [](auto d, Numbers, auto x) HWY_ATTR {
      constexpr T kEnd = 1 - std::numeric_limits<T>::epsilon();
      return within(d, x, -kEnd, kEnd, hn::Atanh(d, x), [](T t) { return std::atanh(t); });
    }>;
  if (op == "erf") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return erf_of(d, x); }>;
  if (op == "floor") return one<T, [](auto, Numbers, auto x) HWY_ATTR { return hn::Floor(x); }>;
  if (op == "ceil") return one<T, [](auto, Numbers, auto x) HWY_ATTR { return hn::Ceil(x); }>;
  if (op == "round") return one<T, [](auto, Numbers, auto x) HWY_ATTR { return hn::Round(x); }>;
  if (op == "sign") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return sign_of(d, x); }>;
  return nullptr;
}

template <class T>
RowFunction find_activation(std::string_view op) {
  if (op == "gelu") return one<T, [](auto d, Numbers k, auto x) HWY_ATTR { return gelu_of(d, k[0] != 0, x); }>;
  if (op == "silu") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return hn::Mul(x, sigmoid_of(d, x)); }>;
  // elu, selu and celu: gamma * (x, or alpha * (exp(x * inverse) - 1)); k: alpha, gamma, inverse.
  if (op == "elu" || op == "selu" || op == "celu")
    return one<T, [](auto d, Numbers k, auto x) HWY_ATTR {
      const auto low = hn::Mul(set(d, k[0]), hn::Expm1(d, hn::Min(hn::Mul(x, set(d, k[2])), hn::Zero(d))));
      return nan_or(x, hn::Mul(set(d, k[1]), hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, low)));
    }>;
  if (op == "leaky_relu")
    return one<T, [](auto d, Numbers k, auto x) HWY_ATTR { return leaky_relu_of(d, set(d, k[0]), x); }>;
  if (op == "hard_sigmoid")
    return one<T, [](auto d, Numbers k, auto x) HWY_ATTR { return hard_sigmoid_of(d, set(d, k[0]), set(d, k[1]), x); }>;
  if (op == "hard_swish") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return hard_swish_of(d, x); }>;
  if (op == "softplus")
    return one<T, [](auto d, Numbers, auto x) HWY_ATTR {
      return nan_or(x, hn::Add(hn::Max(x, hn::Zero(d)), hn::Log1p(d, exp_of_minus(d, x))));
    }>;
  if (op == "softsign")
    return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return hn::Div(x, hn::Add(set(d, 1), hn::Abs(x))); }>;
  if (op == "mish") return one<T, [](auto d, Numbers, auto x) HWY_ATTR { return hn::Mul(x, tanh_softplus(d, x)); }>;
  if (op == "thresholded_relu")
    return one<T, [](auto d, Numbers k, auto x) HWY_ATTR { return hn::IfThenZeroElse(hn::Le(x, set(d, k[0])), x); }>;
  if (op == "shrink")
    return one<T, [](auto d, Numbers k, auto x) HWY_ATTR {
      const auto bias = set(d, k[0]), end = set(d, k[1]);
      const auto above = hn::IfThenElseZero(hn::Gt(x, end), hn::Sub(x, bias));
      return nan_or(x, hn::IfThenElse(hn::Lt(x, hn::Neg(end)), hn::Add(x, bias), above));
    }>;
  if (op == "clip")
    return one<T, [](auto d, Numbers k, auto x) HWY_ATTR { return clip_of(d, set(d, k[0]), set(d, k[1]), x); }>;
  return nullptr;
}

template <class T>
RowFunction find_slope(std::string_view op) {
  if (op == "absolute_grad") return slope<T, [](auto d, Numbers, auto x) HWY_ATTR { return sign_of(d, x); }>;
  if (op == "sqrt_grad") return slope<T, [](auto d, Numbers, auto y) HWY_ATTR { return hn::Div(set(d, 0.5), y); }>;
  if (op == "reciprocal_grad") return slope<T, [](auto, Numbers, auto y) HWY_ATTR { return hn::Neg(hn::Mul(y, y)); }>;
  if (op == "sin_grad") return slope<T, [](auto d, Numbers, auto x) HWY_ATTR { return cos_of(d, x); }>;
  if (op == "cos_grad") return slope<T, [](auto d, Numbers, auto x) HWY_ATTR { return hn::Neg(sin_of(d, x)); }>;
  if (op == "tan_grad") return slope<T, [](auto d, Numbers, auto y) HWY_ATTR { return hn::MulAdd(y, y, set(d, 1)); }>;
  if (op == "tanh_grad") return two<T, [](auto d, Numbers, auto dy, auto y) HWY_ATTR { return tanh_slope(d, dy, y); }>;
  if (op == "asin_grad" || op == "acos_grad")
    return slope<T, [](auto d, Numbers k, auto x) HWY_ATTR {  // k[0]: the sign
      return hn::Div(set(d, k[0]), hn::Sqrt(hn::Mul(hn::Sub(set(d, 1), x), hn::Add(set(d, 1), x))));
    }>;
  if (op == "atan_grad")
    return slope<T, [](auto d, Numbers, auto x) HWY_ATTR { return inverse(d, hn::MulAdd(x, x, set(d, 1))); }>;
  if (op == "sinh_grad") return slope<T, [](auto d, Numbers, auto x) HWY_ATTR { return cosh_of(d, x); }>;
  if (op == "cosh_grad") return slope<T, [](auto d, Numbers, auto x) HWY_ATTR { return sinh_of(d, x); }>;
  if (op == "asinh_grad")
    return slope<T, [](auto d, Numbers, auto x) HWY_ATTR { return inverse(d, hn::Sqrt(hn::MulAdd(x, x, set(d, 1)))); }>;
  if (op == "acosh_grad")
    return slope<T, [](auto d, Numbers, auto x) HWY_ATTR {
      return inverse(d, hn::Sqrt(hn::Mul(hn::Sub(x, set(d, 1)), hn::Add(x, set(d, 1)))));
    }>;
  if (op == "atanh_grad")
    return slope<T, [](auto d, Numbers, auto x)
                        HWY_ATTR { return inverse(d, hn::Mul(hn::Sub(set(d, 1), x), hn::Add(set(d, 1), x))); }>;
  if (op == "erf_grad")
    return slope<T, [](auto d, Numbers, auto x) HWY_ATTR {
      return nan_or(x, hn::Mul(set(d, kTwoOverSqrtPi), hn::Exp(d, hn::Neg(hn::Mul(x, x)))));
    }>;
  if (op == "leaky_relu_grad")
    return slope<T, [](auto d, Numbers k, auto x)
                        HWY_ATTR { return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), set(d, 1), set(d, k[0])); }>;
  if (op == "hard_sigmoid_grad")
    return slope<T, [](auto d, Numbers k, auto y) HWY_ATTR {
      return hn::IfThenElseZero(hn::And(hn::Gt(y, hn::Zero(d)), hn::Lt(y, set(d, 1))), set(d, k[0]));
    }>;
  if (op == "hard_swish_grad")
    return slope<T, [](auto d, Numbers, auto x) HWY_ATTR {
      const auto three = set(d, 3), middle = hn::MulAdd(x, set(d, 1.0 / 3), set(d, 0.5));
      return hn::IfThenElse(hn::Ge(x, three), set(d, 1), hn::IfThenZeroElse(hn::Le(x, hn::Neg(three)), middle));
    }>;
  if (op == "softsign_grad")
    return slope<T, [](auto d, Numbers, auto x) HWY_ATTR {
      const auto t = inverse(d, hn::Add(set(d, 1), hn::Abs(x)));
      return hn::Mul(t, t);
    }>;
  return nullptr;
}

template <class T>
RowFunction find_activation_slope(std::string_view op) {
  if (op == "gelu_grad")
    return slope<T, [](auto d, Numbers k, auto x) HWY_ATTR {
      const auto half = set(d, 0.5), one = set(d, 1), x2 = hn::Mul(x, x);
      if (k[0] != 0) {
        const auto t = tanh_of(d, gelu_argument(d, x));
        const auto inner = hn::Mul(set(d, kSqrt2OverPi), hn::MulAdd(set(d, 3 * kGeluCubic), x2, one));
        return hn::Mul(half,
                       hn::Add(hn::Add(one, t), hn::Mul(hn::Mul(x, inner), hn::Mul(hn::Sub(one, t), hn::Add(one, t)))));
      }
      const auto density = hn::Mul(set(d, kInvSqrt2Pi), hn::Exp(d, hn::Neg(hn::Mul(half, x2))));
      return hn::MulAdd(x, density, hn::Mul(half, hn::Add(one, erf_of(d, hn::Mul(x, set(d, kInvSqrt2))))));
    }>;
  if (op == "silu_grad")
    return slope<T, [](auto d, Numbers, auto x) HWY_ATTR {
      return hn::Mul(sigmoid_of(d, x), hn::MulAdd(x, sigmoid_of(d, hn::Neg(x)), set(d, 1)));
    }>;
  if (op == "elu_grad" || op == "selu_grad" || op == "celu_grad")  // k: alpha * inverse in the first place
    return slope<T, [](auto d, Numbers k, auto x) HWY_ATTR {
      const auto low = hn::Mul(set(d, k[0] * k[2]), hn::Exp(d, hn::Min(hn::Mul(x, set(d, k[2])), hn::Zero(d))));
      return nan_or(x, hn::Mul(set(d, k[1]), hn::IfThenElse(hn::Gt(x, hn::Zero(d)), set(d, 1), low)));
    }>;
  if (op == "softplus_grad") return slope<T, [](auto d, Numbers, auto x) HWY_ATTR { return sigmoid_of(d, x); }>;
  if (op == "mish_grad")
    return slope<T, [](auto d, Numbers, auto x) HWY_ATTR {
      const auto t = tanh_softplus(d, x), one = set(d, 1);
      return hn::MulAdd(hn::Mul(x, sigmoid_of(d, x)), hn::Mul(hn::Sub(one, t), hn::Add(one, t)), t);
    }>;
  if (op == "thresholded_relu_grad")
    return slope<T, [](auto d, Numbers k, auto x)
                        HWY_ATTR { return hn::IfThenZeroElse(hn::Le(x, set(d, k[0])), set(d, 1)); }>;
  if (op == "shrink_grad")
    return slope<T, [](auto d, Numbers k, auto x) HWY_ATTR {
      return hn::IfThenElseZero(hn::Or(hn::Lt(x, set(d, -k[1])), hn::Gt(x, set(d, k[1]))), set(d, 1));
    }>;
  if (op == "clip_grad")
    return slope<T, [](auto d, Numbers k, auto x) HWY_ATTR {
      return hn::IfThenZeroElse(hn::Or(hn::Lt(x, set(d, k[0])), hn::Gt(x, set(d, k[1]))), set(d, 1));
    }>;
  return nullptr;
}

template <class T>
RowFunction find_arithmetic(std::string_view op) {
  if (op == "divide") return two<T, [](auto, Numbers, auto x, auto y) HWY_ATTR { return hn::Div(x, y); }>;
  // The unordered case of Min and Max is the second operand on x86 alone.
  if (op == "minimum")
    return two<T, [](auto, Numbers, auto x, auto y) HWY_ATTR { return nan_or(x, nan_or(y, hn::Min(x, y))); }>;
  if (op == "maximum")
    return two<T, [](auto, Numbers, auto x, auto y) HWY_ATTR { return nan_or(x, nan_or(y, hn::Max(x, y))); }>;
  if (op == "prelu")
    return two<T, [](auto d, Numbers, auto x, auto s)
                      HWY_ATTR { return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(s, x)); }>;
  if (op == "prelu_grad_slope")
    return two<T, [](auto d, Numbers, auto dy, auto x)
                      HWY_ATTR { return hn::IfThenZeroElse(hn::Gt(x, hn::Zero(d)), hn::Mul(x, dy)); }>;
  if (op == "prelu_grad_input")
    return three<T, [](auto d, Numbers, auto dy, auto x, auto s)
                        HWY_ATTR { return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), dy, hn::Mul(s, dy)); }>;
  if (op == "divide_grad_divisor")
    return three<T,
                 [](auto, Numbers, auto dy, auto y, auto b) HWY_ATTR { return hn::Neg(hn::Mul(dy, hn::Div(y, b))); }>;
  if (op == "maximum_grad" || op == "minimum_grad")
    return three<T, [](auto d, Numbers k, auto dy, auto a, auto b) HWY_ATTR {
      const auto wins = (k[0] > 0) ? hn::Gt(a, b) : hn::Lt(a, b);  // k[0]: 1 or -1
      return hn::IfThenElse(wins, dy, hn::IfThenElseZero(hn::Eq(a, b), hn::Mul(set(d, 0.5), dy)));
    }>;
  if (op == "power_grad_exponent")
    return three<T, [](auto d, Numbers, auto dy, auto a, auto y) HWY_ATTR {
      return hn::IfThenZeroElse(hn::Eq(y, hn::Zero(d)), hn::Mul(dy, hn::Mul(y, log_of(d, a))));
    }>;
  if (op == "log_sum_exp_grad")
    return three<T, [](auto d, Numbers, auto dy, auto x, auto y) HWY_ATTR {
      return hn::IfThenZeroElse(hn::Eq(x, set(d, -kInfinity<T>)), hn::Mul(dy, exp_of(d, hn::Sub(x, y))));
    }>;
  return nullptr;
}

template <class T>
RowFunction find(std::string_view op) {
  for (const auto family :
       {find_function<T>, find_activation<T>, find_slope<T>, find_activation_slope<T>, find_arithmetic<T>}) {
    if (const RowFunction found = family(op); found != nullptr) return found;
  }
  return nullptr;
}

RowFunction find_for_target(std::string_view op, DType dtype) {
  if (dtype == DType::float32) return find<float>(op);
#if HWY_HAVE_FLOAT64
  if (dtype == DType::float64) return find<double>(op);
#endif
  return nullptr;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(find_for_target);

RowFunction find_function_row(std::string_view op, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(find_for_target)(op, dtype);
}

}  // namespace engine::cpu
#endif
