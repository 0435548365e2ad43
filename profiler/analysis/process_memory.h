// SPDX-License-Identifier: Apache-2.0
// Whose the resident bytes of the recording process are: tensors, files, and what has no owner.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"

namespace profiler {

/// At the end of the steps. resident = persistent + arena + workspace + files + unaccounted.
struct ProcessMemory {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double resident_bytes = kNone;  ///< measured; NaN: not recorded
  double files_bytes = kNone;     ///< measured: code of the program and its libraries, data of mapped files
  double persistent_bytes = kNone, arena_bytes = kNone, workspace_bytes = kNone;  ///< exact, as planned
  /// What is left: buffers of libraries and of the recording, the heap. Below 0: so much of the plan was never touched.
  double unaccounted_bytes = kNone;
  bool known() const { return resident_bytes > 0; }
};
ProcessMemory process_memory(const Capture&);

/// "process_memory": a row per owner, whose sum is the resident memory.
Table process_memory_table(const Analyzed&);
std::vector<std::string> process_memory_sentences(const Analyzed&);

}  // namespace profiler
