// SPDX-License-Identifier: Apache-2.0
// Computes at import what a node makes of constants.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/onnx/importer.h"

namespace engine::onnx {

/// Elements that a tensor computed at import may have: far more than any shape needs, and nothing to wait for.
inline constexpr int64_t kLargestFolded = 65'536;

/// The constant's elements, all of them in memory.
Result<Tensor> materialize(const Constant& constant);

/// The values `wanted`, row-major, of a graph whose leaves are all constants, by the ops' references. Nothing is
/// computed (no tensors come back) when a value is too large or `spend` refuses the work. Fails when memory does not
/// suffice.
Result<std::vector<Tensor>> evaluate(const Graph& graph, std::span<const ValueId> wanted,
                                     const std::function<bool(double work)>& spend);

}  // namespace engine::onnx
