// SPDX-License-Identifier: Apache-2.0
// Levels whose lines come sector by sector (sub-blocks, as Dinero IV calls them): which are there and which are dirty
// is kept beside the keys, by line. Included once per vector unit, inside Highway's foreach_target.
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
void store_past(CacheState& s, uint32_t line, uint32_t tensor, uint64_t bytes, uint64_t sectors);
void evict(CacheState& s, size_t level, uint32_t key);
void write_back(CacheState& s, size_t level, uint32_t line, uint64_t sectors);

CacheCounts& counts_of(CacheState& s, size_t level, uint32_t tensor) { return s.counts[level * s.tensors + tensor]; }

/// Why a request missed: one that was never asked for is compulsory, else one that a fully associative cache would not
/// hold is capacity (Dinero IV's rules).
void count_sector_cause(CacheState& s, size_t level, CacheCounts& c, const Request& r) {
  if (!s.distances) return;
  if (s.levels[level].missed_strides->see(r.line, r.tensor) != 0) ++c.prefetchable;
  const SectorHistory& history = s.sector_history[r.line];
  if ((r.sectors & ~history.held[level]) == 0) ++c.conflict;
  else ++((r.sectors & ~history.ever[level]) != 0 ? c.compulsory : c.capacity);
}

/// A line of a level with sectors, touched, and what it displaced.
struct SectorLine {
  SectorBits* own;
  bool here;        // before, with any of its sectors
  uint32_t victim;  // a key; kNoKey: none
  SectorBits displaced;
};

SectorLine touch_sectors(LevelState& l, uint32_t line, bool promote) {
  const Touched t = touch(l, line, 0, promote);
  SectorLine touched{nullptr, t.hit(), t.hit() ? kNoKey : t.victim, {}};
  const uint32_t set = l.set_of(line);
  touched.own = t.hit() ? l.sectors.find(set, line) : &l.sectors.enter(set, line, t.victim, touched.displaced);
  return touched;
}

/// What it displaced goes down.
void evict_sectors(CacheState& s, size_t level, const SectorLine& t) {
  if (t.victim == kNoKey) return;
  const uint32_t line = t.victim >> 1;
  if (level == 0) s.departures.add(line);
  if (t.displaced.dirty != 0 && s.rules.write_backs) write_back(s, level + 1, line, t.displaced.dirty);
}

/// What a request finds missing comes in, and what its line displaced goes down.
void bring_sectors(CacheState& s, size_t level, const Request& r, uint64_t lacking, bool fetches, const SectorLine& t) {
  LevelState& l = s.levels[level];
  CacheCounts& c = counts_of(s, level, r.tensor);
  if (t.here) ++c.sector_misses;
  ++l.set_misses[l.set_of(r.line)];
  count_sector_cause(s, level, c, r);
  if (fetches) {
    Request next = r;
    if (!s.rules.held_sectors_fetched) next.sectors = lacking;
    c.fetched_sectors += static_cast<uint64_t>(std::popcount(next.sectors));
    fetch(s, level + 1, next);
  }
  evict_sectors(s, level, t);
}

/// fetch() of a level with sectors.
void fetch_sectors(CacheState& s, size_t level, Request r) {
  LevelState& l = s.levels[level];
  CacheCounts& c = counts_of(s, level, r.tensor);
  r.sectors &= s.all_sectors();
  ++(r.cause == Cause::load ? c.loads : c.stores);
  const SectorLine t = touch_sectors(l, r.line, true);
  SectorBits& own = *t.own;
  const uint64_t lacking = r.sectors & ~own.valid;
  own.valid |= r.sectors;
  if (lacking == 0) return;
  ++(r.cause == Cause::load ? c.load_misses : c.store_misses);
  bring_sectors(s, level, r, lacking, true, t);
}

/// store() of a level with sectors.
void store_sectors(CacheState& s, size_t level, Request r, uint64_t bytes) {
  LevelState& l = s.levels[level];
  CacheCounts& c = counts_of(s, level, r.tensor);
  r.sectors &= s.all_sectors();
  ++c.stores;
  const SectorLine t = touch_sectors(l, r.line, s.rules.promote_on_write_hit);
  SectorBits& own = *t.own;
  const uint64_t lacking = r.sectors & ~own.valid;
  own.valid |= r.sectors;
  if (l.config.write_back) own.dirty |= r.sectors;
  if (lacking != 0) {
    ++c.store_misses;
    const bool fetches = bytes < s.bytes_of(r.sectors) || s.rules.full_line_store_fetches;
    if (!fetches) ++c.unfetched_store_misses;
    bring_sectors(s, level, r, lacking, fetches, t);
  }
  if (!l.config.write_back) store_below(s, level, r, bytes);
}

/// write_back() to a level with sectors: whole ones, so that nothing is fetched.
void write_back_sectors(CacheState& s, size_t level, uint32_t line, uint64_t sectors) {
  LevelState& l = s.levels[level];
  const SectorLine t = touch_sectors(l, line, s.rules.promote_on_write_hit);
  t.own->valid |= sectors;
  if (l.config.write_back) t.own->dirty |= sectors;
  if (!t.here) ++counts_of(s, level, s.owner(line)).write_back_misses;
  evict_sectors(s, level, t);
  if (!l.config.write_back) write_back(s, level + 1, line, sectors);
}

/// Part of a line is stored past the caches: its sectors leave the levels that have some, the line those that have
/// none. What was dirty elsewhere in such a line goes to memory, and renews what it passes on its way.
void store_sectors_past(CacheState& s, uint32_t line, uint64_t sectors) {
  uint64_t written = 0;
  for (size_t level = 0; level < s.levels.size(); ++level) {
    LevelState& l = s.levels[level];
    uint32_t removed = kNoKey;
    if (!l.sectored()) {
      removed = remove(l, line);
      if (removed != kNoKey && (removed & 1) != 0) written |= s.all_sectors() & ~sectors;
    } else if (SectorBits* own = l.sectors.find(l.set_of(line), line)) {
      own->valid &= ~sectors;
      own->dirty &= ~(sectors | written);
      if (own->valid == 0) {
        l.sectors.forget(l.set_of(line), line);
        removed = remove(l, line);
      }
    }
    if (removed != kNoKey && level == 0) s.departures.add(line);
  }
  if (written != 0 && s.rules.write_backs) s.memory[s.owner(line)].written_bytes += s.bytes_of(written);
}

/// The sectors of an access become part of what is known of its line, after its misses were classified by what was
/// known before. Levels without sectors ask those below them for all of the line.
void see_sectors(CacheState& s, uint32_t line, uint64_t sectors, bool load) {
  SectorHistory& history = s.sector_history[line];
  for (size_t level = 0; level < s.levels.size(); ++level) {
    const LevelState& l = s.levels[level];
    if (!l.sectored() && (load || l.config.write_allocate)) sectors = s.all_sectors();
    history.held[level] |= sectors;
    history.ever[level] |= sectors;
  }
}

/// One access to part of a line, where some level has sectors.
HWY_NOINLINE void access_sectors(CacheState& s, uint32_t line, const AccessStream& a, uint64_t address,
                                 uint64_t bytes) {
  const uint64_t sectors = s.sectors_at(address, bytes);
  if (a.kind == AccessKind::store_past_caches) return store_past(s, line, a.tensor, bytes, sectors);
  if (s.distances) {
    s.distance = s.distances->touch(line);
    SectorHistory& history = s.sector_history[line];
    for (size_t level = 0; level < s.levels.size(); ++level) {
      if (s.distance >= static_cast<uint64_t>(s.levels[level].config.lines())) history.held[level] = 0;
    }
  }
  if (a.kind == AccessKind::load) fetch(s, 0, {line, a.tensor, Cause::load, sectors});
  else store(s, 0, {line, a.tensor, Cause::store, sectors}, bytes);
  if (s.distances) see_sectors(s, line, sectors, a.kind == AccessKind::load);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace profiler::cache_detail
HWY_AFTER_NAMESPACE();

#endif  // per target
