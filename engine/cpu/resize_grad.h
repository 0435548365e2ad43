// SPDX-License-Identifier: Apache-2.0
// The kernel of resize's gradient.
#pragma once

#include <memory>

#include "engine/cpu/context.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// All modes, f32 and f64; a result whose innermost axis lies side by side.
std::unique_ptr<PreparedOp> prepare_resize_grad(Context&, const PrepareRequest&);

}  // namespace engine::cpu
