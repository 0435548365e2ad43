// SPDX-License-Identifier: Apache-2.0
// Lines: operands of one shape cut into lines along some axes, each line walked by a group of work-items.
#pragma once

#include <optional>
#include <vector>

#include "engine/opencl/walk.h"
#include "engine/tensor/tensor.h"

namespace engine::opencl {

struct Lines {
  Walk lines;  ///< where each begins, in row-major order
  Walk along;  ///< the elements of one, in row-major order
};

/// `is_along[axis]`: the axis lies within the lines. Nothing: too many axes.
std::optional<Lines> make_lines(const Shape& shape, const std::vector<bool>& is_along,
                                std::initializer_list<Strides> strides);

}  // namespace engine::opencl
