// SPDX-License-Identifier: Apache-2.0
// The kernels of local response normalisation.
#pragma once

#include <memory>

#include "engine/cpu/context.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// local_response_norm and its gradient: f32, channels last (rank 4) or row-major.
std::unique_ptr<PreparedOp> prepare_response_norm(Context&, const PrepareRequest&);

}  // namespace engine::cpu
