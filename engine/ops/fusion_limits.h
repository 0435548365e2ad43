// SPDX-License-Identifier: Apache-2.0
// How large a fused op may be: the pass keeps to it, and descriptions from files are held against it.
#pragma once

#include <cstddef>

namespace engine::ops {

/// What the CPU's loop over the operands of a fused op takes, its result included; a product's or a norm's own operands
/// do not count.
inline constexpr size_t kMostFusedOperands = 12;
inline constexpr size_t kMostFusedMembers = 32;

}  // namespace engine::ops
