// SPDX-License-Identifier: Apache-2.0
// Loss functions, composed from other ops: their gradients follow. softmax_cross_entropy (ops.h) is the fused one for
// [B, classes].
#pragma once

#include <optional>
#include <string>

#include "engine/graph/builder.h"

namespace engine::ops {

/// What becomes of one loss per element: "none" keeps them, "sum" and "mean" put out a scalar.
enum class Reduction { none, sum, mean };

// prediction and target of one shape and dtype.
ValueId mse_loss(GraphBuilder&, ValueId prediction, ValueId target, Reduction = Reduction::mean);
ValueId l1_loss(GraphBuilder&, ValueId prediction, ValueId target, Reduction = Reduction::mean);
/// d^2 / 2 up to |d| = delta, delta (|d| - delta / 2) beyond (P. J. Huber, 1964).
ValueId huber_loss(GraphBuilder&, ValueId prediction, ValueId target, double delta = 1, Reduction = Reduction::mean);
/// -target log sigmoid(x) - (1 - target) log(1 - sigmoid(x)), computed without overflow. `weight` (broadcast) may be
/// kNoValue.
ValueId binary_cross_entropy_with_logits(GraphBuilder&, ValueId logits, ValueId target, ValueId weight = kNoValue,
                                         Reduction = Reduction::mean);

struct NllOptions {
  Reduction reduction = Reduction::mean;  ///< mean: over the weights of the targets counted, not over their number
  std::optional<int64_t> ignore_index = {};
};
/// log_probabilities [N, C, ...], target [N, ...] i64 or i32, weight [C] or kNoValue: -weight[t] log_probabilities[n,
/// t, ...]. Targets equal to ignore_index give 0 and do not count; other targets that are no class give NaN. As ONNX's
/// NegativeLogLikelihoodLoss.
ValueId nll_loss(GraphBuilder&, ValueId log_probabilities, ValueId target, ValueId weight = kNoValue,
                 const NllOptions& = {});
struct CrossEntropyResult {
  ValueId loss = kNoValue, log_probabilities = kNoValue;
};
/// nll_loss of the log_softmax over axis 1: ONNX's SoftmaxCrossEntropyLoss, PyTorch's cross_entropy, for logits of any
/// rank from 2.
CrossEntropyResult softmax_cross_entropy_loss(GraphBuilder&, ValueId logits, ValueId target, ValueId weight = kNoValue,
                                              const NllOptions& = {});

}  // namespace engine::ops
