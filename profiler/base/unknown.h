// SPDX-License-Identifier: Apache-2.0
// A figure that is not known: NaN, which tables show as an en dash and JSON has as null.
#pragma once

#include <limits>

namespace profiler {

/// Not known. Compare with std::isnan: it is equal to nothing, not even to itself.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace profiler
