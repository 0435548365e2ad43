// SPDX-License-Identifier: Apache-2.0
// All ops: the first families one line each here, every later family by its own list.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "engine/graph/to_device.h"
#include "engine/ops/attention.h"
#include "engine/ops/cache.h"
#include "engine/ops/casting.h"
#include "engine/ops/compare.h"
#include "engine/ops/convolution_nd.h"
#include "engine/ops/data_dependent.h"
#include "engine/ops/data_loading.h"
#include "engine/ops/detection.h"
#include "engine/ops/dropout.h"
#include "engine/ops/fused.h"
#include "engine/ops/indexing.h"
#include "engine/ops/ladder.h"
#include "engine/ops/linear_algebra.h"
#include "engine/ops/loss_scaling.h"
#include "engine/ops/math.h"
#include "engine/ops/mixed_linear.h"
#include "engine/ops/norms.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/optimizers.h"
#include "engine/ops/probes.h"
#include "engine/ops/quantized.h"
#include "engine/ops/recurrent.h"
#include "engine/ops/reduce.h"
#include "engine/ops/tangents.h"

namespace engine {
namespace {

std::span<const Op* const> first_ops() {
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
      &ops::kBatchNormInferenceGrad,
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

/// The families, one line each: `<family>_ops()` of engine/ops/<family>.h.
std::vector<const Op*> all_ops() {
  std::vector<const Op*> all;
  for (const std::span<const Op* const> family : {
           first_ops(),
           ops::cache_ops(),
           ops::casting_ops(),
           ops::math_ops(),
           ops::activations_ops(),
           ops::arithmetic_ops(),
           ops::compare_ops(),
           ops::reduce_ops(),
           ops::along_axis_ops(),
           ops::loss_scaling_ops(),
           ops::indexing_ops(),
           ops::data_dependent_ops(),
           ops::detection_ops(),
           ops::norms_ops(),
           ops::quantized_ops(),
           ops::mixed_linear_ops(),
           ops::attention_ops(),
           ops::recurrent_ops(),
           ops::dropout_ops(),
           ops::convolution_nd_ops(),
           ops::optimizers_ops(),
           ops::linear_algebra_ops(),
           ops::ladder_ops(),
           ops::tangent_ops(),
           ops::probe_ops(),
           ops::fused_ops(),
       }) {
    for (const Op* op : family) all.push_back(op);
  }
  return all;
}

/// No reference can compute these from operands.
constexpr const Op* kNotComputed[] = {&kToDevice, &ops::kLoadBatch};

/// By key, and whether there is one for each axis.
std::map<std::pair<std::string_view, bool>, AttributeKind> all_keys() {
  std::map<std::pair<std::string_view, bool>, AttributeKind> keys;
  const auto take = [&](const Op* op) {
    for (const AttributeSpec& spec : op->attributes) keys.insert({{spec.key, spec.per_axis}, spec.kind});
  };
  std::ranges::for_each(op_catalog(), take);
  std::ranges::for_each(kNotComputed, take);
  return keys;
}

/// "scale" of "scale_2"; empty: it names no axis.
std::string_view without_axis(std::string_view key) {
  const size_t end = key.find_last_not_of("0123456789");
  return end == std::string_view::npos || end + 1 == key.size() || key[end] != '_' ? std::string_view()
                                                                                   : key.substr(0, end);
}

}  // namespace

std::span<const Op* const> op_catalog() {
  static const std::vector<const Op*> ops = all_ops();
  return ops;
}

const Op* find_op(std::string_view name) {
  const auto catalog = op_catalog();
  const auto found = std::ranges::find_if(catalog, [&](const Op* op) { return op->name == name; });
  if (found != catalog.end()) return *found;
  for (const Op* op : kNotComputed) {
    if (op->name == name) return op;
  }
  return nullptr;
}

std::optional<AttributeKind> attribute_kind(std::string_view key) {
  static const auto keys = all_keys();
  auto found = keys.find({key, false});
  if (found == keys.end()) found = keys.find({without_axis(key), true});
  return found == keys.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace engine
