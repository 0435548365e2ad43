// SPDX-License-Identifier: Apache-2.0
// Which ops of a step a figure is for.
#pragma once

#include <optional>
#include <string>

#include "profiler/capture/capture.h"

namespace profiler {

/// Which ops a figure is for: all, one phase, one layer (and what is inside it), or one op.
struct Scope {
  std::optional<OpId> op;
  std::optional<std::string> layer;
  bool all() const { return !op && !layer; }
};

}  // namespace profiler
