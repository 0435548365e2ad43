// SPDX-License-Identifier: Apache-2.0
// What limits each op: guards, dispatch, ECM and shared levels, confidence by perturbation,
// what-if. ECM: Treibig, Hager 2010 (arXiv 0905.0792); Stengel, Treibig, Hager, Wellein 2015 (arXiv
// 1410.5010).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "profiler/analysis/analysis.h"
#include "profiler/analysis/limits.h"
#include "profiler/analysis/verdict_class.h"
#include "profiler/analysis/verdict_rules.h"

namespace profiler {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kLineBytes = 64;

/// Whether an op walks this operand against its memory order: along the output's fastest axis the
/// operand's stride is beyond what prefetchers follow.
bool walks_far(const Capture& capture, const OperandRecord& operand, const TensorRecord* output) {
  if (output == nullptr) return false;
  const TensorRecord& t = capture.tensors()[operand.tensor];
  if (t.strides.size() != output->strides.size() || t.shape != output->shape || t.strides.empty())
    return false;
  size_t fastest = t.strides.size();
  for (size_t axis = 0; axis < t.strides.size(); ++axis) {
    if (output->shape[axis] > 1 && output->strides[axis] == 1) fastest = axis;
  }
  if (fastest == t.strides.size()) return false;
  const double stride =
      static_cast<double>(t.strides[fastest]) * static_cast<double>(engine::size_bytes(t.dtype));
  return std::abs(stride) > threshold(Rule::prefetch_stride_bytes);
}

double latency_of(const Machine& machine, const std::string& level) {
  for (const MemoryLevel& l : machine.levels) {
    if (l.name == level && l.latency_ns.known()) return l.latency_ns.median;
  }
  return kUnknown;
}

size_t slowest_level(const OpLimits& limits, const VerdictCase& c) {
  size_t slowest = SIZE_MAX;
  double longest = 0;
  for (size_t i = 0; i < limits.levels.size(); ++i) {
    const double ns = limits.levels[i].time_ns * (1 + c.bytes_sign * limits.levels[i].band);
    if (ns > longest) longest = ns, slowest = i;
  }
  return slowest;
}

/// A level all threads share, used beyond the saturation threshold, decides alone.
VerdictClass saturated(const OpLimits& limits, const VerdictCase& c, double compute_ns) {
  size_t most = SIZE_MAX;
  double used = 0;
  for (size_t i = 0; i < limits.levels.size(); ++i) {
    const LevelLimit& l = limits.levels[i];
    const double u = l.time_ns * (1 + c.bytes_sign * l.band) / c.bandwidth_factor / c.time_ns;
    if (l.shared && u > used) used = u, most = i;
  }
  const double compute = compute_ns / c.time_ns;
  if (limits.threads <= 1 || used < threshold(Rule::saturated_ratio)) return {};
  if (std::abs(used - compute) < threshold(Rule::balanced_ratio)) return {Bound::balanced, most};
  return compute > used ? VerdictClass{Bound::compute, SIZE_MAX}
                        : VerdictClass{Bound::memory, most};
}

}  // namespace

std::string_view name(Bound bound) {
  switch (bound) {
    case Bound::unknown:
      return "unknown";
    case Bound::inconsistent:
      return "inconsistent";
    case Bound::too_short:
      return "too_short";
    case Bound::dispatch:
      return "dispatch";
    case Bound::compute:
      return "compute";
    case Bound::memory:
      return "memory";
    case Bound::balanced:
      return "balanced";
    case Bound::latency:
      return "latency";
    case Bound::overhead:
      return "overhead";
  }
  return "unknown";
}

std::vector<double> waiting_ns(const Capture& capture, const TrafficModel& model,
                               const OpRecord& op, const OpLimits& limits) {
  const TensorRecord* output = nullptr;
  for (const OperandRecord& o : capture.operands(op)) {
    if (o.output && output == nullptr) output = &capture.tensors()[o.tensor];
  }
  std::vector<double> waiting(limits.levels.size(), 0);
  for (size_t i = 0; i < limits.levels.size(); ++i) {
    const size_t link = limits.levels[i].link;
    if (link + 1 == model.links.size()) continue;  // L1 hits hide behind out-of-order execution
    const double latency = latency_of(capture.machine(), limits.levels[i].level);
    if (std::isnan(latency)) return {};
    for (uint32_t k = op.first_operand; k < op.first_operand + op.operand_count; ++k) {
      const auto& moved = model.operand_levels[k];
      // Bytes this level itself served: what crossed this link but not the one farther out.
      const double served =
          std::max(0.0, moved[link].read - (link > 0 ? moved[link - 1].read : 0.0));
      const bool far = walks_far(capture, capture.operands()[k], output);
      const double step = far ? kLineBytes : threshold(Rule::prefetch_page_bytes);
      waiting[i] += served / step * latency / threshold(Rule::parallel_misses) / limits.threads;
    }
  }
  return waiting;
}

double lower_bound_ns(const OpLimits& limits, double bytes_sign) {
  double bound = limits.compute_ns;
  for (const LevelLimit& l : limits.levels)
    bound = std::max(bound, l.time_ns * (1 + bytes_sign * l.band));
  return bound;
}

VerdictClass classify(const OpLimits& limits, const std::vector<double>& waiting,
                      const StartCost& start, const VerdictCase& c) {
  if (c.time_ns < threshold(Rule::too_short_ticks) * start.timer_ns)
    return {Bound::too_short, SIZE_MAX};
  if (limits.threads > 1 && start.fork_join_ns >= threshold(Rule::dispatch_ratio) * c.time_ns &&
      start.fork_join_ns > 0) {
    return {Bound::dispatch, SIZE_MAX};
  }
  const double compute_ns = limits.compute_ns / c.peak_factor;
  if (const VerdictClass full = saturated(limits, c, compute_ns); full.bound != Bound::unknown)
    return full;
  const double data_ns = limits.data_ns(c.bytes_sign, c.bandwidth_factor);
  const double roofs_ns = std::max(compute_ns, data_ns);
  if (!(roofs_ns > 0)) return {Bound::overhead, SIZE_MAX};
  if (c.time_ns > threshold(Rule::slack_ratio) * roofs_ns) {
    double sum = 0;
    for (const double w : waiting) sum += w;
    if (sum < threshold(Rule::latency_ratio) * c.time_ns) return {Bound::overhead, SIZE_MAX};
    return {Bound::latency, static_cast<size_t>(std::max_element(waiting.begin(), waiting.end()) -
                                                waiting.begin())};
  }
  const size_t slowest = slowest_level(limits, c);
  if (std::abs(compute_ns - data_ns) < threshold(Rule::balanced_ratio) * roofs_ns)
    return {Bound::balanced, slowest};
  return compute_ns > data_ns ? VerdictClass{Bound::compute, SIZE_MAX}
                              : VerdictClass{Bound::memory, slowest};
}

std::string describe(const VerdictClass& c, const OpLimits& limits) {
  const std::string level =
      c.limit < limits.levels.size() ? limits.levels[c.limit].level : "memory";
  switch (c.bound) {
    case Bound::memory:
      return level + " bandwidth";
    case Bound::latency:
      return level + " latency";
    case Bound::compute:
      return "arithmetic";
    case Bound::balanced:
      return "balance of arithmetic and " + level + " bandwidth";
    case Bound::dispatch:
      return "starting the threads";
    case Bound::overhead:
      return "overhead";
    case Bound::too_short:
      return "timer noise";
    default:
      return std::string(name(c.bound));
  }
}

namespace {

std::string headline(const VerdictClass& c, const OpLimits& limits) {
  const std::string level =
      c.limit < limits.levels.size() ? limits.levels[c.limit].level : "memory";
  switch (c.bound) {
    case Bound::memory:
      return "memory-bound at " + level;
    case Bound::latency:
      return "latency-bound at " + level;
    case Bound::compute:
      return "compute-bound";
    case Bound::balanced:
      return "balanced between compute and " + level;
    case Bound::dispatch:
      return "dispatch-bound";
    case Bound::overhead:
      return "overhead-bound";
    case Bound::too_short:
      return "too short to judge";
    case Bound::inconsistent:
      return "inconsistent: faster than its roofs";
    case Bound::unknown:
      return "unknown";
  }
  return "unknown";
}

/// Largest time any limit but the binding one demands; with the limit gone the op takes at least
/// that.
double second_limit_ns(const OpLimits& limits, const VerdictClass& c, const StartCost& start,
                       double time_ns) {
  switch (c.bound) {
    case Bound::compute:
      return limits.data_ns(0, 1);
    case Bound::memory: {
      double second = limits.compute_ns;
      for (size_t i = 0; i < limits.levels.size(); ++i) {
        if (i != c.limit) second = std::max(second, limits.levels[i].time_ns);
      }
      return second;
    }
    case Bound::dispatch:
      return std::max(lower_bound_ns(limits, 0), time_ns - start.fork_join_ns);
    case Bound::latency:
    case Bound::overhead:
      return std::max(limits.compute_ns, limits.data_ns(0, 1));
    case Bound::balanced:
      return std::min(limits.compute_ns, limits.data_ns(0, 1));
    default:
      return 0;
  }
}

double utilisation(const OpLimits& limits, const VerdictClass& c, double time_ns) {
  if ((c.bound == Bound::memory || c.bound == Bound::latency) && c.limit < limits.levels.size()) {
    return limits.levels[c.limit].time_ns / time_ns;
  }
  if (c.bound == Bound::compute) return limits.compute_ns / time_ns;
  if (c.bound == Bound::too_short || c.bound == Bound::inconsistent) return kUnknown;
  return lower_bound_ns(limits, 0) / time_ns;
}

/// Step 5: all corners of bytes, roofs and time. Fills firm, runner_up and the counts of the
/// evidence.
void test_firmness(VerdictEvidence& evidence, Verdict& verdict) {
  std::map<std::string, int> others;
  const double band = threshold(Rule::roof_band_ratio);
  for (int corner = 0; corner < 16; ++corner) {
    const auto sign = [&](int bit) { return (corner >> bit & 1) != 0 ? 1.0 : -1.0; };
    VerdictCase c;
    c.bytes_sign = sign(0);
    c.peak_factor = 1 + sign(1) * band;
    c.bandwidth_factor = 1 + sign(2) * band;
    c.time_ns = evidence.time.median + sign(3) * evidence.time.mad;
    if (c.time_ns <= 0) continue;
    ++evidence.cases;
    const VerdictClass pushed = classify(evidence.limits, evidence.waiting, evidence.start, c);
    if (pushed == evidence.verdict) {
      ++evidence.agreeing;
    } else {
      ++others[describe(pushed, evidence.limits)];
    }
  }
  verdict.firm = others.empty() && evidence.limits.unmeasured.empty();
  for (const auto& [what, count] : others) {
    if (verdict.runner_up.empty() || count > others[verdict.runner_up]) verdict.runner_up = what;
  }
  if (!verdict.firm && others.empty()) {
    verdict.runner_up = evidence.limits.unmeasured.front() + " bandwidth";
  }
}

Verdict unknown_verdict(std::string reason) {
  Verdict v;
  v.utilisation = v.next_speedup = kUnknown;
  v.headline = "unknown";
  v.why.push_back(std::move(reason));
  return v;
}

Verdict judge(const Capture& capture, const TrafficModel& model, const OpRecord& op,
              const OpTime& time) {
  if (op.view) {
    Verdict v =
        unknown_verdict("A view shares the bytes of its input: nothing runs and nothing moves.");
    v.headline = "view: costs nothing";
    return v;
  }
  if (time.ns.samples == 0)
    return unknown_verdict("No time was recorded for this op in a step that counts.");
  const OpLimits limits = op_limits(capture, model, op);
  if (!limits.known) return unknown_verdict("Unknown: " + limits.unknown_reason + ".");

  const StartCost start{capture.machine().timer_ns, capture.machine().fork_join_ns};
  VerdictEvidence evidence{
      capture, model, op, limits, time.ns, waiting_ns(capture, model, op, limits), start, {}, 0, 0};
  VerdictCase measured;
  measured.time_ns = time.ns.median;
  evidence.verdict = classify(limits, evidence.waiting, start, measured);
  const bool guarded =
      evidence.verdict.bound == Bound::too_short || evidence.verdict.bound == Bound::dispatch;
  if (!guarded &&
      time.ns.median < threshold(Rule::inconsistent_ratio) * lower_bound_ns(limits, -1)) {
    evidence.verdict = {Bound::inconsistent, SIZE_MAX};
  }

  Verdict v;
  v.bound = evidence.verdict.bound;
  if (evidence.verdict.limit < limits.levels.size())
    v.level = limits.levels[evidence.verdict.limit].level;
  v.headline = headline(evidence.verdict, limits);
  if (v.bound == Bound::inconsistent) {
    v.firm = true;  // a contradiction does not become a class when pushed
  } else {
    test_firmness(evidence, v);
    if (!v.firm) v.headline += " (likely)";
  }
  v.utilisation = utilisation(limits, evidence.verdict, time.ns.median);
  const double second = second_limit_ns(limits, evidence.verdict, start, time.ns.median);
  v.next_speedup = second > 0 ? time.ns.median / second : kUnknown;
  write_why(evidence, v);
  v.cause = find_cause(evidence);
  return v;
}

}  // namespace

std::vector<Verdict> verdicts(const Capture& capture, const TrafficModel& model,
                              const std::vector<OpTime>& times) {
  std::vector<Verdict> result;
  result.reserve(capture.ops().size());
  for (const OpRecord& op : capture.ops())
    result.push_back(judge(capture, model, op, times[op.id]));
  if (capture.disturbed()) {
    for (Verdict& v : result) {
      if (v.firm) v.headline += " (likely)";
      v.firm = false;
      v.why.push_back(fmt::format("Other programs used {:.0f} % of the processor meanwhile: the time is longer than this op needs, so no verdict is firm.",
                                  100 * capture.honesty().foreign_load_ratio));
    }
  }
  return result;
}

}  // namespace profiler
