// SPDX-License-Identifier: Apache-2.0
// Axes in order and merged.
#include "engine/opencl/walk.h"

#include <algorithm>
#include <cstdlib>

#include "engine/base/check.h"

namespace engine::opencl {

std::optional<Walk> make_walk(const Shape& shape, std::span<const Strides> strides, bool by_memory) {
  CHECK(strides.size() <= kMaxOperands);
  Walk walk;
  std::vector<size_t> order;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    walk.count *= shape[axis];
    if (shape[axis] != 1) order.push_back(axis);
  }
  if (by_memory && !strides.empty()) {
    std::ranges::stable_sort(order, std::ranges::greater(), [&](size_t axis) { return std::abs(strides[0][axis]); });
  }
  for (const size_t axis : order) {
    int64_t last = walk.axes - 1;
    bool one_line = walk.axes > 0;
    for (size_t n = 0; n < strides.size() && one_line; ++n)
      one_line = walk.strides[n][last] == strides[n][axis] * shape[axis];
    if (!one_line) {
      if (walk.axes == kMaxAxes) return std::nullopt;
      last = walk.axes++;
      walk.extents[last] = 1;
    }
    walk.extents[last] *= shape[axis];
    for (size_t n = 0; n < strides.size(); ++n) walk.strides[n][last] = strides[n][axis];
  }
  walk.linear = walk.axes <= 1 ? 1 : 0;
  return walk;
}

std::optional<Walk> make_walk(const Shape& shape, std::initializer_list<Strides> strides, bool by_memory) {
  return make_walk(shape, std::span(strides.begin(), strides.size()), by_memory);
}

Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& to) {
  Strides result(to.size(), 0);
  const size_t missing = to.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) result[missing + i] = shape[i] == 1 ? 0 : strides[i];
  return result;
}

}  // namespace engine::opencl
