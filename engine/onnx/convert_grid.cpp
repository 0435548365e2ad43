// SPDX-License-Identifier: Apache-2.0
// GridSample: an image read at any places, as gathers of neighbours and their weighted sum.
#include <fmt/format.h>

#include <string>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/ops/casting.h"
#include "engine/ops/compare.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// One axis of the places, in elements of the image: coordinates in [-1, 1] become pixels.
ValueId pixels_of(GraphBuilder& builder, ValueId grid, int64_t which, int64_t extent, bool align_corners) {
  const ValueId x = ops::squeeze(builder, ops::slice(builder, grid, 3, which, which + 1), 3);
  const auto size = static_cast<double>(extent);
  return align_corners ? ops::scale(builder, x, (size - 1) / 2, (size - 1) / 2)
                       : ops::scale(builder, x, size / 2, (size - 1) / 2);
}

/// A neighbour along one axis: its index within the image, and how much it weighs there.
struct Neighbour {
  ValueId index = kNoValue, weight = kNoValue;
};

/// `zeros`: outside of the image it weighs nothing.
Neighbour neighbour(GraphBuilder& builder, ValueId index, ValueId weight, int64_t extent, bool zeros) {
  const ValueId inside = ops::clip(builder, index, 0.0, static_cast<double>(extent - 1));
  if (zeros && !builder.failed()) {
    const ValueId valid = ops::cast(builder, ops::equal(builder, inside, index), builder.type(index).dtype);
    weight = weight == kNoValue ? valid : ops::multiply(builder, weight, valid);
  }
  return {inside, weight};
}

/// Both neighbours of each place, or the nearest.
std::vector<Neighbour> neighbours(GraphBuilder& builder, ValueId x, int64_t extent, bool nearest, bool zeros) {
  if (!zeros) x = ops::clip(builder, x, 0.0, static_cast<double>(extent - 1));
  if (nearest) return {neighbour(builder, ops::round(builder, x), kNoValue, extent, zeros)};
  const ValueId low = ops::floor(builder, x), high = ops::scale(builder, low, 1, 1);
  const ValueId part = ops::subtract(builder, x, low), rest = ops::scale(builder, part, -1, 1);
  return {neighbour(builder, low, rest, extent, zeros), neighbour(builder, high, part, extent, zeros)};
}

}  // namespace

void convert_grid_sample(NodeContext& node) {
  const bool align_corners = node.flag("align_corners", false);
  const std::string mode = node.text("mode", "linear"), padding = node.text("padding_mode", "zeros");
  const bool nearest = mode == "nearest", zeros = padding == "zeros";
  if (!nearest && mode != "linear" && mode != "bilinear")
    node.fail(fmt::format("attribute mode: {} is not supported; linear and nearest are", mode));
  if (!zeros && padding != "border")
    node.fail(fmt::format("attribute padding_mode: {} is not supported; zeros and border are", padding));
  const ValueId x = node.input(0), grid = node.input(1);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const TensorType image = builder.type(x), places = builder.type(grid);
  if (image.rank() != 4 || places.rank() != 4 || places.shape.back() != 2)
    return node.fail(fmt::format("inputs: {} and {} are no image [n, c, h, w] with places [n, h, w, 2]",
                                 to_string(image.shape), to_string(places.shape)));
  const int64_t n = image.shape[0], c = image.shape[1], height = image.shape[2], width = image.shape[3];
  const int64_t rows = places.shape[1], columns = places.shape[2];
  const ValueId flat = ops::reshape(builder, ops::contiguous(builder, x), {n, c, height * width});
  const ValueId ix = pixels_of(builder, grid, 0, width, align_corners),
                iy = pixels_of(builder, grid, 1, height, align_corners);
  ValueId sum = kNoValue;
  for (const Neighbour& down : neighbours(builder, iy, height, nearest, zeros)) {
    for (const Neighbour& across : neighbours(builder, ix, width, nearest, zeros)) {
      if (node.failed()) return;
      const ValueId place =
          ops::add(builder, ops::scale(builder, down.index, static_cast<double>(width)), across.index);
      const ValueId index = ops::reshape(builder, ops::cast(builder, place, DType::int64), {n, 1, rows * columns});
      ValueId value = ops::gather_elements(
          builder, flat, ops::contiguous(builder, ops::expand(builder, index, {n, c, rows * columns})), 2);
      ValueId weight = across.weight;
      if (down.weight != kNoValue)
        weight = weight == kNoValue ? down.weight : ops::multiply(builder, weight, down.weight);
      if (weight != kNoValue)
        value = ops::multiply(builder, value, ops::reshape(builder, weight, {n, 1, rows * columns}));
      sum = sum == kNoValue ? value : ops::add(builder, sum, value);
    }
  }
  const ValueId y = ops::reshape(builder, sum, {n, c, rows, columns});
  if (!node.failed()) node.set_output(y);
}

}  // namespace engine::onnx
