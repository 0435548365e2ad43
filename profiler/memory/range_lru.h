// SPDX-License-Identifier: Apache-2.0
// RangeLru: an LRU stack over byte blocks that answers for several capacities at once how much of a
// sweep hits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace profiler {

inline constexpr size_t kMaxCacheLevels = 6;

/// One block an op touches in a sweep. `begin`, `end`: when, as parts of the sweep (operands are
/// walked in lockstep).
struct Touch {
  uint32_t block = 0;
  uint32_t operand = 0;  ///< who is charged
  double bytes = 0;
  double begin = 0, end = 1;
  bool write = false;
  bool past_caches = false;  ///< non-temporal store: fetches nothing, crosses every level at once,
                             ///< leaves nothing behind
};

/// What became of one touched block (touches of the same block in one sweep are one: the first is
/// charged with the fill).
struct Outcome {
  uint32_t operand = 0;
  double bytes = 0;
  bool store_only = false;  ///< no operand of the sweep reads the block: its fill is a write-allocate
  std::array<double, kMaxCacheLevels> missed{};  ///< bytes that had to come from outside, per capacity
  double distance_low = 0,
         distance_high = 0;  ///< distinct bytes since the last use; infinity: first use
};

/// Dirty bytes that left a cache since the block's last use, or were stored past it, charged to who
/// wrote them.
struct WriteBack {
  uint32_t operand = 0;
  uint32_t level = 0;
  double bytes = 0;
};

/// Fully associative LRU over byte blocks. A sweep walks all its touches in lockstep from 0 to 1. The distinct bytes
/// between two uses then change linearly along a block. The part of it that hits is exact for a fully associative LRU
/// cache. Touching a part of a block counts as touching any part of it. Below half of its earlier touch, the rest keeps
/// its age: writing a line into a long cache of keys does not refresh that cache.
class RangeLru {
 public:
  /// `capacities` [bytes], at most kMaxCacheLevels; `sweeps`: how many will be walked.
  RangeLru(std::vector<double> capacities, size_t blocks, size_t sweeps);

  /// Walks one sweep. The answer is valid until the next call. `capacities`: of the caches of those who walk this one,
  /// as many as there are; empty: those of the constructor.
  void sweep(std::span<const Touch> touches, std::span<const double> capacities = {});
  std::span<const Outcome> outcomes() const { return outcomes_; }
  std::span<const WriteBack> write_backs() const { return write_backs_; }

 private:
  struct Block {
    int64_t last = -1;  // sweep of the last use; -1: never
    double bytes = 0;
    double begin = 0, end = 1;
    std::array<double, kMaxCacheLevels> dirty{};  // bytes newer than outside, per capacity
    uint32_t writer = 0;
  };
  struct Merged {
    Touch touch;
    bool read = false;
    uint32_t writer = 0;
  };
  void merge(std::span<const Touch> touches);
  void settle(const Merged& merged, double distance_begin, double distance_end, std::span<const double> capacities);
  void store_past(const Merged& merged);
  double bytes_between(int64_t after, int64_t before) const;
  void add_at(int64_t time, double bytes);

  std::vector<double> capacities_;
  std::vector<Block> blocks_;
  std::vector<double> at_, tree_;  // bytes whose last use is sweep i, and their Fenwick sums
  std::vector<Merged> merged_;
  std::vector<uint32_t> slot_;  // block -> index in merged_ + 1, valid when stamp_ matches
  std::vector<int64_t> stamp_;
  std::vector<Outcome> outcomes_;
  std::vector<WriteBack> write_backs_;
  int64_t now_ = 0;
};

}  // namespace profiler
