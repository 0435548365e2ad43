// SPDX-License-Identifier: Apache-2.0
// CUPTI of the emulated GPU: tells profiler/cupti of its work in CUPTI's own records, buffers and callbacks.
#pragma once

#include "profiler/cupti/cupti_api.h"
#include "profiler/gpu/tracer.h"

namespace profiler::cupti_emulated {

/// The functions that tracing needs, over engine::simt::Device. Those of counters and samples are missing: it has none.
cupti::CuptiApi api();

/// The profiler's table in the emulated GPU's module.
const GpuModule& gpu_module();

}  // namespace profiler::cupti_emulated
