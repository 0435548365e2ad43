// SPDX-License-Identifier: Apache-2.0
// Nests of groups on plain hierarchies (cache_plain-inl.h), one class of sets after another: lines of two classes share
// a set at no level, so that only the order within a class matters. A round of the outer loop that meets the same lines
// of a class in the same order as the round before leaves that class as it is and is left out: of a tile that stays in
// the first level, only the sets are simulated into which lines of other operands come.
#if defined(TENSORTIDE_CACHE_NESTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_CACHE_NESTS_INL
#undef TENSORTIDE_CACHE_NESTS_INL
#else
#define TENSORTIDE_CACHE_NESTS_INL
#endif

#include <algorithm>
#include <bit>
#include <climits>

#include "profiler/memory/cache_scattered-inl.h"

HWY_BEFORE_NAMESPACE();
namespace profiler::cache_detail {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

using engine::NestedGroup;
using engine::NestedStream;

/// Says which lines `count` accesses from `address` on enter, in their order, and the first and last access of each.
/// The stride: 0, or a power of two up to a line.
template <class Say>
HWY_INLINE void each_line(int line_shift, uint64_t address, int64_t stride, int64_t count, const Say& say) {
  auto line = static_cast<uint32_t>(address >> line_shift);
  if (stride == 0) return say(line, int64_t{0}, count - 1);
  const uint64_t within = (uint64_t{1} << line_shift) - 1, offset = address & within;
  const int step_shift = std::countr_zero(static_cast<uint64_t>(stride));  // of negative ones, too
  const int64_t per_line = int64_t{1} << (line_shift - step_shift);
  int64_t begin = 0, end = static_cast<int64_t>((stride > 0 ? within - offset : offset) >> step_shift) + 1;
  for (; end < count; begin = end, end += per_line) {
    say(line, begin, end - 1);
    line += stride > 0 ? 1u : ~0u;
  }
  say(line, begin, count - 1);
}

class Nest {
 public:
  Nest(CacheState& s, int64_t outer, int64_t inner)
      : s_(s),
        l_(s.flat[0]),
        outer_(outer),
        inner_(inner),
        classes_(std::min<uint32_t>(s.independent + 1, NestLines::kClasses)) {
    if (!s.nest_lines) s.nest_lines = std::make_unique<NestLines[]>(2);
    for (NestLines* lines : {&lasting(), &passing()}) lines->count.fill(0);
  }

  /// False: a group that cannot go this way.
  bool add(const NestedGroup& g) {
    if (g.iterations <= 0 || g.streams.empty()) return true;
    if (g.iterations > kMostRounds ||
        stream_count_ + g.streams.size() > std::min(kMostStreams, static_cast<size_t>(l_.ways)))
      return false;
    const size_t first = place_count_;
    for (const NestedStream& n : g.streams) {
      size_t i = first;
      while (i < place_count_ && !lie_alike(places_[i].at, n)) ++i;
      if (is_odd(n.stream, static_cast<uint64_t>(n.stream.stride | n.inner | n.outer), s_.line_bytes())) return false;
      if (i == place_count_ && !add_place(g.iterations, n)) return false;
      const bool store = n.stream.kind == AccessKind::store;
      if (store) places_[i].dirty = 1;
      streams_[stream_count_++] = {n.stream.tensor, store, static_cast<uint8_t>(i)};
    }
    group_ends_[group_count_++] = stream_count_;
    return true;
  }

  /// False: more lines than this way is for, and nothing was done.
  bool run(uint64_t accesses_of_round) {
    for (size_t i = 0; i < place_count_; ++i) {
      if (!places_[i].passes) enter(lasting(), i, 0, static_cast<uint64_t>(outer_));
      if (fullest_ >= kMostLines) return false;
    }
    find_apart();
    for (int64_t done = 0; done < outer_;) done = rounds_from(done);
    for (size_t k = 0; k < stream_count_; ++k) {
      CacheCounts& c = l_.counts[streams_[k].tensor];
      (streams_[k].store ? c.stores : c.loads) += places_[streams_[k].place].accesses;
    }
    s_.refs += accesses_of_round * static_cast<uint64_t>(outer_ * inner_);
    return true;
  }

  static constexpr int64_t kMostRounds = UINT16_MAX;

 private:
  using Stay = NestLines::Stay;
  static constexpr size_t kMostLines = NestLines::kMost - 1;

  /// Streams of a group that lie at the same addresses throughout: the first of them asks for all.
  struct Place {
    NestedStream at;
    int64_t iterations = 0;
    uint64_t below = 0, reach = 0;  // bytes from the lowest access of a group to the first, and to the highest
    uint64_t accesses = 0;          // of each of its streams, in the slices picked
    uint32_t tensor = 0, dirty = 0;
    bool store = false;
    bool passes = false;     // its lines are others in each round of the outer loop
    bool by_rounds = false;  // within one of them it moves along lines, an inner round at a time
    size_t group = 0;
  };
  struct Stream {
    uint32_t tensor = 0;
    bool store = false;
    uint8_t place = 0;
  };

  NestLines& lasting() { return s_.nest_lines[0]; }
  NestLines& passing() { return s_.nest_lines[1]; }

  static bool lie_alike(const NestedStream& a, const NestedStream& b) {
    return a.stream.address == b.stream.address && a.stream.stride == b.stream.stride && a.inner == b.inner &&
           a.outer == b.outer;
  }
  bool divides_line(int64_t stride) const {
    const auto step = static_cast<uint64_t>(stride < 0 ? -stride : stride);
    return step <= s_.line_bytes() && std::has_single_bit(step);
  }

  bool add_place(int64_t iterations, const NestedStream& n) {
    Place p{.at = n,
            .iterations = iterations,
            .tensor = n.stream.tensor,
            .store = n.stream.kind == AccessKind::store,
            .group = group_count_};
    if (iterations == 1) p.at.stream.stride = 0;
    const int64_t stride = p.at.stream.stride;
    p.reach = static_cast<uint64_t>((iterations - 1) * std::abs(stride)), p.below = stride < 0 ? p.reach : 0;
    if (stride != 0 && (!divides_line(stride) || p.reach >= uint64_t{classes_ - 1} << s_.line_shift)) return false;
    p.by_rounds = stride == 0 && (n.inner == 0 || divides_line(n.inner));
    p.passes = outer_ > 1 ? n.outer != 0 : p.by_rounds || n.inner == 0;
    if (p.passes)
      lines_of_round_ += p.by_rounds ? lines_by_rounds(n.inner) : n.inner == 0 ? 1 : static_cast<size_t>(inner_);
    places_[place_count_++] = p;
    return lines_of_round_ < kMostLines;
  }
  /// Lines of one class, at most, that a place by rounds enters in a round of the outer loop.
  size_t lines_by_rounds(int64_t step) const {
    return (static_cast<size_t>(inner_ * std::abs(step)) >> s_.line_shift) / classes_ + 2;
  }

  /// Whether a group's accesses from `address` on all lie in one slice that is not picked.
  bool is_elsewhere(const Place& p, uint64_t address) const {
    const auto first = static_cast<uint32_t>((address - p.below) >> s_.line_shift),
               last = static_cast<uint32_t>((address - p.below + p.reach) >> s_.line_shift);
    return s_.slices.mask != 0 && (first ^ last) >> s_.slices.shift == 0 && !s_.slices.has(first);
  }

  /// The lines of a place in one round of the outer loop, which stands for `times`.
  void enter(NestLines& to, size_t place, int64_t round, uint64_t times) {
    Place& p = places_[place];
    const AccessStream& a = p.at.stream;
    const uint64_t address = a.address + static_cast<uint64_t>(round * p.at.outer);
    const auto mark = static_cast<uint16_t>(round - first_round_);
    uint64_t accesses = 0;
    size_t fullest = fullest_;
    const auto stay = [&](uint32_t line, int64_t from, int64_t to_round, int64_t begin, int64_t end) {
      const uint32_t at = line & (classes_ - 1);
      const size_t count = to.count[at];
      to.stays[at][count] = {line,
                             mark,
                             static_cast<uint16_t>(from),
                             static_cast<uint16_t>(to_round),
                             static_cast<uint16_t>(begin),
                             static_cast<uint16_t>(end),
                             static_cast<uint8_t>(place)};
      const uint64_t picked = s_.slices.has(line) && count < kMostLines ? 1 : 0;  // others are written over
      to.count[at] = static_cast<uint8_t>(count + picked);
      fullest = std::max(fullest, count + picked);
      accesses += picked * static_cast<uint64_t>((to_round - from + 1) * (end - begin + 1));
    };
    if (p.by_rounds) {
      each_line(s_.line_shift, address, p.at.inner, inner_,
                [&](uint32_t line, int64_t from, int64_t last) { stay(line, from, last, 0, p.iterations - 1); });
    } else if (p.at.inner == 0) {
      if (is_elsewhere(p, address)) return;
      each_line(s_.line_shift, address, a.stride, p.iterations,
                [&](uint32_t line, int64_t begin, int64_t end) { stay(line, 0, inner_ - 1, begin, end); });
    } else {
      for (int64_t i = 0; i < inner_ && fullest < kMostLines; ++i) {
        const uint64_t row = address + static_cast<uint64_t>(i * p.at.inner);
        if (is_elsewhere(p, row)) continue;
        each_line(s_.line_shift, row, a.stride, p.iterations,
                  [&](uint32_t line, int64_t begin, int64_t end) { stay(line, i, i, begin, end); });
      }
    }
    p.accesses += accesses * times;
    fullest_ = fullest;
  }

  void find_apart() {
    for (size_t c = 0; c < classes_; ++c) {
      Stay* const stays = lasting().stays[c].data();
      const size_t count = lasting().count[c];
      bool apart = true;
      for (size_t i = 0; i < count && apart; ++i)
        apart = stays[i].from == stays[i].to && (i == 0 || stays[i - 1].to < stays[i].from);
      apart_ |= uint64_t{apart} << c;
    }
  }

  /// As many rounds of the outer loop as there is room for. Returns the next one.
  int64_t rounds_from(int64_t first) {
    first_round_ = first, fullest_ = 0;
    int64_t next = first;
    for (; next < outer_ && next - first < kMostRounds && fullest_ + lines_of_round_ < kMostLines; ++next) {
      for (size_t i = 0; i < place_count_; ++i) {
        if (places_[i].passes) enter(passing(), i, next, 1);
      }
    }
    for (size_t c = 0; c < classes_; ++c) {
      if (lasting().count[c] + passing().count[c] > 0) run_class(c, next - first);
    }
    passing().count.fill(0);
    return next;
  }

  void run_class(size_t c, int64_t rounds) {
    const Stay* const stays = passing().stays[c].data();
    const size_t count = passing().count[c];
    int64_t next = 0;
    for (size_t i = 0, end = 0; i < count; i = end) {
      const int64_t round = stays[i].round;
      while (end < count && stays[end].round == round) ++end;
      if (round > next) run_lasting(c, round - next);
      if (end - i == 1 && apart(c)) run_one(c, stays[i]);
      else run_any(c, stays + i, end - i);
      next = round + 1;
    }
    if (rounds > next) run_lasting(c, rounds - next);
  }

  bool apart(size_t c) const { return ((apart_ >> c) & 1) != 0; }

  /// Rounds of the outer loop in which no line passes through a class.
  void run_lasting(size_t c, int64_t rounds) {
    const size_t count = lasting().count[c];
    if (count <= static_cast<size_t>(l_.ways)) rounds = 1;  // they stay: further rounds change nothing
    for (; rounds > 0 && count > 0; --rounds) {
      if (!apart(c)) {
        run_any(c, nullptr, 0);
        continue;
      }
      for (size_t i = 0; i < count; ++i) look(lasting().stays[c][i]);
    }
  }

  HWY_INLINE void look(const Stay& stay) {
    const Place& p = places_[stay.place];
    look_again_plain(s_, l_, stay.line, p.tensor, p.store, p.dirty);
  }

  /// A round of the outer loop with one line that passes, among lasting ones of an inner round each. Where that line is
  /// met before and after a lasting one, it does not matter in which order the two meet: it ends in front and was too
  /// near to it to leave.
  HWY_INLINE void run_one(size_t c, const Stay& passing) {
    const Stay* at = lasting().stays[c].data();
    const Stay* const end = at + lasting().count[c];
    for (; at != end && at->from < passing.from; ++at) look(*at);
    if (at != end && at->from == passing.from) {
      meet(passing, *at++);
      if (passing.to > passing.from) look(passing);
    } else {
      look(passing);
    }
    for (; at != end && at->from < passing.to; ++at) look(*at), look(passing);
    if (at != end && at->from == passing.to) meet(passing, *at++);
    for (; at != end; ++at) look(*at);
  }
  void meet(const Stay& a, const Stay& b) {
    const Stay* const both[] = {&a, &b};
    run_round(both, 2);
  }

  /// A round of the outer loop, whoever meets: asked anew where a line comes or goes; in between the rounds repeat
  /// themselves.
  HWY_NOINLINE void run_any(size_t c, const Stay* passing_stays, size_t passing_count) {
    const Stay* all[2 * NestLines::kMost];
    const Stay* present[2 * NestLines::kMost];
    size_t count = 0;
    for (size_t i = 0; i < lasting().count[c]; ++i) all[count++] = &lasting().stays[c][i];
    for (size_t i = 0; i < passing_count; ++i) all[count++] = passing_stays + i;
    for (int at = 0; at != INT_MAX;) {
      int next = INT_MAX;
      size_t presents = 0;
      for (size_t i = 0; i < count; ++i) {
        if (all[i]->from > at) next = std::min<int>(next, all[i]->from);
        else if (all[i]->to >= at) next = std::min<int>(next, all[i]->to + 1), present[presents++] = all[i];
      }
      if (presents > 0) run_round(present, presents);
      at = next;
    }
  }

  /// One round of the inner loop.
  HWY_NOINLINE void run_round(const Stay* const* present, size_t count) {
    size_t first_stream = 0;
    for (size_t g = 0; g < group_count_; first_stream = group_ends_[g++]) {
      const Stay* here[2 * NestLines::kMost];
      size_t heres = 0;
      for (size_t i = 0; i < count; ++i) {
        if (places_[present[i]->place].group == g) here[heres++] = present[i];
      }
      if (heres == 1) look(*here[0]);
      else if (heres > 1) run_group(here, heres, first_stream, group_ends_[g]);
    }
  }

  void run_group(const Stay* const* here, size_t count, size_t first_stream, size_t last_stream) {
    for (int at = 0; at != INT_MAX;) {
      int next = INT_MAX;
      const Stay* of_place[kMostStreams] = {};
      for (size_t i = 0; i < count; ++i) {
        if (here[i]->begin > at) next = std::min<int>(next, here[i]->begin);
        else if (here[i]->end >= at) next = std::min<int>(next, here[i]->end + 1), of_place[here[i]->place] = here[i];
      }
      for (size_t k = first_stream; k < last_stream; ++k) {
        const Stream& stream = streams_[k];
        if (const Stay* const stay = of_place[stream.place])
          look_again_plain(s_, l_, stay->line, stream.tensor, stream.store, stream.store ? 1 : 0);
      }
      at = next;
    }
  }

  CacheState& s_;
  const FlatLevel l_;
  int64_t outer_, inner_;
  uint32_t classes_;
  Place places_[kMostStreams];
  Stream streams_[kMostStreams];
  size_t group_ends_[kMostStreams];  // their streams'
  size_t place_count_ = 0, stream_count_ = 0, group_count_ = 0;
  size_t lines_of_round_ = 0;  // that pass in one round of the outer loop, of one class, at most
  size_t fullest_ = 0;         // lines of the fullest class
  int64_t first_round_ = 0;    // of those under way
  uint64_t apart_ = 0;         // bit c: lasting lines of class c come in inner rounds of their own
};

/// False: there is no shorter way than group by group, and nothing was done.
bool run_nest(CacheState& s, int64_t outer, int64_t inner, std::span<const NestedGroup> groups) {
  constexpr int kFewestWays = 4;  // see Nest::run_one()
  if (!s.plain || s.independent == 0 || s.flat[0].ways < kFewestWays || outer <= 0 || inner <= 0 ||
      inner > Nest::kMostRounds)
    return false;
  Nest nest(s, outer, inner);
  for (const NestedGroup& g : groups) {
    if (!nest.add(g)) return false;
  }
  return nest.run(engine::accesses_of(groups));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace profiler::cache_detail
HWY_AFTER_NAMESPACE();

#endif  // per target
