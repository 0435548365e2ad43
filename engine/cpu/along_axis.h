// SPDX-License-Identifier: Apache-2.0
// Kernels of what is computed along one axis of dense tensors.
#pragma once

#include <memory>

#include "engine/cpu/context.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

std::unique_ptr<PreparedOp> prepare_cumulative_sum(Context&, const PrepareRequest&);
/// argmax and argmin.
std::unique_ptr<PreparedOp> prepare_arg(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_hardmax(Context&, const PrepareRequest&);

}  // namespace engine::cpu
