// SPDX-License-Identifier: Apache-2.0
// Elementwise work on the GPU: one call is one function of up to three broadcast operands.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/cuda/index.h"
#include "engine/cuda/launch.h"
#include "engine/tensor/dtype.h"

namespace engine {
class Attributes;
struct Op;
}  // namespace engine

namespace engine::cuda {

/// Which function. The name of the op is that of the entry; <name>_grad has operands (dy, x) or (dy, y).
enum class Code : uint8_t {
  add,
  subtract,
  multiply,
  divide,
  scaled_add,
  scale,
  relu,
  relu_grad,
  sigmoid,
  sigmoid_grad,
  absolute,
  absolute_grad,
  negate,
  exp,
  log,
  sqrt,
  sqrt_grad,
  reciprocal,
  reciprocal_grad,
  sin,
  sin_grad,
  cos,
  cos_grad,
  tan,
  tan_grad,
  asin,
  asin_grad,
  acos,
  acos_grad,
  atan,
  atan_grad,
  sinh,
  sinh_grad,
  cosh,
  cosh_grad,
  asinh,
  asinh_grad,
  acosh,
  acosh_grad,
  atanh,
  atanh_grad,
  tanh,
  tanh_grad,
  erf,
  erf_grad,
  floor,
  ceil,
  round,
  sign,
  gelu,
  gelu_grad,
  gelu_tanh,
  gelu_tanh_grad,
  silu,
  silu_grad,
  elu,
  elu_grad,
  selu,
  selu_grad,
  celu,
  celu_grad,
  leaky_relu,
  leaky_relu_grad,
  hard_sigmoid,
  hard_sigmoid_grad,
  hard_swish,
  hard_swish_grad,
  softplus,
  softplus_grad,
  softsign,
  softsign_grad,
  mish,
  mish_grad,
  thresholded_relu,
  thresholded_relu_grad,
  shrink,
  shrink_grad,
  clip,
  clip_grad,
  minimum,
  maximum,
  power,
  modulo,
  fmod,
  prelu,
  divide_grad_divisor,
  power_grad_base,
  power_grad_exponent,
  maximum_grad,
  minimum_grad,
  prelu_grad_input,
  prelu_grad_slope,
  log_sum_exp_grad,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  logical_xor,
  logical_not,
  is_nan,
  is_inf,
  where,
  cast,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  bitwise_not,
  shift_left,
  shift_right,
  any,  ///< in kernels that look at the code at run time
};

/// What the function is computed in.
enum class Arithmetic : uint8_t { float32, float64, whole };

struct Elementwise {
  Code code = Code::any;
  Arithmetic arithmetic = Arithmetic::float32;
  int32_t operands = 1;
  DType in[3] = {};
  DType out = DType::float32;
  void* y = nullptr;
  const void* x[3] = {};
  double p[2] = {};     ///< the op's settings: its numbers, in the order of Op::attributes
  int64_t q[2] = {};    ///< the same for whole numbers
  Walk<4> walk;         ///< [0] = y, then the operands
  int64_t lanes = 1;    ///< elements of one load, as vectorize() found them
  bool hot = false;     ///< a function and dtype with a kernel of its own; its loads are 16 bytes
  LaneWalk<4> by_lane;  ///< of `walk`, where lanes > 1
};

/// An elementwise op's function with its settings, the attributes that are numbers; nothing for other ops.
struct CodeOfOp {
  Code code = Code::any;
  double p[2] = {};
};
std::optional<CodeOfOp> code_of_op(const Op& op, const Attributes&);

/// Sets `lanes` where every operand is dense along the last axis, or repeats there, and lies where wide loads may: 16
/// bytes for the functions that training steps are full of, 4 elements for all others in float.
void vectorize(Elementwise&);
cudaError_t launch(const Launcher&, const Elementwise&);

}  // namespace engine::cuda
