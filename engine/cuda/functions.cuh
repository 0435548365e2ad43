// SPDX-License-Identifier: Apache-2.0
// The functions of elementwise ops in float or double, and those of whole numbers: the formulas of engine/ops.
#pragma once

#include <cmath>
#include <cstdint>

#include "engine/cuda/elementwise.h"
#include "engine/tensor/function_constants.h"

namespace engine::cuda {

template <class A>
struct Formulas {
  static constexpr A kSqrtHalf = static_cast<A>(engine::kInvSqrt2);
  static constexpr A kInvSqrtTwoPi = static_cast<A>(engine::kInvSqrt2Pi);
  static constexpr A kSqrtTwoOverPi = static_cast<A>(engine::kSqrt2OverPi);
  static constexpr A kTwoOverSqrtPi = static_cast<A>(engine::kTwoOverSqrtPi);
  static constexpr A kGeluCubic = static_cast<A>(engine::kGeluCubic);

  static __host__ __device__ A sigmoid(A x) { return 1 / (1 + std::exp(-x)); }
  static __host__ __device__ A softplus(A x) {
    return (x > 0 || x != x ? x : A{0}) + std::log1p(std::exp(-std::abs(x)));
  }
  static __host__ __device__ A sign(A x) { return x > 0 ? A{1} : x < 0 ? A{-1} : x; }
  static __host__ __device__ A phi(A x) { return std::exp(A(-0.5) * x * x) * kInvSqrtTwoPi; }
  static __host__ __device__ A normal(A x) { return A(0.5) * std::erfc(-x * kSqrtHalf); }
  static __host__ __device__ A gelu_argument(A x) { return kSqrtTwoOverPi * (x + kGeluCubic * x * x * x); }
  static __host__ __device__ A gelu_tanh_slope(A x) {
    const A t = std::tanh(gelu_argument(x));
    return A(0.5) * (1 + t) + A(0.5) * x * (1 - t) * (1 + t) * kSqrtTwoOverPi * (1 + 3 * kGeluCubic * x * x);
  }
  static __host__ __device__ A mish_slope(A x) {
    const A t = std::tanh(softplus(x));
    return t + x * sigmoid(x) * (1 - t) * (1 + t);
  }
  static __host__ __device__ A floor_modulo(A a, A b) {
    const A r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
  static __host__ __device__ A nan_or(A a, A b, A chosen) { return a != a ? a : b != b ? b : chosen; }
};

/// One operand `a`.
template <class A>
__host__ __device__ A function_of_one(Code code, A a, A p, A p1) {
  using F = Formulas<A>;
  switch (code) {
    case Code::scale: return p * a + p1;
    case Code::relu: return a < 0 ? A{0} : a;
    case Code::sigmoid: return F::sigmoid(a);
    case Code::absolute: return std::abs(a);
    case Code::negate: return -a;
    case Code::exp: return std::exp(a);
    case Code::log: return std::log(a);
    case Code::sqrt: return std::sqrt(a);
    case Code::reciprocal: return 1 / a;
    case Code::sin: return std::sin(a);
    case Code::cos: return std::cos(a);
    case Code::tan: return std::tan(a);
    case Code::asin: return std::asin(a);
    case Code::acos: return std::acos(a);
    case Code::atan: return std::atan(a);
    case Code::sinh: return std::sinh(a);
    case Code::cosh: return std::cosh(a);
    case Code::asinh: return std::asinh(a);
    case Code::acosh: return std::acosh(a);
    case Code::atanh: return std::atanh(a);
    case Code::tanh: return std::tanh(a);
    case Code::erf: return std::erf(a);
    case Code::floor: return std::floor(a);
    case Code::ceil: return std::ceil(a);
    case Code::round: return std::rint(a);
    case Code::sign: return F::sign(a);
    case Code::gelu: return a * F::normal(a);
    case Code::gelu_tanh: return A(0.5) * a * (1 + std::tanh(F::gelu_argument(a)));
    case Code::silu: return a * F::sigmoid(a);
    case Code::elu: return a > 0 ? a : p * std::expm1(a);
    case Code::selu: return p1 * (a > 0 ? a : p * std::expm1(a));
    case Code::celu: return a > 0 ? a : p * std::expm1(a / p);
    case Code::leaky_relu: return a > 0 ? a : p * a;
    case Code::hard_sigmoid: {
      const A t = p * a + p1;
      return t < 0 ? A{0} : t > 1 ? A{1} : t;
    }
    case Code::hard_swish: return a <= -3 ? A{0} : a >= 3 ? a : a * (a + 3) / 6;
    case Code::softplus: return F::softplus(a);
    case Code::softsign: return a / (1 + std::abs(a));
    case Code::mish: return a * std::tanh(F::softplus(a));
    case Code::thresholded_relu: return a <= p ? A{0} : a;
    case Code::shrink: return a < -p1 ? a + p : a > p1 ? a - p : a != a ? a : A{0};
    case Code::clip: {
      const A t = a < p ? p : a;
      return t > p1 ? p1 : t;
    }
    case Code::is_nan: return a != a ? A{1} : A{0};
    case Code::is_inf: return std::isinf(a) && (a > 0 ? p : p1) != 0 ? A{1} : A{0};
    default: return a;  // cast
  }
}

/// dx = dy * slope, or another function of dy and what the slope is found from.
template <class A>
__host__ __device__ A slope_of(Code code, A dy, A x, A p, A p1) {
  using F = Formulas<A>;
  switch (code) {
    case Code::relu_grad: return x > 0 ? dy : A{0};
    case Code::sigmoid_grad: return dy * x * (1 - x);
    case Code::absolute_grad: return dy * F::sign(x);
    case Code::sqrt_grad: return dy * (A(0.5) / x);
    case Code::reciprocal_grad: return dy * (-x * x);
    case Code::sin_grad: return dy * std::cos(x);
    case Code::cos_grad: return -dy * std::sin(x);
    case Code::tan_grad: return dy * (1 + x * x);
    case Code::asin_grad: return dy / std::sqrt((1 - x) * (1 + x));
    case Code::acos_grad: return -dy / std::sqrt((1 - x) * (1 + x));
    case Code::atan_grad: return dy / (1 + x * x);
    case Code::sinh_grad: return dy * std::cosh(x);
    case Code::cosh_grad: return dy * std::sinh(x);
    case Code::asinh_grad: return dy / std::sqrt(1 + x * x);
    case Code::acosh_grad: return dy / std::sqrt((x - 1) * (x + 1));
    case Code::atanh_grad: return dy / ((1 - x) * (1 + x));
    case Code::tanh_grad: return dy * ((1 - x) * (1 + x));
    case Code::erf_grad: return dy * (F::kTwoOverSqrtPi * std::exp(-x * x));
    case Code::gelu_grad: return dy * (F::normal(x) + x * F::phi(x));
    case Code::gelu_tanh_grad: return dy * F::gelu_tanh_slope(x);
    case Code::silu_grad: return dy * (F::sigmoid(x) * (1 + x * F::sigmoid(-x)));
    case Code::elu_grad: return x > 0 ? dy : dy * (p * std::exp(x));
    case Code::selu_grad: return dy * (p1 * (x > 0 ? A{1} : p * std::exp(x)));
    case Code::celu_grad: return x > 0 ? dy : dy * std::exp(x / p);
    case Code::leaky_relu_grad: return x > 0 ? dy : dy * p;
    case Code::hard_sigmoid_grad: return x > 0 && x < 1 ? dy * p : dy * A{0};
    case Code::hard_swish_grad: return dy * (x <= -3 ? A{0} : x >= 3 ? A{1} : x / 3 + A(0.5));
    case Code::softplus_grad: return dy * F::sigmoid(x);
    case Code::softsign_grad: {
      const A t = 1 / (1 + std::abs(x));
      return dy * (t * t);
    }
    case Code::mish_grad: return dy * F::mish_slope(x);
    case Code::thresholded_relu_grad: return dy * (x <= p ? A{0} : A{1});
    case Code::shrink_grad: return dy * (x < -p1 || x > p1 ? A{1} : A{0});
    case Code::clip_grad: return dy * (x < p || x > p1 ? A{0} : A{1});
    case Code::prelu_grad_slope: return x > 0 ? A{0} : x * dy;
    default: return A{0};
  }
}

/// Two operands of equal standing.
template <class A>
__host__ __device__ A function_of_two(Code code, A a, A b, A p) {
  using F = Formulas<A>;
  switch (code) {
    case Code::add: return a + b;
    case Code::subtract: return a - b;
    case Code::multiply: return a * b;
    case Code::divide: return a / b;
    case Code::scaled_add: return a + p * b;
    case Code::minimum: return F::nan_or(a, b, b < a ? b : a);
    case Code::maximum: return F::nan_or(a, b, a < b ? b : a);
    case Code::power: return std::pow(a, b);
    case Code::modulo: return F::floor_modulo(a, b);
    case Code::fmod: return std::fmod(a, b);
    case Code::prelu: return a > 0 ? a : b * a;
    case Code::equal: return a == b ? A{1} : A{0};
    case Code::not_equal: return a != b ? A{1} : A{0};
    case Code::less: return a < b ? A{1} : A{0};
    case Code::less_equal: return a <= b ? A{1} : A{0};
    case Code::greater: return a > b ? A{1} : A{0};
    case Code::greater_equal: return a >= b ? A{1} : A{0};
    default: return A{0};
  }
}

template <class A>
__host__ __device__ A function_of_three(Code code, A a, A b, A c) {
  switch (code) {
    case Code::where: return a != 0 ? b : c;
    case Code::divide_grad_divisor: return -a * (b / c);
    case Code::power_grad_base: return c == 0 ? A{0} : a * (c * std::pow(b, c - 1));
    case Code::power_grad_exponent: return c == 0 ? A{0} : a * (c * std::log(b));
    case Code::maximum_grad: return b > c ? a : b == c ? a / 2 : A{0};
    case Code::minimum_grad: return b < c ? a : b == c ? a / 2 : A{0};
    case Code::prelu_grad_input: return b > 0 ? a : c * a;
    case Code::log_sum_exp_grad: return std::isinf(b) && b < 0 ? A{0} : a * std::exp(b - c);
    default: return A{0};
  }
}

constexpr bool is_slope(Code code) {
  switch (code) {
    case Code::relu_grad:
    case Code::sigmoid_grad:
    case Code::absolute_grad:
    case Code::sqrt_grad:
    case Code::reciprocal_grad:
    case Code::sin_grad:
    case Code::cos_grad:
    case Code::tan_grad:
    case Code::asin_grad:
    case Code::acos_grad:
    case Code::atan_grad:
    case Code::sinh_grad:
    case Code::cosh_grad:
    case Code::asinh_grad:
    case Code::acosh_grad:
    case Code::atanh_grad:
    case Code::tanh_grad:
    case Code::erf_grad:
    case Code::gelu_grad:
    case Code::gelu_tanh_grad:
    case Code::silu_grad:
    case Code::elu_grad:
    case Code::selu_grad:
    case Code::celu_grad:
    case Code::leaky_relu_grad:
    case Code::hard_sigmoid_grad:
    case Code::hard_swish_grad:
    case Code::softplus_grad:
    case Code::softsign_grad:
    case Code::mish_grad:
    case Code::thresholded_relu_grad:
    case Code::shrink_grad:
    case Code::clip_grad:
    case Code::prelu_grad_slope: return true;
    default: return false;
  }
}

/// Any function in float or double.
template <class A>
__host__ __device__ A compute(Code code, int operands, A a, A b, A c, A p, A p1) {
  if (operands == 1) return function_of_one(code, a, p, p1);
  if (operands == 3) return function_of_three(code, a, b, c);
  return is_slope(code) ? slope_of(code, a, b, p, p1) : function_of_two(code, a, b, p);
}

// ---- whole numbers: they wrap around
// ---------------------------------------------------------------------------------------------

__host__ __device__ inline int64_t wrapped(uint64_t x) { return static_cast<int64_t>(x); }

__host__ __device__ inline int64_t whole_power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 || (base == -1 && exponent % 2 == 0) ? 1 : base == -1 ? -1 : 0;
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= factor;
    factor *= factor;
  }
  return wrapped(result);
}

__host__ __device__ inline int64_t whole_modulo(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

__host__ __device__ inline int64_t compute_whole(Code code, int64_t a, int64_t b, int64_t c, int64_t q, int64_t q1) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (code) {
    case Code::add: return wrapped(ua + ub);
    case Code::subtract: return wrapped(ua - ub);
    case Code::multiply: return wrapped(ua * ub);
    case Code::divide: return b == 0 ? 0 : b == -1 ? wrapped(0 - ua) : a / b;
    case Code::relu: return a < 0 ? 0 : a;
    case Code::absolute: return a < 0 ? wrapped(0 - ua) : a;
    case Code::negate: return wrapped(0 - ua);
    case Code::sign: return (a > 0) - (a < 0);
    case Code::clip: return min(max(a, q), q1);
    case Code::minimum: return a < b ? a : b;
    case Code::maximum: return a < b ? b : a;
    case Code::power: return whole_power(a, b);
    case Code::modulo: return whole_modulo(a, b);
    case Code::fmod: return b == 0 || b == -1 ? 0 : a % b;
    case Code::equal: return a == b;
    case Code::not_equal: return a != b;
    case Code::less: return a < b;
    case Code::less_equal: return a <= b;
    case Code::greater: return a > b;
    case Code::greater_equal: return a >= b;
    case Code::logical_and: return a != 0 && b != 0;
    case Code::logical_or: return a != 0 || b != 0;
    case Code::logical_xor: return (a != 0) != (b != 0);
    case Code::logical_not: return a == 0;
    case Code::where: return a != 0 ? b : c;
    case Code::bitwise_and: return a & b;
    case Code::bitwise_or: return a | b;
    case Code::bitwise_xor: return a ^ b;
    case Code::bitwise_not: return q != 0 ? a == 0 : ~a;  // q: bool
    case Code::shift_left: return b < 0 || b > 63 ? 0 : wrapped(ua << b);
    case Code::shift_right: return a >> (b < 0 || b > 63 ? 63 : b);
    default: return a;  // cast
  }
}

}  // namespace engine::cuda
