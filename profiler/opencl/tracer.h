// SPDX-License-Identifier: Apache-2.0
// The tracer of OpenCL devices: what the queues of engine/opencl were given, with the times of the driver's profiling
// events.
#pragma once

#include "profiler/gpu/tracer.h"

namespace profiler::opencl {

/// The profiler's table in the OpenCL module.
const GpuModule& gpu_module();

}  // namespace profiler::opencl
