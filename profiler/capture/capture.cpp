// SPDX-License-Identifier: Apache-2.0
// Access to a frozen capture: one activity as a row, and the activities of one op.
#include "profiler/capture/capture.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"

namespace profiler {

Activity ActivityColumns::row(size_t i) const {
  CHECK(i < size());
  return Activity{.start_ns = start_ns[i],
                  .duration_ns = duration_ns[i],
                  .correlation = correlation[i],
                  .name = name[i],
                  .op = op[i],
                  .step = step[i],
                  .track = track[i],
                  .kind = kind[i],
                  .flags = flags[i]};
}

const CollectiveRecord* Capture::collective_of(uint64_t correlation) const {
  const auto found =
      std::lower_bound(collectives_.begin(), collectives_.end(), correlation,
                       [](const CollectiveRecord& c, uint64_t wanted) { return c.correlation < wanted; });
  return found != collectives_.end() && found->correlation == correlation ? &*found : nullptr;
}

Honesty::Cost Honesty::cost() const {
  Cost c;
  if (std::isnan(cost_ratio) || std::isnan(cost_noise_ratio)) return c;
  const bool seen = cost_ratio >= 0 && cost_ratio > cost_noise_ratio;
  c.kind = seen ? Cost::Kind::measured : Cost::Kind::within_noise;
  if (seen) c.ratio = cost_ratio;
  c.noise = seen ? cost_noise_ratio : std::max(cost_noise_ratio, std::abs(cost_ratio));
  return c;
}

const engine::Attributes& Capture::attributes(OpId op) const {
  static const engine::Attributes kNone;
  return op < attributes_.size() ? attributes_[op] : kNone;
}

Origin Capture::time_origin() const { return device().emulated ? Origin::emulated : Origin::measured; }
const engine::KernelFacts& Capture::facts(OpId op) const {
  static const engine::KernelFacts kNone = engine::unknown_facts();
  return has_facts(op) ? facts_[facts_of_[op] - 1] : kNone;
}

const TrafficSource* Capture::traffic_of(Origin origin) const {
  const auto found =
      std::find_if(traffic_.begin(), traffic_.end(), [origin](const TrafficSource& s) { return s.origin == origin; });
  return found == traffic_.end() ? nullptr : &*found;
}

std::span<const FusedMemberRecord> Capture::fused_members(OpId op) const {
  const auto [first, last] = std::ranges::equal_range(fusion_.members, op, {}, &FusedMemberRecord::op);
  return {first, last};
}

void ActivityColumns::push_back(const Activity& a) {
  start_ns.push_back(a.start_ns);
  duration_ns.push_back(a.duration_ns);
  correlation.push_back(a.correlation);
  name.push_back(a.name);
  op.push_back(a.op);
  step.push_back(a.step);
  track.push_back(a.track);
  kind.push_back(a.kind);
  flags.push_back(a.flags);
}

size_t ActivityColumns::size_bytes() const {
  size_t sum = 0;
  visit(*this, [&sum](const auto& column) { sum += column.size_bytes(); });
  return sum;
}

std::span<const uint32_t> Capture::activities_of(OpId op) const {
  CHECK(op < ops_.size());
  return std::span(by_op_).subspan(by_op_begin_[op], by_op_begin_[op + 1] - by_op_begin_[op]);
}

}  // namespace profiler
