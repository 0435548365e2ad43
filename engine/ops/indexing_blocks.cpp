// SPDX-License-Identifier: Apache-2.0
// Moving blocks of pixels into channels and back: views and one visible copy.
#include <algorithm>
#include <array>

#include "engine/ops/check.h"
#include "engine/ops/indexing.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"

namespace engine::ops {
namespace {

/// Copies the rank-6 view x so that its axes lie in memory in `order` (outermost first).
ValueId laid_out(GraphBuilder& builder, ValueId x, const std::array<size_t, 6>& order) {
  if (builder.failed() || builder.type(x).elements() == 0) return x;
  const Shape& shape = builder.type(x).shape;
  Strides strides(6, 1);
  int64_t stride = 1;
  for (size_t i = 6; i-- > 0;) {
    strides[order[i]] = stride;
    stride *= shape[order[i]];
  }
  return builder.append1(kRelayout, {x}, {{"strides", strides}});
}

bool lies_channels_last(const TensorType& type) {
  return is_channels_last(type.shape, type.strides) && !is_contiguous(type.shape, type.strides);
}

/// Refuses images the blocks do not divide.
bool check_image(OperandCheck& check, const TensorType& x, int64_t block) {
  return check.that(x.rank() == 4, "x must be an image [N, C, H, W], got {}", to_string(x)) &&
         check.that(block >= 1 && block <= 32768, "blocksize is {}, expected 1 to 32768", block) &&
         check.that(std::ranges::max(x.shape) < int64_t{1} << 40, "x {} has an axis too long for an image",
                    to_string(x.shape));
}

}  // namespace

ValueId depth_to_space(GraphBuilder& builder, ValueId x, int64_t block, const std::string& mode) {
  if (builder.failed()) return kNoValue;
  const TensorType type = builder.type(x);
  OperandCheck check("depth_to_space", {}, {});
  if (!check_image(check, type, block) ||
      !check.that(mode == "DCR" || mode == "CRD", "mode is \"{}\", expected DCR or CRD", mode) ||
      !check.that(type.shape[1] % (block * block) == 0, "{} channels are no multiple of {} x {}", type.shape[1], block,
                  block)) {
    return builder.fail(check.error());
  }
  const int64_t n = type.shape[0], channels = type.shape[1] / (block * block), height = type.shape[2],
                width = type.shape[3];
  ValueId y = kNoValue;  // [n, channels, height, block, width, block]
  if (mode == "DCR") {
    y = permute(builder, reshape(builder, x, {n, block, block, channels, height, width}), {0, 3, 4, 1, 5, 2});
  } else {
    y = permute(builder, reshape(builder, x, {n, channels, block, block, height, width}), {0, 1, 4, 2, 5, 3});
  }
  if (lies_channels_last(type)) y = laid_out(builder, y, {0, 2, 3, 4, 5, 1});
  return reshape(builder, y, {n, channels, height * block, width * block});
}

ValueId space_to_depth(GraphBuilder& builder, ValueId x, int64_t block) {
  if (builder.failed()) return kNoValue;
  const TensorType type = builder.type(x);
  OperandCheck check("space_to_depth", {}, {});
  if (!check_image(check, type, block) ||
      !check.that(type.shape[2] % block == 0 && type.shape[3] % block == 0,
                  "{} x {} pixels are no multiple of blocks of {} x {}", type.shape[2], type.shape[3], block, block)) {
    return builder.fail(check.error());
  }
  const int64_t n = type.shape[0], channels = type.shape[1], height = type.shape[2] / block,
                width = type.shape[3] / block;
  ValueId y = reshape(builder, x, {n, channels, height, block, width, block});
  y = permute(builder, y, {0, 3, 5, 1, 2, 4});  // [n, block, block, channels, height, width]
  if (lies_channels_last(type)) y = laid_out(builder, y, {0, 4, 5, 1, 2, 3});
  return reshape(builder, y, {n, block * block * channels, height, width});
}

}  // namespace engine::ops
