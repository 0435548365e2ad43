// SPDX-License-Identifier: Apache-2.0
// Forward-mode differentiation (dual numbers), and whole Jacobians either way.
#pragma once

#include <span>
#include <vector>

#include "engine/graph/builder.h"

namespace engine {

/// Derivatives of `outputs` in one direction: input i (any floating value) moves along tangents[i], which has its shape
/// and dtype. Tangent nodes stand right behind the nodes they belong to, so no value of the forward pass has to be kept
/// for them (reverse mode keeps them all); what is computed costs about as much as the forward pass again. Returns one
/// tangent per output, kNoValue where it does not move. Moves nodes of the builder; value ids stay. On an op without
/// tangent rule the builder gets an error naming op and layer.
std::vector<ValueId> forward_differentiate(GraphBuilder& builder, std::span<const ValueId> outputs,
                                           std::span<const ValueId> inputs, std::span<const ValueId> tangents);

/// dy/dx as columns: for each element of x (row-major), the tangent of y, in the shape of y. One forward derivative
/// each: cheap for few inputs.
std::vector<ValueId> jacobian_forward(GraphBuilder& builder, ValueId y, ValueId x);
/// dy/dx as rows: for each element of y (row-major), its gradient by x, in the shape of x. One backward pass each:
/// cheap for few outputs.
std::vector<ValueId> jacobian_reverse(GraphBuilder& builder, ValueId y, ValueId x);

}  // namespace engine
