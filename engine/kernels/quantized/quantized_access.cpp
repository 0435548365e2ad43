// SPDX-License-Identifier: Apache-2.0
// Dynamic quantisation: what the parts of quantize_loops.h access.
#include "engine/kernels/quantized/quantize_loops.h"

#include "engine/kernels/core/passes_access.h"

namespace engine::access {
namespace {

struct DescribedQuantization {
  const OpCall& call;
  Passes elements;

  void range() { elements.all({{neighbours(call.inputs[0], 0)}}); }
  void keep() {
    elements.one(neighbours(call.outputs[1], 0), kStore);
    elements.one(neighbours(call.outputs[2], 0), kStore);
  }
  void quantize() { elements.all({{neighbours(call.inputs[0], 0)}, {neighbours(call.outputs[0], 0), kStore}}); }
};

}  // namespace

bool describe_dynamic_quantization(const OpCall& call, AccessSink& sink) {
  if (call.outputs.size() < 3 || call.inputs[0].type.dtype != DType::float32 ||
      !lie_alike(call.inputs[0], call.outputs[0]))
    return false;
  DescribedQuantization parts{call, {call.inputs[0].type.elements(), 1, sink}};
  loops::dynamic_quantize(parts);
  return true;
}

}  // namespace engine::access
