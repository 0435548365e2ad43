// SPDX-License-Identifier: Apache-2.0
// Optimisers beyond SGD, in place, and clipping gradients by their norm. None has a gradient.
#pragma once

#include <span>
#include <vector>

#include "engine/graph/builder.h"

namespace engine::ops {

/// adam(weight, gradient, m, v, step) -> weight, m, v {rate, beta1, beta2, epsilon, weight_decay}; step i64 [], counted
/// from 1 (less is taken as 1). weight_decay is added to the gradient.
extern const Op kAdam;
extern const Op kAdamW;  ///< adamw: as adam, but weight_decay shrinks the weight itself, apart from the gradient
/// unscaled_adam(weight, gradient, m, v, step, scale, found) -> weight, m, v: adam by gradient / scale, nothing when
/// found is not 0 (loss_scaling.h). unscaled_adamw: likewise.
extern const Op kUnscaledAdam;
extern const Op kUnscaledAdamW;
extern const Op kCountStep;  ///< count_step(step) -> step: i64 [], plus 1 in place
/// count_step_unless(step, found) -> step: plus 1 in place where found (f32 []) is 0
extern const Op kCountStepUnless;
extern const Op kSquaredNorm;  ///< squared_norm(x) -> s []: sum of x^2; f64 for f64, else f32
/// clip_by_norm(gradient, squared_norm) -> y {max_norm}: gradient * min(1, max_norm / (sqrt(squared_norm) + 1e-6))
extern const Op kClipByNorm;

std::span<const Op* const> optimizers_ops();

struct AdamOptions {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  bool decoupled_decay = false;  ///< AdamW
};
/// What loss scaling hands to the updates: the gradients are `scale` times too large, `found` is not 0 when some are
/// not finite. Without loss scaling both are kNoValue.
struct ScaledGradients {
  ValueId scale = kNoValue, found = kNoValue;
};
/// One step of Adam (D. P. Kingma, J. Ba, ICLR 2015) or AdamW (I. Loshchilov, F. Hutter, ICLR 2019), as PyTorch
/// computes them. m and v: states of the weight's type, zeros at first; `step`: what count_step returned.
void adam_update(GraphBuilder&, ValueId weight, ValueId gradient, ValueId m, ValueId v, ValueId step,
                 const AdamOptions&, const ScaledGradients& = {});
/// Once per step, before the updates: the state of all steps done, plus 1. A step skipped by loss scaling does not
/// count.
ValueId count_step(GraphBuilder&, ValueId step, const ScaledGradients& = {});
ValueId squared_norm(GraphBuilder&, ValueId x);
/// Scales all gradients by one factor so that their norm, taken over all of them together, is at most max_norm (as
/// torch.nn.utils.clip_grad_norm_). Entries that are kNoValue stay so. All of one dtype family: f64, or narrower.
/// Gradients of a loss multiplied by `scale` stay so, and are clipped by the norm of those proper.
std::vector<ValueId> clip_grad_norm(GraphBuilder&, std::span<const ValueId> gradients, double max_norm,
                                    ValueId scale = kNoValue);

}  // namespace engine::ops
