// SPDX-License-Identifier: Apache-2.0
// Lines of the playground as a static graph: all of them are built first, with shapes alone, and run then.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace app {

struct StaticValue {
  std::string name, type, values;  ///< "z", "f32[2, 3]", "1, 2, ..."
};

struct StaticOutcome {
  size_t lines = 0;         ///< that were built
  size_t refused_line = 0;  ///< counted from 1; 0: none was
  std::string refusal;      ///< why; nothing has run then
  bool understood = true;   ///< false: the refused line is none that a static graph takes
  size_t ops = 0;
  int64_t memory_bytes = 0;         ///< planned ahead
  std::vector<StaticValue> values;  ///< after the one step, in the order of the names' first use
};

/// Lines such as x = ones(2x3), z = x @ y, z = x.relu(): tensors on cpu, one assignment each; # begins a comment. What
/// depends on data (while), overwrites or names a device is refused: a static graph is built before there are data.
/// Fails where the step cannot be planned.
engine::Result<StaticOutcome> run_as_static_graph(const std::vector<std::string>& lines);

}  // namespace app
