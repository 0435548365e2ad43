// SPDX-License-Identifier: Apache-2.0
// What an nsys export has of the host beside CUDA: calls of the operating system, switches of threads, samples.
#pragma once

#include <functional>
#include <string>

#include "profiler/import/nsys_tables.h"
#include "profiler/import/trace_builder.h"

namespace profiler {

/// Names of an export, as its reader has them.
struct NsysWords {
  std::function<NameId(const NsysRow&, int column)> name;        ///< of an id in a column
  std::function<TraceBuilder::Lane(int64_t global_tid)> thread;  ///< lane of a thread
  std::function<std::string(int64_t global_tid)> thread_name;
};

/// Reads OSRT_API as ranges of their threads, SCHED_EVENTS as ranges of processors, COMPOSITE_EVENTS as marks.
engine::Result<void> read_nsys_host(const NsysTables&, TraceBuilder&, const NsysWords&);

}  // namespace profiler
