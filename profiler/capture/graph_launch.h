// SPDX-License-Identifier: Apache-2.0
// Which calls launch a CUDA or HIP graph, by their names.
#pragma once

#include <string_view>

namespace profiler {

/// "cudaGraphLaunch_v10000" "cuGraphLaunch" "hipGraphLaunch"
inline bool launches_graph(std::string_view call) { return call.find("GraphLaunch") != call.npos; }

}  // namespace profiler
