// SPDX-License-Identifier: Apache-2.0
// What our own Chrome exports say of a run beside its events (see profiler/export/own_description.h, which writes it).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "profiler/import/trace_builder.h"

namespace profiler {

/// Takes title, device, arguments, and the FLOPs and operands of ops. What is not as we write it is left out and
/// counted.
void take_own_description(TraceBuilder&, const nlohmann::json& description);

}  // namespace profiler
