// SPDX-License-Identifier: Apache-2.0
// Axes dealt out to lines and their elements.
#include "engine/opencl/lines.h"

namespace engine::opencl {

std::optional<Lines> make_lines(const Shape& shape, const std::vector<bool>& is_along,
                                std::initializer_list<Strides> strides) {
  Shape outer, inner;
  std::vector<Strides> of_outer(strides.size()), of_inner(strides.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    (is_along[axis] ? inner : outer).push_back(shape[axis]);
    size_t operand = 0;
    for (const Strides& s : strides) (is_along[axis] ? of_inner : of_outer)[operand++].push_back(s[axis]);
  }
  const std::optional<Walk> lines = make_walk(outer, of_outer, /*by_memory=*/false),
                            along = make_walk(inner, of_inner, /*by_memory=*/false);
  if (!lines || !along) return std::nullopt;
  return Lines{*lines, *along};
}

}  // namespace engine::opencl
