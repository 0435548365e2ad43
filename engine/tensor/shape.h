// SPDX-License-Identifier: Apache-2.0
// Shapes and strides: extents, element counts without overflow, dense layouts, broadcasting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace engine {

/// Extents per axis, outermost first; empty = a scalar (rank 0). An extent of 0 is a tensor without elements.
using Shape = std::vector<int64_t>;
/// Elements (not bytes) to the next index along each axis. 0 = broadcast (expand), negative = reversed slice.
using Strides = std::vector<int64_t>;

/// Product of the extents; nothing when an extent is negative or the product exceeds 2^63 - 1.
std::optional<int64_t> element_count(const Shape&);
/// Row-major dense strides.
Strides contiguous_strides(const Shape&);
/// Dense strides of a rank-4 [N,C,H,W] shape stored as N,H,W,C ("channels last"); other ranks: row-major.
Strides channels_last_strides(const Shape&);
bool is_contiguous(const Shape&, const Strides&);
bool is_channels_last(const Shape&, const Strides&);
/// [N, C, ...] of any rank from 2 on whose channels lie side by side, and all else row-major around them.
bool has_channels_last(const Shape&, const Strides&);
/// True when the strides visit each of element_count elements once without holes, in any axis order.
bool is_dense(const Shape&, const Strides&);
/// Dense strides with the same axis order as `like`'s strides (used by elementwise ops to keep a layout).
Strides dense_strides_like(const Shape&, const Strides& like);
/// Numpy broadcasting. Fails naming both shapes.
Result<Shape> broadcast_shapes(const Shape&, const Shape&);
/// "16x128x28x28"; "scalar" for rank 0.
std::string to_string(const Shape&);

}  // namespace engine
