// SPDX-License-Identifier: Apache-2.0
// Kernels of pooling of volumes.
#pragma once

#include <memory>

#include "engine/cpu/context.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// f32, channels last. Max puts out indices within the volume too, average has no dilation.
std::unique_ptr<PreparedOp> prepare_max_pool3d(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_max_pool3d_grad(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_average_pool3d(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_average_pool3d_grad(Context&, const PrepareRequest&);

}  // namespace engine::cpu
