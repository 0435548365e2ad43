// SPDX-License-Identifier: Apache-2.0
// StackDistance: exact LRU stack distances of a stream of lines, and from them the misses of every cache size at once.
#pragma once

#include <cstdint>
#include <vector>

namespace profiler {

/// The distance of an access is the number of distinct other lines touched since the last access to its line. A fully
/// associative LRU cache of c lines hits exactly where it is below c (Mattson et al. 1970). Kept as a Fenwick tree over
/// time that is compacted when it is full (Bennett and Kruskal 1975). Memory: 20 bytes per distinct line, at least.
class StackDistance {
 public:
  static constexpr uint64_t kFirstUse = UINT64_MAX;

  /// `uses`: last uses for which there is room at first; it grows by itself.
  explicit StackDistance(uint32_t uses = 1u << 16);
  /// One access to a line below 2^31; its distance, kFirstUse for the first.
  uint64_t touch(uint32_t line) {
    ++accesses_;
    if (line == last_line_) {
      ++histogram_[0];
      return 0;
    }
    return touch_other(line);
  }
  /// More accesses to lines that were all touched since: `count` of them at this distance, which changes no order.
  void repeat(uint64_t distance, uint64_t count) {
    accesses_ += count;
    histogram_[distance] += count;
  }

  /// As if the line had never been touched: it lies between no two accesses any more, and its next one is its first.
  void forget(uint32_t line);

  uint64_t accesses() const { return accesses_; }
  uint64_t first_uses() const { return first_uses_; }
  /// Distinct lines so far, without those forgotten.
  uint64_t lines() const { return live_; }
  /// Misses of a fully associative LRU cache of this many lines, first uses included.
  uint64_t misses(uint64_t cache_lines) const;
  /// histogram()[d]: accesses at distance d.
  const std::vector<uint64_t>& histogram() const { return histogram_; }
  /// Counts restart at 0; touched lines stay touched.
  void reset_counts();

 private:
  uint64_t touch_other(uint32_t line);
  void compact();
  void add(uint32_t time, uint32_t difference);
  uint32_t older(uint32_t time) const;
  uint32_t& last_use(uint32_t line);

  static constexpr int kPageBits = 12;
  std::vector<std::vector<uint32_t>> pages_;  // line -> time of its last use; 0: never
  std::vector<uint32_t> tree_, line_at_;
  std::vector<uint64_t> histogram_;
  uint32_t now_ = 0, last_line_ = UINT32_MAX;
  uint64_t live_ = 0, accesses_ = 0, first_uses_ = 0;
};

}  // namespace profiler
