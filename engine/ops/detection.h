// SPDX-License-Identifier: Apache-2.0
// Ops of detectors: pooling of regions.
#pragma once

#include <span>

#include "engine/graph/builder.h"

namespace engine::ops {

/// roi_align(x, regions, images) -> y {sizes, sampling_ratio, spatial_scale, half_pixel, mode}: x [N, C, H, W], regions
/// [R, 4] (x1, y1, x2, y2), images (integers) [R]; y [R, C, sizes...], row-major. Each bin is the mean ("avg") or the
/// largest ("max": of single neighbours, weighted) of its bilinear samples; samples outside of the map are 0. A region
/// of an image that is not there gives NaN. As ONNX RoiAlign 16.
extern const Op kRoiAlign;

struct RoiAlignOptions {
  int64_t height = 1, width = 1, sampling_ratio = 0;
  double spatial_scale = 1;
  bool half_pixel = true, largest = false;
};
ValueId roi_align(GraphBuilder&, ValueId x, ValueId regions, ValueId images, const RoiAlignOptions&);

std::span<const Op* const> detection_ops();

}  // namespace engine::ops
