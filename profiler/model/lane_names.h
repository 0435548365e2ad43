// SPDX-License-Identifier: Apache-2.0
// Names of lanes that analyses know.
#pragma once

#include <string_view>

namespace profiler {

/// The lane on which a data loader reads its files.
inline constexpr std::string_view kReadLane = "read";

}  // namespace profiler
