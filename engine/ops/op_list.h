// SPDX-License-Identifier: Apache-2.0
// Every op constant with its operands and attributes: what gradients append, kernels read and catalog.cpp lists.
#pragma once

#include "engine/graph/op.h"

// Written "op(inputs) -> outputs {attributes}". Optional inputs are in [brackets] and always last.
// Attributes: "axis", "start", "end", "step", "groups", "keep_axes", "count_include_pad", "ceil_mode", "count" are
// integers (flags 0 or 1), "factor", "shift", "epsilon", "momentum", "rate", "weight_decay" are doubles, all others
// lists of integers: stride {h, w}, dilation {h, w}, kernel {h, w}, padding {top, left, bottom, right}. Gradient ops
// take the gradient of the forward output first, then what they need of the forward pass. An op whose forward input is
// not among its inputs finds that input's shape and dense layout in "input_shape" and "input_strides"
// ("weight_shape", "weight_strides" for a weight): its output has exactly this type.
namespace engine::ops {

// ---- movement.cpp: views (slice's start, end and axis may be negative, as in Python) and copies
// ---------------------------
extern const Op kReshape;     ///< reshape(x) -> y {shape}: view
extern const Op kPermute;     ///< permute(x) -> y {axes}: view
extern const Op kSlice;       ///< slice(x) -> y {axis, start, end, step}: view
extern const Op kExpand;      ///< expand(x) -> y {shape}: view
extern const Op kSqueeze;     ///< squeeze(x) -> y {axis}: view
extern const Op kUnsqueeze;   ///< unsqueeze(x) -> y {axis}: view
extern const Op kContiguous;  ///< contiguous(x) -> y: row-major copy
extern const Op kRelayout;    ///< relayout(x) -> y {strides}: copy with the given dense strides
extern const Op
    kSliceGrad;  ///< slice_grad(dy) -> dx {axis, start, end, step, input_shape, input_strides}: dy amid zeros

// ---- elementwise.cpp: the result keeps the dense layout of the first input that has the result's shape
// ----------------------
extern const Op kAdd;          ///< add(a, b) -> y
extern const Op kSubtract;     ///< subtract(a, b) -> y
extern const Op kMultiply;     ///< multiply(a, b) -> y
extern const Op kScaledAdd;    ///< scaled_add(a, b) -> y {factor}: a + factor * b
extern const Op kScale;        ///< scale(x) -> y {factor, shift}
extern const Op kCopy;         ///< copy(x) -> y
extern const Op kRelu;         ///< relu(x) -> y
extern const Op kReluGrad;     ///< relu_grad(dy, y) -> dx
extern const Op kSigmoid;      ///< sigmoid(x) -> y
extern const Op kSigmoidGrad;  ///< sigmoid_grad(dy, y) -> dx

// ---- matmul.cpp: results are row-major
// --------------------------------------------------------------------------------------
extern const Op kMatmul;  ///< matmul(a, b) -> c {library}; a [..., m, k], b [..., k, n], leading axes broadcast;
                          ///< library = 1: never by own loops
extern const Op kLinear;  ///< linear(x, weight, [bias]) -> y; x [B, I], weight [O, I], bias [O]

// ---- convolution.cpp: results are channels last
// -----------------------------------------------------------------------------
extern const Op kConv2d;            ///< conv2d(x, weight, [bias]) -> y {stride, padding, dilation, groups}
extern const Op kConv2dGradInput;   ///< conv2d_grad_input(dy, weight) -> dx {as conv2d, input_shape, input_strides}
extern const Op kConv2dGradWeight;  ///< conv2d_grad_weight(dy, x) -> dw {as conv2d, weight_shape, weight_strides}

// ---- pooling.cpp: results are channels last
// ---------------------------------------------------------------------------------
extern const Op
    kMaxPool2d;  ///< max_pool2d(x) -> y, indices {kernel, stride, padding, ceil_mode}; indices i32: h * W + w
extern const Op kMaxPool2dGrad;      ///< max_pool2d_grad(dy, indices) -> dx {as max_pool2d, input_shape, input_strides}
extern const Op kAveragePool2d;      ///< average_pool2d(x) -> y {kernel, stride, padding, ceil_mode, count_include_pad}
extern const Op kAveragePool2dGrad;  ///< average_pool2d_grad(dy) -> dx {as average_pool2d, input_shape, input_strides}
extern const Op kGlobalAveragePool;  ///< global_average_pool(x) -> y; [N, C, H, W] -> [N, C, 1, 1]
extern const Op kGlobalAveragePoolGrad;  ///< global_average_pool_grad(dy) -> dx {input_shape, input_strides}

// ---- normalization.cpp: rank-4 results are channels last; statistics [C] have the dtype of scale
// ----------------------------
extern const Op kBatchNormTraining;  ///< batch_norm_training(x, scale, bias) -> y, mean, inv_std {epsilon}
extern const Op kBatchNormGrad;      ///< batch_norm_grad(dy, x, mean, inv_std, scale) -> dx, dscale, dbias
/// batch_norm_running_update(running_mean, running_variance, mean, inv_std) -> running_mean, running_variance (in
/// place) {epsilon, momentum, count}; count: values per channel in the batch, for the unbiased variance.
extern const Op kBatchNormRunningUpdate;
extern const Op kBatchNormInference;  ///< batch_norm_inference(x, scale, bias, mean, variance) -> y {epsilon}
/// batch_norm_inference_grad(dy, x, scale, mean, variance) -> dx, dscale, dbias, dmean, dvariance {epsilon}
extern const Op kBatchNormInferenceGrad;

// ---- reduction.cpp, softmax.cpp
// -----------------------------------------------------------------------------------------------
extern const Op kSum;                      ///< sum(x) -> y {axes, keep_axes}: row-major
extern const Op kSoftmax;                  ///< softmax(x) -> y {axis}: layout of x
extern const Op kSoftmaxGrad;              ///< softmax_grad(dy, y) -> dx {axis}
extern const Op kSoftmaxCrossEntropy;      ///< softmax_cross_entropy(logits, labels) -> loss, probabilities
extern const Op kSoftmaxCrossEntropyGrad;  ///< softmax_cross_entropy_grad(dloss, probabilities, labels) -> dlogits

// ---- sgd.cpp: in place; all other optimisers are in optimizers.h
// --------------------------------------------------------------------------------------------------
extern const Op kSgd;          ///< sgd(weight, gradient) -> weight {rate, weight_decay}
extern const Op kSgdMomentum;  ///< sgd_momentum(weight, gradient, buffer) -> weight, buffer {rate, momentum,
                               ///< weight_decay, nesterov}

}  // namespace engine::ops
