// SPDX-License-Identifier: Apache-2.0
// The chain from CUPTI's library to permission for counters, link by link.
#pragma once

#include <string>
#include <vector>

#include "profiler/cupti/cupti_api.h"
#include "profiler/gpu/tracer.h"

namespace profiler::cupti {

struct ExamineWorld {
  std::string driver_parameters = "/proc/driver/nvidia/params";
  bool administrator = false;  ///< root, or CAP_SYS_ADMIN / CAP_PERFMON
  bool attach = true;          ///< subscribe (and unsubscribe) to see whether another profiler is there
};
/// Whether this process may read counters whatever the driver's setting.
bool is_administrator();

/// Stops at the first broken link that tracing needs; links of counters alone are all walked. Calls nothing that crashes without a
/// driver; makes no context.
std::vector<ChainLink> examine(const engine::Result<CuptiLibrary>&, const ExamineWorld&);

}  // namespace profiler::cupti
