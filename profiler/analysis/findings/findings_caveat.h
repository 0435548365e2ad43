// SPDX-License-Identifier: Apache-2.0
// What is to be said beside findings of a run whose times are noisy.
#pragma once

#include <string>

#include "profiler/capture/capture.h"

namespace profiler {

/// "The step times are noisy (8.1 to 14.2 ms): ..."; or that threads waited for their processors;
/// empty: neither (profiler/capture/noise.h), whatever ran beside them.
std::string findings_caveat(const Capture&);

}  // namespace profiler
