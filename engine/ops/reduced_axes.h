// SPDX-License-Identifier: Apache-2.0
// What ops with "axes" and "keep_axes" share: which axes go, the shape that stays, elements in groups.
#pragma once

#include "engine/graph/op.h"
#include "engine/ops/check.h"

namespace engine::ops {

/// Which axes of x are reduced (all when "axes" is empty); refuses axes outside of the rank or named twice.
bool reduced_axes(OperandCheck& check, const Shape& x, const Attributes& attributes, std::vector<bool>& reduced);
/// The same of a call that has passed.
std::vector<bool> reduced_axes(const Shape& x, const Attributes& attributes);
Shape kept_shape(const Shape& x, const std::vector<bool>& reduced, bool keep_axes);

/// x seen with the reduced axes last: loaded, the elements of each group follow each other in row-major order.
struct Groups {
  Tensor tensor;
  int64_t length = 1;  ///< elements per group
};
Groups in_groups(const Tensor& x, const std::vector<bool>& reduced);

}  // namespace engine::ops
