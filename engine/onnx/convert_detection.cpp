// SPDX-License-Identifier: Apache-2.0
// Boxes: which of them stay depends on their scores.
#include <fmt/format.h>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/ops/data_dependent.h"

namespace engine::onnx {
namespace {

/// Constant boxes, each of which may be compared with each other one while the model is read.
constexpr int64_t kMostConstantBoxes = 4096;

}  // namespace

void convert_non_max_suppression(NodeContext& node) {
  BoxLimits limits;
  limits.centred = node.flag("center_point_box", false);
  if (node.has_input(2)) limits.most = node.constant_integer(2, "max_output_boxes_per_class");
  if (node.has_input(3)) limits.iou = node.constant_real(3, "iou_threshold");
  if (node.has_input(4)) limits.least_score = node.constant_real(4, "score_threshold");
  if (node.input_slot(1) != nullptr && node.input_slot(1)->constant && !node.input_type(1).shape.empty() &&
      node.input_type(1).shape.back() > kMostConstantBoxes)
    return node.fail(fmt::format("{} constant boxes, at most {} are supported", node.input_type(1).shape.back(),
                                 kMostConstantBoxes));
  const std::optional<Tensor> boxes = node.elements(0, "boxes"), scores = node.elements(1, "scores");
  const ValueId x = node.input(0), y = node.input(1);
  if (node.failed()) return;
  const Result<Tensor> chosen = ops::non_max_suppression(*boxes, *scores, limits);
  if (!chosen) return node.fail(chosen.error().message);
  node.set_output(
      node.append_sized(ops::kNonMaxSuppression, {x, y}, ops::box_attributes(limits, chosen->shape()[0]))[0]);
}

}  // namespace engine::onnx
