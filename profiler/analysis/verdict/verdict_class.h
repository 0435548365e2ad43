// SPDX-License-Identifier: Apache-2.0
// The classification inside a verdict: one case (bytes, roofs and time given) -> one class; pure,
// so it can be perturbed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_reason.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {

/// Which way the uncertain inputs are pushed.
struct VerdictCase {
  double time_ns = 0;
  double bytes_sign = 0;             ///< -1, 0, +1 times each level's error band
  double peak_factor = 1;            ///< on the compute roof
  double bandwidth_factor = 1;       ///< on all memory roofs
  RoofEdge edge = RoofEdge::likely;  ///< of the roofs that have room
};

struct VerdictClass {
  Bound bound = Bound::unknown;
  size_t limit = SIZE_MAX;  ///< index into OpLimits::levels for memory and latency; SIZE_MAX: none
  friend bool operator==(const VerdictClass&, const VerdictClass&) = default;
};

/// Costs of starting an op, measured by the probe; 0: unknown, or not paid.
struct StartCost {
  double timer_ns = 0, fork_join_ns = 0;
};
/// Of one op that took `time_ns`. An op that took less than the probe's cost of starting threads did not pay it. It ran
/// on one thread, or the probe measured a busier hour. An op known to run on one thread starts none.
StartCost start_cost(const Capture&, const OpRecord&, double time_ns);
/// Whether one thread does all of it, as the kernel always works or as this product was given to it.
bool on_one_thread(const engine::KernelFacts& kernel);

/// Time lost waiting for misses no prefetcher foresees.
struct Waiting {
  std::vector<double> ns;   ///< per entry of OpLimits::levels; empty: latencies unknown
  double unlimited_ns = 0;  ///< what all misses would take, where `ns` was limited to the measured time; 0: it was not
  bool limited() const { return unlimited_ns > 0; }
};
/// Misses at strides beyond what prefetchers follow: simulated where a simulation has the op. Else by strides and
/// indices of its operands, and a few per page. Loads of a chain wait one after the other, also for L1. A sum above
/// `time_ns` means that the model sends them too far. The farthest are then taken nearer until they fit. This is
/// reported, as the sum is no evidence then.
Waiting find_waiting(const Capture&, const TrafficModel&, const OpRecord&, const OpLimits&, const VerdictRules&,
                     double time_ns);

/// Steps 0 (too short), 2 (dispatch) and 3 (utilisation, ECM) of the algorithm.
VerdictClass classify(const OpLimits&, const std::vector<double>& waiting, const StartCost&, const VerdictCase&,
                      const VerdictRules&);

/// Largest time any single roof demands: arithmetic at peak, each level's bytes at its bandwidth.
/// `bytes_sign` as in VerdictCase; at -1 roofs that have room are at their highest.
double lower_bound_ns(const OpLimits&, double bytes_sign);
/// Whose time that is: index into OpLimits::levels; SIZE_MAX: arithmetic.
size_t lower_bound_limit(const OpLimits&, double bytes_sign);

/// "DRAM bandwidth", "arithmetic", "DRAM latency", "kernel inefficiency": what a class is called in sentences.
std::string describe(const VerdictClass&, const OpLimits&);

/// At which level a class of memory, latency or balance is; empty: at none.
std::string level_of(const VerdictClass&, const OpLimits&);

/// What the reasons of a verdict are found from.
struct VerdictEvidence {
  const Capture& capture;
  const TrafficModel& model;
  const OpRecord* op;  ///< null: a whole step
  const OpLimits& limits;
  const VerdictRules& rules;
  Spread time;
  double time_ns;  ///< of it, what is judged (judged_step_ns())
  Waiting waiting;
  StartCost start;
  VerdictClass verdict;
  int cases = 0, agreeing = 0;
};
/// An overhead by bytes that are modelled only: misses in steps of the kernel's own loops would not be seen.
bool unseen_misses(const VerdictEvidence&);
void add_reasons(const VerdictEvidence&, Verdict&);
std::vector<Reason> find_causes(const VerdictEvidence&);

}  // namespace profiler
