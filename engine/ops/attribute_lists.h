// SPDX-License-Identifier: Apache-2.0
// The attributes that several ops take alike.
#pragma once

#include <vector>

#include "engine/graph/op.h"

namespace engine::ops {

/// The type of a forward input that a gradient op does not see: "input_shape", "input_strides".
std::vector<AttributeSpec> input_type_attributes();
/// The same for a weight: "weight_shape", "weight_strides".
std::vector<AttributeSpec> weight_type_attributes();

/// stride, padding, dilation and groups for 2 or 3 spatial axes.
std::vector<AttributeSpec> convolution_attributes(size_t axes);
/// kernel, stride, padding and ceil_mode for 2 or 3 spatial axes, dilation for 3; averages may count what was padded.
std::vector<AttributeSpec> pool_attributes(size_t axes, bool average);

}  // namespace engine::ops
