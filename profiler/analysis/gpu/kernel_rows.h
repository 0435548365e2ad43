// SPDX-License-Identifier: Apache-2.0
// What ran, by name: kernels, copies and memsets of a GPU, and whose work they were.
#pragma once

#include <string>
#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// What one op has in a row.
struct KernelPart {
  OpId op = kNoOp;
  double time_ns = 0;  ///< its part of the row's time
  bool whole = true;   ///< the op ran nothing else, so that its FLOPs and bytes are the row's
};

/// All that ran under one name.
struct KernelRow {
  std::string
      name;  ///< a kernel's short name, a copy's or memset's name; of ops that the processor computed: their kernel
  double calls = 0, time_ns = 0;  ///< of a step (of_a_step())
  bool communication = false;     ///< it carries data between GPUs
  std::vector<KernelPart> parts;  ///< ascending by op; what belongs to no op is in the row's time and in no part
};

/// Rows in order of first appearance, each activity in exactly one; empty: the capture has no GPU kernels.
std::vector<KernelRow> kernel_rows(const Capture&);

}  // namespace profiler
