// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing: memory for arithmetic. The backward pass computes again what it needs of the forward pass.
#pragma once

#include <span>
#include <vector>

#include "engine/graph/builder.h"

namespace engine {

/// Called after differentiate() and before any update is appended: of the forward pass up to the last of `kept`, only
/// these values (and leaves, outputs, and views of them) stay for the backward pass. What it reads beyond them is
/// computed again, right before it is first read, by the same ops from the same operands: gradients do not change by a
/// bit. Behind the last of `kept` nothing is computed twice. Ops that overwrite an operand, and those that read what
/// has been overwritten in the meantime, are never repeated: their values stay. Moves nodes of the builder; value ids
/// stay. Source: T. Chen, B. Xu, C. Zhang, C. Guestrin, "Training Deep Nets with Sublinear Memory Cost", arXiv
/// 1604.06174, section 4.
void recompute_in_backward(GraphBuilder& builder, std::span<const ValueId> kept);

/// Every `interval`-th of a chain of layer outputs; interval 0: the square root of their number, which balances what is
/// kept against what one stretch between two of them computes again.
std::vector<ValueId> every_nth(std::span<const ValueId> layer_outputs, int64_t interval);

}  // namespace engine
