// SPDX-License-Identifier: Apache-2.0
// What to call the device of a run beside the processor, and whether its roofs can be measured.
#pragma once

#include <string_view>

#include "profiler/capture/capture.h"

namespace profiler {

/// "GPU"; "device" where it may be a processor, as OpenCL's may.
std::string_view accelerator_noun(const Capture&);

/// The kind of the run's device where no probe measures its roofs: "OpenCL devices", "NVIDIA GPUs". Empty: a probe
/// measures them, or the run is another tool's.
std::string_view unprobed_kind(const Capture&);

/// Why no bytes per memory level are known of such a run: "OpenCL has no counters and no cache sizes".
std::string_view unprobed_bytes_words(const Capture&);

}  // namespace profiler
