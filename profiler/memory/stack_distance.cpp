// SPDX-License-Identifier: Apache-2.0
// The Fenwick tree over last uses, its compaction, and the sums of its histogram.
#include "profiler/memory/stack_distance.h"

#include <algorithm>

namespace profiler {
namespace {

constexpr uint32_t kNobody = UINT32_MAX;

}  // namespace

StackDistance::StackDistance(uint32_t uses)
    : tree_(size_t{std::max(16u, uses)} + 1, 0), line_at_(tree_.size(), kNobody), histogram_(1, 0) {}

void StackDistance::add(uint32_t time, uint32_t difference) {
  const auto size = static_cast<uint32_t>(tree_.size());
  for (uint32_t i = time; i < size; i += i & (0u - i)) tree_[i] += difference;
}

/// Lines whose last use is at `time` or before.
uint32_t StackDistance::older(uint32_t time) const {
  uint32_t sum = 0;
  for (uint32_t i = time; i > 0; i &= i - 1) sum += tree_[i];
  return sum;
}

uint32_t& StackDistance::last_use(uint32_t line) {
  const uint32_t page = line >> kPageBits;
  if (page >= pages_.size()) pages_.resize(page + 1);
  std::vector<uint32_t>& uses = pages_[page];
  if (uses.empty()) uses.assign(size_t{1} << kPageBits, 0);
  return uses[line & ((1u << kPageBits) - 1)];
}

uint64_t StackDistance::touch_other(uint32_t line) {
  last_line_ = line;
  if (now_ + 1 == tree_.size()) compact();
  uint32_t& last = last_use(line);
  uint64_t distance = kFirstUse;
  if (last == 0) {
    ++first_uses_;
    ++live_;
    if (histogram_.size() < live_) histogram_.resize(std::max<size_t>(live_, 2 * histogram_.size()), 0);
  } else {
    distance = live_ - older(last);
    ++histogram_[distance];
    add(last, 0u - 1);
    line_at_[last] = kNobody;
  }
  last = ++now_;
  line_at_[now_] = line;
  add(now_, 1);
  return distance;
}

void StackDistance::forget(uint32_t line) {
  uint32_t& last = last_use(line);
  if (last == 0) return;
  add(last, 0u - 1);
  line_at_[last] = kNobody;
  last = 0;
  --live_;
  if (last_line_ == line) last_line_ = kNobody;
}

/// Renumbers the last uses 1, 2, ... in their order; doubles the tree when more than half of it would stay in use.
void StackDistance::compact() {
  uint32_t kept = 0;
  for (uint32_t time = 1; time <= now_; ++time) {
    const uint32_t line = line_at_[time];
    if (line == kNobody) continue;
    line_at_[time] = kNobody;
    line_at_[++kept] = line;
    last_use(line) = kept;
  }
  size_t size = tree_.size() - 1;
  if (kept > size / 4) size *= 4;
  line_at_.resize(size + 1, kNobody);
  tree_.assign(size + 1, 0);
  for (uint32_t i = 1; i <= kept; ++i) tree_[i] = 1;
  for (size_t i = 1; i <= size; ++i) {
    const size_t parent = i + (i & (0 - i));
    if (parent <= size) tree_[parent] += tree_[i];
  }
  now_ = kept;
}

uint64_t StackDistance::misses(uint64_t cache_lines) const {
  uint64_t hits = 0;
  for (uint64_t d = 0; d < std::min<uint64_t>(cache_lines, histogram_.size()); ++d) hits += histogram_[d];
  return accesses_ - hits;
}

void StackDistance::reset_counts() {
  std::fill(histogram_.begin(), histogram_.end(), 0);
  accesses_ = first_uses_ = 0;
}

}  // namespace profiler
