// SPDX-License-Identifier: Apache-2.0
// Effective cache sizes from the latency curve.
#include "profiler/record/probe_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/memory.h"

namespace profiler::probe {
namespace {

constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;
/// Latencies of neighbouring levels differ by this at least where a boundary is to be seen; real
/// ones do by 2.5 and more.
constexpr double kVisibleStep = 1.5;
constexpr double kLeastShare = 0.4;  // below, h(W) W is mostly noise of the latency

/// The point whose size is nearest to `size` by ratio.
const LatencyPoint& nearest(std::span<const LatencyPoint> curve, double size) {
  return *std::ranges::min_element(curve, {}, [&](const LatencyPoint& point) {
    return std::abs(std::log(static_cast<double>(point.working_set_bytes) / size));
  });
}

/// The curve without disturbances: a larger working set is never quicker, so a point slower than a
/// larger one was disturbed (a dip of the clock, another process) and takes the larger one's
/// latency.
std::vector<LatencyPoint> undisturbed(std::span<const LatencyPoint> curve) {
  std::vector<LatencyPoint> out(curve.begin(), curve.end());
  for (size_t i = out.size(); i-- > 1;) {
    if (out[i].latency_ns.low < out[i - 1].latency_ns.low) out[i - 1].latency_ns = out[i].latency_ns;
  }
  return out;
}

/// Half octaves tell sizes apart by no more than this: from this share of the claim on, claim and
/// curve agree. More than the claim is not believed: that takes one disturbed latency.
constexpr double kAgreeFrom = 0.65;

/// The lowest repeat: what disturbs a measurement only adds to a latency.
double latency(const LatencyPoint& point) { return point.latency_ns.low; }

/// Where the hits of one cache end.
struct Capacity {
  double bytes = 0;          ///< largest h(W) W
  bool within_curve = true;  ///< false: the largest size measured still hits
};

Capacity find_capacity(std::span<const LatencyPoint> curve, double own_ns, double next_ns) {
  Capacity capacity;
  for (const LatencyPoint& point : curve) {
    const double hits = std::clamp((next_ns - latency(point)) / (next_ns - own_ns), 0.0, 1.0);
    if (hits >= kLeastShare)
      capacity.bytes = std::max(capacity.bytes, hits * static_cast<double>(point.working_set_bytes));
    capacity.within_curve = hits < kLeastShare;
  }
  return capacity;
}

/// Sets effective size and note of one cache.
void judge(MemoryLevel& level, const Capacity& capacity) {
  const std::string measured = engine::format_bytes(capacity.bytes);
  const double ratio =
      level.specified_size_bytes > 0 ? capacity.bytes / static_cast<double>(level.specified_size_bytes) : 0;
  const bool agrees = ratio >= kAgreeFrom;
  if (agrees || !capacity.within_curve) {
    level.effective_size_bytes = level.specified_size_bytes;
    level.note = agrees ? fmt::format("as the system claims; hits end near {}", measured)
                        : fmt::format(
                              "as the system claims: loads still hit at the largest size measured "
                              "({} at least)",
                              measured);
    return;
  }
  level.effective_size_bytes = static_cast<int64_t>(capacity.bytes / (4 * kKiB)) * 4 * kKiB;
  level.note = fmt::format("latency shows that hits end near {}; the system claims {}", measured,
                           engine::format_bytes(static_cast<double>(level.specified_size_bytes)));
}

}  // namespace

std::vector<int64_t> latency_sizes(int64_t largest, bool coarse) {
  std::vector<int64_t> sizes;
  for (int64_t octave = 8 * kKiB; octave <= largest; octave *= 2) {
    sizes.push_back(octave);
    const int64_t half =
        octave / 2 * 3;  // 1.5: halves an octave on whole lines and meets the usual sizes, 48 KiB and 96 MiB
    if (!coarse && half <= std::min(largest, 96 * kMiB)) sizes.push_back(half);
  }
  return sizes;
}

std::vector<MemoryLevel> derive_levels(const engine::DeviceInfo& info, std::span<const LatencyPoint> measured,
                                       int threads) {
  std::vector<MemoryLevel> levels;
  for (const engine::CacheLevel& cache : info.caches) {
    MemoryLevel level;
    level.name = cache.name.starts_with("L1") ? "L1" : cache.name;
    level.specified_size_bytes = cache.size_bytes;
    level.line_bytes = cache.line_bytes;
    level.shared_by_threads = std::clamp(cache.shared_by_cores, 1, std::max(1, threads));
    levels.push_back(std::move(level));
  }
  MemoryLevel memory;
  memory.name = "DRAM";
  memory.specified_size_bytes = memory.effective_size_bytes = info.memory_bytes;
  memory.shared_by_threads = std::max(1, threads);
  levels.push_back(std::move(memory));
  if (measured.empty()) return levels;
  const std::vector<LatencyPoint> curve = undisturbed(measured);

  // Bottom up: a level's own latency is read four times beyond the level before it (there nearly
  // all loads miss that one), which does not trust this level's claim; the claim only caps it, for
  // small caches.
  levels.back().latency_ns = curve.back().latency_ns;
  levels.front().latency_ns = curve.front().latency_ns;
  for (size_t k = 0; k + 1 < levels.size(); ++k) {
    MemoryLevel& level = levels[k];
    MemoryLevel& next = levels[k + 1];
    const auto own_size = static_cast<double>(level.specified_size_bytes);
    if (k + 2 < levels.size()) {
      const double cap = 0.7 * static_cast<double>(next.specified_size_bytes);
      next.latency_ns = nearest(curve, std::min(4 * own_size, std::max(cap, 1.5 * own_size))).latency_ns;
    }
    if (next.latency_ns.low < kVisibleStep * level.latency_ns.low) {
      level.effective_size_bytes = level.specified_size_bytes;
      level.note =
          fmt::format("as the system claims: latency does not rise visibly from {} to {}", level.name, next.name);
      continue;
    }
    judge(level, find_capacity(curve, level.latency_ns.low, next.latency_ns.low));
    if (k > 0) level.effective_size_bytes = std::max(level.effective_size_bytes, levels[k - 1].effective_size_bytes);
  }
  return levels;
}

std::optional<int64_t> working_set(std::span<const MemoryLevel> levels, size_t index, int threads,
                                   int64_t memory_limit) {
  const MemoryLevel& level = levels[index];
  const auto round = [](double bytes) {
    return static_cast<int64_t>(bytes) / (6 * kKiB) * (6 * kKiB);
  };  // whole chunks for 1, 2, 3 arrays
  if (index + 1 == levels.size()) {
    double caches = 0;
    if (index > 0) {
      const MemoryLevel& last = levels[index - 1];
      const int instances = (threads + last.shared_by_threads - 1) / std::max(1, last.shared_by_threads);
      caches = static_cast<double>(last.effective_size_bytes) * instances;
    }
    const double all = std::min(std::max(4 * caches, 128.0 * kMiB), static_cast<double>(memory_limit));
    if (all < 1.5 * caches || all < 16.0 * kMiB) return std::nullopt;
    return round(all / threads);
  }
  if (level.effective_size_bytes <= 0) return std::nullopt;
  const double upper =
      0.6 * static_cast<double>(level.effective_size_bytes) / std::min(threads, std::max(1, level.shared_by_threads));
  if (index == 0) return round(upper);
  const double lower = 2 * static_cast<double>(levels[index - 1].effective_size_bytes);
  if (upper < 0.75 * lower) return std::nullopt;
  return round(upper < lower ? upper : std::sqrt(lower * upper));
}

void add_product_peaks(Machine& machine, std::span<const int> thread_counts) {
  const auto rate = [](const engine::MatmulTiming& t) {
    return 2.0 * static_cast<double>(t.m) * static_cast<double>(t.n) * static_cast<double>(t.k) / t.ns(t.fastest()) *
           1e9;
  };
  const auto fastest = [&](engine::DType dtype, int threads) {
    const engine::MatmulTiming* best = nullptr;
    for (const engine::MatmulTiming& t : machine.matmul) {
      if (t.dtype != dtype || t.threads > threads || !(t.ns(t.fastest()) > 0)) continue;
      if (best == nullptr || rate(t) > rate(*best)) best = &t;
    }
    return best;
  };
  const auto words = [](const engine::MatmulTiming& t) {
    return fmt::format("fastest measured product, {} x {} x {}, {}", t.m, t.n, t.k, name(t.fastest()));
  };
  for (ComputeRoof& roof : machine.compute) {
    const engine::MatmulTiming* best = fastest(roof.dtype, roof.threads);
    if (best == nullptr || rate(*best) <= roof.flop_per_s.median) continue;
    const double flop_per_s = rate(*best);
    roof.flop_per_s = {flop_per_s, flop_per_s, std::max(flop_per_s, roof.flop_per_s.high), 1};
    roof.method = words(*best);
  }
  for (const engine::DType narrow : kTypesOfProducts) {
    for (const int threads : thread_counts) {
      const engine::MatmulTiming* best = fastest(narrow, threads);
      const auto f32 = machine.compute_roof(engine::DType::float32, threads);
      if (best == nullptr || !f32 || rate(*best) <= f32->flop_per_s.median) continue;
      const double flop_per_s = rate(*best);
      machine.compute.push_back({.dtype = narrow,
                                 .threads = threads,
                                 .flop_per_s = {flop_per_s, flop_per_s, flop_per_s, 1},
                                 .method = words(*best)});
    }
  }
}

}  // namespace profiler::probe
