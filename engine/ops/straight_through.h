// SPDX-License-Identifier: Apache-2.0
// A training step whose parameters learn by the gradient of a rounded copy of theirs.
#pragma once

#include <span>

#include "engine/ops/training_step.h"

namespace engine {

/// A parameter, and a value of its type and shape that the loss is computed from instead.
struct StraightThrough {
  ValueId parameter = kNoValue, rounded = kNoValue;
};

/// append_optimizer_step(), where these parameters learn by the gradient of their rounded value, as if rounding had the
/// slope 1: a straight-through estimator (Bengio et al. 2013, arXiv 1308.3432).
void append_straight_through_step(GraphBuilder& builder, ValueId loss, const OptimizerOptions& options,
                                  std::span<const StraightThrough> rounded);

}  // namespace engine
