// SPDX-License-Identifier: Apache-2.0
// What one parameter takes as its value: for whatever is set by a Parameter, of a workload or of a run.
#pragma once

#include <optional>
#include <string>

#include "engine/workloads/workload.h"

namespace engine {

/// The value in its one spelling ("007" is "7"); nothing where the parameter does not take it.
std::optional<std::string> accepted_value(const Parameter&, const std::string& value);

}  // namespace engine
