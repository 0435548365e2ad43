// SPDX-License-Identifier: Apache-2.0
// The op that fusion makes of several, and what it may be made of.
#pragma once

#include <span>

#include "engine/graph/fused.h"
#include "engine/graph/op.h"

namespace engine::ops {

/// fused(x...) -> y... {ops, operands, results, layers, values, and "<member>/<attribute>" for each attribute of a member}: see
/// FusedProgram. At most one member, a library call or a normalisation, is not elementwise: the first, which reads
/// inputs alone; its other outputs come after y. Behind a convolution the second may be the batch_norm_inference of its result.
extern const Op kFused;

/// The attributes that kFused.program turns back into `program`.
Attributes fused_attributes(const FusedProgram& program);

/// How an op takes part in fusion.
enum class FusionPart : uint8_t {
  elementwise,   ///< computed element by element: any place in a fused op
  product,       ///< matrix product or convolution: elementwise ops may follow its output within one fused op
  normalization, ///< likewise
  reduction,     ///< needs, or makes, more than one element at a time
  library_call,  ///< a matrix product or convolution without a fused form (gradients)
  view,
  update,        ///< overwrites an operand in place
  none,
};
FusionPart fusion_part(const Op&);
/// Fused kernels compute in floating types, and in bool between them.
bool fusable_dtype(DType);

std::span<const Op* const> fused_ops();

}  // namespace engine::ops
