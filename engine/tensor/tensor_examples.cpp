// SPDX-License-Identifier: Apache-2.0
// The examples, with the views and copies that show what each is about.
#include "engine/tensor/tensor_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/check.h"

namespace engine {
namespace {

using Kind = ViewStep::Kind;

TensorType f32(Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); }

ViewStep reshape(std::string name, size_t of, Shape shape) {
  return {.kind = Kind::reshape, .name = std::move(name), .of = of, .shape = std::move(shape)};
}
ViewStep transpose(std::string name, size_t of, int64_t a, int64_t b) {
  return {.kind = Kind::transpose, .name = std::move(name), .of = of, .axis = a, .axis_b = b};
}
ViewStep slice(std::string name, size_t of, int64_t axis, int64_t start, int64_t end, int64_t step = 1) {
  return {
      .kind = Kind::slice, .name = std::move(name), .of = of, .axis = axis, .start = start, .end = end, .step = step};
}
ViewStep expand(std::string name, size_t of, Shape shape) {
  return {.kind = Kind::expand, .name = std::move(name), .of = of, .shape = std::move(shape)};
}
ViewStep contiguous(std::string name, size_t of) {
  return {.kind = Kind::contiguous, .name = std::move(name), .of = of};
}

TensorExample ranks() {
  TensorExample all{"ranks", "Ranks 0 to 8 over 256 elements",
                    "Nine shapes over one storage: each stride is the product of the extents behind it.", f32({256})};
  Shape shape{2, 128};
  for (int rank = 2; rank <= 8; ++rank) {
    all.steps.push_back(reshape("rank" + std::to_string(rank), 0, shape));
    shape.back() /= 2;
    shape.insert(shape.begin(), 2);
  }
  all.steps.push_back(slice("first", 0, 0, 0, 1));
  all.steps.push_back(reshape("rank0", all.steps.size(), {}));
  return all;
}

std::vector<TensorExample> make_examples() {
  std::vector<TensorExample> all;
  all.push_back({"matrix",
                 "Matrix, 4 x 6",
                 "A tensor is a shape and strides over a storage: a step along the last axis is one element.",
                 f32({4, 6}),
                 "x",
                 {transpose("turned", 0, 0, 1), reshape("flat", 0, {24}), slice("column", 0, 1, 2, 3),
                  reshape("flat_of_turned", 1, {24})}});
  all.push_back(images_example(24, 32));
  all.push_back({"series_td",
                 "Time series, T x D (8 x 3)",
                 "Time first: a time step is 3 elements apart, its channels are neighbours.",
                 f32({8, 3}),
                 "series",
                 {slice("one_step", 0, 0, 2, 3), slice("one_channel", 0, 1, 1, 2), transpose("channel_first", 0, 0, 1),
                  contiguous("channel_first_copy", 3)}});
  all.push_back({"series_dt",
                 "Time series, D x T (3 x 8)",
                 "Channel first: a time step is 1 element apart, its channels are 8 apart.",
                 f32({3, 8}),
                 "series",
                 {slice("one_step", 0, 1, 2, 3), slice("one_channel", 0, 0, 1, 2), transpose("time_first", 0, 0, 1),
                  contiguous("time_first_copy", 3)}});
  all.push_back(image_example(24, 32));
  all.push_back(ranks());
  all.push_back({"scalar",
                 "Scalar, 0-d",
                 "A scalar has no axes and one element.",
                 f32({}),
                 "x",
                 {reshape("one_by_one", 0, {1, 1}), expand("row", 0, {6})}});
  all.push_back({"empty",
                 "No elements, 2 x 0 x 3",
                 "An axis of extent 0 leaves no elements: the tensor names no byte.",
                 f32({2, 0, 3}),
                 "x",
                 {transpose("turned", 0, 0, 2), reshape("flat", 0, {0}), contiguous("copy", 1)}});
  return all;
}

}  // namespace

TensorExample images_example(int64_t height, int64_t width) {
  const int64_t image = 3 * height * width;
  return {"images",
          fmt::format("Fifty RGB images, 50 x 3 x {} x {}", height, width),
          fmt::format("Fifty images of three channels, {} rows and {} columns: strides {}, {}, {}, 1.", height, width,
                      image, height * width, width),
          f32({50, 3, height, width}),
          "images",
          {slice("one_image", 0, 0, 7, 8), slice("green", 0, 1, 1, 2),
           slice("top_half", 0, 2, 0, std::max<int64_t>(1, height / 2)), reshape("rows", 0, {50, image}),
           transpose("rows_first", 0, 1, 2), transpose("channels_last", 5, 2, 3),
           reshape("rows_of_channels_last", 6, {50, image})}};
}

TensorExample image_example(int64_t height, int64_t width) {
  const int64_t right = width / 2;
  return {"image",
          "One RGB image, 3 x H x W",
          "Channel, row, column: the whole red channel comes first, then green, then blue.",
          f32({3, height, width}),
          "image",
          {slice("green", 0, 0, 1, 2), slice("every_second_row", 0, 1, 0, height, 2),
           slice("right_half", 0, 2, right, width), reshape("rows", 0, {3, height * width}),
           transpose("rows_first", 0, 0, 1), transpose("channels_last", 5, 1, 2),
           reshape("rows_of_right_half", 3, {3, height * (width - right)})}};
}

const std::vector<TensorExample>& tensor_examples() {
  static const std::vector<TensorExample> all = make_examples();
  return all;
}

const TensorExample& tensor_example(const std::string& key) {
  const auto found = std::ranges::find(tensor_examples(), key, &TensorExample::key);
  CHECK(found != tensor_examples().end());
  return *found;
}

double ring_pixel(int64_t height, int64_t width, int64_t y, int64_t x, int64_t channel, double phase) {
  const double middle_x = 0.5 * static_cast<double>(width), middle_y = 0.5 * static_cast<double>(height);
  const double dx = (static_cast<double>(x) - middle_x) / middle_x, dy = (static_cast<double>(y) - middle_y) / middle_y;
  const double wave = std::sin(18 * std::sqrt(dx * dx + dy * dy) + phase);
  const int64_t shade = 255 * (x + y) / (width + height);
  const double tint = 60 * wave * (channel == 1 ? -1 : 1) - 20.0 * static_cast<double>(channel);
  return std::clamp(static_cast<double>(shade) + tint, 0.0, 255.0);
}

}  // namespace engine
