// SPDX-License-Identifier: Apache-2.0
// Boxes, of which those stay whose scores are best, and pooling of the regions in them.
#include <fmt/format.h>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/ops/data_dependent.h"
#include "engine/ops/detection.h"

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

void convert_roi_align(NodeContext& node) {
  ops::RoiAlignOptions options;
  options.height = node.integer("output_height", 1, 1, 1 << 16);
  options.width = node.integer("output_width", 1, 1, 1 << 16);
  options.sampling_ratio = node.integer("sampling_ratio", 0, 0, 1024);
  options.spatial_scale = node.real("spatial_scale", 1);
  const std::string mode = node.text("mode", "avg");
  const bool before_16 = node.opset() < 16;
  const std::string place = before_16 ? "output_half_pixel" : node.text("coordinate_transformation_mode", "half_pixel");
  if (mode != "avg" && mode != "max") node.fail("attribute mode: must be avg or max");
  if (place != "half_pixel" && place != "output_half_pixel")
    node.fail("attribute coordinate_transformation_mode: must be half_pixel or output_half_pixel");
  options.half_pixel = place == "half_pixel";
  options.largest = mode == "max";
  const ValueId x = node.input(0), regions = node.input(1), images = node.input(2);
  if (!node.failed()) node.set_output(ops::roi_align(node.builder(), x, regions, images, options));
}

}  // namespace engine::onnx
