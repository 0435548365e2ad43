// SPDX-License-Identifier: Apache-2.0
// How long things of one name take: kernels, calls of the CUDA runtime and driver, ranges with what is inside them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// All activities of one name in the whole capture, steps or not. Durations in nanoseconds.
struct NamedTimes {
  NameId name = 0;
  int64_t count = 0;
  int64_t failed = 0;               ///< calls that returned an error
  double total_ns = 0, own_ns = 0;  ///< own: without the ranges and ops inside, on their thread
  double least_ns = 0, median_ns = 0, most_ns = 0;
  double deviation_ns = kUnknown;  ///< standard deviation of a sample (n - 1); NaN: one alone
  NameId around = 0;               ///< ranges: the range that holds most of them; 0: none
  int depth = 0;                   ///< ranges: how many ranges hold one, the least
  bool on_device = false;          ///< ranges: of a stream, as PyTorch repeats annotations for the GPU
  double mean_ns() const { return total_ns / static_cast<double>(count); }
};

/// Longest total first. Kernels go by their whole name.
std::vector<NamedTimes> kernel_times(const Capture&);
std::vector<NamedTimes> call_times(const Capture&);
/// Ranges: named ones of programs and of tools, layers, steps; plain Chrome traces have nothing else. Instants are left
/// out. Ranges of hosts and of devices that have one name are two rows.
std::vector<NamedTimes> range_times(const Capture&);

Table kernels_table(const Capture&);
Table calls_table(const Capture&);
Table ranges_table(const Capture&);

}  // namespace profiler
