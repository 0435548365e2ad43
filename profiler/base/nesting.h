// SPDX-License-Identifier: Apache-2.0
// Which span of a thread holds another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace profiler {

/// Whether a span of a thread that is open until `outer_end_ns` holds one of [`start_ns`, `end_ns`], which began later.
/// Clocks are rounded, to whole microseconds in many traces: the inner one may end a little later, a neighbour may
/// begin a little early. So the larger part of it must lie inside.
constexpr bool holds(int64_t outer_end_ns, int64_t start_ns, int64_t end_ns) {
  return outer_end_ns >= end_ns || outer_end_ns - start_ns > end_ns - outer_end_ns;
}

/// The innermost of a thread's open spans, outer ones first, that holds [`start_ns`, `end_ns`]; null: none. Spans that
/// only cross it do not hold it. `stop_ns`: the member of Open that says when it ends. The innermost thousand are
/// asked: few cross each other in earnest.
template <class Open>
const Open* innermost_holding(const std::vector<Open>& open, int64_t Open::*stop_ns, int64_t start_ns, int64_t end_ns) {
  constexpr size_t kMost = 1000;
  for (size_t i = open.size(); i-- > (open.size() > kMost ? open.size() - kMost : 0);) {
    if (holds(open[i].*stop_ns, start_ns, end_ns)) return &open[i];
  }
  return nullptr;
}

}  // namespace profiler
