// SPDX-License-Identifier: Apache-2.0
// The common case on its own: levels of plain LRU, write-back and write-allocate, each holding what it likes. The same rules as in
// cache_simd.cpp, without the questions whose answers are known. Included once per vector unit, inside Highway's foreach_target.
#if defined(TENSORTIDE_CACHE_PLAIN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_CACHE_PLAIN_INL
#undef TENSORTIDE_CACHE_PLAIN_INL
#else
#define TENSORTIDE_CACHE_PLAIN_INL
#endif

#include "profiler/memory/cache_policies-inl.h"

HWY_BEFORE_NAMESPACE();
namespace profiler::cache_detail {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

HWY_INLINE Touched touch_plain(const FlatLevel& l, uint32_t set, uint32_t line, uint32_t dirty) {
  return touch_lru(l.keys + size_t{set} * static_cast<size_t>(l.stride), l.ways, line, dirty, true);
}

/// A whole dirty line arrives at `level`; what it pushes out goes on if that is dirty, too.
HWY_INLINE void write_back_plain(CacheState& s, size_t levels, size_t level, uint32_t line) {
  for (;; ++level) {
    const uint32_t tensor = s.owner(line);
    if (level == levels) {
      s.memory[tensor].written_bytes += s.line_bytes();
      return;
    }
    const FlatLevel& l = s.flat[level];
    CacheCounts& c = l.counts[tensor];
    ++c.write_backs;
    const Touched t = touch_plain(l, l.set_of(line), line, 1);
    if (t.hit) return;
    ++c.write_back_misses;
    if (t.victim == kNoKey || (t.victim & 1) == 0) return;
    line = t.victim >> 1;
  }
}

/// The first level has made room for a line, `victim` left; the line is looked for further out, then the victims go down, the
/// farthest first.
HWY_NOINLINE void miss_plain(CacheState& s, uint32_t line, uint32_t tensor, bool store, uint32_t victim) {
  const size_t levels = s.levels.size();
  uint32_t victims[kMaxSimulatedLevels];
  victims[0] = victim;
  size_t level = 1;
  for (; level < levels; ++level) {
    const FlatLevel& l = s.flat[level];
    CacheCounts& c = l.counts[tensor];
    ++(store ? c.stores : c.loads);
    const uint32_t set = l.set_of(line);
    const Touched t = touch_plain(l, set, line, 0);
    if (t.hit) break;
    ++(store ? c.store_misses : c.load_misses);
    ++l.set_misses[set];
    victims[level] = t.victim;
  }
  if (level == levels) (store ? s.memory[tensor].write_allocate_bytes : s.memory[tensor].load_bytes) += s.line_bytes();
  const bool writes_back = s.rules.write_backs;
  if (s.tracks_departures && victim != kNoKey) s.departures.add(victim >> 1);
  while (level-- > 0) {
    const uint32_t key = victims[level];
    if ((key & 1) != 0 && writes_back) write_back_plain(s, levels, level + 1, key >> 1);  // kNoKey is not dirty
  }
}

/// A load or a store, counted elsewhere, where it meets the first level. `dirty`: it, or one right behind it, is a store.
HWY_INLINE void look_up_plain(CacheState& s, uint32_t line, uint32_t tensor, bool store, uint32_t dirty) {
  const FlatLevel& l = s.flat[0];
  const uint32_t set = l.set_of(line);
  const Touched t = touch_plain(l, set, line, dirty);
  if (HWY_LIKELY(t.hit)) return;
  CacheCounts& c = l.counts[tensor];
  ++(store ? c.store_misses : c.load_misses);
  ++l.set_misses[set];
  miss_plain(s, line, tensor, store, t.victim);
}

/// A load or a store. For these functions CacheState::plain must be set.
HWY_INLINE void access_plain(CacheState& s, uint32_t line, uint32_t tensor, bool store) {
  CacheCounts& c = s.flat[0].counts[tensor];
  ++(store ? c.stores : c.loads);
  look_up_plain(s, line, tensor, store, store ? 1 : 0);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace profiler::cache_detail
HWY_AFTER_NAMESPACE();

#endif  // per target
