// SPDX-License-Identifier: Apache-2.0
// The profiler's table in the run-time module.
#pragma once

#include "engine/base/library_search.h"
#include "profiler/gpu/tracer.h"

namespace profiler::cupti {

const GpuModule& gpu_module();
/// Where CUPTI was looked for; of the same search that gpu_module() uses.
engine::LibraryReport library_report();

}  // namespace profiler::cupti
