// SPDX-License-Identifier: Apache-2.0
// The common case on its own: levels of plain LRU, write-back and write-allocate, each holding what it likes. The same
// rules as in cache_simd.cpp, without the questions whose answers are known. Included once per vector unit, inside
// Highway's foreach_target.
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

/// Brings a line into its set of a level, as its most recent.
HWY_INLINE Touched touch_plain(const FlatLevel& l, uint32_t set, uint32_t line, uint32_t dirty) {
  constexpr size_t kWidest = hn::MaxLanes(hn::ScalableTag<uint32_t>());
  if constexpr (kWidest >= 8) {
    if (l.stride == 8) return touch_lru_vector<8>(l.keys + size_t{set} * 8, l.ways, line, dirty);
  }
  if constexpr (kWidest >= 16) {
    if (l.stride == 16) return touch_lru_vector<16>(l.keys + size_t{set} * 16, l.ways, line, dirty);
  }
  return touch_lru_scalar(l.keys + size_t{set} * static_cast<size_t>(l.stride), l.ways, line, dirty, true);
}

/// A whole dirty line arrives in its set. A level above drops it soon after it was fetched, as larger levels count:
/// often nothing else came into its set since.
HWY_INLINE Touched take_back(const FlatLevel& l, uint32_t line) {
  const uint32_t set = l.set_of(line);
  uint32_t& first = l.keys[size_t{set} * static_cast<size_t>(l.stride)];
  if ((first & ~1u) != line << 1) return touch_plain(l, set, line, 1);
  first |= 1;
  return kHitIt;
}

/// A whole dirty line arrives at `level`; what it pushes out goes on if that is dirty, too.
HWY_NOINLINE void write_back_far(CacheState& s, size_t level, uint32_t line) {
  for (;; ++level) {
    const uint32_t tensor = s.owner(line);
    if (level == s.depth) {
      s.memory[tensor].written_bytes += s.line_bytes();
      return;
    }
    const FlatLevel& l = s.flat[level];
    CacheCounts& c = l.counts[tensor];
    ++c.write_backs;
    const Touched t = take_back(l, line);
    if (t.hit()) return;
    ++c.write_back_misses;
    if (t.victim == kNoKey || (t.victim & 1) == 0) return;
    line = t.victim >> 1;
  }
}

/// The same for a key that left the level above; nothing where that is clean (kNoKey is).
HWY_INLINE void write_back_plain(CacheState& s, size_t level, uint32_t key) {
  if ((key & 1) == 0 || !s.rules.write_backs) return;
  const uint32_t line = key >> 1, tensor = s.owner(line);
  if (level == s.depth) {
    s.memory[tensor].written_bytes += s.line_bytes();
    return;
  }
  const FlatLevel& l = s.flat[level];
  CacheCounts& c = l.counts[tensor];
  ++c.write_backs;
  const Touched t = take_back(l, line);
  if (HWY_LIKELY(t.hit())) return;
  ++c.write_back_misses;
  if ((t.victim & 1) != 0) write_back_far(s, level + 1, t.victim >> 1);
}

/// The first two levels have made room for a line; it is looked for further out, and what the farther ones drop goes
/// down, the farthest first.
template <bool kStore>
HWY_NOINLINE void miss_further(CacheState& s, uint32_t line, uint32_t tensor) {
  uint32_t victims[kMaxSimulatedLevels];
  size_t level = 2;
  for (; level < s.depth; ++level) {
    const FlatLevel& l = s.flat[level];
    CacheCounts& c = l.counts[tensor];
    ++(kStore ? c.stores : c.loads);
    const uint32_t set = l.set_of(line);
    const Touched t = touch_plain(l, set, line, 0);
    if (t.hit()) break;
    ++(kStore ? c.store_misses : c.load_misses);
    ++l.set_misses[set];
    victims[level] = t.victim;
  }
  if (level == s.depth)
    (kStore ? s.memory[tensor].write_allocate_bytes : s.memory[tensor].load_bytes) += s.line_bytes();
  while (level-- > 2) write_back_plain(s, level + 1, victims[level]);
}

/// The first level has made room for a line; `victim` left it.
template <bool kStore>
HWY_NOINLINE void miss_plain(CacheState& s, uint32_t line, uint32_t tensor, uint32_t victim) {
  if (s.depth > 1) {
    const FlatLevel& l = s.flat[1];
    CacheCounts& c = l.counts[tensor];
    ++(kStore ? c.stores : c.loads);
    const uint32_t set = l.set_of(line);
    const Touched t = touch_plain(l, set, line, 0);
    if (!t.hit()) {
      ++(kStore ? c.store_misses : c.load_misses);
      ++l.set_misses[set];
      if (s.depth > 2) miss_further<kStore>(s, line, tensor);
      else (kStore ? s.memory[tensor].write_allocate_bytes : s.memory[tensor].load_bytes) += s.line_bytes();
      write_back_plain(s, 2, t.victim);
    }
  } else {
    (kStore ? s.memory[tensor].write_allocate_bytes : s.memory[tensor].load_bytes) += s.line_bytes();
  }
  write_back_plain(s, 1, victim);
}

/// A load or a store, counted elsewhere, where it meets the first level `l`. `dirty`: it, or one right behind it, is a
/// store.
HWY_INLINE void look_up_plain(CacheState& s, const FlatLevel& l, uint32_t line, uint32_t tensor, bool store,
                              uint32_t dirty) {
  const uint32_t set = l.set_of(line);
  const Touched t = touch_plain(l, set, line, dirty);
  if (HWY_LIKELY(t.hit())) return;
  CacheCounts& c = l.counts[tensor];
  ++l.set_misses[set];
  if (store) {
    ++c.store_misses;
    miss_plain<true>(s, line, tensor, t.victim);
  } else {
    ++c.load_misses;
    miss_plain<false>(s, line, tensor, t.victim);
  }
}

/// The same where the line is often the most recent of its set.
HWY_INLINE void look_again_plain(CacheState& s, const FlatLevel& l, uint32_t line, uint32_t tensor, bool store,
                                 uint32_t dirty) {
  uint32_t& first = l.keys[size_t{l.set_of(line)} * static_cast<size_t>(l.stride)];
  if ((first & ~1u) != line << 1) return look_up_plain(s, l, line, tensor, store, dirty);
  if ((dirty & ~first) != 0) first |= 1;  // a store without need would delay the vector load that follows
}

/// A load or a store. For these functions CacheState::plain must be set.
HWY_INLINE void access_plain(CacheState& s, uint32_t line, uint32_t tensor, bool store) {
  const FlatLevel& l = s.flat[0];
  CacheCounts& c = l.counts[tensor];
  ++(store ? c.stores : c.loads);
  look_again_plain(s, l, line, tensor, store, store ? 1 : 0);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace profiler::cache_detail
HWY_AFTER_NAMESPACE();

#endif  // per target
