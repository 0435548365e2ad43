// SPDX-License-Identifier: Apache-2.0
// What is remembered of this machine's roofs, for those who show it and run nothing.
#pragma once

#include <optional>

#include "profiler/machine/machine.h"

namespace app {

/// The last probe of this machine; nothing when there is none (or it is of another machine or
/// schema).
std::optional<profiler::Machine> remembered_roofs();

}  // namespace app
