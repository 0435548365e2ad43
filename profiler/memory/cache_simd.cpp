// SPDX-License-Identifier: Apache-2.0
// The inner loops of the cache simulation: sets in vector registers, groups by line crossings; compiled once per vector
// unit.
#include <algorithm>
#include <bit>
#include <climits>

#include "profiler/memory/cache_state.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/memory/cache_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "profiler/memory/cache_groups-inl.h"
#include "profiler/memory/cache_nests-inl.h"
#include "profiler/memory/cache_plain-inl.h"
#include "profiler/memory/cache_policies-inl.h"
#include "profiler/memory/cache_sectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace profiler::cache_detail {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

using engine::AccessKind;
using engine::AccessStream;

void count_cause(CacheState& s, size_t level, CacheCounts& c, uint32_t line, uint32_t tensor) {
  if (!s.distances) return;
  if (s.levels[level].missed_strides->see(line, tensor) != 0) ++c.prefetchable;
  if (s.distance == StackDistance::kFirstUse) ++c.compulsory;
  else if (s.levels[level].beside ? s.levels[level].beside_missed
                                  : s.distance >= static_cast<uint64_t>(s.levels[level].config.lines()))
    ++c.capacity;
  else ++c.conflict;
}

void ask_beside(LevelState& l, uint32_t line, bool allocate) {
  if (l.beside) l.beside_missed = l.beside->misses(line, allocate);
}

/// What a level without sectors dropped goes down: dirty lines as write-backs, into victim caches also clean ones.
void evict(CacheState& s, size_t level, uint32_t key) {
  if (key == kNoKey) return;
  const uint32_t line = key >> 1;
  uint32_t dirty = key & 1;
  if (level == 0) s.departures.add(line);
  if (s.levels[level].config.inclusion == Inclusion::inclusive) {
    for (size_t above = level; above-- > 0;) {
      const uint32_t removed = remove(s.levels[above], line);
      if (removed == kNoKey) continue;
      dirty |= removed & 1;
      if (above == 0) s.departures.add(line);
    }
  }
  const size_t below = level + 1;
  if (below < s.levels.size() && s.levels[below].config.inclusion == Inclusion::victim) {
    CacheCounts& c = counts_of(s, below, s.owner(line));
    ++c.write_backs;
    const Touched t = touch(s.levels[below], line, dirty, true);
    if (t.hit()) return;
    ++c.write_back_misses;
    evict(s, below, t.victim);
  } else if (dirty != 0 && s.rules.write_backs) {
    write_back(s, below, line, s.all_sectors());
  }
}

/// A dirty line arrives at `level`, or of a level with sectors those that are dirty. A level without takes lines whole:
/// what is missing of one is fetched with it.
void write_back(CacheState& s, size_t level, uint32_t line, uint64_t sectors) {
  const uint32_t tensor = s.owner(line);
  if (level == s.levels.size()) {
    s.memory[tensor].written_bytes += s.bytes_of(sectors);
    return;
  }
  LevelState& l = s.levels[level];
  CacheCounts& c = counts_of(s, level, tensor);
  ++c.write_backs;
  if (l.sectored()) return write_back_sectors(s, level, line, sectors);
  const bool held = l.config.inclusion != Inclusion::inclusive && l.config.write_allocate;
  const uint32_t dirty = l.config.write_back ? 1 : 0;
  if (!held && !contains(l, line)) {  // it left this level before its copy above did, or may not come in
    ++c.write_back_misses;
    write_back(s, level + 1, line, sectors);
    return;
  }
  const Touched t = touch(l, line, dirty, s.rules.promote_on_write_hit);
  if (!t.hit()) {
    ++c.write_back_misses;
    if (s.rules.fetch_on_write_back || sectors != s.all_sectors()) {
      ++c.write_back_fetches;
      fetch(s, level + 1, {line, tensor, Cause::load});
    }
    evict(s, level, t.victim);
  }
  if (dirty == 0) write_back(s, level + 1, line, sectors);
}

bool displaces_late(const CacheState& s, size_t level) { return ((s.late >> level) & 1) != 0; }

/// Asks `level` itself for a line. A miss brings it in at once, unless the level displaces late: see bring().
Touched look_up(CacheState& s, size_t level, uint32_t line, uint32_t dirty, bool promote) {
  LevelState& l = s.levels[level];
  if (displaces_late(s, level) && !contains(l, line)) return Touched{kNoKey};
  return touch(l, line, dirty, promote);
}

/// The rest of a miss: what look_up() said of it, the line fetched where asked, and what it displaced handed down.
void bring(CacheState& s, size_t level, const Request& r, uint32_t dirty, bool fetches, Touched t) {
  LevelState& l = s.levels[level];
  const bool comes_dirty = fetches && fetch(s, level + 1, r) != 0;
  if (displaces_late(s, level)) t = touch(l, r.line, dirty, true);
  if (comes_dirty) mark_dirty(l, r.line);
  if (!t.hit()) evict(s, level, t.victim);
}

void prefetch_line(CacheState& s, size_t level, uint32_t line, uint32_t tensor) {
  if (contains(s.levels[level], line)) return;
  ++counts_of(s, level, tensor).prefetches;
  if (level == 0)
    s.unsettled = true;  // it came in front of lines of this iteration, which will not find it there the next time
  const Touched t = look_up(s, level, line, 0, true);
  bring(s, level, {line, tensor, Cause::prefetch}, 0, true, t);
}

/// After a demand request that `level` has answered: see prefetch_now().
void prefetch_after(CacheState& s, size_t level, const Request& r, bool missed) {
  if (s.levels[level].config.prefetches()) s.answered.push_back({level, r.line, r.tensor, missed});
}

void prefetch_for(CacheState& s, const Answered& r) {
  constexpr int64_t kDegree = 3;
  constexpr int kPageShift = 12;
  const size_t level = r.level;
  LevelState& l = s.levels[level];
  if (r.missed && l.config.next_line_prefetch) prefetch_line(s, level, r.line + 1, r.tensor);
  const int64_t step = l.strides ? l.strides->see(r.line, r.tensor) : 0;
  for (int64_t ahead = 1; step != 0 && ahead <= kDegree; ++ahead) {
    const auto line = static_cast<uint32_t>(r.line + ahead * step);
    if ((uint64_t{line ^ r.line} << s.line_shift) >> kPageShift != 0) return;
    prefetch_line(s, level, line, r.tensor);
  }
}

/// What the levels fetch ahead after the access under way, in the order in which they answered. A line that is written
/// back on the way and fetched for that joins them at the end, each time a level further out.
HWY_NOINLINE void prefetch_now(CacheState& s) {
  for (size_t i = 0; i < s.answered.size(); ++i) prefetch_for(s, Answered(s.answered[i]));
  s.answered.clear();
}

/// A line is asked for by the level above. Returns 1 where it comes dirty (out of a victim cache), else 0.
uint32_t fetch(CacheState& s, size_t level, const Request& r) {
  if (level == s.levels.size()) {
    MemoryCounts& m = s.memory[r.tensor];
    (r.cause == Cause::load    ? m.load_bytes
     : r.cause == Cause::store ? m.write_allocate_bytes
                               : m.prefetch_bytes) += s.bytes_of(r.sectors & s.all_sectors());
    return 0;
  }
  LevelState& l = s.levels[level];
  if (l.sectored()) {
    fetch_sectors(s, level, r);
    return 0;
  }
  CacheCounts& c = counts_of(s, level, r.tensor);
  if (r.cause == Cause::load) ++c.loads;
  if (r.cause == Cause::store) ++c.stores;
  if (r.cause == Cause::prefetch) ++c.prefetch_requests;
  if (s.distances && r.cause != Cause::prefetch) ask_beside(l, r.line, true);
  uint32_t taken = kNoKey;
  Touched t{kNoKey};
  if (l.config.inclusion == Inclusion::victim) {
    taken = remove(l, r.line);
    if (taken != kNoKey) t = kHitIt;
  } else {
    t = look_up(s, level, r.line, 0, true);
  }
  if (t.hit()) {
    if (r.cause != Cause::prefetch) prefetch_after(s, level, r, false);
    return taken == kNoKey ? 0 : taken & 1;
  }
  if (r.cause != Cause::prefetch) {
    ++(r.cause == Cause::load ? c.load_misses : c.store_misses);
    ++l.set_misses[l.set_of(r.line)];
    count_cause(s, level, c, r.line, r.tensor);
  } else {
    ++c.prefetch_misses;
  }
  if (l.config.inclusion == Inclusion::victim) return fetch(s, level + 1, r);
  bring(s, level, {r.line, r.tensor, r.cause}, 0, true, t);
  if (r.cause != Cause::prefetch) prefetch_after(s, level, r, true);
  return 0;
}

/// A store that `level` does not keep, or not alone.
void store_below(CacheState& s, size_t level, const Request& r, uint64_t bytes) {
  if (level + 1 == s.levels.size()) {
    s.memory[r.tensor].written_bytes += bytes;
  } else {
    store(s, level + 1, r, bytes);
  }
}

/// A store of the program, or one written through from above.
void store(CacheState& s, size_t level, const Request& r, uint64_t bytes) {
  LevelState& l = s.levels[level];
  if (l.sectored()) return store_sectors(s, level, r, bytes);
  CacheCounts& c = counts_of(s, level, r.tensor);
  ++c.stores;
  const uint32_t dirty = l.config.write_back ? 1 : 0;
  if (s.distances) ask_beside(l, r.line, l.config.write_allocate);
  if (!l.config.write_allocate && !contains(l, r.line)) {
    ++c.store_misses;
    ++c.unfetched_store_misses;
    ++l.set_misses[l.set_of(r.line)];
    count_cause(s, level, c, r.line, r.tensor);
    if (level == 0) s.unsettled = true;
    store_below(s, level, r, bytes);
    return;
  }
  const Touched t = look_up(s, level, r.line, dirty, s.rules.promote_on_write_hit);
  if (!t.hit()) {
    ++c.store_misses;
    ++l.set_misses[l.set_of(r.line)];
    count_cause(s, level, c, r.line, r.tensor);
    const bool fetches = bytes < s.line_bytes() || s.rules.full_line_store_fetches;
    if (!fetches) ++c.unfetched_store_misses;
    bring(s, level, {r.line, r.tensor, r.cause}, dirty, fetches, t);
  }
  prefetch_after(s, level, r, !t.hit());
  if (dirty == 0) {
    if (level == 0) s.unsettled = true;  // each further store goes down too
    store_below(s, level, r, bytes);
  }
}

/// The line leaves every level, unwritten.
void drop(CacheState& s, uint32_t line) {
  for (size_t level = 0; level < s.levels.size(); ++level) {
    LevelState& l = s.levels[level];
    if (l.sectored()) l.sectors.forget(l.set_of(line), line);
    if (remove(l, line) != kNoKey && level == 0) s.departures.add(line);
  }
}

/// What was dirty in the line, or in those of its sectors, is taken as overwritten in memory.
void store_past(CacheState& s, uint32_t line, uint32_t tensor, uint64_t bytes, uint64_t sectors) {
  if (sectors == s.all_sectors()) drop(s, line);
  else store_sectors_past(s, line, sectors);
  s.memory[tensor].past_caches_bytes += bytes;
}

HWY_INLINE void access_alone(CacheState& s, uint32_t line, const AccessStream& a, uint64_t bytes) {
  if (a.kind == AccessKind::load) {
    LevelState& l = s.levels[0];
    CacheCounts& c = s.counts[a.tensor];
    ++c.loads;
    if (s.distances) {
      s.distance = s.distances->touch(line);
      ask_beside(l, line, true);
    }
    const Touched t = look_up(s, 0, line, 0, true);
    const Request r{line, a.tensor, Cause::load};
    if (HWY_LIKELY(t.hit())) {
      if (HWY_UNLIKELY(l.strides != nullptr)) prefetch_after(s, 0, r, false);
      return;
    }
    ++c.load_misses;
    ++l.set_misses[l.set_of(line)];
    count_cause(s, 0, c, line, a.tensor);
    bring(s, 0, r, 0, true, t);
    prefetch_after(s, 0, r, true);
  } else if (a.kind == AccessKind::store) {
    if (s.distances) s.distance = s.distances->touch(line);
    store(s, 0, {line, a.tensor, Cause::store}, bytes);
  } else {
    store_past(s, line, a.tensor, bytes, s.all_sectors());
  }
}

HWY_INLINE void access(CacheState& s, uint32_t line, const AccessStream& a, uint64_t bytes) {
  access_alone(s, line, a, bytes);
  if (HWY_UNLIKELY(!s.answered.empty())) prefetch_now(s);
}

/// kPlain: see is_plain().
template <bool kPlain>
HWY_INLINE void access_as(CacheState& s, uint32_t line, const AccessStream& a) {
  if (kPlain && a.kind != AccessKind::store_past_caches) access_plain(s, line, a.tensor, a.kind == AccessKind::store);
  else access(s, line, a, a.bytes);
}

/// One access wherever it lies: split at line boundaries.
void access_split(CacheState& s, const AccessStream& a, uint64_t address) {
  uint64_t left = std::max<uint64_t>(1, a.bytes);
  while (left > 0) {
    const uint64_t part = std::min(left, s.line_bytes() - (address & (s.line_bytes() - 1)));
    const auto line = static_cast<uint32_t>(address >> s.line_shift);
    if (s.slices.has(line)) {
      if (s.sector_shift != 0) access_sectors(s, line, a, address, part);
      else access(s, line, a, part);
    }
    address += part;
    left -= part;
  }
}

/// Whether some element of the stream lies on a line boundary.
bool straddles(const CacheState& s, const AccessStream& a) {
  const uint64_t size = std::max<uint64_t>(1, a.bytes);
  return size > s.line_bytes() || !std::has_single_bit(size) ||
         ((a.address | static_cast<uint64_t>(a.stride)) & (size - 1)) != 0;
}

void run_each(CacheState& s, int64_t iterations, std::span<const AccessStream> streams) {
  for (int64_t i = 0; i < iterations; ++i) {
    for (const AccessStream& a : streams) access_split(s, a, a.address + static_cast<uint64_t>(i * a.stride));
  }
}

/// Streams of which one crosses a line with every access: no runs to gain from, no bookkeeping to pay for.
template <bool kPlain>
void run_wide(CacheState& s, int64_t iterations, std::span<const AccessStream> streams) {
  constexpr size_t kMost = 16;
  uint64_t address[kMost];
  for (size_t k = 0; k < streams.size(); ++k) address[k] = streams[k].address;
  for (int64_t i = 0; i < iterations; ++i) {
    for (size_t k = 0; k < streams.size(); ++k) {
      const auto line = static_cast<uint32_t>(address[k] >> s.line_shift);
      if (s.slices.has(line)) access_as<kPlain>(s, line, streams[k]);
      address[k] += static_cast<uint64_t>(streams[k].stride);
    }
  }
}

struct Cursor {
  uint64_t address;
  int64_t
      left;  // iterations until the stream enters another line (or, where it lies in a slice not picked, another slice)
  uint32_t line;
  bool mine;
};

void find_next(const CacheState& s, const AccessStream& a, Cursor& c) {
  c.line = static_cast<uint32_t>(c.address >> s.line_shift);
  c.mine = s.slices.has(c.line);
  if (a.stride == 0) {
    c.left = INT64_MAX;
    return;
  }
  const uint64_t window = (c.mine ? s.line_bytes() : s.line_bytes() << s.slices.shift) - 1;
  const uint64_t offset = c.address & window;
  const uint64_t room = a.stride > 0 ? window - offset : offset;
  const auto step = static_cast<uint64_t>(a.stride > 0 ? a.stride : -a.stride);
  // Powers of two are the rule, and a division costs more than a look-up.
  c.left = static_cast<int64_t>(std::has_single_bit(step) ? room >> std::countr_zero(step) : room / step) + 1;
}

/// Whether the iteration just simulated left everything it touched in the first level, so that repeating it can only
/// hit and, under the policies this is used for, changes no order.
bool settled(const CacheState& s, std::span<const AccessStream> streams, const Cursor* cursors) {
  const size_t count = streams.size();
  if (s.unsettled || s.departures.count > s.departures.lines.size()) return false;
  for (size_t past = 0; past < count; ++past) {  // will throw out again what another stream brings in
    if (streams[past].kind != AccessKind::store_past_caches) continue;
    for (size_t k = 0; k < count; ++k) {
      if (streams[k].kind != AccessKind::store_past_caches && cursors[k].line == cursors[past].line) return false;
    }
  }
  for (uint32_t d = 0; d < s.departures.count; ++d) {
    for (size_t k = 0; k < count; ++k) {
      if (cursors[k].line == s.departures.lines[d]) return false;
    }
  }
  return true;
}

void count_repeats(CacheState& s, std::span<const AccessStream> streams, const Cursor* cursors, int64_t repeats) {
  const auto n = static_cast<uint64_t>(repeats);
  for (size_t k = 0; k < streams.size(); ++k) {
    if (!cursors[k].mine) continue;
    const AccessStream& a = streams[k];
    if (a.kind == AccessKind::load) s.counts[a.tensor].loads += n;
    if (a.kind == AccessKind::store) s.counts[a.tensor].stores += n;
    if (a.kind == AccessKind::store_past_caches) s.memory[a.tensor].past_caches_bytes += n * a.bytes;
    if (!s.distances || a.kind == AccessKind::store_past_caches) continue;
    // Since the same access one iteration ago the lines of the others were touched.
    uint64_t distinct = 0;
    bool again = false;
    for (size_t step = 1; step < streams.size() && !again; ++step) {
      const size_t other = (k + streams.size() - step) % streams.size();
      if (streams[other].kind == AccessKind::store_past_caches) continue;
      again = cursors[other].line == cursors[k].line;
      bool counted = again;
      for (size_t before = 1; before < step && !counted; ++before) {
        const size_t nearer = (k + streams.size() - before) % streams.size();
        counted = cursors[nearer].line == cursors[other].line && streams[nearer].kind != AccessKind::store_past_caches;
      }
      distinct += counted ? 0 : 1;
    }
    s.distances->repeat(distinct, n);
  }
}

/// kPlain: also loads and stores only, and no more streams than the first level has ways, so that each finds its line
/// again.
template <bool kPlain>
void run_lines(CacheState& s, int64_t iterations, std::span<const AccessStream> streams) {
  constexpr size_t kMost = 16;
  Cursor cursors[kMost];
  const size_t count = streams.size();
  for (size_t k = 0; k < count; ++k) {
    cursors[k].address = streams[k].address;
    find_next(s, streams[k], cursors[k]);
  }
  for (int64_t i = 0; i < iterations;) {
    int64_t run = iterations - i;
    for (size_t k = 0; k < count; ++k) run = std::min(run, cursors[k].left);
    s.departures.count = 0;
    s.unsettled = false;
    for (size_t k = 0; k < count; ++k) {
      if (cursors[k].mine) access_as<kPlain>(s, cursors[k].line, streams[k]);
    }
    if (run > 1) {
      if (kPlain || settled(s, streams, cursors)) count_repeats(s, streams, cursors, run - 1);
      else run = 1;
    }
    i += run;
    for (size_t k = 0; k < count; ++k) {
      cursors[k].address += static_cast<uint64_t>(run * streams[k].stride);
      cursors[k].left -= run;
      if (cursors[k].left == 0) find_next(s, streams[k], cursors[k]);
    }
  }
}

/// Groups for which there is no shorter way.
HWY_NOINLINE void run_any(CacheState& s, int64_t iterations, std::span<const AccessStream> streams) {
  bool each = streams.size() > 16 || s.sector_shift != 0 || !repeats_settle(s.levels[0], s.rules) ||
              s.levels[0].beside || s.levels[0].strides,
       wide = false;
  bool settles = s.plain && streams.size() <= static_cast<size_t>(s.levels[0].ways);
  for (const AccessStream& a : streams) {
    each = each || straddles(s, a);
    settles = settles && a.kind != AccessKind::store_past_caches;
    wide = wide || static_cast<uint64_t>(a.stride > 0 ? a.stride : -a.stride) >= s.line_bytes();
  }
  s.refs += static_cast<uint64_t>(iterations) * streams.size();
  if (each) return run_each(s, iterations, streams);
  if (wide || iterations == 1) return (s.plain ? run_wide<true> : run_wide<false>)(s, iterations, streams);
  (settles ? run_lines<true> : run_lines<false>)(s, iterations, streams);
}

void run(CacheState& s, int64_t iterations, std::span<const AccessStream> streams) {
  if (iterations <= 0 || (s.plain && run_plain(s, iterations, streams))) return;
  run_any(s, iterations, streams);
}

Runners run_here() { return {run, run_nest, drop}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace profiler::cache_detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace profiler::cache_detail {
namespace {
HWY_EXPORT(run_here);
}  // namespace

Runners runners() { return HWY_DYNAMIC_DISPATCH(run_here)(); }

}  // namespace profiler::cache_detail
#endif
