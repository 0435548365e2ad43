// SPDX-License-Identifier: Apache-2.0
// What scatter_elements and scatter_nd share apart from where they write.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/graph/builder.h"
#include "engine/graph/element_maps.h"
#include "engine/ops/check.h"

namespace engine::ops {

/// Operands x, indices, updates: equal dtypes, a known reduction, numbers unless it is "none".
bool check_scatter(OperandCheck&, std::span<const TensorType> inputs, const Attributes&);
/// Reads x, indices and updates, writes y; with a reduction one operation per update.
Cost cost_scatter(const Call&);
/// y = x, then each update at its position in x (row-major), in order; all of y is outside_value() when one is
/// kNoElement.
void scatter_in_order(KernelArguments&, std::span<const int64_t> positions);
/// Fails the builder when the reduction has no gradient (mul, max, min).
bool check_differentiable(GraphBuilder&, std::string_view op, std::string_view reduction);

}  // namespace engine::ops
