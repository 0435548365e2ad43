// SPDX-License-Identifier: Apache-2.0
// Names of lanes that analyses know.
#pragma once

#include <string_view>

namespace profiler {

/// The lane on which a data loader reads its files.
inline constexpr std::string_view kReadLane = "read";
/// On the step's thread: waiting for a batch, copying it into the step, and the rest of the step.
inline constexpr std::string_view kWaitLane = "wait for data", kCopyLane = "copy", kComputeLane = "compute";
/// The group of a loader's tracks.
inline constexpr std::string_view kLoaderGroup = "Loader";

}  // namespace profiler
