// SPDX-License-Identifier: Apache-2.0
// The segment tree of occupied bytes, walked from the leaves upwards.
#include "engine/runtime/occupied_times.h"

#include <algorithm>
#include <bit>

namespace engine {
namespace {

using Stretch = OccupiedTimes::Stretch;

/// Keeps a union sorted and merged; stretches that touch become one.
void insert(std::vector<Stretch>& stretches, Stretch added) {
  const auto begin = std::ranges::lower_bound(stretches, added.begin, {}, &Stretch::end);
  auto end = begin;
  for (; end != stretches.end() && end->begin <= added.end; ++end) {
    added.begin = std::min(added.begin, end->begin);
    added.end = std::max(added.end, end->end);
  }
  if (begin == end) {
    stretches.insert(begin, added);
    return;
  }
  *begin = added;
  stretches.erase(begin + 1, end);
}

}  // namespace

OccupiedTimes::OccupiedTimes(size_t ops) : leaves_(std::bit_ceil(std::max<size_t>(ops, 1))), nodes_(2 * leaves_) {}

/// The fewest nodes whose ops are those from first to last.
template <class Visit>
void OccupiedTimes::for_cover(uint32_t first, uint32_t last, Visit visit) {
  size_t left = first + leaves_, right = last + leaves_ + 1;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) visit(nodes_[left++]);
    if (right % 2 == 1) visit(nodes_[--right]);
  }
}

/// Each node once that holds op `first` or op `last`. Any node above one of the cover is among them.
template <class Visit>
void OccupiedTimes::for_paths(uint32_t first, uint32_t last, Visit visit) {
  for (size_t left = first + leaves_, right = last + leaves_; left >= 1; left /= 2, right /= 2) {
    visit(nodes_[left]);
    if (right != left) visit(nodes_[right]);
  }
}

void OccupiedTimes::add(uint32_t first, uint32_t last, Stretch bytes) {
  for_cover(first, last, [&](Node& node) {
    insert(node.whole, bytes);
    insert(node.some, bytes);
  });
  for_paths(first, last, [&](Node& node) { insert(node.some, bytes); });
}

/// A block overlaps a tree node of the cover when it is alive in some of that node's ops, or in all ops of a node above
/// it: those above are on the paths.
std::span<const Stretch> OccupiedTimes::during(uint32_t first, uint32_t last) {
  found_.clear();
  const auto take = [&](const std::vector<Stretch>& stretches) {
    found_.insert(found_.end(), stretches.begin(), stretches.end());
  };
  for_cover(first, last, [&](Node& node) { take(node.some); });
  for_paths(first, last, [&](Node& node) { take(node.whole); });
  std::ranges::sort(found_, {}, &Stretch::begin);
  size_t kept = 0;
  for (size_t i = 1; i < found_.size(); ++i) {
    if (found_[i].begin > found_[kept].end) found_[++kept] = found_[i];
    else found_[kept].end = std::max(found_[kept].end, found_[i].end);
  }
  if (!found_.empty()) found_.resize(kept + 1);
  return found_;
}

}  // namespace engine
