// SPDX-License-Identifier: Apache-2.0
// CacheSimulator: feeds descriptions of accesses through a hierarchy of caches and counts, exactly, what every level
// sees.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "engine/kernels/core/access.h"
#include "profiler/memory/cache_state.h"
#include "profiler/memory/lookup_count.h"

namespace profiler {

/// Counts of one stretch of accesses, all tensors.
struct CacheEpoch {
  std::string name;                               ///< "cold" "steady"
  std::vector<std::vector<CacheCounts>> levels;   ///< [level][tensor]
  std::vector<MemoryCounts> memory;               ///< [tensor]
  std::vector<std::vector<uint64_t>> set_misses;  ///< [level][set] load and store misses
  uint64_t refs = 0;                              ///< accesses described
  /// 1 / share of the sets that were simulated: counts are multiplied by it already, but for the first level's loads
  /// and stores, see set_lookups(). 1: all of them, and the counts are exact.
  int sampled = 1;
  CacheSlices simulated = {};  ///< sampled: these sets
  /// [level] sampled: by how many the load and store misses may be off: twice the standard error, see sampling_error();
  /// NaN: unknown, as where !known(). Empty: nothing, they are exact.
  std::vector<double> miss_errors = {};
  /// [tensor] sampled: loads and stores of the first level in the simulated sets, multiplied like its misses, which are
  /// theirs; set_lookups() keeps them. Empty: all that there were.
  std::vector<uint64_t> sampled_lookups = {};

  CacheCounts total(size_t level) const;
  MemoryCounts total_memory() const;
  /// False: no access fell into a simulated set. Then only the first level's loads and stores are known; the other
  /// counts (0) are not.
  bool known() const;
  bool known(size_t tensor) const;
  /// Misses per load and store of the level, both of the same sets; NaN: there were none, or !known().
  double miss_ratio(size_t level) const;
  double miss_ratio(size_t level, size_t tensor) const;
  /// Misses of the level per load and store of the first; NaN as above.
  double global_miss_ratio(size_t level) const;
};

/// Something by slice; what CacheSlices::picked has bits for.
using SliceCounts = std::array<uint64_t, 64>;
SliceCounts by_slice(const std::vector<uint64_t>& by_set, const CacheSlices&);

/// What becomes of one address space, line by line, from empty caches on.
///
/// Rules: the first level is asked per line an access touches (an access across a line boundary is two). A miss fetches
/// the line from the next level, then hands the displaced line down. Dirty ones go down as write-backs, which allocate
/// without a fetch; into victim levels clean ones, too. Stores allocate (config) and mark dirty. A line that an
/// inclusive level evicts leaves the levels above, with its dirty bytes, so that it is written once. Above an inclusive
/// level a line is displaced only when the new one has come. Levels prefetch after the access, when all have answered
/// it. So the levels above an inclusive one hold nothing that it does not, but for whole lines stored without a fetch
/// (CacheRules::full_line_store_fetches).
class CacheSimulator : public engine::AccessSink {
 public:
  /// Addresses must lie below this.
  static uint64_t address_limit(const CacheConfig& config) {
    return (uint64_t{1} << 31) * static_cast<uint64_t>(config.line_bytes()) - 65536;
  }

  struct Options {
    uint32_t tensors = 1;                  ///< streams name tensors below this
    std::vector<TensorRange> ranges = {};  ///< whom write-backs are charged to; elsewhere: tensor 0
    CacheSlices slices = {};               ///< default: all sets
    /// Stack distances of all accesses, for miss-ratio curves and the class of each miss. Compulsory; capacity (a fully
    /// associative LRU cache of the level's size misses, too); or conflict. Several times slower; not with slices.
    bool classify = false;
  };

  /// CHECKs the configuration: see check().
  CacheSimulator(const CacheConfig&, Options);

  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    run_.group(state_, iterations, streams);
  }
  void nest(int64_t outer, int64_t inner, std::span<const engine::NestedGroup> groups) override {
    if (!run_.nest(state_, outer, inner, groups)) AccessSink::nest(outer, inner, groups);
  }

  /// The counts since the last call; they restart at 0, and the caches keep their lines.
  CacheEpoch take_epoch(std::string name);
  /// The same without what concerns single sets, whose misses go on to be summed: for many short stretches.
  CacheEpoch take_counts();
  /// From now on write-backs are charged to these tensors.
  void set_ranges(std::vector<TensorRange> ranges);
  /// Writes every dirty line to memory, as at the end of a program; the lines stay.
  void flush();
  /// Dirty lines among those of `bytes` at `address` (0 bytes: of all) are written to memory, and stay, clean.
  void copy_back(uint64_t address, uint64_t bytes);
  /// These lines leave every level; what was dirty is lost. Not while misses are classified: to stack distances they
  /// would still be there.
  void invalidate(uint64_t address, uint64_t bytes);
  /// Numbers (address / bytes of a line) of the lines that a level holds, ascending.
  std::vector<uint32_t> lines(size_t level) const;
  /// nullptr unless Options::classify.
  const StackDistance* distances() const { return state_.distances.get(); }
  const CacheConfig& config() const { return config_; }
  /// Load and store misses of a level by slice, since take_epoch().
  SliceCounts slice_misses(size_t level) const { return by_slice(state_.levels[level].set_misses, state_.slices); }
  const CacheSlices& slices() const { return state_.slices; }

 private:
  /// Lines of those bytes (0: all) that some level holds, each once.
  std::vector<uint32_t> held(uint64_t address, uint64_t bytes) const;

  CacheConfig config_;
  cache_detail::CacheState state_;
  cache_detail::Runners run_;
};

/// How the sets of a hierarchy fall into slices that share nothing. 1: they do not (prefetchers, hashed sets, set
/// counts that are no power of two).
int most_slices(const CacheConfig&);
/// Slices of `count` (a power of two, at most most_slices()), none picked.
CacheSlices slices_of(const CacheConfig&, int count);

/// Slices of the hierarchy for sampling, one of `sample`, in one part per thread. They are spread so that strides meet
/// them evenly. Fails (usage) where the hierarchy cannot be cut so. The slices picked depend on the sample alone.
engine::Result<std::vector<CacheSlices>> parts_of(const CacheConfig&, int threads, int sample);
/// Multiplies all counts of tensors, counted on these parts, one of `sample` slices; and finds their errors.
void scale_counts(CacheEpoch&, const std::vector<CacheSlices>& parts, int sample);
/// Loads and stores of the first level, [tensor], for those scaled from a sample, which become sampled_lookups: they
/// are known exactly. Where it turns out that no set of the sample was met, the errors are unknown.
void set_lookups(CacheEpoch&, const std::vector<LookupCount::Counts>&);
/// Recomputes miss_errors from set_misses, sampled and simulated; NaN where !known().
void find_sampling_errors(CacheEpoch&);
/// "± 1.5 %"; "unknown" where the error is as large as the figure, or NaN.
std::string error_text(double part);
/// "L1 ± 0.2 %, L2 ± 1.5 %": of the misses; empty where they are exact.
std::string sampling_text(const CacheEpoch&, const CacheConfig&);

/// By how much `sample` times the sum over the picked slices may be off, as twice the standard error. Systematic
/// sampling with unlike neighbours: successive differences (Wolter, Introduction to Variance Estimation, 8.2). Picked
/// slices may be alike where others differ, so the error of lines that fall on slices by chance is added. At least
/// three lines in the sample. NaN: unknown.
double sampling_error(const SliceCounts&, uint64_t picked, int sample);

struct SimulationRequest {
  uint32_t tensors = 1;
  std::vector<TensorRange> ranges = {};
  int threads = 1;  ///< the slices are shared out to them; the counts do not depend on it
  int sample =
      1;  ///< a power of two: simulate one of each `sample` neighbouring slices of the sets, at changing places
  bool classify = false;  ///< one thread, all sets
};

/// Runs `describe(sink, epoch)` for each epoch in order on caches that keep their contents, once per thread. With
/// sampled sets it runs once more, as the first level's loads and stores are exact. Every run must describe the same
/// accesses. Fails (usage) where the hierarchy cannot be cut as asked.
engine::Result<std::vector<CacheEpoch>> simulate(const CacheConfig&, const SimulationRequest&,
                                                 const std::vector<std::string>& epochs,
                                                 const std::function<void(engine::AccessSink&, size_t epoch)>& describe,
                                                 std::unique_ptr<StackDistance>* distances = nullptr);

}  // namespace profiler
