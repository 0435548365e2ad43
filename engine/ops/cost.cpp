// SPDX-License-Identifier: Apache-2.0
// Compulsory traffic and work, the parts most ops share.
#include "engine/ops/cost.h"

#include <algorithm>

namespace engine::ops {

Cost full_cost(const Call& call, double flops) {
  if (std::ranges::all_of(call.outputs, [](const TensorType& type) { return type.elements() == 0; }))
    return no_cost(call);
  Cost cost;
  cost.flops = flops;
  for (const TensorType& type : call.inputs) cost.read_bytes.push_back(type.distinct_bytes());
  for (const TensorType& type : call.outputs) cost.written_bytes.push_back(type.distinct_bytes());
  return cost;
}

Cost elementwise_cost(const Call& call, double flops_per_element) {
  return full_cost(call, flops_per_element * static_cast<double>(call.outputs[0].elements()));
}

Cost no_cost(const Call& call) {
  Cost cost;
  cost.read_bytes.assign(call.inputs.size(), 0);
  cost.written_bytes.assign(call.outputs.size(), 0);
  return cost;
}

}  // namespace engine::ops
