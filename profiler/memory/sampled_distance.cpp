// SPDX-License-Identifier: Apache-2.0
// Which lines are followed, their distances, and the curve and error that they make.
#include "profiler/memory/sampled_distance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/base/check.h"

namespace profiler {
namespace {

using engine::AccessKind;
using engine::AccessStream;

constexpr size_t kMostStreams = 16;
constexpr uint32_t kNobody = UINT32_MAX;
constexpr uint64_t kExact = 256, kSteps = 128;  // see SampledDistance::Curve
constexpr uint32_t kFirstUses = 1u << 14;
constexpr uint32_t kPartSalt = 0x5eed;  // others than the numbers of halvings

/// Finaliser of MurmurHash3 (public domain), a bijection of 32 bits.
constexpr uint32_t mixed(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

constexpr uint32_t hash(uint32_t x, uint32_t salt) { return mixed(x ^ mixed(salt + 0x9e3779b9u)); }

size_t bucket_of(uint64_t distance) {
  if (distance < kExact) return distance;
  const auto more = static_cast<uint64_t>(std::bit_width(distance / kExact));
  return kExact + (more - 1) * kSteps + ((distance >> more) - kSteps);
}

/// The lowest distance of a bucket.
uint64_t begin_of(size_t bucket) {
  if (bucket < kExact) return bucket;
  const uint64_t more = (bucket - kExact) / kSteps + 1;
  return ((bucket - kExact) % kSteps + kSteps) << more;
}

/// Of cells of 2^32 / cell_step lines each, the one that picks this line, or -1. A line covers the part [begin, begin +
/// cell_step) of its cell, in 2^-32 of a cell, and perhaps the beginning of the next; a cell picks the line that covers
/// the place its hash names.
inline int64_t cell_picking(uint32_t line, uint64_t cell_step) {
  constexpr uint64_t kCell = uint64_t{1} << 32;
  const uint64_t at = line * cell_step, begin = at % kCell, end = begin + cell_step;
  const auto cell = static_cast<uint32_t>(at / kCell);
  const uint64_t place = hash(cell, 0);
  if (place >= begin && place < end) return cell;
  if (end > kCell && hash(cell + 1, 0) < end - kCell) return int64_t{cell} + 1;
  return -1;
}

bool is_look_up(const AccessStream& a) { return a.kind != AccessKind::store_past_caches; }

}  // namespace

// ---- places
// ----------------------------------------------------------------------------------------------------------------------------

SampledDistance::Places::Places() : slots_(1024, Slot{kNobody, 0}) {}

/// The slot of a line, or the empty one where it would be.
size_t SampledDistance::Places::at(uint32_t line) const {
  const size_t mask = slots_.size() - 1;
  size_t i = mixed(line + 0x9e3779b9u) & mask;
  while (slots_[i].line != line && slots_[i].line != kNobody) i = (i + 1) & mask;
  return i;
}

uint32_t SampledDistance::Places::of(uint32_t line) {
  size_t i = at(line);
  if (slots_[i].line == line) return slots_[i].place;
  if (2 * (size_ + 1) > slots_.size()) {
    grow();
    i = at(line);
  }
  ++size_;
  uint32_t place = next_;
  if (free_.empty()) ++next_;
  else place = free_.back(), free_.pop_back();
  slots_[i] = {line, place};
  return place;
}

void SampledDistance::Places::grow() {
  std::vector<Slot> old(2 * slots_.size(), Slot{kNobody, 0});
  old.swap(slots_);
  for (const Slot& s : old) {
    if (s.line != kNobody) slots_[at(s.line)] = s;
  }
}

template <class Goes>
void SampledDistance::Places::drop(const Goes& goes) {
  std::vector<Slot> old(slots_.size(), Slot{kNobody, 0});
  old.swap(slots_);
  for (const Slot& s : old) {
    if (s.line == kNobody) continue;
    if (goes(s.line, s.place)) {
      free_.push_back(s.place);
      --size_;
    } else {
      slots_[at(s.line)] = s;
    }
  }
}

// ---- which lines
// -----------------------------------------------------------------------------------------------------------------------

SampledDistance::SampledDistance(const Options& options)
    : shift_(std::countr_zero(static_cast<unsigned>(options.line_bytes))),
      cell_step_(static_cast<uint64_t>(std::llround(options.rate * 4294967296.0))),
      most_lines_(options.most_lines),
      rate_(options.rate),
      all_(options.rate == 1 && options.most_lines == 0),
      whole_(kFirstUses) {
  CHECK(options.rate > 0 && options.rate <= 1 && cell_step_ > 0);
  CHECK(std::has_single_bit(static_cast<unsigned>(options.line_bytes)));
  for (size_t part = 0; part < kParts && !all_; ++part) parts_.emplace_back(kFirstUses / static_cast<uint32_t>(kParts));
}

/// Each halving keeps one of two neighbouring cells.
bool SampledDistance::survives(uint32_t cell) const {
  for (uint32_t h = 1; h <= halvings_; ++h) {
    if (((cell >> (h - 1)) & 1) != (hash(cell >> h, h) & 1)) return false;
  }
  return true;
}

bool SampledDistance::picked(uint32_t line) const {
  if (all_) return true;
  const int64_t cell = cell_picking(line, cell_step_);
  return cell >= 0 && survives(static_cast<uint32_t>(cell));
}

// ---- accesses
// --------------------------------------------------------------------------------------------------------------------------

/// Of kParts neighbouring cells each belongs to another part, in an order of their own.
SampledDistance::Curve& SampledDistance::part_of(uint32_t line) {
  const auto cell = static_cast<uint32_t>(cell_picking(line, cell_step_)),
             neighbours = static_cast<uint32_t>(cell / kParts);
  return parts_[(cell ^ hash(neighbours, kPartSalt)) % kParts];
}

/// So many accesses at a distance that is known.
void SampledDistance::count_known(uint32_t line, uint64_t distance, double times) {
  whole_.known.add(distance, times / rate_);
  whole_.met += times / rate_;
  Curve& part = part_of(line);
  part.known.add(distance, times * kParts / rate_);
  part.met += times * kParts / rate_;
}

/// An access to a picked line; `known`: its distance, or kFirstUse where only the sample can tell.
void SampledDistance::follow(uint32_t line, uint64_t known) {
  if (all_) {
    whole_.kept.touch(line);
    return;
  }
  const uint32_t place = places_.of(line);
  const auto touch = [&](Curve& curve, double rate, double accesses) {
    const uint64_t distance = curve.kept.touch(place);
    if (known != StackDistance::kFirstUse) return;
    curve.met += accesses;
    if (distance != StackDistance::kFirstUse)
      curve.scaled.add(static_cast<uint64_t>(static_cast<double>(distance) / rate + 0.5), accesses);
  };
  touch(whole_, rate_, 1 / rate_);
  touch(part_of(line), rate_ / kParts, kParts / rate_);
  if (known != StackDistance::kFirstUse) count_known(line, known, 1);
  while (most_lines_ > 0 && places_.size() > most_lines_) halve();
}

void SampledDistance::halve() {
  ++halvings_;
  rate_ /= 2;
  places_.drop([&](uint32_t line, uint32_t place) {
    if (picked(line)) return false;
    whole_.kept.forget(place);
    part_of(line).kept.forget(place);
    return true;
  });
}

/// Accesses that may lie across lines, and groups of many streams.
void SampledDistance::each(int64_t iterations, std::span<const AccessStream> streams) {
  for (int64_t i = 0; i < iterations; ++i) {
    for (const AccessStream& a : streams) {
      if (!is_look_up(a)) continue;
      const uint64_t address = a.address + static_cast<uint64_t>(i * a.stride),
                     last = address + std::max<uint64_t>(1, a.bytes) - 1;
      for (uint64_t line = address >> shift_; line <= last >> shift_; ++line) {
        ++accesses_;
        if (picked(static_cast<uint32_t>(line))) follow(static_cast<uint32_t>(line), StackDistance::kFirstUse);
      }
    }
  }
}

namespace {

/// Distinct lines touched since the last access to `sequence.back()`; kFirstUse where the sequence holds none.
uint64_t distance_within(std::span<const uint32_t> sequence) {
  const size_t here = sequence.size() - 1;
  uint64_t distinct = 0;
  for (size_t i = here; i-- > 0;) {
    if (sequence[i] == sequence[here]) return distinct;
    bool again = false;
    for (size_t later = i + 1; later < here && !again; ++later) again = sequence[later] == sequence[i];
    distinct += again ? 0 : 1;
  }
  return StackDistance::kFirstUse;
}

}  // namespace

/// Look-ups in lockstep, none across lines. Those that are wide enter a line with every access.
struct SampledDistance::Lockstep {
  struct Cursor {
    uint64_t address;
    int64_t stride;
    int64_t left = 0;  // narrow: iterations until it enters another line
    bool wide, mine = false;
  };
  std::array<Cursor, kMostStreams> cursors;
  size_t count = 0;
  bool any_wide = false;

  Lockstep(std::span<const AccessStream> streams, uint64_t line_bytes) {
    for (const AccessStream& a : streams) {
      if (!is_look_up(a)) continue;
      const bool wide = step_of(a.stride) >= line_bytes;
      cursors[count++] = {.address = a.address, .stride = a.stride, .wide = wide};
      any_wide = any_wide || wide;
    }
  }
  static uint64_t step_of(int64_t stride) { return static_cast<uint64_t>(stride > 0 ? stride : -stride); }
  std::span<Cursor> all() { return {cursors.data(), count}; }
  std::span<const Cursor> all() const { return {cursors.data(), count}; }
  void advance(int64_t iterations) {
    for (Cursor& c : all()) c.address += static_cast<uint64_t>(iterations * c.stride), c.left -= iterations;
  }
};

/// The iteration so many ahead of the cursors, and, but for the `first`, what is known from the one before it.
void SampledDistance::one_iteration(Lockstep& s, int64_t ahead, bool first) {
  if (all_) {
    for (const Lockstep::Cursor& c : s.all())
      whole_.kept.touch(static_cast<uint32_t>((c.address + static_cast<uint64_t>(ahead * c.stride)) >> shift_));
    return;
  }
  std::array<uint32_t, 2 * kMostStreams> lines;  // of the iteration before, and of this one
  for (size_t k = 0; k < s.count; ++k) {
    const Lockstep::Cursor& c = s.cursors[k];
    lines[k] = static_cast<uint32_t>((c.address + static_cast<uint64_t>((ahead - 1) * c.stride)) >> shift_);
    lines[s.count + k] = static_cast<uint32_t>((c.address + static_cast<uint64_t>(ahead * c.stride)) >> shift_);
  }
  const size_t known = first ? s.count : 0;
  for (size_t k = 0; k < s.count; ++k) {
    const uint32_t line = lines[s.count + k];
    if (s.cursors[k].wide ? picked(line) : s.cursors[k].mine)
      follow(line, distance_within(std::span(lines).subspan(known, s.count + k + 1 - known)));
  }
}

/// The first iteration of [from, to) ahead of the cursors in which a wide stream meets a picked line; `to`: none.
int64_t SampledDistance::next_picked(const Lockstep& s, int64_t from, int64_t to) const {
  int64_t first = to;
  const uint64_t cell_step = cell_step_;
  const int shift = shift_;
  for (const Lockstep::Cursor& c : s.all()) {
    if (!c.wide) continue;
    uint64_t address = c.address + static_cast<uint64_t>(from * c.stride);
    for (int64_t i = from; i < first; ++i, address += static_cast<uint64_t>(c.stride)) {
      const int64_t cell = cell_picking(static_cast<uint32_t>(address >> shift), cell_step);
      if (cell >= 0 && survives(static_cast<uint32_t>(cell))) first = i;
    }
  }
  return first;
}

void SampledDistance::by_lines(int64_t iterations, std::span<const AccessStream> streams) {
  const uint64_t within = (uint64_t{1} << shift_) - 1;
  Lockstep s(streams, within + 1);
  accesses_ += static_cast<uint64_t>(iterations) * s.count;
  for (int64_t i = 0, run = 0; i < iterations && s.count > 0; i += run) {
    run = iterations - i;
    bool any = false;  // narrow stream on a picked line
    for (Lockstep::Cursor& c : s.all()) {
      if (c.wide) continue;
      if (c.left == 0) {
        c.mine = picked(static_cast<uint32_t>(c.address >> shift_));
        const uint64_t room = c.stride > 0 ? within - (c.address & within) : c.address & within,
                       step = Lockstep::step_of(c.stride);
        c.left =
            step == 0
                ? INT64_MAX
                : static_cast<int64_t>(std::has_single_bit(step) ? room >> std::countr_zero(step) : room / step) + 1;
      }
      run = std::min(run, c.left);
      any = any || c.mine;
    }
    if (s.any_wide && all_) {
      for (int64_t j = 0; j < run; ++j) one_iteration(s, j, false);
    } else if (s.any_wide) {
      for (int64_t j = any ? 0 : next_picked(s, 0, run); j < run; j = any ? j + 1 : next_picked(s, j + 1, run))
        one_iteration(s, j, i + j == 0);
    } else if (any) {
      one_iteration(s, 0, i == 0);
      if (run > 1) repeat(s, run - 1);
    }
    s.advance(run);
  }
}

/// So many more iterations on the same lines: all is known, and no order changes.
void SampledDistance::repeat(const Lockstep& s, int64_t times) {
  std::array<uint32_t, 2 * kMostStreams> lines;
  for (size_t k = 0; k < s.count; ++k)
    lines[k] = lines[s.count + k] = static_cast<uint32_t>(s.cursors[k].address >> shift_);
  for (size_t k = 0; k < s.count; ++k) {
    if (!s.cursors[k].mine) continue;
    const uint64_t distance = distance_within(std::span(lines).first(s.count + k + 1));
    if (all_) whole_.kept.repeat(distance, static_cast<uint64_t>(times));
    else count_known(lines[k], distance, static_cast<double>(times));
  }
}

void SampledDistance::group(int64_t iterations, std::span<const AccessStream> streams) {
  if (iterations <= 0) return;
  bool alone = streams.size() > kMostStreams;
  for (const AccessStream& a : streams) {
    const uint64_t size = std::max<uint64_t>(1, a.bytes);
    alone = alone || size > (uint64_t{1} << shift_) || !std::has_single_bit(size) ||
            ((a.address | static_cast<uint64_t>(a.stride)) & (size - 1)) != 0;
  }
  if (alone) each(iterations, streams);
  else by_lines(iterations, streams);
}

// ---- curve
// -----------------------------------------------------------------------------------------------------------------------------

uint64_t SampledDistance::lines() const {
  return static_cast<uint64_t>(std::llround(static_cast<double>(sampled_lines()) / rate_));
}

void SampledDistance::Histogram::add(uint64_t distance, double accesses) {
  const size_t bucket = bucket_of(distance);
  if (accesses_.size() <= bucket) accesses_.resize(bucket + 1, 0);
  accesses_[bucket] += accesses;
}

double SampledDistance::Histogram::below(double distance) const {
  double sum = 0;
  for (size_t bucket = 0; bucket < accesses_.size(); ++bucket) {
    const auto begin = static_cast<double>(begin_of(bucket)), end = static_cast<double>(begin_of(bucket + 1));
    if (begin >= distance) break;
    sum += accesses_[bucket] * std::min(1.0, (distance - begin) / (end - begin));
  }
  return sum;
}

double SampledDistance::misses_of(const Curve& curve, uint64_t cache_lines) const {
  if (all_) return static_cast<double>(curve.kept.misses(cache_lines));
  const auto all = static_cast<double>(accesses_), size = static_cast<double>(cache_lines);
  if (cache_lines == 0) return all;
  const double lacking = all - curve.met;  // the sample has so many too few: hits at once
  return std::clamp(all - lacking - curve.known.below(size) - curve.scaled.below(size), 0.0, all);
}

double SampledDistance::miss_ratio_error(uint64_t cache_lines) const {
  if (accesses_ == 0) return std::numeric_limits<double>::quiet_NaN();
  if (all_) return 0;
  const auto all = static_cast<double>(accesses_), size = static_cast<double>(cache_lines);
  std::array<double, kParts> ratios{};
  double mean = 0, squares = 0;
  for (size_t part = 0; part < kParts; ++part) {
    ratios[part] = misses_of(parts_[part], cache_lines) / all;
    mean += ratios[part] / kParts;
  }
  for (const double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
  const double one_line = (1 - rate_) / static_cast<double>(std::max<uint64_t>(1, sampled_lines()));
  const double often = std::max(one_line, 2 * std::sqrt((1 - rate_) * squares / (kParts * (kParts - 1))));
  const double shift = 2 * std::sqrt(size * (1 - rate_) / rate_), here = whole_.scaled.below(size);
  const double where =
      std::max(whole_.scaled.below(size + shift) - here, here - whole_.scaled.below(size - shift)) / all;
  return std::hypot(often, where);
}

}  // namespace profiler
