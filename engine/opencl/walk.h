// SPDX-License-Identifier: Apache-2.0
// Walk: how the positions of work-items become element offsets of several operands. Kernels read it from constant
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/tensor/shape.h"

namespace engine::opencl {

/// As in common.cl.
inline constexpr int kMaxAxes = 8, kMaxOperands = 6;

struct Walk {
  int64_t count = 1;   ///< positions
  int64_t axes = 0;    ///< 0: one position
  int64_t linear = 1;  ///< at most one axis is left
  int64_t extents[kMaxAxes] = {};
  int64_t strides[kMaxOperands][kMaxAxes] = {};
};

/// Axes of extent 1 are left out, neighbours that lie in one line in all operands are merged. `by_memory`: in the
/// memory order of the first operand; else position p is the row-major one. Nothing where more than kMaxAxes remain.
std::optional<Walk> make_walk(const Shape& shape, std::span<const Strides> strides, bool by_memory = true);
std::optional<Walk> make_walk(const Shape& shape, std::initializer_list<Strides> strides, bool by_memory = true);

/// Strides of `shape`, which is broadcast to `to`: 0 along the axes that repeat.
Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& to);

}  // namespace engine::opencl
