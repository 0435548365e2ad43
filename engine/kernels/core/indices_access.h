// SPDX-License-Identifier: Apache-2.0
// What descriptions take for indices, which nobody knows before the run.
#pragma once

#include <cstdint>

namespace engine::access {

/// Index number `i` of an axis of `extent` elements: always the same, and all elements alike often.
constexpr int64_t evenly_spread(int64_t i, int64_t extent) {
  uint64_t x = (static_cast<uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;  // splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<int64_t>(((x ^ (x >> 31)) >> 1) % static_cast<uint64_t>(extent));
}

}  // namespace engine::access
