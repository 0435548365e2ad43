// SPDX-License-Identifier: Apache-2.0
// Dynamic quantisation: how often its operand is gone through. Computed by engine/cpu/quantize-inl.h, described by engine/access/describe_quantized.cpp.
#pragma once

#include "engine/loops/visitor.h"

namespace engine::loops {

/// visitor.range(): the least and the greatest of x. visitor.keep(): scale and zero point. visitor.quantize(): x to y.
template <class Visitor>
void dynamic_quantize(Visitor& visitor) {
  visitor.range();
  visitor.keep();
  visitor.quantize();
}

}  // namespace engine::loops
