// SPDX-License-Identifier: Apache-2.0
// power: a^b, element by element.
#pragma once

#include <memory>

#include "engine/cpu/kernels.h"

namespace engine::cpu {

/// Floats of one dtype here, whole numbers and mixed dtypes by the elementwise loops.
std::unique_ptr<PreparedOp> prepare_power(Context&, const PrepareRequest&);

}  // namespace engine::cpu
