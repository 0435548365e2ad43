// SPDX-License-Identifier: Apache-2.0
// Positions and names shared by references and kernels.
#include "engine/graph/element_maps.h"

#include <limits>

#include "engine/base/check.h"
#include "engine/base/wide.h"

namespace engine {

int64_t extent_product(std::span<const int64_t> extents) {
  if (std::ranges::find(extents, 0) != extents.end()) return 0;
  Wide product = 1;
  for (const int64_t extent : extents) product = std::min<Wide>(product * extent, std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(product);
}

AxisSplit split_at(const Shape& shape, int64_t axis) {
  if (axis < 0) axis += static_cast<int64_t>(shape.size());
  CHECK(axis >= 0 && axis < static_cast<int64_t>(shape.size()));
  const std::span<const int64_t> all(shape);
  const auto at = static_cast<size_t>(axis);
  return {extent_product(all.first(at)), shape[at], extent_product(all.subspan(at + 1))};
}

double outside_value(DType dtype) { return is_floating(dtype) ? std::numeric_limits<double>::quiet_NaN() : 0; }

std::vector<int64_t> element_offsets(const TensorType& type) {
  std::vector<int64_t> offsets(static_cast<size_t>(type.elements()));
  for_each_index(type.shape, [&](int64_t position, const std::vector<int64_t>& index) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * type.strides[axis];
    offsets[static_cast<size_t>(position)] = offset;
  });
  return offsets;
}

std::optional<PadMode> parse_pad_mode(std::string_view mode) {
  if (mode == "constant") return PadMode::constant;
  if (mode == "reflect") return PadMode::reflect;
  if (mode == "edge") return PadMode::edge;
  if (mode == "wrap") return PadMode::wrap;
  return std::nullopt;
}

int64_t pad_source(PadMode mode, int64_t position, int64_t extent) {
  if (position >= 0 && position < extent) return position;
  if (mode == PadMode::constant) return kNoElement;
  if (mode == PadMode::edge) return position < 0 ? 0 : extent - 1;
  if (mode == PadMode::wrap) return ((position % extent) + extent) % extent;
  if (extent == 1) return 0;
  const int64_t period = 2 * (extent - 1), at = ((position % period) + period) % period;
  return at < extent ? at : period - at;
}

std::optional<std::vector<std::vector<int64_t>>> pad_tables(const Shape& x, const Shape& y,
                                                            const Attributes& attributes) {
  const std::vector<int64_t> before = attributes.get_ints("before", {});
  const auto mode = parse_pad_mode(attributes.get_string("mode", "constant"));
  if (!mode || before.size() != y.size()) return std::nullopt;
  std::vector<std::vector<int64_t>> sources(y.size());
  for (size_t a = 0; a < sources.size(); ++a) {
    for (int64_t i = 0; i < y[a]; ++i) sources[a].push_back(pad_source(*mode, i - before[a], x[a]));
  }
  return sources;
}

std::vector<std::vector<int64_t>> tile_tables(const Shape& x, const Shape& y) {
  std::vector<std::vector<int64_t>> sources(y.size());
  for (size_t a = 0; a < sources.size(); ++a) {
    for (int64_t i = 0; i < y[a]; ++i) sources[a].push_back(i % x[a]);
  }
  return sources;
}

std::optional<ScatterReduction> parse_scatter_reduction(std::string_view reduction) {
  if (reduction == "none") return ScatterReduction::replace;
  if (reduction == "add") return ScatterReduction::add;
  if (reduction == "mul") return ScatterReduction::multiply;
  if (reduction == "max") return ScatterReduction::max;
  if (reduction == "min") return ScatterReduction::min;
  return std::nullopt;
}

}  // namespace engine
