// SPDX-License-Identifier: Apache-2.0
// Levels whose lines come sector by sector (sub-blocks, as Dinero IV calls them): which are there and which are dirty is kept beside the keys,
// by line. Included once per vector unit, inside Highway's foreach_target.
#if defined(TENSORTIDE_CACHE_SECTORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_CACHE_SECTORS_INL
#undef TENSORTIDE_CACHE_SECTORS_INL
#else
#define TENSORTIDE_CACHE_SECTORS_INL
#endif

#include <bit>

#include "profiler/memory/cache_policies-inl.h"

HWY_BEFORE_NAMESPACE();
namespace profiler::cache_detail {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

enum class Cause : uint8_t { load, store, prefetch };

struct Request {
  uint32_t line;
  uint32_t tensor;
  Cause cause;
  uint64_t sectors = ~uint64_t{0};  // asked for; levels without sectors take the whole line
};

// In cache_simd.cpp: what a level asks of its neighbours.
uint32_t fetch(CacheState& s, size_t level, const Request& r);
void store(CacheState& s, size_t level, const Request& r, uint64_t bytes);
void store_below(CacheState& s, size_t level, const Request& r, uint64_t bytes);
void store_past(CacheState& s, uint32_t line, uint32_t tensor, uint64_t bytes);
void evict(CacheState& s, size_t level, uint32_t key);
void write_back(CacheState& s, size_t level, uint32_t line, uint64_t sectors);

CacheCounts& counts_of(CacheState& s, size_t level, uint32_t tensor) { return s.counts[level * s.tensors + tensor]; }

/// Why a request missed: one that was never asked for is compulsory, else one that a fully associative cache would not hold is
/// capacity (Dinero IV's rules).
void count_sector_cause(CacheState& s, size_t level, CacheCounts& c, const Request& r) {
  if (!s.distances) return;
  if (s.levels[level].missed_strides->see(r.line, r.tensor) != 0) ++c.prefetchable;
  const SectorHistory& history = s.sector_history[r.line];
  if ((r.sectors & ~history.held[level]) == 0) ++c.conflict;
  else ++((r.sectors & ~history.ever) != 0 ? c.compulsory : c.capacity);
}

/// What a request finds missing comes in, and what its line displaced goes down; `here`: the line was there.
void bring_sectors(CacheState& s, size_t level, const Request& r, uint64_t lacking, bool here, bool fetches, uint32_t victim) {
  LevelState& l = s.levels[level];
  CacheCounts& c = counts_of(s, level, r.tensor);
  if (here) ++c.sector_misses;
  ++l.set_misses[l.set_of(r.line)];
  count_sector_cause(s, level, c, r);
  if (fetches) {
    Request next = r;
    if (!s.rules.held_sectors_fetched) next.sectors = lacking;
    c.fetched_sectors += static_cast<uint64_t>(std::popcount(next.sectors));
    fetch(s, level + 1, next);
  }
  if (!here) evict(s, level, victim);
}

/// fetch() of a level with sectors.
void fetch_sectors(CacheState& s, size_t level, Request r) {
  LevelState& l = s.levels[level];
  CacheCounts& c = counts_of(s, level, r.tensor);
  r.sectors &= s.all_sectors();
  ++(r.cause == Cause::load ? c.loads : c.stores);
  const Touched t = touch(l, r.line, 0, true);
  SectorBits& own = l.sectors[r.line];
  const uint64_t lacking = r.sectors & ~own.valid;
  own.valid |= r.sectors;
  if (lacking == 0) return;
  ++(r.cause == Cause::load ? c.load_misses : c.store_misses);
  bring_sectors(s, level, r, lacking, t.hit(), true, t.victim);
}

/// store() of a level with sectors.
void store_sectors(CacheState& s, size_t level, Request r, uint64_t bytes) {
  LevelState& l = s.levels[level];
  CacheCounts& c = counts_of(s, level, r.tensor);
  r.sectors &= s.all_sectors();
  ++c.stores;
  const Touched t = touch(l, r.line, 0, s.rules.promote_on_write_hit);
  SectorBits& own = l.sectors[r.line];
  const uint64_t lacking = r.sectors & ~own.valid;
  own.valid |= r.sectors;
  if (l.config.write_back) own.dirty |= r.sectors;
  if (lacking != 0) {
    ++c.store_misses;
    const bool fetches = bytes < s.bytes_of(r.sectors) || s.rules.full_line_store_fetches;
    if (!fetches) ++c.unfetched_store_misses;
    bring_sectors(s, level, r, lacking, t.hit(), fetches, t.victim);
  }
  if (!l.config.write_back) store_below(s, level, r, bytes);
}

/// The sectors of an access become part of what is known of its line, after its misses were classified by what was known before.
void see_sectors(CacheState& s, uint32_t line, uint64_t sectors) {
  SectorHistory& history = s.sector_history[line];
  for (size_t level = 0; level < s.levels.size(); ++level) history.held[level] |= sectors;
  history.ever |= sectors;
}

/// One access to part of a line, where some level has sectors.
HWY_NOINLINE void access_sectors(CacheState& s, uint32_t line, const AccessStream& a, uint64_t address, uint64_t bytes) {
  if (a.kind == AccessKind::store_past_caches) return store_past(s, line, a.tensor, bytes);
  const uint64_t sectors = s.levels[0].sectored() ? s.sectors_at(address, bytes) : s.all_sectors();
  if (s.distances) {
    s.distance = s.distances->touch(line);
    SectorHistory& history = s.sector_history[line];
    for (size_t level = 0; level < s.levels.size(); ++level) {
      if (s.distance >= static_cast<uint64_t>(s.levels[level].config.lines())) history.held[level] = 0;
    }
  }
  if (a.kind == AccessKind::load) fetch(s, 0, {line, a.tensor, Cause::load, sectors});
  else store(s, 0, {line, a.tensor, Cause::store, sectors}, bytes);
  if (s.distances) see_sectors(s, line, sectors);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace profiler::cache_detail
HWY_AFTER_NAMESPACE();

#endif  // per target
