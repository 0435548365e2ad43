// SPDX-License-Identifier: Apache-2.0
// Access descriptions: which bytes a piece of code touches, in which order, as groups of streams that advance in
// lockstep.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

namespace engine {

enum class AccessKind : uint8_t {
  load,
  store,
  store_past_caches,  ///< non-temporal: goes to memory, leaves nothing in any cache
};

/// Accesses of `bytes` bytes at address, address + stride, address + 2 stride, ...
struct AccessStream {
  uint64_t address = 0;
  int64_t stride = 0;   ///< bytes from one iteration to the next; 0 and negative ones too
  uint32_t tensor = 0;  ///< whom the accesses are charged to: an index that the listener gave out
  uint16_t bytes = 4;   ///< of one access: an element, or a vector register
  AccessKind kind = AccessKind::load;
};

/// A stream of a group that two loops repeat, one inside the other.
struct NestedStream {
  AccessStream stream;  ///< in the first round of both loops
  int64_t inner = 0;    ///< bytes from one round of the inner loop to the next; 0 and negative ones too
  int64_t outer = 0;    ///< the same of the outer loop
};

struct NestedGroup {
  int64_t iterations = 0;
  std::span<const NestedStream> streams;
};

/// Accesses in one round of the inner loop.
inline uint64_t accesses_of(std::span<const NestedGroup> groups) {
  uint64_t sum = 0;
  for (const NestedGroup& g : groups)
    sum += g.iterations > 0 ? static_cast<uint64_t>(g.iterations) * g.streams.size() : 0;
  return sum;
}

/// Hears what a description says. In each of `iterations` iterations the streams access once each, in their order.
class AccessSink {
 public:
  virtual ~AccessSink() = default;
  virtual void group(int64_t iterations, std::span<const AccessStream> streams) = 0;
  /// All groups in their order, `inner` times, and that `outer` times: a tile said at once. By default group by group.
  virtual void nest(int64_t outer, int64_t inner, std::span<const NestedGroup> groups);
  /// Nobody wants more: a description may end early, with what it has given by then.
  virtual bool stopped() const { return false; }

  void group(int64_t iterations, std::initializer_list<AccessStream> streams) {
    group(iterations, std::span(streams.begin(), streams.size()));
  }
};

}  // namespace engine
