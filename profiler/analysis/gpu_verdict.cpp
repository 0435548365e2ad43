// SPDX-License-Identifier: Apache-2.0
// Classes of ops and steps of a GPU, with the reasoning in words.
#include "profiler/analysis/gpu_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "profiler/analysis/groups.h"
#include "profiler/analysis/limits.h"
#include "profiler/analysis/overlap.h"

namespace profiler {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
/// Compulsory bytes bound the traffic with device memory from below; tiles re-read some (design notes, section 6.3: modelled 20 %).
constexpr double kBand = 0.20;

std::string duration(double ns) { return format_quantity(ns, Quantity::duration_ns); }
std::string percent(double ratio) { return format_quantity(ratio, Quantity::percent_of); }

/// Time at the roofs, from the data sheet and the bytes that have to move.
GpuCase case_of(const Capture& capture, const OpRecord& op, const GpuOpWork& work) {
  GpuCase c{work.kernel_ns.median, work.call_ns, work.exposed_ns, kUnknown, kUnknown, kBand, work.waves, false};
  if (work.kernels == 0) c.kernel_ns = 0;
  for (const GpuDevice& device : capture.gpu().devices) {
    if (device.device != work.device) continue;
    const GpuRoofs roofs = gpu_roofs(device, dtype_of(capture, op), capture.name(op.kernel));
    const double bytes = compulsory_read(capture, op) + compulsory_written(capture, op);
    if (op.flops >= 0) c.compute_ns = op.flops / roofs.flop_per_s * 1e9;
    // Operands that fit into the L2 may come from there: the memory's roof then says nothing.
    if (bytes > roofs.l2_bytes) c.memory_ns = bytes / roofs.bytes_per_s * 1e9;
    if (bytes == 0) c.memory_ns = 0;
    const TrafficSource* source = capture.traffic_of(Origin::measured);
    const TrafficRecord* counted = source == nullptr ? nullptr : source->of(op.id, static_cast<uint32_t>(source->link_between("DRAM", "L2")));
    if (counted != nullptr && counted->known()) {
      c.memory_ns = counted->total_bytes() / roofs.bytes_per_s * 1e9;
      c.memory_band = std::isnan(counted->error_band) ? 0 : counted->error_band;
      c.counted = true;
    }
  }
  return c;
}

std::string_view describe(Bound bound) {
  switch (bound) {
    case Bound::launch: return "launches";
    case Bound::transfer: return "copies";
    case Bound::compute: return "arithmetic";
    case Bound::memory: return "device memory bandwidth";
    case Bound::balanced: return "balance of arithmetic and memory";
    case Bound::parallelism: return "too small a grid";
    case Bound::latency: return "latency";
    default: return name(bound);
  }
}

std::string headline(Bound bound) {
  switch (bound) {
    case Bound::launch: return "launch-bound";
    case Bound::transfer: return "transfer-bound";
    case Bound::compute: return "compute-bound";
    case Bound::memory: return "memory-bound at device memory";
    case Bound::balanced: return "balanced between compute and device memory";
    case Bound::parallelism: return "grid too small";
    case Bound::latency: return "latency-bound";
    case Bound::inconsistent: return "inconsistent: faster than its roofs";
    default: return "unknown";
  }
}

/// Step 5 for a GPU: roofs of a data sheet are no measurement, so only what needs none of them can be firm.
void test_firmness(const GpuCase& c, const Spread& time, const VerdictRules& rules, Verdict& v) {
  std::map<Bound, int> others;
  int cases = 0, agreeing = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const auto sign = [&](int bit) { return (corner >> bit & 1) != 0 ? 1.0 : -1.0; };
    GpuCase pushed = c;
    pushed.kernel_ns += sign(0) * time.mad;
    pushed.memory_ns *= (1 + sign(1) * c.memory_band) / (1 + sign(2) * rules[Rule::roof_band_ratio]);
    pushed.compute_ns /= 1 + sign(2) * rules[Rule::roof_band_ratio];
    const Bound bound = classify_gpu(pushed, rules);
    ++cases;
    bound == v.bound ? ++agreeing : ++others[bound];
  }
  const bool needs_roofs = v.bound != Bound::launch && v.bound != Bound::transfer;
  v.firm = others.empty() && !needs_roofs;
  const auto most = std::ranges::max_element(others, {}, [](const auto& entry) { return entry.second; });
  if (most != others.end()) v.runner_up = describe(most->first);
  v.why.push_back(v.firm ? fmt::format("Firm: the same answer in all {} corners of the error bands.", cases)
                         : fmt::format("Likely: the same answer in {} of {} corners of the error bands{}{}.", agreeing, cases,
                                       v.runner_up.empty() ? "" : "; else " + v.runner_up,
                                       needs_roofs ? "; roofs are the data sheet's, not measured" : ""));
  if (!v.firm) v.headline += " (likely)";
}

/// Rate of an op's copies, each by itself, against the fastest of their directions in the capture.
std::string copy_sentence(const GpuOpWork& work, const VerdictRules& rules) {
  if (std::isnan(work.copy_use_ratio)) return "How fast the copies are cannot be said: their sizes are unknown.";
  const char* why = work.copy_use_ratio >= rules[Rule::link_use_ratio] ? "the link is full"
                    : work.pageable                                  ? "pageable memory or small copies hold them back"
                                                                     : "small copies, or others beside them, hold them back";
  return fmt::format("Copies run at {} each, {} of the fastest of their direction in this capture (limit {}): {}.",
                     format_quantity(work.copy_bytes_per_s, Quantity::bytes_per_s), percent(work.copy_use_ratio), rules.text(Rule::link_use_ratio), why);
}

void write_why(const GpuOpWork& work, const GpuCase& c, const VerdictRules& rules, Verdict& v) {
  if (work.kernels > 0) {
    v.why.push_back(fmt::format("{:.0f} kernel{} of {} (median of {} steps).", work.kernels, work.kernels == 1 ? "" : "s", duration(c.kernel_ns),
                                work.kernel_ns.samples));
  }
  if (work.copies > 0) v.why.push_back(copy_sentence(work, rules));
  if (work.copies > 0) {
    v.why.push_back(fmt::format("Copies run alone for {} (limit {} of copies and kernels together).", duration(c.exposed_ns), rules.text(Rule::transfer_ratio)));
  }
  if (!std::isnan(c.call_ns) && work.kernels > 0) {
    v.why.push_back(fmt::format("The calls that launch them take {}: {} of calls and kernels together (limit {}).", duration(c.call_ns),
                                percent(c.call_ns / (c.call_ns + c.kernel_ns)), rules.text(Rule::launch_ratio)));
  }
  if (!std::isnan(c.compute_ns) && work.kernels > 0) v.why.push_back(fmt::format("Arithmetic would take {} at the data sheet's peak (specified): {} used.", duration(c.compute_ns), percent(c.compute_ns / c.kernel_ns)));
  if (!std::isnan(c.memory_ns) && work.kernels > 0) {
    v.why.push_back(fmt::format("The {} would take {} at the data sheet's bandwidth (specified): {} used.",
                                c.counted ? "bytes that the GPU counted between L2 and its memory (measured)" : "compulsory bytes", duration(c.memory_ns),
                                percent(c.memory_ns / c.kernel_ns)));
  }
  if (!std::isnan(c.waves)) {
    v.why.push_back(fmt::format("Its longest kernel fills {:.2g} waves of blocks{}.", c.waves,
                                c.waves < rules[Rule::waves_count] ? fmt::format(": a grid too small for this GPU (limit {})", rules.text(Rule::waves_count)) : ""));
  }
}

}  // namespace

Bound classify_gpu(const GpuCase& c, const VerdictRules& rules) {
  if (c.exposed_ns > 0 && c.exposed_ns >= rules[Rule::transfer_ratio] * (c.exposed_ns + c.kernel_ns)) return Bound::transfer;
  if (!(c.kernel_ns > 0)) return Bound::unknown;
  if (c.call_ns >= rules[Rule::launch_ratio] * (c.call_ns + c.kernel_ns)) return Bound::launch;
  if (std::isnan(c.compute_ns) || std::isnan(c.memory_ns)) return Bound::unknown;
  if (c.kernel_ns < rules[Rule::inconsistent_ratio] * std::max(c.compute_ns, c.memory_ns * (1 - c.memory_band))) return Bound::inconsistent;
  const double compute = c.compute_ns / c.kernel_ns, memory = c.memory_ns / c.kernel_ns;
  if (std::max(compute, memory) < rules[Rule::busy_ratio]) return c.waves < rules[Rule::waves_count] ? Bound::parallelism : Bound::latency;
  if (std::abs(compute - memory) < rules[Rule::balanced_ratio]) return Bound::balanced;
  return compute > memory ? Bound::compute : Bound::memory;
}

Verdict judge_on_gpu(const Capture& capture, const OpRecord& op, const GpuOpWork& work, const VerdictRules& rules) {
  const GpuCase c = case_of(capture, op, work);
  Verdict v;
  v.bound = classify_gpu(c, rules);
  v.headline = headline(v.bound);
  v.utilisation = v.next_speedup = kUnknown;
  write_why(work, c, rules, v);
  if (v.bound == Bound::unknown) {
    v.why.push_back("Whether arithmetic or memory binds is unknown: the capture lacks this GPU's peaks, or the operands fit into its L2.");
    return v;
  }
  if (v.bound == Bound::memory) v.level = "device memory";
  const double roofs = std::max(std::isnan(c.compute_ns) ? 0 : c.compute_ns, std::isnan(c.memory_ns) ? 0 : c.memory_ns);
  if (c.kernel_ns > 0 && roofs > 0 && v.bound != Bound::inconsistent) v.utilisation = roofs / c.kernel_ns;
  switch (v.bound) {
    case Bound::transfer:
      if (c.kernel_ns > 0) v.next_speedup = (c.exposed_ns + c.kernel_ns) / c.kernel_ns;
      v.cause = "copies with nothing beside them: copy the next input while this one is computed";
      break;
    case Bound::launch:
      v.next_speedup = (c.call_ns + c.kernel_ns) / c.kernel_ns;
      v.cause = "kernels shorter than the calls that launch them: fusion, a CUDA graph or a bigger batch can help";
      break;
    case Bound::parallelism:
      v.cause = "too few blocks for the multiprocessors: a bigger batch can help";
      if (roofs > 0) v.next_speedup = std::max(1.0, c.kernel_ns / roofs);
      break;
    case Bound::compute:
    case Bound::memory: {
      const double other = v.bound == Bound::compute ? c.memory_ns : c.compute_ns;
      if (other > 0) v.next_speedup = std::max(1.0, c.kernel_ns / other);
      break;
    }
    case Bound::latency:
      if (roofs > 0) v.next_speedup = std::max(1.0, c.kernel_ns / roofs);
      break;
    default: break;
  }
  if (v.bound != Bound::inconsistent) test_firmness(c, work.kernel_ns, rules, v);
  return v;
}

Verdict judge_step_on_gpu(const Capture& capture, const std::vector<Verdict>& verdicts, const VerdictRules& rules) {
  const Overlap o = overlap(capture, rules);
  Verdict v;
  v.utilisation = v.next_speedup = kUnknown;
  std::map<GpuBound, size_t> count;
  double span = 0, exposed = 0, idle = 0;
  for (const GpuRegion& r : o.regions) ++count[r.bound], span += r.span_ns, exposed += r.exposed_ns(), idle += r.idle_ns;
  const auto most = std::ranges::max_element(count, {}, [](const auto& entry) { return entry.second; });
  v.why = o.findings;
  if (most != count.end() && (most->first == GpuBound::transfer || most->first == GpuBound::launch)) {
    v.bound = most->first == GpuBound::transfer ? Bound::transfer : Bound::launch;
    const double lost = v.bound == Bound::transfer ? exposed : idle;
    if (span > lost) v.next_speedup = span / (span - lost);
    v.firm = most->second == o.regions.size();
    v.why.push_back(fmt::format("{} of {} regions (a step on a device) are {} (limits {}: copies alone, {}: idle, {}: idle before the launch).", most->second, o.regions.size(),
                                name(most->first), rules.text(Rule::transfer_ratio), rules.text(Rule::launch_idle_ratio), rules.text(Rule::launch_host_ratio)));
  } else {
    std::map<Bound, double> time;
    double all = 0;
    const auto work = gpu_work(capture);
    for (OpId op = 0; op < work.size(); ++op) {
      if (work[op]) time[verdicts[op].bound] += work[op]->kernel_ns.median, all += work[op]->kernel_ns.median;
    }
    const auto longest = std::ranges::max_element(time, {}, [](const auto& entry) { return entry.second; });
    if (longest != time.end() && all > 0) {
      v.bound = longest->first;
      v.why.push_back(fmt::format("{} of the kernels' time is {}.", percent(longest->second / all), headline(v.bound)));
    }
  }
  v.headline = headline(v.bound) + (v.firm || v.bound == Bound::unknown || v.bound == Bound::inconsistent ? "" : " (likely)");
  if (v.bound == Bound::memory) v.level = "device memory";
  return v;
}

}  // namespace profiler
