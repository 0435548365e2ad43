// SPDX-License-Identifier: Apache-2.0
// Finds the first op of a step whose result is not finite: where a training run broke.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/runtime/plan.h"

namespace engine {

/// An op that made NaN or infinity although nothing computed before it in the step was either.
struct NonFinite {
  NodeId node = kNoNode;
  size_t output = 0;                               ///< which of the node's outputs
  int64_t nans = 0, infinities = 0, elements = 0;  ///< of that output
  std::vector<ValueId>
      bad_inputs;  ///< operands that held such values already: weights, states or inputs, from outside of the step
};

/// Runs a step op by op and looks at every result (slow: all bytes are read again). Nothing: all results are finite.
/// Fails when the device's memory cannot be read.
Result<std::optional<NonFinite>> run_step_checking_finite(Plan& plan, uint32_t step);

/// "first NaN: layer conv1, op conv2d (node 17), output conv1.conv2d: 12 of 640 elements are NaN, 0 infinite; its
/// operand conv1.weight held NaN before".
std::string describe(const Graph& graph, const NonFinite& found);

}  // namespace engine
