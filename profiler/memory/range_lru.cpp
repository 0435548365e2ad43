// SPDX-License-Identifier: Apache-2.0
// Stack distances of blocks by a Fenwick tree over the time of their last use (Olken's method at
// block granularity).
#include "profiler/memory/range_lru.h"

#include <algorithm>
#include <limits>

#include "engine/base/check.h"

namespace profiler {
namespace {

/// A smaller part of what was touched of a block leaves the block as old as it was.
constexpr double kRefreshingShare = 0.5;

/// Part of a block that hits when the distance runs linearly from `a` to `b` along it.
double hit_share(double a, double b, double capacity) {
  if (a <= capacity && b <= capacity) return 1;
  if (a > capacity && b > capacity) return 0;
  return (capacity - std::min(a, b)) / (std::max(a, b) - std::min(a, b));
}

}  // namespace

RangeLru::RangeLru(std::vector<double> capacities, size_t blocks, size_t sweeps)
    : capacities_(std::move(capacities)),
      blocks_(blocks),
      at_(sweeps, 0),
      tree_(sweeps + 1, 0),
      slot_(blocks, 0),
      stamp_(blocks, -1) {
  CHECK(capacities_.size() <= kMaxCacheLevels);
}

void RangeLru::add_at(int64_t time, double bytes) {
  at_[static_cast<size_t>(time)] += bytes;
  for (size_t i = static_cast<size_t>(time) + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += bytes;
}

/// Bytes whose last use lies strictly between two sweeps.
double RangeLru::bytes_between(int64_t after, int64_t before) const {
  const auto sum = [&](int64_t count) {  // of sweeps [0, count)
    double total = 0;
    for (size_t i = static_cast<size_t>(count); i > 0; i -= i & (~i + 1)) total += tree_[i];
    return total;
  };
  return std::max(0.0, sum(before) - sum(after + 1));
}

void RangeLru::merge(std::span<const Touch> touches) {
  merged_.clear();
  for (const Touch& t : touches) {
    if (t.bytes <= 0) continue;
    if (stamp_[t.block] != now_) {
      stamp_[t.block] = now_;
      slot_[t.block] = static_cast<uint32_t>(merged_.size());
      merged_.push_back({t, !t.write, t.operand});
      continue;
    }
    Merged& m = merged_[slot_[t.block]];
    m.touch.bytes = std::max(m.touch.bytes, t.bytes);
    m.read = m.read || !t.write;
    m.touch.past_caches = m.touch.past_caches && t.past_caches;  // what is also read comes through the caches
    if (t.write) {
      m.touch.write = true;
      m.writer = t.operand;
    }
  }
  // Oldest first: what lies before a block in this order is new to the stack between its two uses.
  std::stable_sort(merged_.begin(), merged_.end(), [this](const Merged& a, const Merged& b) {
    return blocks_[a.touch.block].last < blocks_[b.touch.block].last;
  });
}

void RangeLru::sweep(std::span<const Touch> touches, std::span<const double> capacities) {
  if (capacities.empty()) capacities = capacities_;
  CHECK(capacities.size() == capacities_.size());
  CHECK(static_cast<size_t>(now_) < at_.size());
  merge(touches);
  outcomes_.clear();
  write_backs_.clear();
  double older = 0;  // bytes of this sweep whose last use is before the group's
  for (size_t begin = 0; begin < merged_.size();) {
    const int64_t last = blocks_[merged_[begin].touch.block].last;
    size_t end = begin;
    double common = 0, group = 0;  // bytes of both sweeps; of this sweep
    for (; end < merged_.size() && blocks_[merged_[end].touch.block].last == last; ++end) {
      common += blocks_[merged_[end].touch.block].bytes;
      group += merged_[end].touch.past_caches ? 0 : merged_[end].touch.bytes;
    }
    const double between = last < 0 ? 0 : bytes_between(last, now_);
    const double only_before = last < 0 ? 0 : std::max(0.0, at_[static_cast<size_t>(last)] - common);
    for (size_t i = begin; i < end; ++i) {
      if (merged_[i].touch.past_caches) {
        store_past(merged_[i]);
        continue;
      }
      const Block& b = blocks_[merged_[i].touch.block];
      const auto distance = [&](double then, double here) {
        return between + (1 - then) * only_before + here * older + std::min(1.0, 1 - then + here) * common;
      };
      const double infinite = std::numeric_limits<double>::infinity();
      settle(merged_[i], last < 0 ? infinite : distance(b.begin, merged_[i].touch.begin),
             last < 0 ? infinite : distance(b.end, merged_[i].touch.end), capacities);
    }
    older += group;
    begin = end;
  }
  for (const Merged& m : merged_) {
    Block& b = blocks_[m.touch.block];
    if (b.last >= 0 && !m.touch.past_caches && m.touch.bytes < kRefreshingShare * b.bytes) continue;
    if (b.last >= 0) add_at(b.last, -b.bytes);
    if (m.touch.past_caches) {
      b.last = -1;
      b.dirty = {};
      continue;
    }
    b.bytes = std::max(b.bytes, m.touch.bytes);
    b.last = now_;
    b.begin = m.touch.begin;
    b.end = m.touch.end;
    add_at(now_, b.bytes);
  }
  ++now_;
}

void RangeLru::settle(const Merged& m, double distance_begin, double distance_end, std::span<const double> capacities) {
  Block& b = blocks_[m.touch.block];
  Outcome outcome{m.touch.operand,
                  m.touch.bytes,
                  !m.read,
                  {},
                  std::min(distance_begin, distance_end),
                  std::max(distance_begin, distance_end)};
  for (size_t level = 0; level < capacities.size(); ++level) {
    const double hit = b.last < 0 ? 0 : hit_share(distance_begin, distance_end, capacities[level]);
    outcome.missed[level] = m.touch.bytes - hit * std::min(b.bytes, m.touch.bytes);
    if (b.last < 0) outcome.missed[level] = m.touch.bytes;
    const double evicted = (1 - hit) * b.dirty[level];
    if (evicted > 0) write_backs_.push_back({b.writer, static_cast<uint32_t>(level), evicted});
    b.dirty[level] -= evicted;
    if (m.touch.write) b.dirty[level] = std::max(b.dirty[level], m.touch.bytes);
  }
  if (m.touch.write) b.writer = m.writer;
  outcomes_.push_back(outcome);
}

/// Dirty bytes of the block are overwritten without ever having to leave.
void RangeLru::store_past(const Merged& m) {
  Outcome outcome{m.touch.operand,
                  m.touch.bytes,
                  false,
                  {},
                  std::numeric_limits<double>::infinity(),
                  std::numeric_limits<double>::infinity()};
  for (size_t level = 0; level < capacities_.size(); ++level) {
    write_backs_.push_back({m.writer, static_cast<uint32_t>(level), m.touch.bytes});
  }
  outcomes_.push_back(outcome);
}

}  // namespace profiler
