// SPDX-License-Identifier: Apache-2.0
// What gradient functions share: undoing a broadcast, giving a gradient the layout of the forward tensor.
#pragma once

#include "engine/graph/autograd.h"

namespace engine::ops {

/// Sums `gradient` over the axes along which `shape` was broadcast; the gradient itself when there are none.
ValueId reduce_to(GraphBuilder&, ValueId gradient, const Shape& shape);
/// The gradient in the dense layout `like` has (or would have without its gaps); a visible copy only when they differ.
ValueId match_layout(GraphBuilder&, ValueId gradient, const TensorType& like);
/// Attributes of an op that makes the gradient of `forward`: its shape and dense layout as <name>_shape and
/// <name>_strides.
void set_result_type(Attributes&, const std::string& name, const TensorType& forward);
/// The row-major or other dense type these attributes name.
TensorType result_type(const Attributes&, const std::string& name, DType);

}  // namespace engine::ops
