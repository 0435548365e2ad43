// SPDX-License-Identifier: Apache-2.0
// Shapes of convolutions by Winograd's minimal filtering.
#include "engine/kernels/convolution/winograd_rule.h"

#include <vector>

namespace engine::winograd_rule {
namespace {

bool are_images(const TensorType& t) {
  return t.rank() == 4 && t.dtype == DType::float32 && (t.strides[1] == 1 || t.shape[1] == 1) && t.strides[2] >= 0 &&
         t.strides[3] >= 0 && t.strides[0] >= 0;
}

}  // namespace

std::optional<Shape> shape_of(bool by_input, const Attributes& attributes, const TensorType& x,
                              const TensorType& weight, const TensorType& y) {
  if (!are_images(x) || !are_images(y) || weight.rank() != 4 || weight.dtype != DType::float32) return std::nullopt;
  const std::vector<int64_t> ones{1, 1}, padding = attributes.get_ints("padding", {0, 0, 0, 0});
  if (weight.shape[2] != 3 || weight.shape[3] != 3 || attributes.get_ints("stride", ones) != ones ||
      attributes.get_ints("dilation", ones) != ones || attributes.get_int("groups", 1) != 1 || padding.size() != 4)
    return std::nullopt;
  const TensorType &from = by_input ? y : x, &to = by_input ? x : y;
  const Shape s{.images = from.shape[0],
                .inputs = from.shape[1],
                .outputs = to.shape[1],
                .x_height = from.shape[2],
                .x_width = from.shape[3],
                .height = to.shape[2],
                .width = to.shape[3],
                .above = by_input ? 2 - padding[0] : padding[0],
                .left = by_input ? 2 - padding[1] : padding[1]};
  const double work = 9.0 * static_cast<double>(y.elements()) * static_cast<double>(x.shape[1]);
  if (s.above < 0 || s.left < 0 || work < kFewestMultiplyAdds) return std::nullopt;
  return s;
}

double spared_flops(int64_t tile, int64_t images, int64_t height, int64_t width, int64_t in, int64_t out) {
  const int64_t tiles = ((height + tile - 1) / tile) * ((width + tile - 1) / tile), products = (tile + 2) * (tile + 2);
  return 2.0 * static_cast<double>(images) * static_cast<double>(in) * static_cast<double>(out) *
         static_cast<double>(9 * height * width - tiles * products);
}

double spared_flops(const Shape& s, bool by_input) {
  const int64_t defined = 9 * (by_input ? s.x_height * s.x_width : s.height * s.width),
                computed = (kTile + 2) * (kTile + 2) * s.across() * s.down();
  return 2.0 * static_cast<double>(s.images) * static_cast<double>(s.inputs) * static_cast<double>(s.outputs) *
         static_cast<double>(defined - computed);
}

}  // namespace engine::winograd_rule
