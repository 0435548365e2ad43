// SPDX-License-Identifier: Apache-2.0
// Copies between tensors of equal shape and dtype in any two layouts.
#pragma once

#include <memory>

#include "engine/base/result.h"
#include "engine/kernels/core/context.h"
#include "engine/runtime/backend.h"
#include "engine/tensor/tensor.h"

namespace engine::cpu {

/// Fails (usage) when shapes or dtypes differ. `to` must not repeat elements (stride 0).
Result<void> copy_tensor(const Tensor& from, const Tensor& to, int threads);

/// The same prepared ahead, by the fastest kernel for these layouts.
std::unique_ptr<PreparedOp> prepare_copy(Context&, const Tensor& from, const Tensor& to);

/// Copies `count` elements of `element_bytes` (1, 2, 4 or 8) at byte strides.
void copy_row(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride, int64_t count,
              int64_t element_bytes);

}  // namespace engine::cpu
