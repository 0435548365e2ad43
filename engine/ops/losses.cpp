// SPDX-License-Identifier: Apache-2.0
// Losses from elementwise ops, gathers and reductions.
#include "engine/ops/losses.h"

#include <fmt/format.h>

#include "engine/ops/casting.h"
#include "engine/ops/compare.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduce.h"

namespace engine::ops {
namespace {

ValueId reduced(GraphBuilder& builder, ValueId losses, Reduction reduction) {
  if (reduction == Reduction::none) return losses;
  return reduction == Reduction::sum ? sum(builder, losses, {}) : mean(builder, losses, {});
}

/// prediction - target; the shapes must be equal: broadcast by accident, a loss is plausible and wrong.
ValueId difference(GraphBuilder& builder, std::string_view loss, ValueId prediction, ValueId target) {
  if (builder.failed()) return kNoValue;
  const Shape &a = builder.type(prediction).shape, &b = builder.type(target).shape;
  if (a != b) {
    return builder.fail(usage_error(
        fmt::format("[{}] shapes differ: the prediction is {}, the target {}", loss, to_string(a), to_string(b))));
  }
  return subtract(builder, prediction, target);
}

ValueId scalar(GraphBuilder& builder, const char* value_name, DType dtype, double value) {
  Result<Tensor> tensor = Tensor::from_values({}, {&value, 1}, dtype);
  return tensor ? builder.constant(value_name, std::move(*tensor), Role::activation) : builder.fail(tensor.error());
}

}  // namespace

ValueId mse_loss(GraphBuilder& builder, ValueId prediction, ValueId target, Reduction reduction) {
  const ValueId d = difference(builder, "mse_loss", prediction, target);
  return reduced(builder, multiply(builder, d, d), reduction);
}

ValueId l1_loss(GraphBuilder& builder, ValueId prediction, ValueId target, Reduction reduction) {
  return reduced(builder, absolute(builder, difference(builder, "l1_loss", prediction, target)), reduction);
}

ValueId huber_loss(GraphBuilder& builder, ValueId prediction, ValueId target, double delta, Reduction reduction) {
  if (!(delta > 0)) return builder.fail(usage_error(fmt::format("[huber_loss] delta is {}: must be above 0", delta)));
  const ValueId distance = absolute(builder, difference(builder, "huber_loss", prediction, target));
  const ValueId near = clip(builder, distance, {}, delta);  // near * (distance - near / 2) is both branches
  return reduced(builder, multiply(builder, near, scaled_add(builder, distance, near, -0.5)), reduction);
}

ValueId binary_cross_entropy_with_logits(GraphBuilder& builder, ValueId logits, ValueId target, ValueId weight,
                                         Reduction reduction) {
  if (builder.failed()) return kNoValue;
  const Shape &a = builder.type(logits).shape, &b = builder.type(target).shape;
  if (a != b) {
    return builder.fail(
        usage_error(fmt::format("[binary_cross_entropy_with_logits] shapes differ: the logits are {}, the target {}",
                                to_string(a), to_string(b))));
  }
  ValueId losses = subtract(builder, softplus(builder, logits), multiply(builder, logits, target));
  if (weight != kNoValue) losses = multiply(builder, losses, weight);
  return reduced(builder, losses, reduction);
}

ValueId nll_loss(GraphBuilder& builder, ValueId log_probabilities, ValueId target, ValueId weight,
                 const NllOptions& options) {
  if (builder.failed()) return kNoValue;
  const TensorType x = builder.type(log_probabilities), t = builder.type(target);
  Shape expected = x.shape;
  if (x.rank() >= 2) expected.erase(expected.begin() + 1);
  if (x.rank() < 2 || t.shape != expected) {
    return builder.fail(
        usage_error(fmt::format("[nll_loss] log_probabilities {} must be [N, C, ...] and the target {} [N, ...]",
                                to_string(x.shape), to_string(t.shape))));
  }
  ValueId counted = kNoValue;  // bool: the targets that are not ignored
  if (options.ignore_index) {
    counted = not_equal(builder, target,
                        scalar(builder, "ignore_index", t.dtype, static_cast<double>(*options.ignore_index)));
    target = where(builder, counted, target, scalar(builder, "any_class", t.dtype, 0));
  }
  const ValueId picked =
      squeeze(builder, gather_elements(builder, log_probabilities, unsqueeze(builder, target, 1), 1), 1);
  ValueId losses = negate(builder, picked), weights = kNoValue;
  if (weight != kNoValue) weights = gather(builder, weight, target, 0);
  if (counted != kNoValue) {
    const ValueId ones = cast(builder, counted, x.dtype);
    weights = weights == kNoValue ? ones : multiply(builder, weights, ones);
  }
  if (weights != kNoValue) losses = multiply(builder, losses, weights);
  // Not by the weight 0 alone: a class of probability 0 has an infinite loss.
  if (counted != kNoValue) losses = where(builder, counted, losses, scalar(builder, "no_loss", x.dtype, 0));
  if (options.reduction != Reduction::mean || weights == kNoValue) return reduced(builder, losses, options.reduction);
  return divide(builder, sum(builder, losses, {}), sum(builder, weights, {}));
}

CrossEntropyResult softmax_cross_entropy_loss(GraphBuilder& builder, ValueId logits, ValueId target, ValueId weight,
                                              const NllOptions& options) {
  const ValueId log_probabilities = log_softmax(builder, logits, 1);
  return {nll_loss(builder, log_probabilities, target, weight, options), log_probabilities};
}

}  // namespace engine::ops
