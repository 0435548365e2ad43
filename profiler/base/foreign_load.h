// SPDX-License-Identifier: Apache-2.0
// The background load above which measurements are noisy.
#pragma once

namespace profiler {

/// Above this share of all processors used by other programs, times are a poor measure of the machine. Our limit; see
/// foreign_load_ratio. A quiet virtual machine stays below a third of it. Unknown (NaN) is never above it.
inline constexpr double kBusyLoad = 0.10;

}  // namespace profiler
