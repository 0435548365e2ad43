// SPDX-License-Identifier: Apache-2.0
// Elementwise ops. OPERATION is one of the functions, NAME the kernel, OPERANDS how many operands it reads. Formulas are
// those of engine/ops; p and q are the op's numbers, in its order.

#define OF(function, result) \
  real function(const real a, const real b, const real c, const real p, const real q) { return result; }

#define SQRT_HALF ((real)0.70710678118654752440)
#define INV_SQRT_2PI ((real)0.39894228040143267794)
#define SQRT_2_OVER_PI ((real)0.79788456080286535588)
#define TWO_OVER_SQRT_PI ((real)1.12837916709551257390)
#define GELU_CUBIC ((real)0.044715)

real clipped(const real x, const real low, const real high) {
  const real t = x < low ? low : x;
  return t > high ? high : t;
}
real logistic(const real x) { return 1 / (1 + exp(-x)); }
real softplus_of(const real x) { return (x > 0 || x != x ? x : (real)0) + log1p(exp(-fabs(x))); }
real sign_of(const real x) { return x > 0 ? (real)1 : x < 0 ? (real)-1 : x; }
real normal(const real x) { return (real)0.5 * erfc(-x * SQRT_HALF); }
real density(const real x) { return exp((real)-0.5 * x * x) * INV_SQRT_2PI; }
real gelu_argument(const real x) { return SQRT_2_OVER_PI * (x + GELU_CUBIC * x * x * x); }
real gelu_tanh_slope(const real x) {
  const real t = tanh(gelu_argument(x));
  return (real)0.5 * (1 + t) + (real)0.5 * x * (1 - t) * (1 + t) * SQRT_2_OVER_PI * (1 + 3 * GELU_CUBIC * x * x);
}

OF(of_copy, a)
OF(of_add, a + b)
OF(of_subtract, a - b)
OF(of_multiply, a * b)
OF(of_divide, a / b)
OF(of_scaled_add, a + p * b)
OF(of_scale, p * a + q)
OF(of_minimum, smaller(a, b))
OF(of_maximum, larger(a, b))
OF(of_absolute, fabs(a))
OF(of_negate, -a)
OF(of_exp, exp(a))
OF(of_log, log(a))
OF(of_sqrt, sqrt(a))
OF(of_sqrt_grad, a * ((real)0.5 / b))
OF(of_reciprocal, 1 / a)
OF(of_reciprocal_grad, a * (-b * b))
OF(of_sin, sin(a))
OF(of_cos, cos(a))
OF(of_tanh, tanh(a))
OF(of_tanh_grad, a * ((1 - b) * (1 + b)))
OF(of_erf, erf(a))
OF(of_erf_grad, a * (TWO_OVER_SQRT_PI * exp(-b * b)))
OF(of_relu, a < 0 ? (real)0 : a)
OF(of_relu_grad, b > 0 ? a : (real)0)
OF(of_leaky_relu, a > 0 ? a : p * a)
OF(of_leaky_relu_grad, b > 0 ? a : a * p)
OF(of_sigmoid, logistic(a))
OF(of_sigmoid_grad, a * b * (1 - b))
OF(of_silu, a * logistic(a))
OF(of_silu_grad, a * (logistic(b) * (1 + b * logistic(-b))))
OF(of_softplus, softplus_of(a))
OF(of_softplus_grad, a * logistic(b))
OF(of_sign, sign_of(a))
OF(of_gelu, a * normal(a))
OF(of_gelu_grad, a * (normal(b) + b * density(b)))
OF(of_gelu_tanh, (real)0.5 * a * (1 + tanh(gelu_argument(a))))
OF(of_gelu_tanh_grad, a * gelu_tanh_slope(b))
OF(of_clip, clipped(a, p, q))

#if OPERANDS == 1
#define READS global const real *a, const long a0
#define VALUE(i, j, k) OPERATION(a[a0 + (i)], (real)0, (real)0, p, q)
#elif OPERANDS == 2
#define READS global const real *a, const long a0, global const real *b, const long b0
#define VALUE(i, j, k) OPERATION(a[a0 + (i)], b[b0 + (j)], (real)0, p, q)
#else
#define READS \
  global const real *a, const long a0, global const real *b, const long b0, global const real *c, const long c0
#define VALUE(i, j, k) OPERATION(a[a0 + (i)], b[b0 + (j)], c[c0 + (k)], p, q)
#endif

#ifdef DENSE  // all operands lie alike: position i of one is position i of all
kernel void NAME(global real* y, const long y0, READS, const real p, const real q, const long count) {
  const long i = get_global_id(0);
  if (i < count) y[y0 + i] = VALUE(i, i, i);
}
#else
kernel void NAME(global real* y, const long y0, READS, const real p, const real q, constant const walk* w) {
  const long i = get_global_id(0);
  if (i >= w->count) return;
  long at[4] = {0, 0, 0, 0};
  offsets_of(w, OPERANDS + 1, i, at);
  y[y0 + at[0]] = VALUE(at[1], at[2], at[3]);
}
#endif
