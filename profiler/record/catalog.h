// SPDX-License-Identifier: Apache-2.0
// The collectors: every source of figures, whether it works on this machine, and if not why and what would help.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/gpu/tracer.h"

namespace profiler {

/// Whether a source works here. When it does not: one sentence why, and one command (or action) that helps.
struct Availability {
  bool available = false;
  std::string why;     ///< also set when available: what was found
  std::string remedy;  ///< empty when nothing is to be done
};

/// Walks from the run-time module to the GPU and its counters; asked only by sources that need one. Empty: this program has none.
using GpuChain = std::function<std::vector<ChainLink>()>;

struct CollectorEntry {
  std::string_view name;   ///< as in --collect: "ops"
  std::string_view title;  ///< "Ops on the host"
  Availability (*check)(const GpuChain&);
};

/// All sources, one line each in catalog.cpp; `doctor` and --collect are made from it.
std::span<const CollectorEntry> collectors();

}  // namespace profiler
