// SPDX-License-Identifier: Apache-2.0
// The op that fusion makes of several, and what it may be made of.
#pragma once

#include <span>

#include "engine/graph/fused.h"
#include "engine/graph/op.h"

namespace engine::ops {

/// fused(x...) -> y... {ops, operands, results, layers, values, and "<member>/<attribute>" for each attribute of a
/// member}: see FusedProgram. At most one member, a library call or a normalisation, is not elementwise: the first,
/// which reads inputs alone; its other outputs come after y. Behind a convolution the second may be the
/// batch_norm_inference of its result.
extern const Op kFused;

/// The attributes that kFused.program turns back into `program`.
Attributes fused_attributes(const FusedProgram& program);

/// Fused kernels compute in floating types, and in bool between them.
bool fusable_dtype(DType);

std::span<const Op* const> fused_ops();

}  // namespace engine::ops
