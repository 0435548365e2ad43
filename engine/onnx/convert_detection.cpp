// SPDX-License-Identifier: Apache-2.0
// Boxes: their number depends on their scores, so that all of it must be known when the model is read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"

namespace engine::onnx {
namespace {

/// Each box may be compared with each other one.
constexpr int64_t kMostBoxes = 4096;

struct Box {
  double top = 0, left = 0, bottom = 0, right = 0;
  double area() const { return (bottom - top) * (right - left); }
};

/// Corners in any order, or centre and extents.
Box make_box(const std::array<double, 4>& v, bool centred) {
  if (centred) return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}

double overlap(const Box& a, const Box& b) {
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0) return 0;
  return height * width / (a.area() + b.area() - height * width);
}

struct Limits {
  int64_t most = 0;
  double overlap = 0;
  std::optional<double> score;
};

/// The best boxes, none of which overlaps a better one too far.
std::vector<size_t> choose(const std::vector<Box>& boxes, const std::vector<double>& scores, const Limits& limits) {
  std::vector<size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order,
                [&](size_t i) { return !(scores[i] == scores[i]) || (limits.score && scores[i] <= *limits.score); });
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<size_t> chosen;
  for (const size_t candidate : order) {
    if (static_cast<int64_t>(chosen.size()) >= limits.most) break;
    const bool hidden = std::ranges::any_of(
        chosen, [&](size_t better) { return overlap(boxes[better], boxes[candidate]) > limits.overlap; });
    if (!hidden) chosen.push_back(candidate);
  }
  return chosen;
}

}  // namespace

void convert_non_max_suppression(NodeContext& node) {
  const bool centred = node.flag("center_point_box", false);
  const std::vector<double> boxes = node.constant_reals(0, "boxes"), scores = node.constant_reals(1, "scores");
  const Shape shape = node.input_type(1).shape, box_shape = node.input_type(0).shape;
  Limits limits;
  if (node.has_input(2)) limits.most = node.constant_integer(2, "max_output_boxes_per_class");
  if (node.has_input(3)) limits.overlap = node.constant_real(3, "iou_threshold");
  if (node.has_input(4)) limits.score = node.constant_real(4, "score_threshold");
  if (node.failed()) return;
  if (shape.size() != 3 || box_shape != Shape{shape[0], shape[2], 4} || shape[2] > kMostBoxes)
    return node.fail(fmt::format("boxes {} and scores {} do not fit, or are more than {} boxes", to_string(box_shape),
                                 to_string(shape), kMostBoxes));
  const auto count = static_cast<size_t>(shape[2]);
  std::vector<int64_t> rows;
  for (int64_t batch = 0; batch < shape[0]; ++batch) {
    std::vector<Box> batch_boxes;
    for (size_t i = 0; i < count; ++i) {
      const size_t first = (static_cast<size_t>(batch) * count + i) * 4;
      batch_boxes.push_back(make_box({boxes[first], boxes[first + 1], boxes[first + 2], boxes[first + 3]}, centred));
    }
    for (int64_t kind = 0; kind < shape[1]; ++kind) {
      const auto first = scores.begin() + (batch * shape[1] + kind) * shape[2];
      for (const size_t box : choose(batch_boxes, {first, first + shape[2]}, limits)) {
        for (const int64_t number : {batch, kind, static_cast<int64_t>(box)}) rows.push_back(number);
      }
    }
  }
  const Result<Tensor> tensor = integers_tensor(rows, {static_cast<int64_t>(rows.size() / 3), 3});
  if (!tensor) return node.fail(tensor.error().message);
  node.set_constant(*tensor);
}

}  // namespace engine::onnx
