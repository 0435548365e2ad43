// SPDX-License-Identifier: Apache-2.0
// The chain from CUPTI's library to permission for counters, link by link.
#pragma once

#include <string>
#include <vector>

#include "profiler/cupti/counter_refusals.h"
#include "profiler/cupti/cupti_api.h"
#include "profiler/gpu/tracer.h"

namespace profiler::cupti {

inline constexpr const char* kCuptiRemedy =
    "install CUPTI 13 (Debian: apt install cuda-cupti-13-0; pip install nvidia-cuda-cupti) or name it in "
    "TENSORTIDE_CUPTI";

struct ExamineWorld {
  std::string driver_parameters = "/proc/driver/nvidia/params";
  Surroundings here;
  bool attach = true;  ///< subscribe (and unsubscribe) to see whether another profiler is there
};
/// Stops at the first broken link that tracing needs; links of counters alone are all walked. Calls nothing that
/// crashes without a driver; makes no context.
std::vector<ChainLink> examine(const engine::Result<CuptiLibrary>&, const ExamineWorld&);

}  // namespace profiler::cupti
