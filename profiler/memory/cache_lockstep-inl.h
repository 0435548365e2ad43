// SPDX-License-Identifier: Apache-2.0
// Groups on plain hierarchies (cache_plain-inl.h) with as few look-ups as leave the same state behind: an access to a
// line that is the most recent of its set changes nothing, so that streams in lockstep ask only when they enter a line,
// and once more where another line of the same set came between. Which those are repeats with every line and is found
// out once per group.
#if defined(TENSORTIDE_CACHE_LOCKSTEP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_CACHE_LOCKSTEP_INL
#undef TENSORTIDE_CACHE_LOCKSTEP_INL
#else
#define TENSORTIDE_CACHE_LOCKSTEP_INL
#endif

#include <algorithm>
#include <bit>
#include <climits>

#include "profiler/memory/cache_scattered-inl.h"

HWY_BEFORE_NAMESPACE();
namespace profiler::cache_detail {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

constexpr int kNever = INT_MAX;

/// One stream of a group whose moving streams all have the same stride. Lines count upwards in the direction of the
/// stride.
struct Follower {
  int64_t line;       ///< of its first access
  int64_t crossings;  ///< lines it enters afterwards
  uint32_t tensor;
  int phase;  ///< iterations until it enters its second line, from 1 to those a line lasts; kNever: it stays
  bool store;
};

/// A look-up that recurs with every line.
struct Recurring {
  uint32_t line;  ///< next
  uint32_t tensor;
  uint32_t dirty;
  bool store;
  int64_t times;
};

/// Streams in lockstep, and how their lines lie to one another.
struct Lockstep {
  Follower streams[kMostStreams];
  size_t count = 0;
  int64_t periods = 0;  ///< most lines that any of them enters
  int direction = 1;
  bool stays = false;  ///< some stream does not move
  Recurring recurring[kMostStreams * kMostStreams];
  size_t recurrings = 0;
};

uint32_t line_at(const Lockstep& g, int64_t line) { return static_cast<uint32_t>(g.direction > 0 ? line : -line); }

/// All streams' present lines once, in their order; those of phases up to `phase` have entered their line of this
/// period.
void full_round(CacheState& s, const Lockstep& g, int64_t period, int phase) {
  const FlatLevel l = s.flat[0];
  for (size_t k = 0; k < g.count; ++k) {
    const Follower& f = g.streams[k];
    const uint32_t line = line_at(g, f.line + std::min(f.crossings, f.phase <= phase ? period + 1 : period));
    if (s.slices.has(line)) look_again_plain(s, l, line, f.tensor, f.store, f.store ? 1 : 0);
  }
}

/// One line's worth of iterations, every stream asked whenever one of them enters a line.
void full_period(CacheState& s, const Lockstep& g, int64_t period) {
  for (int phase = 0;;) {
    int next = kNever;
    bool enters = false;
    for (size_t k = 0; k < g.count; ++k) {
      const Follower& f = g.streams[k];
      if (f.phase <= phase || f.phase > next) continue;
      enters = (f.phase == next && enters) || period < f.crossings;
      next = f.phase;
    }
    if (next == kNever) return;
    phase = next;
    if (enters) full_round(s, g, period, phase);
  }
}

enum class Relation : uint8_t {
  apart,  ///< never in the same set at once
  near,   ///< on the same line for a while, else on neighbours
  same,   ///< always on the same line
  clash,
};

Relation relation(const FlatLevel& l, const Follower& a, const Follower& b) {
  const int64_t before = b.line - a.line;
  const int64_t after = before + (b.phase < a.phase   ? 1
                                  : b.phase > a.phase ? -1
                                                      : 0);  // between the crossings of the two
  if (before == 0 && after == 0) return Relation::same;
  if (before == 0 || after == 0) return l.sets > 1 ? Relation::near : Relation::clash;
  return l.same_set(before) || l.same_set(after) ? Relation::clash : Relation::apart;
}

/// `b` enters lines that `a` has entered before.
bool follows(const Follower& b, const Follower& a) {
  return b.phase < a.phase ? b.line + 1 == a.line : b.phase > a.phase && b.line == a.line;
}

/// Streams by phase, those of the same phase in their order.
void by_phase(const Lockstep& g, uint8_t* order) {
  for (size_t k = 0; k < g.count; ++k) {
    size_t at = k;
    for (; at > 0 && g.streams[order[at - 1]].phase > g.streams[k].phase; --at) order[at] = order[at - 1];
    order[at] = static_cast<uint8_t>(k);
  }
}

void recur(Lockstep& g, const Follower& f, int64_t line, uint32_t dirty) {
  g.recurring[g.recurrings++] = {line_at(g, line), f.tensor, dirty, f.store, f.crossings};
}

/// No two lines meet in a set: whoever enters a line first asks for it. False: some do.
bool plan_apart(const FlatLevel& l, Lockstep& g) {
  uint32_t dirty[kMostStreams] = {};
  bool asks[kMostStreams];
  for (size_t k = 0; k < g.count; ++k) {
    const Follower& f = g.streams[k];
    asks[k] = f.phase != kNever;
    dirty[k] = f.store ? 1 : 0;
    if (!asks[k]) continue;
    for (size_t j = 0; j < k; ++j) {
      const Follower& other = g.streams[j];
      if (other.phase == kNever) continue;
      switch (relation(l, other, f)) {
        case Relation::clash: return false;
        case Relation::apart: break;
        case Relation::same:
          if (asks[j]) {
            asks[k] = false;
            dirty[j] |= dirty[k];
          } else {
            asks[k] = asks[k] && f.store;
          }
          break;
        case Relation::near:  // a store that follows has its line to mark
          if (follows(f, other)) asks[k] = asks[k] && f.store;
          else asks[j] = asks[j] && dirty[j] != 0;
          break;
      }
    }
  }
  uint8_t order[kMostStreams];
  by_phase(g, order);
  for (size_t i = 0; i < g.count; ++i) {
    const size_t k = order[i];
    if (asks[k]) recur(g, g.streams[k], g.streams[k].line + 1, dirty[k]);
  }
  return true;
}

/// Distinct lines of one set, the most recent first, as a round over all streams leaves them.
struct SetOrder {
  int64_t lines[kMostStreams];
  size_t count = 0;
  bool has(int64_t line) const { return std::find(lines, lines + count, line) != lines + count; }
};

SetOrder order_in(const FlatLevel& l, const Lockstep& g, const int64_t* lines, int64_t set_with) {
  SetOrder order;
  for (size_t k = g.count; k-- > 0;) {
    if (g.streams[k].phase != kNever && l.same_set(lines[k] - set_with) && !order.has(lines[k]))
      order.lines[order.count++] = lines[k];
  }
  return order;
}

/// Whom to ask at one crossing so that the set of `set_with` ends as a round over all streams would leave it.
void ask_for_set(const FlatLevel& l, const Lockstep& g, const int64_t* before, const int64_t* after, int64_t set_with,
                 bool* asks) {
  const SetOrder old = order_in(l, g, before, set_with), wanted = order_in(l, g, after, set_with);
  size_t fresh = 0;  // lines that come in, as far as they end in front
  while (fresh < wanted.count && !old.has(wanted.lines[fresh])) ++fresh;
  // What is asked for nothing keeps its order behind the fresh lines: right if the rest, then what was left, is the old
  // order.
  bool kept = fresh <= 1 && wanted.count - fresh <= old.count &&
              std::equal(wanted.lines + fresh, wanted.lines + wanted.count, old.lines);
  for (size_t k = 0; k < g.count && kept; ++k) {  // a store must mark a line that it has not entered first
    const bool enters = after[k] != before[k] && l.same_set(after[k] - set_with);
    kept = !enters || !g.streams[k].store || (fresh == 1 && after[k] == wanted.lines[0]);
  }
  for (size_t k = 0; k < g.count; ++k) {
    if (g.streams[k].phase == kNever || !l.same_set(after[k] - set_with)) continue;
    if (!kept || (fresh == 1 && after[k] == wanted.lines[0])) asks[k] = true;
  }
}

/// Moving lines meet in sets: at each crossing the streams in the sets concerned are asked in their order.
void plan_meeting(const FlatLevel& l, Lockstep& g) {
  int64_t before[kMostStreams], after[kMostStreams];
  uint8_t order[kMostStreams];
  by_phase(g, order);
  for (size_t k = 0; k < g.count; ++k) before[k] = g.streams[k].line;
  for (size_t i = 0; i < g.count && g.streams[order[i]].phase != kNever;) {
    const Follower& leader = g.streams[order[i]];
    bool asks[kMostStreams] = {};
    std::copy(before, before + g.count, after);
    for (; i < g.count && g.streams[order[i]].phase == leader.phase; ++i) ++after[order[i]];
    for (size_t k = 0; k < g.count; ++k) {
      if (after[k] == before[k]) continue;
      ask_for_set(l, g, before, after, before[k], asks);
      ask_for_set(l, g, before, after, after[k], asks);
    }
    const size_t first = g.recurrings;
    for (size_t k = 0; k < g.count; ++k) {
      if (!asks[k]) continue;
      const Follower& f = g.streams[k];
      const uint32_t dirty = f.store && after[k] != before[k] ? 1 : 0;
      size_t at = g.recurrings;  // the last one of this set: where it asks for the same line, once is enough
      while (at > first && !l.same_set(int64_t{g.recurring[at - 1].line} - line_at(g, after[k]))) --at;
      if (at > first && g.recurring[at - 1].line == line_at(g, after[k])) {
        g.recurring[at - 1].dirty |= dirty;
      } else {
        recur(g, f, after[k], dirty);
        g.recurring[g.recurrings - 1].times = leader.crossings;
      }
    }
    std::copy(after, after + g.count, before);
  }
}

/// kCount look-ups in turn, so many periods of them. A loop over a few of them would end unforeseen wherever their
/// number changes.
template <size_t kCount>
HWY_INLINE void ask_in_turn(CacheState& s, const FlatLevel& l, const Recurring* const* asked, int64_t periods,
                            uint32_t step) {
  Recurring r[kCount];
  for (size_t i = 0; i < kCount; ++i) r[i] = *asked[i];
  for (int64_t period = 0; period < periods; ++period) {
    for (size_t i = 0; i < kCount; ++i) {
      look_again_plain(s, l, r[i].line, r[i].tensor, r[i].store, r[i].dirty);
      r[i].line += step;
    }
  }
}

HWY_NOINLINE void ask_all(CacheState& s, const Recurring* const* asked, size_t count, int64_t periods, uint32_t step) {
  const FlatLevel l = s.flat[0];
  switch (count) {
    case 0: return;
    case 1: return ask_in_turn<1>(s, l, asked, periods, step);
    case 2: return ask_in_turn<2>(s, l, asked, periods, step);
    case 3: return ask_in_turn<3>(s, l, asked, periods, step);
    case 4: return ask_in_turn<4>(s, l, asked, periods, step);
    default: break;
  }
  for (int64_t period = 0; period < periods; ++period) {
    for (size_t i = 0; i < count; ++i) {
      const Recurring& r = *asked[i];
      look_again_plain(s, l, r.line + static_cast<uint32_t>(period) * step, r.tensor, r.store, r.dirty);
    }
  }
}

/// The next `periods` look-ups of each that recurs.
void run_recurring(CacheState& s, Lockstep& g, int64_t periods) {
  constexpr size_t kMost = kMostStreams * kMostStreams;
  const auto step = static_cast<uint32_t>(g.direction);
  const uint32_t block = uint32_t{1} << s.slices.shift;  // lines that lie in one slice
  const bool sliced = s.slices.mask != 0;
  uint32_t left[kMost];  // lines until it enters another slice
  bool picked[kMost];
  const Recurring* asked[kMost];
  for (size_t i = 0; i < g.recurrings && sliced; ++i) {
    const uint32_t line = g.recurring[i].line, within = line & (block - 1);
    left[i] = g.direction > 0 ? block - within : within + 1, picked[i] = s.slices.has(line);
  }
  while (periods > 0) {
    int64_t run = periods;
    size_t count = 0;
    for (size_t i = 0; i < g.recurrings; ++i) {
      if (sliced) run = std::min<int64_t>(run, left[i]);
      asked[count] = &g.recurring[i];
      count += !sliced || picked[i] ? 1 : 0;
    }
    ask_all(s, asked, count, run, step);
    for (size_t i = 0; i < g.recurrings; ++i) {
      uint32_t& line = g.recurring[i].line;
      line += static_cast<uint32_t>(run) * step;
      if (sliced && (left[i] -= static_cast<uint32_t>(run)) == 0) left[i] = block, picked[i] = s.slices.has(line);
    }
    periods -= run;
  }
}

/// Whether a line that is entered in this period, or one of the first lines (period -1), meets a stream that stays.
bool meets_who_stays(const FlatLevel& l, const Lockstep& g, int64_t period) {
  for (size_t k = 0; k < g.count; ++k) {
    if (g.streams[k].phase == kNever) continue;
    for (size_t j = 0; j < g.count; ++j) {
      if (g.streams[j].phase == kNever && l.same_set(g.streams[k].line + period + 1 - g.streams[j].line)) return true;
    }
  }
  return false;
}

/// All that recurs, each as often as it does.
void run_periods(CacheState& s, Lockstep& g) {
  int64_t common = g.periods;
  for (size_t i = 0; i < g.recurrings; ++i) common = std::min(common, g.recurring[i].times);
  if (!g.stays) {
    run_recurring(s, g, common);
  } else {
    bool met = meets_who_stays(s.flat[0], g, -1);
    for (int64_t period = 0; period < common; ++period) {
      const bool meets = meets_who_stays(s.flat[0], g, period);
      if (meets || met) {
        full_period(s, g, period);
        for (size_t i = 0; i < g.recurrings; ++i) g.recurring[i].line += static_cast<uint32_t>(g.direction);
      } else {
        run_recurring(s, g, 1);
      }
      met = meets;
    }
  }
  if (common == g.periods) return;
  if (g.stays) return full_period(s, g, common);
  for (size_t i = 0; i < g.recurrings; ++i) {
    const Recurring& r = g.recurring[i];
    if (r.times > common && s.slices.has(r.line)) look_again_plain(s, s.flat[0], r.line, r.tensor, r.store, r.dirty);
  }
}

/// Streams that stay or move by `stride`, a power of two below a line; no more of them than the first level has ways,
/// so that each finds its line again.
void run_lockstep(CacheState& s, int64_t iterations, std::span<const AccessStream> streams, int64_t stride) {
  constexpr int64_t kWorthPlanning = 6;  // lines, from which on a plan for lines that meet costs less than it saves
  Lockstep g;
  g.direction = stride < 0 ? -1 : 1;
  const auto step = static_cast<uint64_t>(stride == 0 ? 1 : std::abs(stride));
  const int step_shift = std::countr_zero(step), per_line_shift = s.line_shift - step_shift;
  const uint64_t within_line = s.line_bytes() - 1;
  bool one_phase = true;
  for (const AccessStream& a : streams) {
    const auto line = static_cast<int64_t>(a.address >> s.line_shift);
    Follower& f = g.streams[g.count];
    f.line = g.direction > 0 ? line : -line;
    f.crossings = 0, f.tensor = a.tensor, f.phase = kNever, f.store = a.kind == AccessKind::store;
    if (a.stride != 0) {
      const uint64_t offset = a.address & within_line;
      f.phase = static_cast<int>((stride > 0 ? within_line - offset : offset) >> step_shift) + 1;
      if (iterations > f.phase) f.crossings = ((iterations - 1 - f.phase) >> per_line_shift) + 1;
    }
    auto accesses = static_cast<uint64_t>(iterations);
    if (s.slices.mask != 0) {
      const uint64_t low = a.address + static_cast<uint64_t>(std::min<int64_t>((iterations - 1) * a.stride, 0));
      accesses = picked_accesses(s, low, low >> s.line_shift, static_cast<uint64_t>(f.crossings), iterations,
                                 uint64_t{1} << per_line_shift);
      if (accesses == 0) continue;
    }
    CacheCounts& c = s.flat[0].counts[a.tensor];
    (f.store ? c.stores : c.loads) += accesses;
    g.stays = g.stays || a.stride == 0;
    g.periods = std::max(g.periods, f.crossings);
    one_phase = one_phase && (a.stride == 0 || g.count == 0 || f.phase == g.streams[0].phase);
    ++g.count;
  }
  full_round(s, g, 0, 0);
  if (g.periods == 0) return;
  if (!plan_apart(s.flat[0], g)) {
    if (g.periods < kWorthPlanning && !one_phase) {
      for (int64_t period = 0; period < g.periods; ++period) full_period(s, g, period);
      return;
    }
    if (one_phase) {
      for (size_t k = 0; k < g.count; ++k) {
        if (g.streams[k].phase != kNever) recur(g, g.streams[k], g.streams[k].line + 1, g.streams[k].store ? 1 : 0);
      }
    } else {
      plan_meeting(s.flat[0], g);
    }
  }
  run_periods(s, g);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace profiler::cache_detail
HWY_AFTER_NAMESPACE();

#endif  // per target
