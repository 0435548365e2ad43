// SPDX-License-Identifier: Apache-2.0
// SampledDistance: the misses of every cache size at once, from a sample of the lines. For runs whose exact stack
// distances would take too much time or memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/core/access.h"
#include "profiler/memory/stack_distance.h"

namespace profiler {

/// SHARDS. Source: Waldspurger, Park, Garthwaite, Ahmad: Efficient MRC Construction with SHARDS, FAST '15. Lines are
/// picked by a hash of their number. All accesses to a picked line are followed and no others. A distance of d picked
/// lines represents d / rate lines. Two departures serve arrays, which the paper's disks do not hold. First, numbers
/// are cut into cells of 1 / rate lines. The cell's hash picks one line, so that every stretch of lines is sampled
/// evenly. Second, accesses that a group of streams repeats on the same lines count at their true distance. Memory is
/// bounded by the paper's fixed-size variant. Above `most_lines` followed lines the rate is halved and every second
/// cell is dropped; each access counts 1 / its rate. As in SHARDS-adj, a surplus or lack of sampled accesses is
/// corrected at distance 0, that of the hottest lines.
class SampledDistance : public engine::AccessSink {
 public:
  struct Options {
    double rate = 1;          ///< share of the lines followed, above 0 up to 1; with most_lines at first
    uint64_t most_lines = 0;  ///< followed at a time; 0: any number
    int line_bytes = 64;      ///< a power of two
  };
  explicit SampledDistance(const Options&);

  using engine::AccessSink::group;
  /// Loads and stores, each once for every line it lies on; non-temporal stores do not count. Addresses as
  /// CacheSimulator takes them.
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override;

  /// Accesses, of all lines.
  uint64_t accesses() const { return accesses_; }
  /// Share of the lines followed by now.
  double rate() const { return rate_; }
  /// Lines followed by now.
  uint64_t sampled_lines() const { return whole_.kept.lines(); }
  /// Distinct lines, estimated.
  uint64_t lines() const;
  /// Misses of a fully associative LRU cache of this many lines, first uses included, estimated. A larger cache never
  /// has more.
  double misses(uint64_t cache_lines) const { return misses_of(whole_, cache_lines); }
  /// First uses, estimated.
  double first_uses() const { return misses(UINT64_MAX); }
  /// Error of misses() / accesses(): twice the root of the sum of two squared standard errors. The first, of the number
  /// of misses, follows from the differences between kParts parts of the sample, each with its curve. Source: Wolter,
  /// Introduction to Variance Estimation, 2.2. It is at least the effect of one followed line more. The second is of
  /// their place. A distance of D lines is counted in about D * rate followed ones. The curve may shift by sqrt(D (1 -
  /// rate) / rate). 0 where all lines are followed, NaN without accesses.
  double miss_ratio_error(uint64_t cache_lines) const;

  static constexpr size_t kParts = 8;

 private:
  /// Accesses of all lines by distance, as estimated: every distance by itself up to a limit, then a fixed number of
  /// steps per doubling.
  class Histogram {
   public:
    void add(uint64_t distance, double accesses);
    double below(double distance) const;  // accesses

   private:
    std::vector<double> accesses_;
  };
  /// Distances between followed lines, and what they stand for.
  struct Curve {
    StackDistance kept;
    Histogram known, scaled;  // by whether the distance was known
    double met = 0;           // accesses of both, and first uses
    explicit Curve(uint32_t uses) : kept(uses) {}
  };
  /// Which line a place of `kept` stands for.
  class Places {
   public:
    Places();
    uint32_t of(uint32_t line);
    template <class Goes>
    void drop(const Goes& goes);  // calls goes(line, place)
    uint64_t size() const { return size_; }

   private:
    struct Slot {
      uint32_t line, place;
    };
    size_t at(uint32_t line) const;
    void grow();
    std::vector<Slot> slots_;
    std::vector<uint32_t> free_;
    uint32_t next_ = 0;
    uint64_t size_ = 0;
  };

  bool picked(uint32_t line) const;
  bool survives(uint32_t cell) const;
  void follow(uint32_t line, uint64_t true_distance);
  Curve& part_of(uint32_t line);
  void count_known(uint32_t line, uint64_t distance, double times);
  void halve();
  void each(int64_t iterations, std::span<const engine::AccessStream> streams);
  void by_lines(int64_t iterations, std::span<const engine::AccessStream> streams);
  struct Lockstep;
  void one_iteration(Lockstep&, int64_t ahead, bool first);
  void repeat(const Lockstep&, int64_t times);
  int64_t next_picked(const Lockstep&, int64_t from, int64_t to) const;
  double misses_of(const Curve&, uint64_t cache_lines) const;

  int shift_;
  uint64_t cell_step_;  // rate at first * 2^32
  uint64_t most_lines_, accesses_ = 0;
  double rate_;
  bool all_;  // lines are followed, and always will be: whole_.kept knows everything
  uint32_t halvings_ = 0;
  Places places_;
  Curve whole_;
  std::vector<Curve> parts_;
};

}  // namespace profiler
