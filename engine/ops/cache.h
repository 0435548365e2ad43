// SPDX-License-Identifier: Apache-2.0
// Writing into a part of a tensor that lives across steps: caches of keys and values.
#pragma once

#include <span>

#include "engine/graph/builder.h"

namespace engine::ops {

/// write_slice(x, update) -> x {axis, start}: x[..., start + i, ...] = update[..., i, ...], in place. No gradient.
extern const Op kWriteSlice;

std::span<const Op* const> cache_ops();

/// x as it is afterwards: read this value, not the operand. `update` has x's dtype and, but for `axis`, its shape.
ValueId write_slice(GraphBuilder&, ValueId x, ValueId update, int64_t axis, int64_t start);

}  // namespace engine::ops
