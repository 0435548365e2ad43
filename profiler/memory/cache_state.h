// SPDX-License-Identifier: Apache-2.0
// CacheState: all a simulation knows at one moment: the lines of every set, what the policies remember, the counts so
// far.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/kernels/core/access.h"
#include "profiler/memory/cache_config.h"
#include "profiler/memory/fifo_lines.h"
#include "profiler/memory/stack_distance.h"
#include "profiler/memory/stride_detector.h"

namespace profiler {

/// Events at one level, charged to one tensor. Loads and stores are demand: what reaches the level because of an access
/// of the program. Prefetched lines are counted separately, at the level that prefetches and at every level below.
struct CacheCounts {
  uint64_t loads = 0, load_misses = 0;
  /// First level: stores of the program. Further levels: lines fetched because of a store (write-allocate), stores
  /// written through.
  uint64_t stores = 0, store_misses = 0;
  uint64_t write_backs = 0, write_back_misses = 0;  ///< lines that arrive from the level above, evicted there
  /// Lines fetched for those of write_back_misses: CacheRules::fetch_on_write_back, or part of a line came to a level
  /// without sectors.
  uint64_t write_back_fetches = 0;
  uint64_t prefetches = 0;                              ///< lines this level asked for ahead of use
  uint64_t prefetch_requests = 0, prefetch_misses = 0;  ///< lines a level above asks this one for, ahead of use
  /// Store misses that fetch nothing: passed on (no write-allocate), or of whole lines
  /// (CacheRules::full_line_store_fetches).
  uint64_t unfetched_store_misses = 0;
  /// Of levels with sectors. Those of the load and store misses whose line was there; sectors fetched for load and
  /// store misses.
  uint64_t sector_misses = 0, fetched_sectors = 0;
  /// Load and store misses by cause; all 0 unless the simulation classifies.
  uint64_t compulsory = 0, capacity = 0, conflict = 0;
  /// Load and store misses that are the third or a later one of a run at a constant distance. A stride prefetcher could
  /// have fetched them. 0 unless the simulation classifies.
  uint64_t prefetchable = 0;

  uint64_t accesses() const { return loads + stores; }
  uint64_t misses() const { return load_misses + store_misses; }
  /// Lines this level had from the next one or from memory: for itself, or as a victim cache for the level above.
  uint64_t fetched_lines() const {
    return misses() - unfetched_store_misses + write_back_fetches + prefetches + prefetch_misses;
  }
  /// The same in bytes; of a level with sectors those that came.
  uint64_t fetched_bytes(const CacheLevelConfig& level) const {
    return level.sector_bytes != 0 ? fetched_sectors * static_cast<uint64_t>(level.sector_bytes)
                                   : fetched_lines() * static_cast<uint64_t>(level.line_bytes);
  }
  CacheCounts& operator+=(const CacheCounts&);
  friend bool operator==(const CacheCounts&, const CacheCounts&) = default;
};

/// Bytes at the outer end, charged to one tensor.
struct MemoryCounts {
  uint64_t load_bytes = 0;            ///< lines fetched for loads
  uint64_t write_allocate_bytes = 0;  ///< lines fetched because of a store
  uint64_t prefetch_bytes = 0;
  uint64_t written_bytes = 0;      ///< lines written back, bytes written through
  uint64_t past_caches_bytes = 0;  ///< non-temporal stores
  uint64_t read_bytes() const { return load_bytes + write_allocate_bytes + prefetch_bytes; }
  uint64_t all_written_bytes() const { return written_bytes + past_caches_bytes; }
  MemoryCounts& operator+=(const MemoryCounts&);
  friend bool operator==(const MemoryCounts&, const MemoryCounts&) = default;
};

/// Which tensor owns a range of addresses.
struct TensorRange {
  uint64_t begin = 0, end = 0;
  uint32_t tensor = 0;
};

/// Part of the sets: those whose slice number, (line >> shift) & mask, is in `picked`. Slices share nothing.
struct CacheSlices {
  int shift = 0;
  uint32_t mask = 0;
  uint64_t picked = 1;
  bool has(uint32_t line) const { return mask == 0 || ((picked >> ((line >> shift) & mask)) & 1) != 0; }
};

namespace cache_detail {

/// Lines are numbered by 31 bits; a key is the line and, in bit 0, whether it is dirty.
inline constexpr uint32_t kNoKey = 0xfffffffeu;

struct FreeAligned {
  void operator()(void* p) const { std::free(p); }
};

/// What a level holds of a line, a bit per sector.
struct SectorBits {
  uint64_t valid = 0, dirty = 0;
};

/// The sectors of all lines that a level holds. A line keeps its place while it stays, even if its key moves within the
/// set. The next line takes the place of the one it displaces. All places are made with the level: nothing grows while
/// accesses are simulated.
class SectorTable {
 public:
  SectorTable() = default;
  SectorTable(size_t sets, int ways)
      : ways_(static_cast<size_t>(ways)), lines_(sets * ways_, kNoLine), bits_(sets * ways_) {}

  /// nullptr: the line is not there.
  SectorBits* find(uint32_t set, uint32_t line) {
    const size_t place = place_of(set, line);
    return lines_[place] == line ? &bits_[place] : nullptr;
  }
  /// `line` in the place of the line of key `victim` (kNoKey: in an empty one), none of its sectors valid yet.
  /// `displaced`: what was there.
  SectorBits& enter(uint32_t set, uint32_t line, uint32_t victim, SectorBits& displaced) {
    const size_t place = place_of(set, victim >> 1);
    lines_[place] = line;
    displaced = bits_[place];
    bits_[place] = {};
    return bits_[place];
  }
  void forget(uint32_t set, uint32_t line) {
    const size_t place = place_of(set, line);
    if (lines_[place] != line) return;
    lines_[place] = kNoLine;
    bits_[place] = {};
  }

 private:
  static constexpr uint32_t kNoLine = kNoKey >> 1;

  /// Of a line in its set; where it is not there, the set's last place.
  size_t place_of(uint32_t set, uint32_t line) const {
    size_t place = set * ways_;
    for (const size_t last = place + ways_ - 1; place < last && lines_[place] != line;) ++place;
    return place;
  }

  size_t ways_ = 0;
  std::vector<uint32_t> lines_;
  std::vector<SectorBits> bits_;
};

/// Of an accessed line, by level, where misses are classified. Its sectors in a fully associative cache of the level's
/// size, and all sectors ever accessed.
struct SectorHistory {
  std::array<uint64_t, kMaxSimulatedLevels> held{}, ever{};
};

struct LevelState {
  CacheLevelConfig config;
  int ways = 0, stride = 0;         // keys of one set: stride of them, the first `ways` in use
  uint32_t sets = 0, set_mask = 0;  // mask: 0 where the count is no power of two (and where it is 1)
  bool masked = false;              // the mask gives the set
  bool hashed = false;              // never the first level
  std::unique_ptr<uint32_t[], FreeAligned> keys;
  std::vector<uint64_t> trees;  // PLRU: bits of the nodes; LRU3PLRU4: three bits a tree
  std::vector<uint8_t>
      ages;  // QLRU: of each way; MRU: 1 for ways without a mark; LRU3PLRU4: order of the trees, most recent first
  std::vector<uint64_t> set_misses;
  std::unique_ptr<FifoLines> beside;  // CacheRules::causes_by_own_policy: asked for whatever this level is asked for
  bool beside_missed = false;         // the request under way
  SectorTable sectors;                // CacheLevelConfig::sector_bytes: dirty bits of keys are unused
  std::unique_ptr<StrideDetector> strides;         // CacheLevelConfig::stride_prefetch: of its requests
  std::unique_ptr<StrideDetector> missed_strides;  // classifying: of its misses

  uint32_t set_of(uint32_t line) const {
    return masked ? line & set_mask : hashed ? hashed_set(line, sets) : line % sets;
  }
  bool sectored() const { return config.sector_bytes != 0; }
};

/// What the way for plain hierarchies asks of a level, side by side: see cache_plain-inl.h. Points into LevelState and
/// CacheState::counts.
struct FlatLevel {
  uint32_t* keys = nullptr;
  CacheCounts* counts = nullptr;  // by tensor
  uint64_t* set_misses = nullptr;
  uint32_t sets = 0, set_mask = 0;
  int ways = 0, stride = 0;
  bool masked = false, hashed = false;

  uint32_t set_of(uint32_t line) const {
    return masked ? line & set_mask : hashed ? hashed_set(line, sets) : line % sets;
  }
  bool same_set(int64_t line_difference) const {
    return masked ? (line_difference & set_mask) == 0 : line_difference % sets == 0;
  }
};

/// A demand request that a prefetching level has answered. Its prefetch is fetched after the whole chain of levels has
/// answered. Earlier, an inclusive level could drop a line that is under way to the levels above it.
struct Answered {
  size_t level;
  uint32_t line, tensor;
  bool missed;
};

/// Lines that left the first level during one iteration of a group.
struct Departures {
  std::array<uint32_t, 64> lines;
  uint32_t count = 0;
  void add(uint32_t line) {
    if (count < lines.size()) lines[count] = line;
    ++count;
  }
};

/// The shape of a short group, without its addresses. Loops repeat the same few groups, so results that follow from the
/// shape are found once. See scatter().
struct GroupShape {
  static constexpr size_t kMost = 16;  // longer ones are not heard this way
  /// Streams of the same address and stride: the first of them asks for all.
  struct Place {
    uint64_t below = 0;      // bytes from its lowest access to its first
    uint64_t reach = 0;      // bytes from its lowest access to its highest
    uint64_t unaligned = 0;  // bits of an address that would have it lie on a line boundary
    uint64_t accesses = 0;   // of each of its streams, still to be counted
    size_t stream = 0;       // the first
    uint32_t per_line = 0;   // accesses; 0: its steps do not divide a line
    uint32_t dirty = 0;      // 1: one of them stores
  };
  struct Twin {
    size_t stream = 0, of = 0;  // `of` comes first
  };
  int64_t iterations = 0;
  size_t count = 0, place_count = 0, twin_count = 0;
  bool short_steps = false;  // all streams are plain and move by less than a line
  uint64_t groups = 0;       // all of whose accesses are still to be counted
  std::array<engine::AccessStream, kMost> streams;
  std::array<uint8_t, kMost> place_of;  // [stream]
  std::array<Place, kMost> places;
  std::array<Twin, kMost> twins;
};

/// Lines of a nest, sorted by the set they share: see cache_nests-inl.h.
struct NestLines {
  static constexpr size_t kClasses = 64, kMost = 31;  // classes of sets; lines of one
  /// A line that the streams of a place access. Rounds `from` to `to` of the inner loop, iterations `begin` to `end` of
  /// the group.
  struct Stay {
    uint32_t line;
    uint16_t round;  // of the outer loop, from the first under way
    uint16_t from, to, begin, end;
    uint8_t place;
  };
  std::array<uint8_t, kClasses> count = {};
  std::array<std::array<Stay, kMost>, kClasses> stays;
};

struct CacheState {
  std::vector<LevelState> levels;
  CacheRules rules;
  CacheSlices slices;
  int line_shift = 6;
  bool plain = false;  // LRU, write-back, write-allocate, no inclusion, no prefetch, default rules, no distances: see
                       // cache_plain-inl.h
  std::array<FlatLevel, kMaxSimulatedLevels> flat;
  size_t depth = 0;   // levels
  uint32_t late = 0;  // bit l: a level below l is inclusive, and l displaces a line only when the new one has come
  uint32_t independent = 0;  // lines that differ here share a set at no level; 0: unknown
  uint32_t tensors = 1;
  std::vector<CacheCounts> counts;   // [level * tensors + tensor]
  std::vector<MemoryCounts> memory;  // [tensor]
  std::vector<TensorRange> ranges;   // ascending; who is charged with write-backs
  size_t last_range = 0;
  Departures departures;
  std::vector<Answered> answered;  // of the access under way
  static constexpr size_t kShapes = 4;
  std::unique_ptr<GroupShape[]> shapes =
      std::make_unique<GroupShape[]>(kShapes);  // seen last, by iterations and streams
  GroupShape* last_shape = shapes.get();        // one of them
  std::unique_ptr<NestLines[]>
      nest_lines;  // two: those of every round of the outer loop, those of single rounds; made by the first nest
  bool unsettled = false;  // an access of this iteration missed and left nothing in the first level, or left more there
                           // than its line
  std::unique_ptr<StackDistance> distances;                    // set: classifies, or gathers miss-ratio curves
  uint64_t distance = 0;                                       // of the access under way
  int sector_shift = 0;                                        // 0: no level has sectors
  std::unordered_map<uint32_t, SectorHistory> sector_history;  // by line, where misses are classified
  uint64_t refs = 0;                                           // accesses, also of slices not picked

  uint32_t owner(uint32_t line) { return ranges.empty() ? 0 : owner_among_ranges(line); }
  uint32_t owner_among_ranges(uint32_t line);
  uint64_t line_bytes() const { return uint64_t{1} << line_shift; }
  /// All sectors of a line.
  uint64_t all_sectors() const {
    return sector_shift == 0 ? 1 : ~uint64_t{0} >> (64 - (uint64_t{1} << (line_shift - sector_shift)));
  }
  uint64_t bytes_of(uint64_t sectors) const {
    return sector_shift == 0 ? line_bytes() : static_cast<uint64_t>(std::popcount(sectors)) << sector_shift;
  }
  /// Those that `bytes` bytes at an address meet, none beyond its line.
  uint64_t sectors_at(uint64_t address, uint64_t bytes) const {
    if (sector_shift == 0) return 1;
    const uint64_t offset = address & (line_bytes() - 1), first = offset >> sector_shift,
                   last = (offset + bytes - 1) >> sector_shift;
    return (~uint64_t{0} >> (63 - (last - first))) << first;
  }
  GroupShape& shape_for(int64_t iterations, size_t streams) {
    return shapes[(static_cast<size_t>(iterations) ^ streams) % kShapes];
  }
  /// Counts what is still to be counted of groups of a shape.
  void count_groups(GroupShape& shape);
};

/// What feeds groups and nests; compiled once per vector unit.
struct Runners {
  void (*group)(CacheState&, int64_t iterations, std::span<const engine::AccessStream>);
  /// False: there is no shorter way than group by group, and nothing was done.
  bool (*nest)(CacheState&, int64_t outer, int64_t inner, std::span<const engine::NestedGroup>);
  /// The line leaves every level, unwritten.
  void (*drop)(CacheState&, uint32_t line);
};
Runners runners();

}  // namespace cache_detail
}  // namespace profiler
