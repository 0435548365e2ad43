// SPDX-License-Identifier: Apache-2.0
// TraceBuilder: spans become what their lane is: work of a device, calls of a host that launch it, ops that a host
// runs.
#include <algorithm>
#include <charconv>
#include <limits>

#include "profiler/import/trace_builder.h"

namespace profiler {

namespace {

/// Start and duration are rounded to nanoseconds each: a span may seem to end so much behind the one it lies in.
constexpr int64_t kRoundedNs = 2;

/// Which of one lane's spans count where they nest: those inside, or the one around where they fill less than half of
/// it. `order`: rows by start, longer first.
std::vector<uint32_t> counted_once(const std::vector<Activity>& all, const std::vector<uint32_t>& order) {
  constexpr uint32_t kTop = 0xffffffffu;
  std::vector<uint32_t> around(order.size(), kTop), open;  // each of `open` lies in the one before it
  std::vector<int64_t> inside_ns(order.size(), 0), filled_until_ns(order.size(), std::numeric_limits<int64_t>::min());
  const auto start_of = [&all, &order](uint32_t i) { return all[order[i]].start_ns; };
  const auto end_of = [&all, &order](uint32_t i) { return all[order[i]].start_ns + all[order[i]].duration_ns; };
  const auto lies_in = [&](uint32_t i, uint32_t other) {
    return end_of(i) <= end_of(other) ||
           (end_of(i) - end_of(other) <= kRoundedNs && end_of(other) - start_of(i) > kRoundedNs);
  };
  for (uint32_t i = 0; i < order.size(); ++i) {
    // What comes later and lies in one that this one crosses lies in this one, too.
    while (!open.empty() && (end_of(open.back()) <= start_of(i) || !lies_in(i, open.back()))) open.pop_back();
    if (!open.empty()) {
      const uint32_t outer = around[i] = open.back();
      inside_ns[outer] += std::max<int64_t>(0, end_of(i) - std::max(start_of(i), filled_until_ns[outer]));
      filled_until_ns[outer] = std::max(filled_until_ns[outer], end_of(i));
    }
    open.push_back(i);
  }
  std::vector<bool> taken(order.size(), false);  // it, or what is around it, counts
  std::vector<uint32_t> counted;
  for (uint32_t i = 0; i < order.size(); ++i) {
    const bool within = around[i] != kTop && taken[around[i]];
    const bool counts = !within && 2 * inside_ns[i] < all[order[i]].duration_ns;
    taken[i] = within || counts;
    if (counts) counted.push_back(order[i]);
  }
  return counted;
}

}  // namespace

void TraceBuilder::settle_device_lanes(const std::unordered_map<Lane, LaneChoice>& lanes) {
  if (lanes.empty()) return;
  const auto choice_of = [&](uint32_t activity) {
    const auto lane = lanes.find(activities_[activity].track);
    return activity < rank_begin_ || lane == lanes.end() ? nullptr : &lane->second;
  };
  const auto settle = [&](auto& records) {
    std::erase_if(records, [&](auto& record) {
      const LaneChoice* choice = choice_of(record.activity);
      if (choice == nullptr) return false;
      if (record.place.device < 0) record.place.device = choice->device;
      if (choice->role == LaneRole::work) return false;
      activities_[record.activity].kind = ActivityKind::range;
      return true;
    });
  };
  settle(records_.kernels), settle(records_.copies), settle(records_.memsets);
  std::unordered_map<Lane, std::vector<uint32_t>> rows;
  for (size_t i = rank_begin_; i < activities_.size(); ++i) {
    const LaneChoice* choice = choice_of(static_cast<uint32_t>(i));
    const Activity& a = activities_[i];
    if (choice != nullptr && choice->role == LaneRole::work && a.kind == ActivityKind::range && a.duration_ns > 0)
      rows[a.track].push_back(static_cast<uint32_t>(i));
  }
  for (auto& [lane, order] : rows) {
    const LaneChoice& choice = lanes.at(lane);
    if (choice.nests) {
      std::ranges::stable_sort(order, [this](uint32_t x, uint32_t y) {
        const Activity &a = activities_[x], &b = activities_[y];
        return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.duration_ns > b.duration_ns;
      });
      order = counted_once(activities_, order);
    }
    for (const uint32_t i : order) add_device_work(i, choice.device);
  }
}

/// A plain span that turned out to be a kernel, a copy or a memset.
void TraceBuilder::add_device_work(uint32_t activity, int32_t device) {
  Activity& a = activities_[activity];
  const std::string_view called = name(a.name);
  const GpuPlace place{.device = device};
  if (called.find("emcpy") != called.npos || called.starts_with("MEMCPY") ||
      (called.starts_with("Copy") && copy_kind_of(called) != CopyKind::unknown)) {
    a.kind = ActivityKind::copy;
    records_.copies.push_back({.activity = activity, .place = place, .kind = copy_kind_of(called)});
  } else if (called.starts_with("Memset") || called.starts_with("memset") || called.starts_with("MEMSET")) {
    a.kind = ActivityKind::memset;
    records_.memsets.push_back({.activity = activity, .place = place});
  } else {
    a.kind = ActivityKind::kernel;
    records_.kernels.push_back({.activity = activity, .place = place});
  }
}

void TraceBuilder::take_steps_of(Lane lane) {
  for (size_t i = rank_begin_; i < activities_.size(); ++i) {
    Activity& a = activities_[i];
    if (a.track != lane || a.kind != ActivityKind::range || a.duration_ns <= 0) continue;
    const std::string_view digits = name(a.name);
    uint32_t index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc() || end != digits.data() + digits.size() || index == kNoStep) continue;
    add_step({.index = index, .start_ns = a.start_ns, .duration_ns = a.duration_ns});
    a.kind = ActivityKind::step;
    steps_of_devices_ = true;
  }
}

std::unordered_set<TraceBuilder::Lane> TraceBuilder::lanes_of_calls() const {
  const auto is_call = [](std::string_view called) {
    for (const std::string_view library : {"cuda", "cu", "hip"}) {
      if (called.starts_with(library) && called.size() > library.size() && called[library.size()] >= 'A' &&
          called[library.size()] <= 'Z')
        return true;
    }
    return false;
  };
  std::unordered_set<Lane> calls, others;
  for (size_t i = rank_begin_; i < activities_.size(); ++i) {
    const Activity& a = activities_[i];
    if (a.correlation != 0) (is_call(name(a.name)) ? calls : others).insert(a.track);
  }
  std::erase_if(calls, [&others](Lane lane) { return others.contains(lane); });
  return calls;
}

/// Records of work on lanes of a host describe what the call around them launches.
void TraceBuilder::settle_host_lanes(const std::unordered_set<Lane>& hosts) {
  if (hosts.empty()) return;
  const auto on_host = [&](uint32_t activity) {
    return activity >= rank_begin_ && hosts.contains(activities_[activity].track);
  };
  const auto drop = [&](auto& records) {
    std::erase_if(records, [&](const auto& record) {
      if (!on_host(record.activity)) return false;
      activities_[record.activity].kind = ActivityKind::range;
      return true;
    });
  };
  drop(records_.kernels), drop(records_.copies), drop(records_.memsets);
  std::unordered_set<uint64_t> collectives;
  for (const CollectiveRecord& r : host_collectives_) collectives.insert(r.correlation);
  for (size_t i = rank_begin_; i < activities_.size(); ++i) {
    Activity& a = activities_[i];
    const auto number = static_cast<uint32_t>(i);
    if (a.kind != ActivityKind::range || a.duration_ns <= 0 || !on_host(number)) continue;
    const auto said = said_ops_.find(number);
    if (a.correlation != 0 && !collectives.contains(a.correlation)) {
      a.kind = ActivityKind::api;
      records_.api_calls.push_back({.activity = number});
    } else if (said != said_ops_.end()) {
      a.kind = ActivityKind::op;
      calls_.push_back({.activity = number,
                        .call = {.layer = said->second.layer,
                                 .type = type_of_said(said->second),
                                 .phase = said->second.phase,
                                 .phase_given = true}});
    }
  }
}

}  // namespace profiler
