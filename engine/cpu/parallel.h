// SPDX-License-Identifier: Apache-2.0
// Splits loops over the one thread pool of the process.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/thread_team.h"

namespace engine::cpu {

/// Elements of a streaming loop, and multiply-adds of a matrix product, below which a fork costs
/// more than it gains (measured: a team of two costs 0.7 us).
inline constexpr int64_t kStreamingGrain = 16 * 1024;
inline constexpr int64_t kMultiplyAddGrain = 200'000;

/// Calls body(begin, end) for consecutive parts of [0, count), each a multiple of `multiple` long
/// but the last, on up to `threads` threads. `work` decides whether a fork pays; the test stands
/// before anything of the pool.
template <class Body>
void parallel_parts(int threads, int64_t count, int64_t multiple, int64_t work, const Body& body) {
  if (threads <= 1 || count <= multiple || work < kStreamingGrain) {
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
