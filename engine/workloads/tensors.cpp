// SPDX-License-Identifier: Apache-2.0
// tensors: shapes over storages. Views move nothing; the copies beside them show what moving would cost.
#include <fmt/format.h>

#include <utility>

#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/tensor/tensor_examples.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

constexpr int64_t kSmallestSide = 16;             // of f32 squares: 1 KiB
constexpr int64_t kMostDrawn = int64_t{1} << 26;  // elements; larger images are filled by chance, when they are planned
constexpr int64_t kBadLayers = 6, kWidth = 64;

/// [images,] 3, height, width: rings whose phase differs from image to image.
Result<Tensor> picture(const TensorType& type) {
  Result<Tensor> image = Tensor::empty(type);
  if (!image) return image;
  auto* value = image->data_as<float>();
  const int64_t width = type.shape.back(), height = type.shape[type.shape.size() - 2];
  const int64_t images = type.elements() / (3 * height * width);
  for (int64_t n = 0; n < images; ++n)
    for (int64_t channel = 0; channel < 3; ++channel)
      for (int64_t y = 0; y < height; ++y)
        for (int64_t x = 0; x < width; ++x)
          *value++ = static_cast<float>(ring_pixel(height, width, y, x, channel, 0.5 * static_cast<double>(n)) / 255);
  return image;
}

ValueId apply(GraphBuilder& builder, const ViewStep& step, ValueId x) {
  using Kind = ViewStep::Kind;
  const LayerScope layer(builder, step.name);
  switch (step.kind) {
    case Kind::reshape: return ops::reshape(builder, x, step.shape);
    case Kind::transpose: return ops::transpose(builder, x, step.axis, step.axis_b);
    case Kind::slice: return ops::slice(builder, x, step.axis, step.start, step.end, step.step);
    case Kind::expand: return ops::expand(builder, x, step.shape);
    case Kind::contiguous: return ops::contiguous(builder, x);
  }
  return kNoValue;
}

/// The first tensor, all that is made of it, and its double, so that the step has work to do beside its views.
void build_example(GraphBuilder& builder, const TensorExample& example) {
  Tensor given;
  const bool drawn = example.key == "images" || example.key == "image";
  if (drawn && example.type.elements() <= kMostDrawn) {
    Result<Tensor> made = picture(example.type);
    if (!made) return static_cast<void>(builder.fail(made.error()));
    given = *std::move(made);
  }
  std::vector<ValueId> tensors{
      builder.input(example.name, example.type, Fill{Fill::Kind::uniform, 0, 1}, std::move(given))};
  for (const ViewStep& step : example.steps) {
    if (builder.failed()) return;
    tensors.push_back(apply(builder, step, tensors[step.of]));
  }
  if (builder.failed()) return;
  const LayerScope layer(builder, "twice");
  builder.mark_output(ops::scale(builder, tensors.front(), 2.0));
  builder.mark_output(tensors.back());
}

/// Squares from 1 KiB on, four times as many bytes each time: a transpose of each, and a copy of that.
void build_transposes(GraphBuilder& builder, int64_t largest) {
  for (int64_t side = kSmallestSide; side <= largest; side *= 2) {
    const ValueId x = builder.input(fmt::format("x{}", side), TensorType::contiguous(DType::float32, {side, side}),
                                    Fill{Fill::Kind::uniform, 0, 1});
    if (builder.failed()) return;
    const LayerScope layer(builder, fmt::format("side{}", side));
    builder.mark_output(ops::contiguous(builder, ops::transpose(builder, x, 0, 1)));
  }
}

/// Layers of y = relu(W x + b). One takes a square root in between, where a NaN is to be found: half of its operands
/// are below zero.
void build_layers(GraphBuilder& builder, int64_t bad) {
  const Fill fill{Fill::Kind::uniform, -0.2, 0.2};
  ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {8, kWidth}), fill);
  for (int64_t k = 1; k <= kBadLayers && !builder.failed(); ++k) {
    const LayerScope layer(builder, fmt::format("layer{}", k));
    const TensorType type = TensorType::contiguous(DType::float32, {kWidth, kWidth});
    const ValueId bias =
        builder.parameter(fmt::format("layer{}.bias", k), TensorType::contiguous(DType::float32, {kWidth}), fill);
    const ValueId weight = builder.parameter(fmt::format("layer{}.weight", k), type, fill);
    x = ops::linear(builder, x, weight, bias);
    if (k == bad) x = ops::sqrt(builder, x);  // of numbers below zero, too
    x = ops::relu(builder, x);
  }
  if (!builder.failed()) builder.mark_output(x);
}

void build_tensors(GraphBuilder& builder, const Arguments& arguments) {
  const std::string& key = text_argument(arguments, "example");
  if (key == "transposes") return build_transposes(builder, integer_argument(arguments, "largest"));
  if (key == "layers") return build_layers(builder, integer_argument(arguments, "bad_layer"));
  const int64_t height = integer_argument(arguments, "height"), width = integer_argument(arguments, "width");
  if (!element_count({50, 3, height, width}))
    return static_cast<void>(builder.fail(
        usage_error(fmt::format("[tensors] images of {} x {} have more than 2^63 elements", height, width))));
  if (key == "images") return build_example(builder, images_example(height, width));
  if (key == "image") return build_example(builder, image_example(height, width));
  build_example(builder, tensor_example(key));
}

std::vector<std::string> example_keys() {
  std::vector<std::string> keys{"images"};  // the default
  for (const TensorExample& example : tensor_examples())
    if (example.key != keys.front()) keys.push_back(example.key);
  keys.insert(keys.end(), {"transposes", "layers"});
  return keys;
}

}  // namespace

Workload tensors_workload() {
  Workload workload;
  workload.name = "tensors";
  workload.title = "Tensors and their storage";
  workload.description =
      "A tensor is a shape and strides over a storage. Reshape, transpose and slice make further tensors over the same "
      "bytes: they run nothing and move nothing. Where no strides describe the new shape, a copy is made, and is an op "
      "with bytes. The table storage lists shape, strides, offset, storage and moved bytes of each tensor.";
  workload.parameters = {
      choice_parameter("example", "Example",
                       "What the tensors are. transposes: squares from 1 KiB on; layers: a network with a NaN to find.",
                       example_keys()),
      integer_parameter("height", "Height", "Rows of the images.", 24, "pixels"),
      integer_parameter("width", "Width", "Columns of the images.", 32, "pixels"),
      integer_parameter("largest", "Largest side", "Of the squares of the example transposes.", 2048, "rows",
                        kSmallestSide, 16384),
      integer_parameter("bad_layer", "Layer with NaN", "Of the example layers; 0: none.", 0, "", 0, kBadLayers)};
  workload.small = {{"example", "image"}, {"height", "5"}, {"width", "6"}};
  workload.build = build_tensors;
  return workload;
}

}  // namespace engine
