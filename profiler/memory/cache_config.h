// SPDX-License-Identifier: Apache-2.0
// CacheConfig: a hierarchy of caches to simulate: sizes, replacement, inclusion, what stores do; as text and checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/machine/machine.h"

namespace profiler {

enum class Replacement : uint8_t {
  lru,
  fifo,
  plru,       ///< tree of bits, each pointing away from the half used last
  lru3plru4,  ///< trees of four ways, the trees in LRU order
  qlru,       ///< QlruRules; SRRIP with hit priority (Jaleel et al., ISCA 2010) is qlru_h00_m2_r0_u0_umo
  /// A bit per way, also called bit-PLRU or NRU: an access marks its way; where all would be marked, the others lose
  /// their marks. The leftmost way without one is replaced. L3 of Nehalem and Westmere (uops.info/cache.html).
  mru,
  mru_n,  ///< the same, but that nothing is marked while a set has empty ways: L3 of Sandy Bridge (same source)
};

/// QLRU_Hxy_Mz_Rr_Uu: two-bit ages. Names and rules: uops.info/cache.html.
struct QlruRules {
  uint8_t after_hit[4] = {0, 0, 0, 0};  ///< age after a hit at ages 0..3
  uint8_t insert = 1;                   ///< age of a new line
  uint8_t replace = 0;  ///< 0, 2: leftmost age 3 (2: empty ways from the right); 1: else the leftmost way
  uint8_t update = 1;   ///< 0: all by 3 - oldest; 1: the others; 2: all by 1 while none is 3; 3: the others
  bool update_on_miss_only = false;  ///< ages move before a victim is sought instead of after each access
  friend bool operator==(const QlruRules&, const QlruRules&) = default;
};

enum class Inclusion : uint8_t {
  none,       ///< neither inclusive nor exclusive: a line may lie in any set of levels
  inclusive,  ///< what this level evicts also leaves the levels above it
  victim,     ///< holds what the level above evicted; a hit moves the line back up
};

struct CacheLevelConfig {
  std::string name;  ///< "L1"
  int64_t size_bytes = 0;
  int ways = 0;
  int line_bytes = 64;
  /// 0: a line comes whole. Else it is filled by sectors of this many bytes: missing sectors of an access are fetched,
  /// and dirty ones are written back.
  int sector_bytes = 0;
  Replacement replacement = Replacement::lru;
  QlruRules qlru = {};
  Inclusion inclusion = Inclusion::none;
  bool write_allocate = true;
  bool write_back = true;  ///< false: write-through
  /// Which set a line lies in is a hash of its number, see hashed_set(), not its remainder: as in L3s that are cut into
  /// slices.
  bool hashed = false;
  bool next_line_prefetch = false;  ///< a demand miss of line x also fetches x + 1
  /// From the third line of a run at a constant distance on, a demand request also fetches the next three lines of the
  /// run. They lie in the same 4 KiB. Degree as of ChampSim's ip-stride prefetcher.
  bool stride_prefetch = false;
  bool prefetches() const { return next_line_prefetch || stride_prefetch; }
  int64_t lines() const { return size_bytes / line_bytes; }
  int64_t sets() const { return lines() / ways; }
  friend bool operator==(const CacheLevelConfig&, const CacheLevelConfig&) = default;
};

/// Habits of other simulators, so that their figures can be reproduced. The defaults are what processors do.
struct CacheRules {
  bool write_backs = true;              ///< false: evicted lines vanish (cachegrind)
  bool promote_on_write_hit = true;     ///< false: stores and write-backs that hit leave the order alone (pycachesim)
  bool fetch_on_write_back = false;     ///< true: a write-back that misses fetches the line first (pycachesim)
  bool full_line_store_fetches = true;  ///< false: a store of a whole line that misses fetches nothing (Dinero IV)
  bool held_sectors_fetched =
      false;  ///< true: a miss fetches all sectors asked for, those that the level holds too (Dinero IV)
  /// Capacity misses are those that a fully associative cache of the level's size has, too. False: an LRU cache (Hill
  /// 1987), so that losses of a policy against LRU count as conflict. True: a FIFO cache where the level is FIFO
  /// (Dinero IV).
  bool causes_by_own_policy = false;
};

struct CacheConfig {
  std::vector<CacheLevelConfig> levels;  ///< nearest first
  CacheRules rules = {};
  /// "L3: 8 MiB simulated where the probe saw 7.82 MiB (the system claims 32 MiB)". Empty: every level has the size it
  /// represents.
  std::string sizes_note = {};
  int line_bytes() const { return levels.front().line_bytes; }
  /// "L1 32 KiB 8-way LRU, L2 2 MiB 16-way LRU victim"
  std::string text() const;
};

/// Set of a line in a level whose sets are hashed. Each row of as many lines as sets is rotated by a fixed random
/// number of sets. Source: Knuth's multiplicative hash of the row, TAOCP 3, 6.4. Neighbours fall on all sets evenly,
/// and strides that are a multiple of the sets on any. Makers of processors document no hash; this random index
/// represents any of them.
constexpr uint32_t hashed_set(uint32_t line, uint32_t sets) {
  const uint32_t row = line / sets;
  const auto turned = static_cast<uint32_t>((uint64_t{row * 2654435769u} * sets) >> 32);
  return (line % sets + turned) % sets;
}

inline constexpr size_t kMaxSimulatedLevels = 6;

/// "32KiB/8/64:plru,victim,through,noallocate,nextline,stride,sector=16": size / ways ("full": fully associative) /
/// bytes of a line, then the replacement (default: lru). Further words in any order: inclusive, victim, through,
/// noallocate, hashed, nextline, stride, sector=BYTES. `name`: of the level.
engine::Result<CacheLevelConfig> parse_cache_level(std::string_view text, std::string name);
/// "lru" "plru" "mru" "qlru_h00_m1_r0_u1"
std::string name_of(const CacheLevelConfig&);
/// "L2 2 MiB 16-way LRU victim", where `policy` is " LRU": the replacement in the words of who shows it.
std::string level_text(const CacheLevelConfig&, std::string_view policy);

/// Refuses (usage) what cannot be simulated, naming the level and both figures.
engine::Result<void> check(const CacheConfig&);

/// Below this part of what the system claims, what the probe saw of a cache is what a virtual machine really has of it.
inline constexpr double kRealSizeRatio = 0.5;
/// How many times as large as the probe saw it a cache may be: up to what the system claims, unless that is refuted
/// (kRealSizeRatio). 1: both agree, or one is unknown. Modelled bytes take the probe's size and simulated ones the
/// claimed one; between both neither is sure.
double size_doubt(const MemoryLevel&);

/// Sets and ways of a cache of about a given size in bytes.
struct CacheGeometry {
  int64_t sets = 1;
  int ways = 1;
};

/// Sets and ways of `size_bytes` of a cache: at least a line, at most its own size. Sets are a power of two, so that
/// they can be sampled and shared out to threads. At most the cache's sets, or the next power of two where it has
/// another number. At most its ways; at least four, or half of its own. It is the geometry closest to the size in
/// lines: half a way off at most, 1 / ways of the size. Of equally close ones, that with the most sets: neighbours use
/// their part of a cache in every set.
CacheGeometry closest_geometry(int64_t size_bytes, const engine::CacheLevel& cache);

/// The caches of a machine as the operating system reports them (specified). Where the probe saw less than half of
/// that, as the probe saw them (closest_geometry()). Replacement is assumed LRU without a published model. Refused
/// where nothing is known of them.
engine::Result<CacheConfig> cache_config_of(const Machine&);

}  // namespace profiler
