// SPDX-License-Identifier: Apache-2.0
// Loss scaling, so that the small gradients of f16 do not become zero: the loss is multiplied by a scale before it is
// differentiated, updates divide by it, and a step whose gradients overflowed is skipped. All of it runs inside the
// plan. Source: Micikevicius et al., "Mixed precision training", ICLR 2018; the dynamic scale as
// torch.cuda.amp.GradScaler has it.
#pragma once

#include <span>

#include "engine/graph/builder.h"
#include "engine/tensor/loss_scale.h"

namespace engine::ops {

/// found_nonfinite(gradient, found) -> found, in place: 1 when any element of gradient is infinite or NaN, else what it
/// was. found, and scale below, are f32 scalars.
extern const Op kFoundNonfinite;
// Those of Adam are in optimizers.h.
/// unscaled_sgd(weight, gradient, scale, found) -> weight {rate, weight_decay}: sgd by gradient / scale; nothing when
/// found is not 0.
extern const Op kUnscaledSgd;
/// unscaled_sgd_momentum(weight, gradient, buffer, scale, found) -> weight, buffer {rate, momentum, weight_decay,
/// nesterov}: likewise.
extern const Op kUnscaledSgdMomentum;
/// loss_scale_update(scale, streak, found, skipped) -> the same, in place {growth_factor, backoff_factor,
/// growth_interval}: found: scale shrinks by backoff_factor, skipped counts one more; else after growth_interval such
/// steps (streak) it grows. A growth_interval of 0 keeps the scale. found becomes 0 for the next step. streak and
/// skipped are i32 scalars.
extern const Op kLossScaleUpdate;

std::span<const Op* const> loss_scaling_ops();

}  // namespace engine::ops

namespace engine {

struct LossScaleOptions {
  double initial_scale = 65536;
  LossScaleRule rule;  ///< a growth_interval of 0 keeps the scale; overflowing steps are skipped all the same
};
/// States: "loss_scale.scale" and ".found" (f32), ".streak" and ".skipped" (i32: steps skipped so far).
struct LossScaleStates {
  ValueId scale = kNoValue, streak = kNoValue, found = kNoValue, skipped = kNoValue;
};
// What append_optimizer_step (training_step.h) appends when asked to scale, in this order:
/// The states, and the loss times the scale.
ValueId append_scaled_loss(GraphBuilder& builder, ValueId loss, const LossScaleOptions& options,
                           LossScaleStates& states);
/// Moves states.found behind the check of all gradients; kNoValue among them is passed over.
void append_overflow_check(GraphBuilder& builder, std::span<const ValueId> gradients, LossScaleStates& states);
/// Last, after all updates.
void append_loss_scale_update(GraphBuilder& builder, const LossScaleStates& states, const LossScaleRule& rule);

}  // namespace engine
