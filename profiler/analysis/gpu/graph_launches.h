// SPDX-License-Identifier: Apache-2.0
// Which calls launched a CUDA or HIP graph: their time is no cost of each piece of work in it.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "profiler/capture/capture.h"

namespace profiler {

/// Correlation ids of calls named after a graph's launch ("cudaGraphLaunch"), of kernels that are a graph's nodes, and
/// of calls that launched several kernels.
std::unordered_set<uint64_t> graph_launches(const Capture&);

}  // namespace profiler
