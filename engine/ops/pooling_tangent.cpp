// SPDX-License-Identifier: Apache-2.0
// The tangent of max pooling: each window's largest element moves, nothing else.
#include <algorithm>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

InferResult infer_tangent(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("max_pool2d_tangent", inputs, {"dx", "indices"});
  if (!check.operand_count() || !check.floating(0) || !check.rank(0, 4) || !check.rank(1, 4) ||
      !check.that(inputs[1].dtype == DType::int32, "indices must be i32, got {}", name(inputs[1].dtype)) ||
      !check.that(inputs[0].shape[0] == inputs[1].shape[0] && inputs[0].shape[1] == inputs[1].shape[1],
                  "planes differ: dx is {}, indices are {}", to_string(inputs[0].shape), to_string(inputs[1].shape)) ||
      !check.addressable("the result", inputs[0].dtype, inputs[1].shape)) {
    return check.error();
  }
  return std::vector{TensorType::channels_last(inputs[0].dtype, inputs[1].shape)};
}

void reference_tangent(KernelArguments& arguments) {
  const std::vector<double> dx = load(arguments.inputs[0]), indices = load(arguments.inputs[1]);
  const Shape &in = arguments.inputs[0].shape(), &out = arguments.inputs[1].shape();
  const int64_t windows = out[2] * out[3], plane = in[2] * in[3];
  std::vector<double> dy(indices.size(), 0.0);
  for (size_t i = 0; i < dy.size(); ++i) {
    const auto index = static_cast<int64_t>(indices[i]);
    // Indices come from a graph's bytes: one outside the plane moves nothing.
    if (index >= 0 && index < plane) dy[i] = dx[static_cast<size_t>(static_cast<int64_t>(i) / windows * plane + index)];
  }
  store(arguments.outputs[0], dy);
}

Cost cost_tangent(const Call& call) {
  Cost cost = full_cost(call, 0);
  // At most one element of dx per window is read.
  cost.read_bytes[0] = std::min(cost.read_bytes[0], call.outputs[0].elements() * size_bytes(call.inputs[0].dtype));
  return cost;
}

}  // namespace

const Op kMaxPool2dTangent{
    .name = "max_pool2d_tangent",
    .formula = "dy[n,c,i,j] = dx[n,c] at indices[n,c,i,j] = h * W + w",
    .infer = infer_tangent,
    .cost = cost_tangent,
    .reference = reference_tangent,
    .tangent = tangent_linear,
};

std::span<const Op* const> tangent_ops() {
  static constexpr const Op* kOps[] = {&kMaxPool2dTangent};
  return kOps;
}

}  // namespace engine::ops
