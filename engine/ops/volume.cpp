// SPDX-License-Identifier: Apache-2.0
// Layout and windows of volumes, and the list of the family.
#include "engine/ops/volume.h"

#include "engine/ops/convolution_nd.h"

namespace engine::ops {

TensorType volume_type(DType dtype, const Shape& shape) {
  const Strides stored = contiguous_strides({shape[0], shape[2], shape[3], shape[4], shape[1]});
  return {dtype, shape, {stored[0], stored[4], stored[1], stored[2], stored[3]}};
}

bool make_volume_windows(OperandCheck& check, const Shape& x, const std::array<int64_t, 3>& kernel,
                         const Attributes& attributes, std::array<WindowAxis, 3>& axes) {
  const std::vector<int64_t> stride = attributes.get_ints("stride", {1, 1, 1}),
                             dilation = attributes.get_ints("dilation", {1, 1, 1}),
                             padding = attributes.get_ints("padding", {0, 0, 0, 0, 0, 0});
  if (!check.that(stride.size() == 3 && dilation.size() == 3 && padding.size() == 6,
                  "needs 3 strides, 3 dilations and 6 paddings, got {}, {} and {}", stride.size(), dilation.size(),
                  padding.size())) {
    return false;
  }
  const bool ceil_mode = attributes.get_int("ceil_mode", 0) != 0;
  constexpr std::array<std::string_view, 3> kNames{"depth", "height", "width"};
  for (size_t i = 0; i < 3; ++i) {
    if (!make_window(check,
                     {kNames[i], x[2 + i], kernel[i], stride[i], dilation[i], padding[i], padding[3 + i], ceil_mode},
                     axes[i])) {
      return false;
    }
  }
  return true;
}

std::span<const Op* const> convolution_nd_ops() {
  static constexpr const Op* kOps[] = {&kConv3d,        &kConv3dGradInput, &kConv3dGradWeight,  &kMaxPool3d,
                                       &kMaxPool3dGrad, &kAveragePool3d,   &kAveragePool3dGrad, &kIm2col,
                                       &kCol2im};
  return kOps;
}

}  // namespace engine::ops
