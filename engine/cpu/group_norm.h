// SPDX-License-Identifier: Apache-2.0
// The kernels of group normalisation, and with it of instance normalisation.
#pragma once

#include <memory>

#include "engine/cpu/context.h"
#include "engine/graph/graph.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// f32 and f64, row-major or (rank 4) channels last.
std::unique_ptr<PreparedOp> prepare_group_norm(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_group_norm_grad(Context&, const PrepareRequest&);
int64_t group_norm_workspace(Context&, const Node&, const Call&);

}  // namespace engine::cpu
