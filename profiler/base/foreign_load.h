// SPDX-License-Identifier: Apache-2.0
// From when on other programs disturb what is measured.
#pragma once

namespace profiler {

/// Above this share of all processors used by others (Honesty::foreign_load_ratio) times say little about the machine;
/// ours. A quiet virtual machine stays below a third of it. Unknown (NaN) is never above it.
inline constexpr double kBusyLoad = 0.10;

}  // namespace profiler
