// SPDX-License-Identifier: Apache-2.0
// Which axes go, which stay.
#include "engine/ops/reduced_axes.h"

namespace engine::ops {

bool reduced_axes(OperandCheck& check, const Shape& x, const Attributes& attributes, std::vector<bool>& reduced) {
  const std::vector<int64_t> axes = attributes.get_ints("axes", {});
  reduced.assign(x.size(), axes.empty());
  for (int64_t axis : axes) {
    if (!check.axis(axis, static_cast<int64_t>(x.size()))) return false;
    if (!check.that(!reduced[static_cast<size_t>(axis)], "axis {} is named twice", axis)) return false;
    reduced[static_cast<size_t>(axis)] = true;
  }
  return true;
}

std::vector<bool> reduced_axes(const Shape& x, const Attributes& attributes) {
  OperandCheck check("reduction", {}, {});
  std::vector<bool> reduced;
  CHECK(reduced_axes(check, x, attributes, reduced));
  return reduced;
}

Shape kept_shape(const Shape& x, const std::vector<bool>& reduced, bool keep_axes) {
  Shape shape;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!reduced[i]) shape.push_back(x[i]);
    if (reduced[i] && keep_axes) shape.push_back(1);
  }
  return shape;
}

Groups in_groups(const Tensor& x, const std::vector<bool>& reduced) {
  std::vector<int64_t> order;
  Groups groups;
  for (const bool last : {false, true}) {
    for (size_t i = 0; i < reduced.size(); ++i) {
      if (reduced[i] == last) order.push_back(static_cast<int64_t>(i));
    }
  }
  for (size_t i = 0; i < reduced.size(); ++i) groups.length *= reduced[i] ? x.shape()[i] : 1;
  const Result<Tensor> permuted = x.permute(order);
  CHECK(permuted.ok());
  groups.tensor = *permuted;
  return groups;
}

}  // namespace engine::ops
