// SPDX-License-Identifier: Apache-2.0
// LookupCount: lines that a program's accesses ask the first level for, counted without a cache. Where sets are sampled
// these are exact all the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/core/access.h"

namespace profiler {

/// Lines of `line_bytes` (a power of two) that `iterations` accesses of a stream touch, one count per access and line.
uint64_t lines_asked(const engine::AccessStream&, int64_t iterations, int line_bytes);

class LookupCount : public engine::AccessSink {
 public:
  struct Counts {
    uint64_t loads = 0, stores = 0;  ///< as CacheCounts of the first level: stores past the caches ask for nothing
  };

  /// Streams name tensors below `tensors`.
  LookupCount(int line_bytes, uint32_t tensors) : line_bytes_(line_bytes), counts_(tensors) {}
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override;
  void nest(int64_t outer, int64_t inner, std::span<const engine::NestedGroup> groups) override;
  /// [tensor] since the last call.
  std::vector<Counts> take();

 private:
  void add(const engine::AccessStream&, uint64_t lines);

  int line_bytes_;
  std::vector<Counts> counts_;
};

}  // namespace profiler
