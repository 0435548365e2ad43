// SPDX-License-Identifier: Apache-2.0
// The classes: guards, dispatch, ECM and shared levels. ECM: Treibig, Hager 2010 (arXiv 0905.0792); Stengel, Treibig,
// Hager, Wellein 2015 (arXiv 1410.5010).
#include "profiler/analysis/verdict/verdict_class.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/memory/op_access.h"

namespace profiler {
namespace {

constexpr double kLineBytes = 64;

/// Whether an op walks this operand against its memory order: along the output's fastest axis the
/// operand's stride is beyond what prefetchers follow.
bool walks_far(const Capture& capture, const OperandRecord& operand, const TensorRecord* output,
               const VerdictRules& rules) {
  if (output == nullptr) return false;
  const TensorRecord& t = capture.tensors()[operand.tensor];
  if (t.strides.size() != output->strides.size() || t.shape != output->shape || t.strides.empty()) return false;
  size_t fastest = t.strides.size();
  for (size_t axis = 0; axis < t.strides.size(); ++axis) {
    if (output->shape[axis] > 1 && output->strides[axis] == 1) fastest = axis;
  }
  if (fastest == t.strides.size()) return false;
  const double stride = static_cast<double>(t.strides[fastest]) * static_cast<double>(engine::size_bytes(t.dtype));
  return std::abs(stride) > rules[Rule::prefetch_stride_bytes];
}

/// Ops that pick rows by index: no prefetcher foresees where the next one lies.
bool picks_rows(std::string_view op_type) {
  return op_type == "gather" || op_type == "gather_elements" || op_type == "gather_nd" || op_type == "embedding_bag";
}

/// Bytes of an operand that are read per miss nobody foresees.
double bytes_per_miss(const Capture& capture, const OpRecord& op, const OperandRecord& operand,
                      const TensorRecord* output, const VerdictRules& rules) {
  const double page = rules[Rule::prefetch_page_bytes];
  if (walks_far(capture, operand, output, rules)) return kLineBytes;
  const std::string_view type = capture.name(op.type);
  if (!picks_rows(type) || operand.output || &operand != capture.operands(op).data()) return page;
  // The first operand is the table; a row is all of its axes but the first (a single element where those are picked).
  const TensorRecord& table = capture.tensors()[operand.tensor];
  auto row = static_cast<double>(engine::size_bytes(table.dtype));
  for (size_t axis = 1; axis < table.shape.size() && type != "gather_elements"; ++axis)
    row *= static_cast<double>(table.shape[axis]);
  return std::clamp(row, 1.0, page);
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
    const double ns = limits.levels[i].at(c.edge) * (1 + c.bytes_sign * limits.levels[i].band);
    if (ns > longest) longest = ns, slowest = i;
  }
  return slowest;
}

/// A level all threads share, used beyond the saturation threshold, decides alone.
VerdictClass saturated(const OpLimits& limits, const VerdictCase& c, double compute_ns, const VerdictRules& rules) {
  size_t most = SIZE_MAX;
  double used = 0;
  for (size_t i = 0; i < limits.levels.size(); ++i) {
    const LevelLimit& l = limits.levels[i];
    const double u = l.at(c.edge) * (1 + c.bytes_sign * l.band) / c.bandwidth_factor / c.time_ns;
    if (l.shared && u > used) used = u, most = i;
  }
  const double compute = compute_ns / c.time_ns;
  if (limits.threads <= 1 || used < rules[Rule::saturated_ratio]) return {};
  if (std::abs(used - compute) < rules[Rule::balanced_ratio]) return {Bound::balanced, most};
  return compute > used ? VerdictClass{Bound::compute, SIZE_MAX} : VerdictClass{Bound::memory, most};
}

/// `loads` of each level wait `latency_ns`. Where that takes longer than `time_ns`, what is known of them has sent them
/// too far: the farthest are taken nearer until they fit.
Waiting fitted(std::vector<double> loads, const std::vector<double>& latency_ns, double time_ns) {
  double sum = 0;
  for (size_t i = 0; i < loads.size(); ++i) sum += loads[i] * latency_ns[i];
  Waiting waiting;
  if (sum > time_ns) waiting.unlimited_ns = sum;
  for (size_t i = 0; i + 1 < loads.size() && sum > time_ns; ++i) {
    const double gain = latency_ns[i] - latency_ns[i + 1];
    if (!(gain > 0)) continue;
    const double nearer = std::min(loads[i], (sum - time_ns) / gain);
    loads[i] -= nearer, loads[i + 1] += nearer, sum -= nearer * gain;
  }
  for (size_t i = 0; i < loads.size(); ++i) waiting.ns.push_back(loads[i] * latency_ns[i]);
  return waiting;
}

/// Waiting of a chain of loads: each takes the latency of the level that has its line.
Waiting chain_waiting(const Capture& capture, const TrafficModel& model, const ChainAccess& chain,
                      const OpLimits& limits, double time_ns) {
  const auto& moved = model.operand_levels[chain.operand];
  std::vector<double> loads(limits.levels.size(), 0), latency(limits.levels.size(), 0);
  double farther = 0;
  for (size_t i = 0; i < limits.levels.size(); ++i) {
    const size_t link = limits.levels[i].link;
    latency[i] = latency_of(capture.machine(), limits.levels[i].level);
    if (std::isnan(latency[i])) return {};
    const double asked = link + 1 == model.links.size() ? chain.loads : moved[link].read / ChainAccess::kLineBytes;
    loads[i] = std::max(0.0, asked - farther);
    farther = std::max(farther, asked);
  }
  return fitted(std::move(loads), latency, time_ns);
}

/// Misses in far steps that each level of `limits` served, as a simulation has them; empty: none has.
std::vector<double> simulated_misses(const Capture& capture, const OpRecord& op, const OpLimits& limits,
                                     const VerdictRules& rules) {
  const TrafficSource* simulated = capture.traffic_of(Origin::simulated);
  if (simulated == nullptr || !simulated->strided_known) return {};
  std::vector<double> served;
  double farther = 0;
  for (const LevelLimit& l : limits.levels) {
    const auto link = static_cast<uint32_t>(std::ranges::find(simulated->links, l.level, &TrafficLink::outer) -
                                            simulated->links.begin());
    if (link >= simulated->links.size() || simulated->of(op.id, link) == nullptr) return {};
    const double misses = simulated->misses_beyond(op.id, link, rules[Rule::prefetch_stride_bytes]);
    served.push_back(std::max(0.0, misses - farther));
    farther = std::max(farther, misses);
  }
  return served;
}

}  // namespace

std::string_view name(Bound bound) {
  switch (bound) {
    case Bound::unknown: return "unknown";
    case Bound::inconsistent: return "inconsistent";
    case Bound::too_short: return "too_short";
    case Bound::dispatch: return "dispatch";
    case Bound::compute: return "compute";
    case Bound::memory: return "memory";
    case Bound::balanced: return "balanced";
    case Bound::latency: return "latency";
    case Bound::overhead: return "overhead";
    case Bound::transfer: return "transfer";
    case Bound::launch: return "launch";
    case Bound::parallelism: return "parallelism";
    case Bound::communication: return "communication";
    case Bound::waiting: return "waiting";
  }
  return "unknown";
}

bool on_one_thread(const engine::KernelFacts& kernel) { return kernel.single_thread || kernel.unsplit; }

StartCost start_cost(const Capture& capture, const OpRecord& op, double time_ns) {
  const Machine& machine = capture.machine();
  const bool alone = op.threads > 0 ? op.threads == 1 : on_one_thread(capture.facts(op.id));
  const bool paid = machine.fork_join_ns > 0 && machine.fork_join_ns <= time_ns && !alone;
  return {machine.timer_ns, paid ? machine.fork_join_ns : 0};
}

Waiting find_waiting(const Capture& capture, const TrafficModel& model, const OpRecord& op, const OpLimits& limits,
                     const VerdictRules& rules, double time_ns) {
  if (const auto chain = chain_access(capture, op)) return chain_waiting(capture, model, *chain, limits, time_ns);
  const TensorRecord* output = nullptr;
  for (const OperandRecord& o : capture.operands(op)) {
    if (o.output && output == nullptr) output = &capture.tensors()[o.tensor];
  }
  std::vector<double> misses = simulated_misses(capture, op, limits, rules), latency_share(limits.levels.size(), 0);
  misses.resize(limits.levels.size(), 0);
  for (size_t i = 0; i < limits.levels.size(); ++i) {
    const size_t link = limits.levels[i].link;
    if (link + 1 == model.links.size()) {  // L1 hits hide behind out-of-order execution
      misses[i] = 0;
      continue;
    }
    const double latency = latency_of(capture.machine(), limits.levels[i].level);
    if (std::isnan(latency)) return {};
    latency_share[i] = latency / rules[Rule::parallel_misses] / limits.threads;
    double modelled = 0;
    for (uint32_t k = op.first_operand; k < op.first_operand + op.operand_count; ++k) {
      const auto& moved = model.operand_levels[k];
      // Bytes this level itself served: what crossed this link but not the one farther out.
      const double served = std::max(0.0, moved[link].read - (link > 0 ? moved[link - 1].read : 0.0));
      const double step = bytes_per_miss(capture, op, capture.operands()[k], output, rules);
      modelled += served / step;
    }
    misses[i] = std::max(misses[i], modelled);
  }
  return fitted(std::move(misses), latency_share, time_ns);
}

bool unseen_misses(const VerdictEvidence& e) {
  const TrafficSource* simulated = e.capture.traffic_of(Origin::simulated);
  const bool steps = simulated != nullptr && simulated->strided_known;
  return e.verdict.bound == Bound::overhead && !e.limits.levels.empty() &&
         std::ranges::all_of(e.limits.levels, [&](const LevelLimit& l) {
           return l.origin == Origin::modelled || (l.origin == Origin::simulated && !steps);
         });
}

namespace {

double demanded_ns(const LevelLimit& l, double bytes_sign) {
  return l.at(bytes_sign < 0 ? RoofEdge::high : RoofEdge::likely) * (1 + bytes_sign * l.band);
}

}  // namespace

size_t lower_bound_limit(const OpLimits& limits, double bytes_sign) {
  size_t at = SIZE_MAX;
  double bound = limits.compute_ns;
  for (size_t i = 0; i < limits.levels.size(); ++i) {
    if (const double ns = demanded_ns(limits.levels[i], bytes_sign); ns > bound) bound = ns, at = i;
  }
  return at;
}

double lower_bound_ns(const OpLimits& limits, double bytes_sign) {
  const size_t at = lower_bound_limit(limits, bytes_sign);
  return at < limits.levels.size() ? demanded_ns(limits.levels[at], bytes_sign) : limits.compute_ns;
}

VerdictClass classify(const OpLimits& limits, const std::vector<double>& waiting, const StartCost& start,
                      const VerdictCase& c, const VerdictRules& rules) {
  if (c.time_ns < rules[Rule::too_short_ticks] * start.timer_ns) return {Bound::too_short, SIZE_MAX};
  if (limits.threads > 1 && start.fork_join_ns >= rules[Rule::dispatch_ratio] * c.time_ns && start.fork_join_ns > 0) {
    return {Bound::dispatch, SIZE_MAX};
  }
  const double compute_ns = limits.compute_ns / c.peak_factor;
  if (const VerdictClass full = saturated(limits, c, compute_ns, rules); full.bound != Bound::unknown) return full;
  const double data_ns = limits.data_ns(c.bytes_sign, c.bandwidth_factor, c.edge);
  const double roofs_ns = std::max(compute_ns, data_ns);
  if (!(roofs_ns > 0)) return {Bound::overhead, SIZE_MAX};
  if (c.time_ns > rules[Rule::slack_ratio] * roofs_ns) {
    double sum = 0;
    for (size_t i = 0; i < waiting.size(); ++i) sum += waiting[i] * (1 + c.bytes_sign * limits.levels[i].band);
    if (limits.chain_ns > sum && limits.chain_ns >= rules[Rule::latency_ratio] * c.time_ns)
      return {Bound::latency, SIZE_MAX};
    if (sum < rules[Rule::latency_ratio] * c.time_ns) return {Bound::overhead, SIZE_MAX};
    return {Bound::latency, static_cast<size_t>(std::max_element(waiting.begin(), waiting.end()) - waiting.begin())};
  }
  const size_t slowest = slowest_level(limits, c);
  if (std::abs(compute_ns - data_ns) < rules[Rule::balanced_ratio] * roofs_ns) return {Bound::balanced, slowest};
  return compute_ns > data_ns ? VerdictClass{Bound::compute, SIZE_MAX} : VerdictClass{Bound::memory, slowest};
}

std::string describe(const VerdictClass& c, const OpLimits& limits) {
  const std::string at = level_of(c, limits), level = at.empty() ? say("memory") : at;
  switch (c.bound) {
    case Bound::memory: return say("{} bandwidth", level);
    case Bound::latency: return say("{} latency", level);
    case Bound::compute: return say("arithmetic");
    case Bound::balanced: return say("balance of arithmetic and {} bandwidth", level);
    case Bound::dispatch: return say("starting the threads");
    case Bound::overhead: return say("kernel inefficiency");
    case Bound::too_short: return say("timer noise");
    default: return std::string(name(c.bound));
  }
}

std::string level_of(const VerdictClass& c, const OpLimits& limits) {
  if (c.bound == Bound::latency && c.limit >= limits.levels.size()) return std::string(kChainLevel);
  return c.limit < limits.levels.size() ? limits.levels[c.limit].level : std::string();
}

}  // namespace profiler
