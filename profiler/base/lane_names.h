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
/// That group, of one rank of several as well ("rank 1 · Loader").
constexpr bool is_loader_group(std::string_view group) {
  constexpr std::string_view kBehindRank = " · ";
  if (!group.ends_with(kLoaderGroup)) return false;
  group.remove_suffix(kLoaderGroup.size());
  return group.empty() || group.ends_with(kBehindRank);
}

}  // namespace profiler
