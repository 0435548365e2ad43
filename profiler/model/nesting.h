// SPDX-License-Identifier: Apache-2.0
// Which span of a thread holds another.
#pragma once

#include <cstddef>
#include <cstdint>

namespace profiler {

/// Whether a span of a thread that is open until `outer_end_ns` holds one of [`start_ns`, `end_ns`], which began later. Clocks are
/// rounded, to whole microseconds in many traces: the inner one may end a little later, a neighbour may begin a little early. So the larger
/// part of it must lie inside.
constexpr bool holds(int64_t outer_end_ns, int64_t start_ns, int64_t end_ns) { return outer_end_ns >= end_ns || outer_end_ns - start_ns > end_ns - outer_end_ns; }

/// Of spans that are open on a thread, at most so many are asked whether they hold one: few cross each other in earnest.
inline constexpr size_t kMostCrossing = 1000;

}  // namespace profiler
