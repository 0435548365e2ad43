// SPDX-License-Identifier: Apache-2.0
// Splits loops over the one thread pool of the process.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/contention.h"
#include "engine/base/thread_team.h"

namespace engine::cpu {

/// Elements of a streaming loop, and multiply-adds of a matrix product, below which a fork costs
/// more than it gains where a hand-over costs kHandOverAwakeNs (measured); where it costs more, so many times more.
inline constexpr int64_t kStreamingGrain = 16 * 1024;
inline constexpr int64_t kMultiplyAddGrain = 200'000;

/// So many multiply-adds as work of a streaming loop.
inline int64_t streaming_work(double multiply_adds) {
  return static_cast<int64_t>(std::min(multiply_adds / kMultiplyAddGrain * kStreamingGrain, 1e18));
}

/// Whether a fork gains on `work`. Beside other programs threads must be woken for each team: many short ones in a row
/// would wait for that most of their time.
inline bool team_pays(int threads, int64_t work) {
  constexpr int64_t kDearest = kHandOverAsleepNs / kHandOverAwakeNs + 1;
  if (threads <= 1 || work < kStreamingGrain) return false;
  return work >= kStreamingGrain * kDearest || work >= kStreamingGrain * hand_over_ns(threads) / kHandOverAwakeNs;
}

/// Calls body(begin, end) for consecutive parts of [0, count), each a multiple of `multiple` long
/// but the last, on up to `threads` threads. `work`, in elements of a streaming loop, decides whether a fork pays; the
/// test stands before anything of the pool.
template <class Body>
void parallel_parts(int threads, int64_t count, int64_t multiple, int64_t work, const Body& body) {
  if (count <= multiple || !team_pays(threads, work)) {
    body(int64_t{0}, count);
    return;
  }
  const int64_t units = (count + multiple - 1) / multiple;
  run_team(threads, [&](int64_t me, int64_t team) {
    const int64_t begin = std::min(count, units * me / team * multiple);
    const int64_t end = std::min(count, units * (me + 1) / team * multiple);
    if (begin < end) body(begin, end);
  });
}

/// Calls body(i) for i in [0, count), split evenly; see parallel_parts.
template <class Body>
void parallel_for(int threads, int64_t count, int64_t work, const Body& body) {
  parallel_parts(threads, count, 1, work, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace engine::cpu
