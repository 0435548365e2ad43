// SPDX-License-Identifier: Apache-2.0
// Order and checks of stored traffic: every op, link and tensor exists, and ratios are parts of a whole.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "profiler/capture/capture_checks.h"

namespace profiler {

using engine::refused_error;
using engine::Result;

namespace {

constexpr size_t kMostLinks = 16;

bool possible(double figure) { return std::isnan(figure) || (figure >= 0 && !std::isinf(figure)); }

/// By op, then by link, the op's own sum first.
auto place_of(const TrafficRecord& r) { return std::tuple(r.op, r.link, r.tensor != kNoTensor, r.tensor); }

}  // namespace

void put_in_order(TrafficSource& source, size_t ops) {
  std::ranges::sort(source.records, {}, place_of);
  std::ranges::sort(source.causes, {}, [](const MissCauses& c) { return std::tuple(c.op, c.link); });
  std::ranges::sort(source.strided, {},
                    [](const StridedMisses& m) { return std::tuple(m.op, m.link, m.stride_bytes); });
  std::ranges::sort(source.top_down, {}, &TopDown::op);
  if (source.op_notes.size() < ops) source.op_notes.resize(ops);
}

Result<void> check_traffic_source(const TrafficSource& source, const Capture& c) {
  if (source.origin == Origin::exact || source.origin == Origin::specified || source.origin == Origin::modelled) {
    return refused_error(
        fmt::format("[capture] traffic of origin {}: measured and simulated traffic is stored, the rest is computed",
                    name(source.origin)));
  }
  if (source.links.size() > kMostLinks || source.op_notes.size() > c.ops().size()) {
    return refused_error(fmt::format("[capture] {} traffic: {} links (at most {}), notes on {} of {} ops",
                                     name(source.origin), source.links.size(), kMostLinks, source.op_notes.size(),
                                     c.ops().size()));
  }
  if (source.sampled < 1 || !possible(source.sampling_error) || std::isnan(source.sampling_error)) {
    return refused_error(fmt::format("[capture] {} traffic: 1/{} of the sets, error {}", name(source.origin),
                                     source.sampled, source.sampling_error));
  }
  for (const TrafficLink& link : source.links) {
    if (!possible(link.capacity_bytes))
      return refused_error(fmt::format("[capture] {} traffic: level {} of {} bytes", name(source.origin), link.inner,
                                       link.capacity_bytes));
  }
  const TrafficRecord* last = nullptr;
  for (const TrafficRecord& r : source.records) {
    if (r.op >= c.ops().size() || r.link >= source.links.size() ||
        (r.tensor != kNoTensor && r.tensor >= c.tensors().size())) {
      return refused_error(fmt::format("[capture] {} traffic: op {}, tensor {} or link {} does not exist",
                                       name(source.origin), r.op, r.tensor, r.link));
    }
    for (const double figure :
         {r.read_bytes, r.written_bytes, r.write_allocate_bytes, r.hits, r.misses, r.error_band}) {
      if (!possible(figure))
        return refused_error(
            fmt::format("[capture] {} traffic of op {}: a figure is {}", name(source.origin), r.op, figure));
    }
    if (last != nullptr && place_of(*last) == place_of(r))
      return refused_error(fmt::format("[capture] {} traffic of op {} across link {} is there twice",
                                       name(source.origin), r.op, r.link));
    last = &r;
  }
  for (const MissCauses& m : source.causes) {
    const bool there = m.op < c.ops().size() && m.link < source.links.size();
    const double sum = m.compulsory_ratio + m.capacity_ratio + m.conflict_ratio;
    const bool parts =
        m.compulsory_ratio >= 0 && m.capacity_ratio >= 0 && m.conflict_ratio >= 0 && std::abs(sum - 1) < 1e-6;
    if (!there || !parts) {
      return refused_error(
          fmt::format("[capture] {} traffic: causes {}, {} and {} of misses of op {} at link {}: "
                      "unknown op or link, or no parts "
                      "of 1",
                      name(source.origin), m.compulsory_ratio, m.capacity_ratio, m.conflict_ratio, m.op, m.link));
    }
  }
  for (const StridedMisses& m : source.strided) {
    if (m.op >= c.ops().size() || m.link >= source.links.size() || !(m.stride_bytes > 0) || !(m.misses >= 0) ||
        std::isinf(m.stride_bytes) || std::isinf(m.misses)) {
      return refused_error(
          fmt::format("[capture] {} traffic: {} misses in steps of {} bytes of op {} at link {}: no such op or link, "
                      "or no such figure",
                      name(source.origin), m.misses, m.stride_bytes, m.op, m.link));
    }
  }
  OpId before = kNoOp;
  for (const TopDown& t : source.top_down) {
    bool possible_ratios = true;
    for (const double r :
         {t.retiring_ratio, t.bad_speculation_ratio, t.frontend_ratio, t.backend_ratio, t.memory_ratio, t.l1_ratio,
          t.l2_ratio, t.l3_ratio, t.dram_ratio, t.store_ratio, t.bandwidth_ratio, t.latency_ratio}) {
      possible_ratios = possible_ratios && r >= 0 && r <= 1;
    }
    if (t.op >= c.ops().size() || t.op == before || !possible_ratios)
      return refused_error(fmt::format(
          "[capture] {} traffic: slots and cycles counted of op {}: no such op, there twice, or no parts of a whole",
          name(source.origin), t.op));
    before = t.op;
  }
  return {};
}

Result<void> check_traffic(const Capture& c) {
  for (size_t i = 0; i < c.traffic().size(); ++i) {
    TrafficSource sorted = c.traffic()[i];
    put_in_order(sorted, c.ops().size());
    if (Result<void> checked = check_traffic_source(sorted, c); !checked) return checked;
    for (size_t k = 0; k < i; ++k) {
      if (c.traffic()[k].origin == sorted.origin)
        return refused_error(fmt::format("[capture] {} traffic is there twice", name(sorted.origin)));
    }
  }
  return {};
}

}  // namespace profiler
