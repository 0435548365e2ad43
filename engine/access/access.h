// SPDX-License-Identifier: Apache-2.0
// Access descriptions: which bytes a piece of code touches, in which order, as groups of streams that advance in lockstep.
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
  int64_t stride = 0;    ///< bytes from one iteration to the next; 0 and negative ones too
  uint32_t tensor = 0;   ///< whom the accesses are charged to: an index that the listener gave out
  uint16_t bytes = 4;    ///< of one access: an element, or a vector register
  AccessKind kind = AccessKind::load;
};

/// Hears what a description says. In each of `iterations` iterations the streams access once each, in their order.
class AccessSink {
 public:
  virtual ~AccessSink() = default;
  virtual void group(int64_t iterations, std::span<const AccessStream> streams) = 0;
  /// Nobody wants more: a description may end early, with what it has given by then.
  virtual bool stopped() const { return false; }

  void group(int64_t iterations, std::initializer_list<AccessStream> streams) {
    group(iterations, std::span(streams.begin(), streams.size()));
  }
};

}  // namespace engine
