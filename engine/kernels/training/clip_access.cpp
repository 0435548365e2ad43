// SPDX-License-Identifier: Apache-2.0
// Gradients clipped by their norm: what is read and written.
#include "engine/kernels/core/passes_access.h"

namespace engine::access {

/// The norm, then x to y.
bool describe_clip(const OpCall& call, AccessSink& sink) {
  if (!has_own_loops(call) || !lie_alike(call.inputs[0], call.outputs[0])) return false;
  Passes elements(call.inputs[0].type.elements(), call.vector_bytes, sink);
  elements.one(neighbours(call.inputs[1], 0));
  elements.vectors({{neighbours(call.inputs[0], 0)}, {neighbours(call.outputs[0], 0), kStore}});
  return true;
}

}  // namespace engine::access
