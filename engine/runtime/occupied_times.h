// SPDX-License-Identifier: Apache-2.0
// OccupiedTimes: which bytes of an arena are taken during which ops, answered fast for graphs of any length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/wide.h"

namespace engine {

/// A segment tree over the ops. Each tree node knows two unions of byte stretches: of blocks alive during all of its
/// ops, and of blocks alive during any. A query reads O(log ops) unions; they stay short because neighbouring stretches
/// merge.
class OccupiedTimes {
 public:
  struct Stretch {
    Wide begin, end;
  };
  explicit OccupiedTimes(size_t ops);

  /// Bytes [begin, end) are taken from op `first` to op `last`, both included.
  void add(uint32_t first, uint32_t last, Stretch bytes);
  /// Everything taken at any time between these ops: disjoint stretches by offset. Valid until the next call.
  std::span<const Stretch> during(uint32_t first, uint32_t last);

 private:
  struct Node {
    std::vector<Stretch> whole, some;
  };
  template <class Visit>
  void for_cover(uint32_t first, uint32_t last, Visit visit);
  template <class Visit>
  void for_paths(uint32_t first, uint32_t last, Visit visit);

  size_t leaves_ = 1;  ///< a power of two; node 1 is the root, 2i and 2i + 1 are the halves of i
  std::vector<Node> nodes_;
  std::vector<Stretch> found_;
};

}  // namespace engine
