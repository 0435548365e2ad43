// SPDX-License-Identifier: Apache-2.0
// Dynamic quantisation: how often its operand is gone through. Computed by quantize-inl.h, described by
// quantized_access.cpp.
#pragma once

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// visitor.range(): the least and the greatest of x. visitor.keep(): scale and zero point. visitor.quantize(): x to y.
template <class Visitor>
void dynamic_quantize(Visitor& visitor) {
  visitor.range();
  visitor.keep();
  visitor.quantize();
}

}  // namespace engine::loops
