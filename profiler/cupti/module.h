// SPDX-License-Identifier: Apache-2.0
// The profiler's table in the run-time module.
#pragma once

#include "profiler/gpu/tracer.h"

namespace profiler::cupti {

const GpuModule& gpu_module();

}  // namespace profiler::cupti
