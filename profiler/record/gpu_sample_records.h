// SPDX-License-Identifier: Apache-2.0
// Samples of a GPU as counter series of a capture.
#pragma once

#include "profiler/capture/capture_builder.h"
#include "profiler/gpu/samples.h"

namespace profiler {

/// Adds one series per figure, in the group of its GPU, and sentences: how often was sampled, what that does to times,
/// what was lost and what this chip does not count. Where samples are missing, the value before holds on.
void add_sampled(CaptureBuilder&, const GpuSamples&);

}  // namespace profiler
