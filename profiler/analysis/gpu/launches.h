// SPDX-License-Identifier: Apache-2.0
// What one op launched on a GPU: kernels with their grids, blocks, threads.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// All launches of one kernel by one op with one grid and block, in the whole capture.
struct LaunchRow {
  OpId op = kNoOp;  ///< kNoOp: of no op
  NameId kernel = 0;
  std::array<int32_t, 3> grid{-1, -1, -1}, block{-1, -1, -1};  ///< -1: the trace does not say
  int64_t launches = 0;
  double total_ns = 0;
  /// Blocks of one launch, and threads of all its blocks; NaN: unknown.
  double blocks() const;
  double threads() const;
};

/// By op, then in the order of the first launch. The launches add up to all kernels of the capture.
std::vector<LaunchRow> launch_rows(const Capture&);
/// Those of one op alone.
std::vector<LaunchRow> launch_rows(const Capture&, OpId op);
/// "12 x 4 x 1"; empty: unknown.
std::string extent_words(const std::array<int32_t, 3>& extent);

Table launches_table(const Capture&);
std::vector<std::string> launches_sentences(const Capture&);

}  // namespace profiler
