// SPDX-License-Identifier: Apache-2.0
// Groups on plain hierarchies: which of the short ways each may take; and the one for streams that enter a line with
// every access.
#if defined(TENSORTIDE_CACHE_GROUPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_CACHE_GROUPS_INL
#undef TENSORTIDE_CACHE_GROUPS_INL
#else
#define TENSORTIDE_CACHE_GROUPS_INL
#endif

#include "profiler/memory/cache_lockstep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace profiler::cache_detail {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

/// Streams of which some enter a line with every access, the wide ones; the others are asked again where they enter a
/// line or a wide one came into their set.
template <bool kSliced>
class Striding {
 public:
  Striding(CacheState& s, int64_t iterations, std::span<const AccessStream> streams)
      : s_(s), streams_(streams), iterations_(iterations) {
    const uint64_t line_bytes = s.line_bytes(), span = (uint64_t{s.slices.mask} + 1) << s.slices.shift;
    bool recurs = span <= 64;  // which slice a wide stream meets recurs with every 64th access
    for (size_t k = 0; k < streams.size(); ++k) {
      const AccessStream& a = streams[k];
      left_[k] = 0;
      if (step_of(a) < line_bytes) {
        narrow_[narrows_++] = static_cast<uint8_t>(k);
        continue;
      }
      wide_[wides_++] = static_cast<uint8_t>(k);
      recurs = recurs && (step_of(a) & (line_bytes - 1)) == 0;
      if (!kSliced) count(k, iterations);
    }
    if (!kSliced) return;
    any_ = 0, exact_ = recurs;
    for (size_t w = 0; w < wides_; ++w) {
      uint64_t& bits = mine_[wide_[w]] = recurs ? 0 : ~uint64_t{0};
      for (int64_t i = 0; recurs && i < std::min<int64_t>(64, iterations); ++i)
        bits |= uint64_t{s.slices.has(line_of(wide_[w], i))} << i;
      any_ |= bits;
    }
  }

  void run() {
    for (int64_t i = 0; i < iterations_;) {
      int64_t run = iterations_ - i;
      for (size_t w = 0; w < narrows_; ++w) {
        const size_t k = narrow_[w];
        if (left_[k] == 0) left_[k] = lasts(k, i);
        run = std::min(run, left_[k]);
      }
      taken_ = 0;
      for (size_t w = 0; w < narrows_; ++w) {
        const size_t k = narrow_[w];
        left_[k] -= run;
        const uint32_t line = line_of(k, i);
        if (kSliced && !s_.slices.has(line)) continue;
        count(k, run);
        taken_ |= uint64_t{1} << (s_.flat[0].set_of(line) & 63);
      }
      between(i, i + run);
      i += run;
    }
  }

 private:
  static uint64_t step_of(const AccessStream& a) { return static_cast<uint64_t>(a.stride > 0 ? a.stride : -a.stride); }
  uint32_t line_of(size_t k, int64_t i) const {
    return static_cast<uint32_t>((streams_[k].address + static_cast<uint64_t>(i * streams_[k].stride)) >>
                                 s_.line_shift);
  }
  /// Iterations from i on for which a narrow stream stays on its line, or among lines of one slice that is not picked.
  int64_t lasts(size_t k, int64_t i) const {
    const AccessStream& a = streams_[k];
    if (a.stride == 0) return INT64_MAX;
    // Outside the slices picked, whole stretches of lines are one.
    const uint64_t within =
        (kSliced && !s_.slices.has(line_of(k, i)) ? s_.line_bytes() << s_.slices.shift : s_.line_bytes()) - 1;
    const uint64_t offset = (a.address + static_cast<uint64_t>(i * a.stride)) & within;
    return static_cast<int64_t>((a.stride > 0 ? within - offset : offset) / step_of(a)) + 1;
  }
  void count(size_t k, int64_t accesses) {
    CacheCounts& c = s_.flat[0].counts[streams_[k].tensor];
    (streams_[k].kind == AccessKind::store ? c.stores : c.loads) += static_cast<uint64_t>(accesses);
  }
  bool picked(size_t k, int64_t i, uint32_t line) const {
    return !kSliced || (((mine_[k] >> (i & 63)) & 1) != 0 && s_.slices.has(line));
  }

  /// All streams in iteration i; whether a wide one met a narrow one's set.
  bool round(int64_t i) {
    bool meets = false;
    for (size_t k = 0; k < streams_.size(); ++k) {
      const uint32_t line = line_of(k, i);
      if (kSliced && !s_.slices.has(line)) continue;
      const bool store = streams_[k].kind == AccessKind::store;
      look_again_plain(s_, s_.flat[0], line, streams_[k].tensor, store, store ? 1 : 0);
      if (step_of(streams_[k]) < s_.line_bytes()) continue;
      meets = meets || taken(line);
      if (kSliced) count(k, 1);
    }
    return meets;
  }
  bool taken(uint32_t line) const { return ((taken_ >> (s_.flat[0].set_of(line) & 63)) & 1) != 0; }

  /// Iterations in which no narrow stream enters a line but at the first.
  void between(int64_t from, int64_t to) {
    bool met = round(from);
    for (int64_t i = from + 1; i < to;) {
      if (!met) {
        i = wides_ == 1 ? alone(i, to) : together(i, to);
        if (i == to) return;
      }
      met = round(i++);
    }
  }

  /// Iterations i .. to - 1 of the only wide stream, up to the first in which it meets a narrow one.
  int64_t alone(int64_t i, int64_t to) {
    const AccessStream a = streams_[wide_[0]];
    const FlatLevel l = s_.flat[0];
    const uint64_t taken = taken_;
    const bool store = a.kind == AccessKind::store;
    const int shift = s_.line_shift;
    uint64_t address = a.address + static_cast<uint64_t>(i * a.stride);
    int64_t asked = 0;
    for (;; ++i, address += static_cast<uint64_t>(a.stride)) {
      if (kSliced) {  // to the next access that may meet the slices picked
        const uint64_t ahead = std::rotr(any_, static_cast<int>(i & 63));
        const int64_t skipped = ahead == 0 ? to - i : std::countr_zero(ahead);
        i += skipped, address += static_cast<uint64_t>(skipped * a.stride);
      }
      if (i >= to) break;
      const auto line = static_cast<uint32_t>(address >> shift);
      if (kSliced && !exact_ && !s_.slices.has(line)) continue;
      if (((taken >> (l.set_of(line) & 63)) & 1) != 0) break;
      look_up_plain(s_, l, line, a.tensor, store, store ? 1 : 0);
      ++asked;
    }
    if (kSliced) count(wide_[0], asked);
    return std::min(i, to);
  }

  /// The same with several.
  int64_t together(int64_t i, int64_t to) {
    for (; i < to; ++i) {
      bool meets = false;
      for (size_t w = 0; w < wides_ && narrows_ > 0; ++w) {
        const uint32_t line = line_of(wide_[w], i);
        meets = meets || (picked(wide_[w], i, line) && taken(line));
      }
      if (meets) return i;
      for (size_t w = 0; w < wides_; ++w) {
        const AccessStream& a = streams_[wide_[w]];
        const uint32_t line = line_of(wide_[w], i);
        if (!picked(wide_[w], i, line)) continue;
        look_again_plain(s_, s_.flat[0], line, a.tensor, a.kind == AccessKind::store,
                         a.kind == AccessKind::store ? 1 : 0);
        if (kSliced) count(wide_[w], 1);
      }
    }
    return to;
  }

  CacheState& s_;
  std::span<const AccessStream> streams_;
  int64_t iterations_;
  int64_t left_[kMostStreams];
  uint64_t mine_[kMostStreams];  // bit i: access i, modulo 64, of a wide stream may meet the slices picked
  uint64_t any_ = ~uint64_t{0};  // of any wide stream
  bool exact_ = false;           // they meet them wherever their bit says they may
  uint64_t taken_ = 0;           // sets, modulo 64, of the narrow streams' lines
  uint8_t narrow_[kMostStreams], wide_[kMostStreams];
  size_t narrows_ = 0, wides_ = 0;
};

template <bool kSliced>
HWY_NOINLINE void run_striding(CacheState& s, int64_t iterations, std::span<const AccessStream> streams) {
  Striding<kSliced>(s, iterations, streams).run();
}

/// A group of loads and stores that stay within lines. False: not one for this way, and nothing was done.
bool run_plain(CacheState& s, int64_t iterations, std::span<const AccessStream> streams) {
  const uint64_t line_bytes = s.line_bytes();
  if (streams.size() > kMostStreams) return false;
  if (iterations == 1) {
    for (const AccessStream& a : streams) {
      if (is_odd(a, 0, line_bytes)) return false;
    }
    s.refs += streams.size();
    for (const AccessStream& a : streams) {
      const auto line = static_cast<uint32_t>(a.address >> s.line_shift);
      if (s.slices.has(line)) access_plain(s, line, a.tensor, a.kind == AccessKind::store);
    }
    return true;
  }
  const uint64_t refs = static_cast<uint64_t>(iterations) * streams.size();
  if (run_scattered(s, iterations, streams)) {
    s.refs += refs;
    return true;
  }
  if (streams.size() > static_cast<size_t>(s.flat[0].ways)) return false;
  int64_t stride = 0;
  bool wide = false, uneven = false;
  for (const AccessStream& a : streams) {
    const auto step = static_cast<uint64_t>(a.stride > 0 ? a.stride : -a.stride);
    if (is_odd(a, step, line_bytes)) return false;
    if (step >= line_bytes) {
      wide = true;
    } else if (step != 0) {
      uneven = uneven || (stride != 0 && stride != a.stride) || !std::has_single_bit(step);
      stride = a.stride;
    }
  }
  if (uneven && !wide) return false;
  s.refs += refs;
  if (!wide) run_lockstep(s, iterations, streams, stride);
  else if (s.slices.mask == 0) run_striding<false>(s, iterations, streams);
  else run_striding<true>(s, iterations, streams);
  return true;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace profiler::cache_detail
HWY_AFTER_NAMESPACE();

#endif  // per target
