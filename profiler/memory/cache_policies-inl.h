// SPDX-License-Identifier: Apache-2.0
// One set of a cache under each replacement policy. Included once per vector unit, inside Highway's foreach_target.
#if defined(TENSORTIDE_CACHE_POLICIES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_CACHE_POLICIES_INL
#undef TENSORTIDE_CACHE_POLICIES_INL
#else
#define TENSORTIDE_CACHE_POLICIES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "profiler/memory/cache_state.h"

HWY_BEFORE_NAMESPACE();
namespace profiler::cache_detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// What a touch did: the line was there, or what had to leave for it (kNoKey: nothing). One word: two would travel
/// through memory.
struct Touched {
  static constexpr uint32_t kHit = 0xffffffffu;  // no key: lines end below
  uint32_t victim;
  bool hit() const { return victim == kHit; }
};
constexpr Touched kHitIt{Touched::kHit};

/// Way of a line; -1: not in the set.
HWY_INLINE int find(const uint32_t* set, int ways, uint32_t line) {
  const uint32_t key = line << 1;
  for (int w = 0; w < ways; ++w) {
    if ((set[w] & ~1u) == key) return w;
  }
  return -1;
}

// ---- LRU and FIFO: keys lie from the most recent to the next to leave, empty ways last
// ---------------------------------------------

/// Moves way `way` to the front as `key`.
HWY_INLINE void to_front(uint32_t* set, int way, uint32_t key) {
  std::memmove(set + 1, set, static_cast<size_t>(way) * sizeof(uint32_t));
  set[0] = key;
}

Touched touch_lru_scalar(uint32_t* set, int ways, uint32_t line, uint32_t dirty, bool promote) {
  const int way = find(set, ways, line);
  if (way >= 0 && !promote) {
    set[way] |= dirty;
    return kHitIt;
  }
  const int from = way >= 0 ? way : ways - 1;
  const uint32_t old = set[from];
  to_front(set, from, line << 1 | dirty | (way >= 0 ? old & 1 : 0));
  return Touched{way >= 0 ? Touched::kHit : old};
}

Touched touch_fifo(uint32_t* set, int ways, uint32_t line, uint32_t dirty) {
  const int way = find(set, ways, line);
  if (way >= 0) {
    set[way] |= dirty;
    return kHitIt;
  }
  const uint32_t old = set[ways - 1];
  to_front(set, ways - 1, line << 1 | dirty);
  return Touched{old};
}

/// kFront[p][i]: which lane moves to lane i when lane p moves to the front.
template <size_t kLanes>
struct FrontTable {
  alignas(64) uint32_t rows[kLanes][kLanes];
  constexpr FrontTable() : rows() {
    for (uint32_t p = 0; p < kLanes; ++p) {
      for (uint32_t i = 0; i < kLanes; ++i) rows[p][i] = i == 0 ? p : i <= p ? i - 1 : i;
    }
  }
};

/// A set of up to kLanes ways in one vector.
template <size_t kLanes>
HWY_INLINE Touched touch_lru_vector(uint32_t* set, int ways, uint32_t line, uint32_t dirty) {
  static constexpr FrontTable<kLanes> kFront;
  const hn::CappedTag<uint32_t, kLanes> d;
  const uint32_t key = line << 1;
  const auto keys = hn::Load(d, set);
  const auto same = hn::Eq(hn::AndNot(hn::Set(d, 1u), keys), hn::Set(d, key));
  const intptr_t found = hn::FindFirstTrue(d, same);
  const auto lead = hn::FirstN(d, 1);
  if (found <
      0) {  // known without the comparison where the branch is foreseen: the next look-up of this set waits less
    const uint32_t old = set[ways - 1];
    const auto moved = hn::TableLookupLanes(keys, hn::SetTableIndices(d, kFront.rows[ways - 1]));
    hn::Store(hn::IfThenElse(lead, hn::Set(d, key | dirty), moved), d, set);
    return Touched{old};
  }
  const auto moved =
      hn::TableLookupLanes(keys, hn::SetTableIndices(d, kFront.rows[found]));  // lane 0: the key, dirty as it was
  hn::Store(hn::Or(moved, hn::IfThenElseZero(lead, hn::Set(d, dirty))), d, set);
  return kHitIt;
}

HWY_INLINE Touched touch_lru(uint32_t* set, int ways, uint32_t line, uint32_t dirty, bool promote) {
  if ((set[0] & ~1u) == line << 1) {
    if (dirty != 0) set[0] |= 1;  // a store without need would delay the vector load that follows
    return kHitIt;
  }
  constexpr size_t kWidest = hn::MaxLanes(hn::ScalableTag<uint32_t>());
  if constexpr (kWidest >= 8) {
    if (ways <= 8 && promote) return touch_lru_vector<8>(set, ways, line, dirty);
  }
  if constexpr (kWidest >= 16) {
    if (ways <= 16 && promote) return touch_lru_vector<16>(set, ways, line, dirty);
  }
  return touch_lru_scalar(set, ways, line, dirty, promote);
}

// ---- tree-PLRU: ways keep their place; each tree node points to the half to be replaced next
// ---------------------------------------

uint64_t point_away(uint64_t tree, int leaf) {
  for (int node = leaf; node > 1; node >>= 1) {
    const uint64_t bit = uint64_t{1} << (node >> 1);
    tree = (node & 1) != 0 ? tree & ~bit : tree | bit;
  }
  return tree;
}

int pointed_at(uint64_t tree, int ways) {
  int node = 1;
  while (node < ways) node = 2 * node + static_cast<int>((tree >> node) & 1);
  return node - ways;
}

Touched touch_plru(uint32_t* set, uint64_t& tree, int ways, uint32_t line, uint32_t dirty, bool promote) {
  int way = find(set, ways, line);
  if (way >= 0) {
    set[way] |= dirty;
    if (promote) tree = point_away(tree, way + ways);
    return kHitIt;
  }
  for (int w = 0; w < ways && way < 0; ++w) way = set[w] == kNoKey ? w : -1;
  if (way < 0) way = pointed_at(tree, ways);
  const uint32_t old = set[way];
  set[way] = line << 1 | dirty;
  tree = point_away(tree, way + ways);
  return Touched{old};
}

// ---- LRU3PLRU4 and its kin: trees of four ways, the trees in LRU order
// ---------------------------------------------------------------

Touched touch_lru_of_plru4(uint32_t* set, uint64_t& trees, uint8_t* order, int ways, uint32_t line, uint32_t dirty,
                           bool promote) {
  const int groups = ways / 4;
  int way = find(set, ways, line);
  const bool hit = way >= 0;
  if (hit && !promote) {
    set[way] |= dirty;
    return kHitIt;
  }
  for (int w = 0; w < ways && way < 0; ++w) way = set[w] == kNoKey ? w : -1;
  const int group = way >= 0 ? way / 4 : order[groups - 1];
  // Three bits per group; the tree functions number the nodes 1 to 3.
  const uint64_t tree = ((trees >> (3 * group)) & 7) << 1;
  if (way < 0) way = 4 * group + pointed_at(tree, 4);
  const uint32_t old = set[way];
  set[way] = line << 1 | dirty | (hit ? old & 1 : 0);
  const uint64_t next = point_away(tree, way % 4 + 4) >> 1;
  trees = (trees & ~(uint64_t{7} << (3 * group))) | next << (3 * group);
  const int place = static_cast<int>(std::find(order, order + groups, group) - order);
  std::memmove(order + 1, order, static_cast<size_t>(place));
  order[0] = static_cast<uint8_t>(group);
  return Touched{hit ? Touched::kHit : old};
}

// ---- QLRU: an age of two bits per way
// ------------------------------------------------------------------------------------------------

/// Ages all, or all but `kept` (-1: none kept), as the rule says.
void update_ages(const QlruRules& rules, uint8_t* ages, int ways, int kept) {
  const bool others = rules.update == 1 || rules.update == 3;
  int oldest = 0;
  for (int w = 0; w < ways; ++w) {
    if (w != kept || rules.update != 1) oldest = std::max<int>(oldest, ages[w]);
  }
  if (oldest >= 3) return;
  const int more = rules.update <= 1 ? 3 - oldest : 1;
  for (int w = 0; w < ways; ++w) {
    if (!others || w != kept) ages[w] = static_cast<uint8_t>(ages[w] + more);
  }
}

int qlru_victim(const QlruRules& rules, const uint32_t* set, const uint8_t* ages, int ways) {
  for (int i = 0; i < ways; ++i) {
    const int w = rules.replace == 2 ? ways - 1 - i : i;
    if (set[w] == kNoKey) return w;
  }
  for (int w = 0; w < ways; ++w) {
    if (ages[w] == 3) return w;
  }
  return 0;
}

Touched touch_qlru(const QlruRules& rules, uint32_t* set, uint8_t* ages, int ways, uint32_t line, uint32_t dirty,
                   bool promote) {
  int way = find(set, ways, line);
  const bool hit = way >= 0;
  uint32_t old = kNoKey;
  if (hit) {
    set[way] |= dirty;
    if (!promote) return kHitIt;
    ages[way] = rules.after_hit[ages[way]];
  } else {
    if (rules.update_on_miss_only) update_ages(rules, ages, ways, -1);
    way = qlru_victim(rules, set, ages, ways);
    old = set[way];
    set[way] = line << 1 | dirty;
    ages[way] = rules.insert;
  }
  if (!rules.update_on_miss_only) update_ages(rules, ages, ways, way);
  return Touched{hit ? Touched::kHit : old};
}

// ---- MRU: a bit per way, 1 while it is unmarked
// ---------------------------------------------------------------------------------------

/// `always`: ways are marked also while the set has empty ones.
Touched touch_mru(uint32_t* set, uint8_t* unmarked, int ways, uint32_t line, uint32_t dirty, bool promote,
                  bool always) {
  int way = find(set, ways, line), empty = -1;
  const bool hit = way >= 0;
  if (hit && !promote) {
    set[way] |= dirty;
    return kHitIt;
  }
  for (int w = 0; w < ways && empty < 0; ++w) empty = set[w] == kNoKey ? w : -1;
  if (way < 0) way = empty >= 0 ? empty : static_cast<int>(std::find(unmarked, unmarked + ways, 1) - unmarked);
  const uint32_t old = set[way];
  set[way] = line << 1 | dirty | (hit ? old & 1 : 0);
  if (always || empty < 0) unmarked[way] = 0;
  if (std::find(unmarked, unmarked + ways, 1) == unmarked + ways) {
    std::fill(unmarked, unmarked + ways, uint8_t{1});
    unmarked[way] = 0;
  }
  return Touched{hit ? Touched::kHit : old};
}

// ---- any policy
// -----------------------------------------------------------------------------------------------------------------------

/// Brings `line` into its set, as its most recent where the policy knows recency and `promote`; sets its dirty bit
/// where `dirty`.
HWY_INLINE Touched touch(LevelState& l, uint32_t line, uint32_t dirty, bool promote) {
  const size_t index = l.set_of(line);
  uint32_t* set = l.keys.get() + index * static_cast<size_t>(l.stride);
  switch (l.config.replacement) {
    case Replacement::lru: return touch_lru(set, l.ways, line, dirty, promote);
    case Replacement::fifo: return touch_fifo(set, l.ways, line, dirty);
    case Replacement::plru: return touch_plru(set, l.trees[index], l.ways, line, dirty, promote);
    case Replacement::lru3plru4:
      return touch_lru_of_plru4(set, l.trees[index], &l.ages[index * static_cast<size_t>(l.ways / 4)], l.ways, line,
                                dirty, promote);
    case Replacement::mru:
    case Replacement::mru_n:
      return touch_mru(set, &l.ages[index * static_cast<size_t>(l.ways)], l.ways, line, dirty, promote,
                       l.config.replacement == Replacement::mru);
    case Replacement::qlru: break;
  }
  return touch_qlru(l.config.qlru, set, &l.ages[index * static_cast<size_t>(l.ways)], l.ways, line, dirty, promote);
}

uint32_t* set_with(LevelState& l, uint32_t line) {
  return l.keys.get() + size_t{l.set_of(line)} * static_cast<size_t>(l.stride);
}

bool contains(LevelState& l, uint32_t line) { return find(set_with(l, line), l.ways, line) >= 0; }

void mark_dirty(LevelState& l, uint32_t line) {
  uint32_t* set = set_with(l, line);
  const int way = find(set, l.ways, line);
  if (way >= 0) set[way] |= 1;
}

/// Takes the line out; its key, or kNoKey where it is not there.
uint32_t remove(LevelState& l, uint32_t line) {
  uint32_t* set = set_with(l, line);
  const int way = find(set, l.ways, line);
  if (way < 0) return kNoKey;
  const uint32_t key = set[way];
  if (l.config.replacement == Replacement::lru || l.config.replacement == Replacement::fifo) {
    std::memmove(set + way, set + way + 1, static_cast<size_t>(l.ways - 1 - way) * sizeof(uint32_t));
    set[l.ways - 1] = kNoKey;
  } else {
    set[way] = kNoKey;
  }
  return key;
}

/// Whether touching the same lines again in the same order, all hits, leaves the set as it is. Ages of QLRU move on
/// each access; of MRU the first round may end with other marks than the second, where one began with marks of lines
/// that are not among these.
bool repeats_settle(const LevelState& l, const CacheRules& rules) {
  const Replacement r = l.config.replacement;
  return r != Replacement::qlru && r != Replacement::mru && r != Replacement::mru_n && rules.promote_on_write_hit;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace profiler::cache_detail
HWY_AFTER_NAMESPACE();

#endif  // per target
