// SPDX-License-Identifier: Apache-2.0
// pixels: one operation per pixel of an image, in whole numbers, and a matrix multiplication beside it.
#include <utility>

#include "engine/ops/casting.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/tensor/tensor_examples.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

constexpr int kUnit = 64;  ///< a gain of 64 leaves the image as it is

/// [height, width, 3] u8.
Result<Tensor> picture(int64_t side) {
  Result<Tensor> image = Tensor::empty(TensorType::contiguous(DType::uint8, {side, side, 3}));
  if (!image) return image;
  auto* pixel = image->data_as<uint8_t>();
  for (int64_t y = 0; y < side; ++y)
    for (int64_t x = 0; x < side; ++x)
      for (int64_t channel = 0; channel < 3; ++channel)
        *pixel++ = static_cast<uint8_t>(ring_pixel(side, side, y, x, channel));
  return image;
}

ValueId number(GraphBuilder& builder, const char* name, double value) {
  Result<Tensor> tensor = Tensor::from_values({}, {&value, 1}, DType::int32);
  if (!tensor) return builder.fail(tensor.error());
  return builder.constant(name, *std::move(tensor), Role::input);
}

ValueId product(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t n = integer_argument(arguments, "n");
  const LayerScope layer(builder, "matrix");
  const TensorType square{dtype_argument(arguments), {n, n}, {n, 1}};
  const Fill fill{Fill::Kind::uniform, -1, 1};
  const ValueId a = builder.input("a", square, fill), b = builder.input("b", square, fill);
  return builder.failed() ? kNoValue : ops::matmul(builder, a, b);
}

ValueId brightness(GraphBuilder& builder, const Arguments& arguments) {
  Result<Tensor> image = picture(integer_argument(arguments, "image_size"));
  if (!image) return builder.fail(image.error());
  const LayerScope layer(builder, "brightness");
  ValueId x = ops::cast(builder, builder.constant("image", *std::move(image), Role::input), DType::int32);
  x = ops::multiply(builder, x, number(builder, "gain", real_argument(arguments, "gain") * kUnit));
  x = ops::divide(builder, x, number(builder, "unit", kUnit));
  x = ops::add(builder, x, number(builder, "offset", static_cast<double>(integer_argument(arguments, "offset"))));
  return ops::cast(builder, ops::clip(builder, x, 0.0, 255.0), DType::uint8);
}

void build_pixels(GraphBuilder& builder, const Arguments& arguments) {
  const ValueId matrix = product(builder, arguments);
  if (builder.failed()) return;  // before an image is made
  builder.mark_output(brightness(builder, arguments));
  builder.mark_output(matrix);
}

}  // namespace

Workload pixels_workload() {
  Workload workload;
  workload.name = "pixels";
  workload.title = "Pixels and matrices";
  workload.description =
      "What graphics processors were made for: the same operation on each pixel of an image, independent of all "
      "others, beside a matrix multiplication. The brightness is computed in whole numbers, so every device makes "
      "the same picture, bit for bit. The result can be exported as an image.";
  workload.parameters = {
      integer_parameter("image_size", "Image size", "Height and width of the image.", 256, "pixels", 1, 4096),
      real_parameter("gain", "Gain", "What each pixel is multiplied by, in steps of 1/64.", "1.5", 0, 64),
      integer_parameter("offset", "Offset", "What is added to each pixel afterwards.", 16, "levels", -255, 255),
      integer_parameter("n", "n", "Rows and columns of the matrices.", 512, "rows"), dtype_parameter()};
  workload.small = {{"image_size", "9"}, {"n", "6"}};
  workload.build = build_pixels;
  return workload;
}

}  // namespace engine
