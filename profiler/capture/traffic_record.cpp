// SPDX-License-Identifier: Apache-2.0
// Look-ups among traffic records, and equality in which unknown equals unknown.
#include "profiler/capture/traffic_record.h"

#include <algorithm>
#include <cmath>

namespace profiler {
namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

bool operator==(const TrafficRecord& a, const TrafficRecord& b) {
  return a.op == b.op && a.tensor == b.tensor && a.link == b.link && a.near_capacity == b.near_capacity &&
         same(a.read_bytes, b.read_bytes) && same(a.written_bytes, b.written_bytes) &&
         same(a.write_allocate_bytes, b.write_allocate_bytes) && same(a.hits, b.hits) && same(a.misses, b.misses) &&
         same(a.error_band, b.error_band);
}

bool operator==(const TrafficLink& a, const TrafficLink& b) {
  return a.outer == b.outer && a.inner == b.inner && same(a.capacity_bytes, b.capacity_bytes);
}

std::span<const TrafficRecord> TrafficSource::of(OpId op) const {
  const auto [first, last] = std::ranges::equal_range(records, op, {}, &TrafficRecord::op);
  return {first, last};
}

const TopDown* TrafficSource::top_down_of(OpId op) const {
  const auto at = std::ranges::lower_bound(top_down, op, {}, &TopDown::op);
  return at != top_down.end() && at->op == op ? &*at : nullptr;
}

double TrafficSource::misses_beyond(OpId op, uint32_t link, double stride_bytes) const {
  const auto [first, last] = std::ranges::equal_range(strided, op, {}, &StridedMisses::op);
  double sum = 0;
  for (const StridedMisses& m : std::span(first, last))
    sum += m.link == link && m.stride_bytes > stride_bytes ? m.misses : 0;
  return sum;
}

const TrafficRecord* TrafficSource::of(OpId op, uint32_t link) const {
  for (const TrafficRecord& r : of(op)) {
    if (r.link == link && r.tensor == kNoTensor) return &r;
  }
  return nullptr;
}

size_t TrafficSource::link_between(std::string_view outer, std::string_view inner) const {
  const auto found =
      std::ranges::find_if(links, [&](const TrafficLink& l) { return l.outer == outer && l.inner == inner; });
  return static_cast<size_t>(found - links.begin());
}

}  // namespace profiler
