// SPDX-License-Identifier: Apache-2.0
// What ops on volumes [N, C, D, H, W] share: their layout and their windows along three axes.
#pragma once

#include <array>

#include "engine/graph/op.h"
#include "engine/ops/window.h"

namespace engine::ops {

/// Dense, stored as N, D, H, W, C.
TensorType volume_type(DType, const Shape&);

/// The windows of `kernel` {d, h, w} on x, from the attributes stride, dilation, padding and ceil_mode.
bool make_volume_windows(OperandCheck&, const Shape& x, const std::array<int64_t, 3>& kernel, const Attributes&,
                         std::array<WindowAxis, 3>&);

}  // namespace engine::ops
