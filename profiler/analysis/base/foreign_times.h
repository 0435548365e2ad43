// SPDX-License-Identifier: Apache-2.0
// Times of traces of other tools, where ops nest on threads and their work may run on a GPU.
#pragma once

#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// For each activity the nanoseconds that count as its op's time; -1: none. Where work ran on a GPU: its kernels,
/// copies and memsets. On a host alone: an op's own time, without the ops that began inside it, so that the times of
/// all ops add up.
std::vector<int64_t> foreign_op_ns(const Capture&);

/// Share of all steps that count (timed_step_windows()) in which no op ran on the busiest thread of its rank. A sum
/// over a sum, as the times of ops are means over the steps. NaN: unknown. Of a GPU see gpu_idle_ratio().
double foreign_idle_ratio(const Capture&);

}  // namespace profiler
