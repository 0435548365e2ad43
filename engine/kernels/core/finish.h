// SPDX-License-Identifier: Apache-2.0
// Kernels that let others go over their result while it is in the cache: what fused ops ask for first.
#pragma once

#include <functional>
#include <memory>

#include "engine/kernels/core/context.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// Goes over `count` elements of output 0, which were just written by the calling thread, from element `first` in
/// memory on.
using Finish = std::function<void(int64_t first, int64_t count)>;

/// batch_norm_training and batch_norm_inference as kernels.h has them, each stretch of y finished once it is written.
/// Null: not for these types and layouts.
std::unique_ptr<PreparedOp> prepare_finished_batch_norm(Context&, const PrepareRequest&, Finish);

/// conv2d as kernels.h has it, by Winograd's minimal filtering, some rows of an image at a time. Null: not chosen for
/// it, or y is not dense.
std::unique_ptr<PreparedOp> prepare_finished_winograd(Context&, const PrepareRequest&, Finish);

}  // namespace engine::cpu
