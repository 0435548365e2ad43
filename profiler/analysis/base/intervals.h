// SPDX-License-Identifier: Apache-2.0
// Sets of time spans: union, intersection, and how much of a span they cover. Busy time is the length of a union, never
// a sum.
#pragma once

#include <cstdint>
#include <vector>

namespace profiler {

/// [begin_ns, end_ns)
struct Interval {
  int64_t begin_ns = 0, end_ns = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Disjoint spans in ascending order.
class IntervalSet {
 public:
  IntervalSet() = default;
  /// Of spans in any order, overlapping or not; empty ones are left out.
  explicit IntervalSet(std::vector<Interval> spans);
  const std::vector<Interval>& spans() const { return spans_; }
  int64_t length_ns() const { return before_.empty() ? 0 : before_.back(); }
  /// How much of [begin_ns, end_ns) lies within the set.
  int64_t covered_ns(int64_t begin_ns, int64_t end_ns) const;
  IntervalSet within(int64_t begin_ns, int64_t end_ns) const;
  /// Parts of [begin_ns, end_ns) that lie outside.
  std::vector<Interval> gaps(int64_t begin_ns, int64_t end_ns) const;

 private:
  int64_t covered_before(int64_t time_ns) const;
  std::vector<Interval> spans_;
  std::vector<int64_t> before_;  ///< length of spans_[0..i]
};

}  // namespace profiler
