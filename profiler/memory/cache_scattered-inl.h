// SPDX-License-Identifier: Apache-2.0
// Short groups on plain hierarchies (cache_plain-inl.h) whose lines all lie in sets of their own: then their order does
// not matter, and each is asked for once.
#if defined(TENSORTIDE_CACHE_SCATTERED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_CACHE_SCATTERED_INL
#undef TENSORTIDE_CACHE_SCATTERED_INL
#else
#define TENSORTIDE_CACHE_SCATTERED_INL
#endif

#include <algorithm>
#include <bit>

#include "profiler/memory/cache_plain-inl.h"

HWY_BEFORE_NAMESPACE();
namespace profiler::cache_detail {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

using engine::AccessKind;
using engine::AccessStream;

constexpr size_t kMostStreams = GroupShape::kMost;

/// Lines of first .. last that lie in the slices picked.
uint64_t picked_lines(const CacheSlices& slices, uint64_t first, uint64_t last) {
  const uint64_t block = uint64_t{1} << slices.shift;  // lines that lie in one slice
  const int span_shift = slices.shift + std::popcount(slices.mask);
  const uint64_t spans = (last + 1 - first) >> span_shift;
  uint64_t sum = spans * static_cast<uint64_t>(std::popcount(slices.picked)) << slices.shift;
  for (first += spans << span_shift; first <= last;) {
    const uint64_t end = std::min(first | (block - 1), last);
    if (slices.has(static_cast<uint32_t>(first))) sum += end + 1 - first;
    first = end + 1;
  }
  return sum;
}

/// Of `iterations` accesses in steps that divide a line, the lowest at address `low`, those that meet the slices
/// picked. They enter the lines first .. first + more, `per_line` of them each.
uint64_t picked_accesses(const CacheState& s, uint64_t low, uint64_t first, uint64_t more, int64_t iterations,
                         uint64_t per_line) {
  const auto all = static_cast<uint64_t>(iterations);
  const bool begins = s.slices.has(static_cast<uint32_t>(first)),
             ends = s.slices.has(static_cast<uint32_t>(first + more));
  if (more == 0) return begins ? all : 0;
  const uint64_t offset =
      (low & (s.line_bytes() - 1)) * per_line >> s.line_shift;  // accesses that the first line has before ours
  const uint64_t in_last = all + offset - more * per_line;
  return picked_lines(s.slices, first, first + more) * per_line - (begins ? offset : 0) -
         (ends ? per_line - in_last : 0);
}

/// Whether some access of a stream lies on a line boundary, or none of them is a plain load or store.
bool is_odd(const AccessStream& a, uint64_t step, uint64_t line_bytes) {
  const uint64_t size = a.bytes;
  return !std::has_single_bit(size) || size > line_bytes || ((a.address | step) & (size - 1)) != 0 ||
         a.kind == AccessKind::store_past_caches;
}

/// Whether a group is of this shape, and its streams lie at the same addresses where those did. Field by field: what
/// was written a moment ago in small pieces is long in coming as one.
HWY_INLINE bool is_shaped(const GroupShape& shape, int64_t iterations, std::span<const AccessStream> streams) {
  if (shape.iterations != iterations || shape.count != streams.size()) return false;
  for (size_t k = 0; k < streams.size(); ++k) {
    const AccessStream &a = streams[k], &b = shape.streams[k];
    if (a.stride != b.stride || a.tensor != b.tensor || a.bytes != b.bytes || a.kind != b.kind) return false;
  }
  for (size_t t = 0; t < shape.twin_count; ++t) {
    if (streams[shape.twins[t].stream].address != streams[shape.twins[t].of].address) return false;
  }
  return true;
}

HWY_NOINLINE void learn(CacheState& s, GroupShape& shape, int64_t iterations, std::span<const AccessStream> streams) {
  s.count_groups(shape);
  shape.iterations = iterations, shape.count = streams.size(), shape.short_steps = true,
  shape.place_count = shape.twin_count = 0;
  for (size_t k = 0; k < streams.size(); ++k) {
    const AccessStream& a = streams[k];
    const auto step = static_cast<uint64_t>(a.stride > 0 ? a.stride : -a.stride);
    const uint32_t store = a.kind == AccessKind::store ? 1 : 0;
    shape.short_steps = shape.short_steps && step < s.line_bytes() &&
                        !is_odd({.address = 0, .bytes = a.bytes, .kind = a.kind}, step, s.line_bytes());
    size_t i = 0;
    while (i < shape.place_count &&
           (streams[shape.places[i].stream].address != a.address || streams[shape.places[i].stream].stride != a.stride))
      ++i;
    GroupShape::Place& p = shape.places[i];
    if (i == shape.place_count) {
      ++shape.place_count;
      p.reach = static_cast<uint64_t>(iterations - 1) * step;
      p.below = a.stride > 0 ? 0 : p.reach;
      p.unaligned = 0;
      p.accesses = 0, p.stream = k, p.dirty = 0;
      p.per_line = step == 0 ? 1 : std::has_single_bit(step) ? static_cast<uint32_t>(s.line_bytes() / step) : 0;
    }
    p.unaligned |= a.bytes - uint64_t{1};
    p.dirty |= store;
    shape.streams[k] = a;
    shape.place_of[k] = static_cast<uint8_t>(i);
    if (p.stream != k) shape.twins[shape.twin_count++] = {k, p.stream};
  }
}

HWY_NOINLINE void find_shape(CacheState& s, int64_t iterations, std::span<const AccessStream> streams) {
  s.last_shape = &s.shape_for(iterations, streams.size());
  if (!is_shaped(*s.last_shape, iterations, streams)) learn(s, *s.last_shape, iterations, streams);
}

/// Lines that the streams of one place enter.
struct Stretch {
  uint32_t first, last;
  size_t place;
};

template <bool kSliced>
int scatter_again(CacheState& s, GroupShape& shape, CacheSlices slices, int64_t iterations,
                  std::span<const AccessStream> streams, Stretch* stretches);

/// The stretches of a short group whose lines all lie in sets of their own, one place's apart from another's: then
/// their order does not matter, and each is asked for once. Those outside `slices` are left out. Their count; -1: it is
/// not such a group.
template <bool kSliced>
HWY_INLINE int scatter(CacheState& s, GroupShape& shape, const CacheSlices slices, int64_t iterations,
                       std::span<const AccessStream> streams, Stretch* stretches) {
  if (!shape.short_steps) return -1;
  int count = 0;
  const uint32_t mask = s.independent;
  const int line_shift = s.line_shift;
  uint64_t odd = 0;
  for (size_t i = 0; i < shape.place_count; ++i) {
    const GroupShape::Place& p = shape.places[i];
    const uint64_t address = streams[p.stream].address, low = address - p.below;
    const auto first = static_cast<uint32_t>(low >> line_shift),
               more = static_cast<uint32_t>((low + p.reach) >> line_shift) - first;
    odd |= (address & p.unaligned) | (more > mask ? 1 : 0);
    if (kSliced) {
      if (((first ^ (first + more)) >> slices.shift) != 0) {
        odd |= p.per_line == 0 ? 1 : 0;
      } else if (!slices.has(first)) {
        continue;
      }
    }
    for (int j = 0; j < count; ++j) {
      const Stretch& other = stretches[j];
      if (((first - other.first) & mask) > other.last - other.first && ((other.first - first) & mask) > more) continue;
      const size_t with = shape.places[other.place].stream;
      if (streams[with].address != address || streams[with].stride != streams[p.stream].stride) return -1;
      learn(s, shape, iterations, streams);  // places that were apart have met
      return scatter_again<kSliced>(s, shape, slices, iterations, streams, stretches);
    }
    stretches[count++] = {first, first + more, i};
  }
  return odd == 0 ? count : -1;
}

template <bool kSliced>
HWY_NOINLINE int scatter_again(CacheState& s, GroupShape& shape, CacheSlices slices, int64_t iterations,
                               std::span<const AccessStream> streams, Stretch* stretches) {
  return scatter<kSliced>(s, shape, slices, iterations, streams, stretches);
}

/// Accesses of each stream of a place that meet the slices picked, where its stretch lies in several.
HWY_NOINLINE uint64_t accesses_of_cut(const CacheState& s, const GroupShape::Place& p, const Stretch& r,
                                      int64_t iterations, std::span<const AccessStream> streams) {
  return picked_accesses(s, streams[p.stream].address - p.below, r.first, r.last - r.first, iterations, p.per_line);
}

/// The whole of a group whose lines lie in sets of their own. False: it is not such a group, and nothing was done.
template <bool kSliced>
bool run_scattered_as(CacheState& s, int64_t iterations, std::span<const AccessStream> streams) {
  Stretch stretches[kMostStreams];
  if (!is_shaped(*s.last_shape, iterations, streams)) find_shape(s, iterations, streams);
  GroupShape& shape = *s.last_shape;
  const CacheSlices slices = s.slices;
  const int count = scatter<kSliced>(s, shape, slices, iterations, streams, stretches);
  if (count < 0) return false;
  const FlatLevel l = s.flat[0];
  if (!kSliced) ++shape.groups;
  for (int i = 0; i < count; ++i) {
    const Stretch r = stretches[i];
    GroupShape::Place& p = shape.places[r.place];
    const AccessStream& a = shape.streams[p.stream];
    const bool store = a.kind == AccessKind::store, cut = kSliced && ((r.first ^ r.last) >> slices.shift) != 0;
    if (kSliced) p.accesses += cut ? accesses_of_cut(s, p, r, iterations, streams) : static_cast<uint64_t>(iterations);
    for (uint32_t line = r.first; line <= r.last;) {
      const uint32_t end = cut ? std::min(line | ((uint32_t{1} << slices.shift) - 1), r.last) : r.last;
      if (cut && !slices.has(line)) line = end + 1;
      for (; line <= end; ++line) look_again_plain(s, l, line, a.tensor, store, p.dirty);
    }
  }
  return true;
}

bool run_scattered(CacheState& s, int64_t iterations, std::span<const AccessStream> streams) {
  return (s.slices.mask == 0 ? run_scattered_as<false> : run_scattered_as<true>)(s, iterations, streams);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace profiler::cache_detail
HWY_AFTER_NAMESPACE();

#endif  // per target
