// SPDX-License-Identifier: Apache-2.0
// All ops, one line each.
#include <algorithm>

#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"

namespace engine {

std::span<const Op* const> op_catalog() {
  static constexpr const Op* kOps[] = {
      &ops::kReshape,
      &ops::kPermute,
      &ops::kSlice,
      &ops::kExpand,
      &ops::kSqueeze,
      &ops::kUnsqueeze,
      &ops::kContiguous,
      &ops::kRelayout,
      &ops::kSliceGrad,
      &ops::kAdd,
      &ops::kSubtract,
      &ops::kMultiply,
      &ops::kScaledAdd,
      &ops::kScale,
      &ops::kCopy,
      &ops::kRelu,
      &ops::kReluGrad,
      &ops::kSigmoid,
      &ops::kSigmoidGrad,
      &ops::kMatmul,
      &ops::kLinear,
      &ops::kConv2d,
      &ops::kConv2dGradInput,
      &ops::kConv2dGradWeight,
      &ops::kMaxPool2d,
      &ops::kMaxPool2dGrad,
      &ops::kAveragePool2d,
      &ops::kAveragePool2dGrad,
      &ops::kGlobalAveragePool,
      &ops::kGlobalAveragePoolGrad,
      &ops::kBatchNormTraining,
      &ops::kBatchNormGrad,
      &ops::kBatchNormRunningUpdate,
      &ops::kBatchNormInference,
      &ops::kSum,
      &ops::kSoftmax,
      &ops::kSoftmaxGrad,
      &ops::kSoftmaxCrossEntropy,
      &ops::kSoftmaxCrossEntropyGrad,
      &ops::kSgd,
      &ops::kSgdMomentum,
  };
  return kOps;
}

const Op* find_op(std::string_view name) {
  const auto catalog = op_catalog();
  const auto found = std::ranges::find_if(catalog, [&](const Op* op) { return op->name == name; });
  return found == catalog.end() ? nullptr : *found;
}

}  // namespace engine
