// SPDX-License-Identifier: Apache-2.0
// How many threads a piece of work was shared among: seen, not asked of the kernels, so that it holds for libraries too.
#pragma once

namespace engine::cpu {

namespace internal {
extern thread_local constinit int largest_team;
}

/// From here on largest_team() is of what the calling thread starts.
inline void forget_teams() { internal::largest_team = 1; }

/// The most threads of any parallel region that the calling thread has started since forget_teams(), ours and oneDNN's alike; 1: it
/// started none. Regions inside regions are not counted. 0: that cannot be seen (a
/// compiler whose OpenMP is not libgomp's, or a program that loads libgomp before the engine).
int largest_team();

}  // namespace engine::cpu
