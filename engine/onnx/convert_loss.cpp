// SPDX-License-Identifier: Apache-2.0
// Losses over classes, composed of gathering and sums.
#include <fmt/format.h>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/ops/casting.h"
#include "engine/ops/compare.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduce.h"

namespace engine::onnx {
namespace {

/// What each label weighs: kNoValue where all weigh 1.
ValueId label_weights(NodeContext& node, ValueId weight, ValueId valid, ValueId labels, DType dtype) {
  GraphBuilder& builder = node.builder();
  ValueId weights = weight == kNoValue ? kNoValue : ops::gather(builder, weight, labels, 0);
  if (valid == kNoValue) return weights;
  if (weights == kNoValue) return ops::cast(builder, valid, dtype);
  return ops::where(builder, valid, weights, scalar(node, 0, dtype));
}

/// -weight[label] * scores[label], reduced; scores [N, C, ...], labels [N, ...].
ValueId label_loss(NodeContext& node, ValueId scores, ValueId labels, ValueId weight) {
  const std::string reduction = node.text("reduction", "mean");
  const bool ignores = node.has_attribute("ignore_index");
  const int64_t ignored = node.integer("ignore_index", 0, kLowestInt, kHighestInt);
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    node.fail("attribute reduction: must be none, sum or mean");
  if (node.failed()) return kNoValue;
  GraphBuilder& builder = node.builder();
  const DType dtype = builder.type(scores).dtype;
  if (builder.type(scores).rank() < 2) {
    node.fail("input 0: has no classes");
    return kNoValue;
  }
  ValueId valid = kNoValue;
  if (ignores) {
    labels = ops::cast(builder, labels, DType::int64);
    valid = ops::not_equal(builder, labels, scalar(node, static_cast<double>(ignored), DType::int64));
    labels = ops::where(builder, valid, labels, scalar(node, 0, DType::int64));
  }
  const ValueId picked = ops::gather_elements(builder, scores, ops::unsqueeze(builder, labels, 1), 1);
  ValueId loss = ops::negate(builder, ops::squeeze(builder, picked, 1));
  const ValueId weights = label_weights(node, weight, valid, labels, dtype);
  if (weights != kNoValue) loss = ops::multiply(builder, loss, weights);
  if (node.failed() || reduction == "none") return loss;
  if (reduction == "mean" && weights == kNoValue) return ops::mean(builder, loss, {});
  const ValueId total = ops::sum(builder, loss, {});
  return reduction == "sum" ? total : ops::divide(builder, total, ops::sum(builder, weights, {}));
}

}  // namespace

void convert_negative_log_likelihood_loss(NodeContext& node) {
  const ValueId scores = node.input(0), labels = node.input(1);
  const ValueId weight = node.has_input(2) ? node.input(2) : kNoValue;
  const ValueId loss = label_loss(node, scores, labels, weight);
  if (!node.failed()) node.set_output(loss);
}

void convert_softmax_cross_entropy_loss(NodeContext& node) {
  const ValueId scores = node.input(0), labels = node.input(1);
  const ValueId weight = node.has_input(2) ? node.input(2) : kNoValue;
  if (!node.failed() && node.builder().type(scores).rank() < 2) node.fail("input 0: has no classes");
  if (node.failed()) return;
  const ValueId log_probabilities = ops::log_softmax(node.builder(), scores, 1);
  const ValueId loss = label_loss(node, log_probabilities, labels, weight);
  if (node.failed()) return;
  node.set_output(loss);
  if (node.has_output(1)) node.set_output(log_probabilities, 1);
}

}  // namespace engine::onnx
