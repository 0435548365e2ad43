// SPDX-License-Identifier: Apache-2.0
// Normalisation over axes of one sample (layer, root-mean-square, group, instance) and over neighbouring channels.
#pragma once

#include <span>

#include "engine/graph/builder.h"

namespace engine::ops {

// Statistics have the dtype of scale (that of x, or f32) and stand for 1 / sqrt(variance + epsilon) and 1 / sqrt(mean
// of squares + epsilon); variances are the biased ones. No gradient flows through the statistics as outputs.

/// layer_norm(x, scale, [bias]) -> y, mean, inv_std {axis: the first normalised axis, epsilon}; scale and bias have the
/// normalised axes' extents, the statistics those of x with 1 for each normalised axis. y lies as x does.
extern const Op kLayerNorm;
extern const Op kLayerNormGrad;  ///< layer_norm_grad(dy, x, mean, inv_std, scale) -> dx, dscale, dbias {axis}
/// rms_norm(x, scale) -> y, inv_rms {axis, epsilon}: as layer_norm without a mean
extern const Op kRmsNorm;
extern const Op kRmsNormGrad;  ///< rms_norm_grad(dy, x, inv_rms, scale) -> dx, dscale {axis}
/// group_norm(x, scale, [bias]) -> y, mean, inv_std {groups, epsilon}; x [N, C, ...], scale and bias [C], statistics
/// [N, groups]
extern const Op kGroupNorm;
extern const Op kGroupNormGrad;  ///< group_norm_grad(dy, x, mean, inv_std, scale) -> dx, dscale, dbias {groups}
/// local_response_norm(x) -> y {size, alpha, beta, bias}; x [N, C, ...]
extern const Op kLocalResponseNorm;
extern const Op kLocalResponseNormGrad;  ///< local_response_norm_grad(dy, x) -> dx {as local_response_norm}

std::span<const Op* const> norms_ops();

/// Normalises over the axes from `axis` on (J. L. Ba, J. R. Kiros, G. E. Hinton, 2016). bias may be kNoValue.
ValueId layer_norm(GraphBuilder&, ValueId x, ValueId scale, ValueId bias, int64_t axis = -1, double epsilon = 1e-5);
/// B. Zhang, R. Sennrich, NeurIPS 2019.
ValueId rms_norm(GraphBuilder&, ValueId x, ValueId scale, int64_t axis = -1, double epsilon = 1e-5);
/// Y. Wu, K. He, ECCV 2018. `groups` divides the channels (axis 1). bias may be kNoValue.
ValueId group_norm(GraphBuilder&, ValueId x, ValueId scale, ValueId bias, int64_t groups, double epsilon = 1e-5);
/// group_norm with one channel per group.
ValueId instance_norm(GraphBuilder&, ValueId x, ValueId scale, ValueId bias, double epsilon = 1e-5);
/// y[c] = x[c] / (bias + alpha / size * sum of x^2 over the `size` channels around c) ^ beta, as ONNX defines it (an
/// even `size` reaches further up; PyTorch's further down).
ValueId local_response_norm(GraphBuilder&, ValueId x, int64_t size, double alpha = 1e-4, double beta = 0.75,
                            double bias = 1);

}  // namespace engine::ops
