// SPDX-License-Identifier: Apache-2.0
// Verdicts: what limits an op or a whole step, and how sure that is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analysis/base/op_times.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/verdict/verdict_reason.h"
#include "profiler/analysis/verdict/waits.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {

/// dispatch: starting threads. launch: starting kernels on a GPU. transfer: copies to or from a GPU without other work.
/// parallelism: too few blocks to fill a GPU. communication: between GPUs. waiting: for input data, or all threads
/// sleep; Verdict::level has the cause (StepWaits::what).
enum class Bound : uint8_t {
  unknown,
  inconsistent,
  too_short,
  dispatch,
  compute,
  memory,
  balanced,
  latency,
  overhead,
  transfer,
  launch,
  parallelism,
  communication,
  waiting
};
inline constexpr int kBoundCount = 14;
std::string_view name(Bound);

/// What limits one op (or a whole step), why, and how sure. Algorithm and thresholds: VerdictRules.
struct Verdict {
  Bound bound = Bound::unknown;
  std::string level;     ///< memory and latency: at which level; waiting: for what; launch: kHostLevel, or empty
  std::string beside;    ///< balanced: the level beside arithmetic
  std::string nearest;   ///< overhead of a GPU's op: the roof that it comes closest to; empty: another, or unknown
  bool mostly = false;   ///< of a GPU: its roof is busy, and not full
  bool counted = false;  ///< the processor's own counters decided
  bool firm = false;     ///< same class under all perturbations; else `runner_up` is named
  std::string runner_up;
  double time_ns = 0;       ///< that was judged; 0: none, or a GPU's
  double utilisation = 0;   ///< of the binding roof; NaN: unknown, or above it (above_roof())
  double next_speedup = 0;  ///< time_ns / second limit, at least 1: best speed-up if this limit vanished; NaN: unknown
  std::vector<Reason> reasons;  ///< the steps of the reasoning, with their numbers; words: verdict_text.h
  std::vector<Reason> causes;   ///< why the limit binds; empty: none was found
};
/// The time that was judged, `time_ns` where none was.
inline double judged_ns(const Verdict& v, double time_ns) { return v.time_ns > 0 ? v.time_ns : time_ns; }
/// Verdict::level of what counters say of stores that wait; no roof has it.
inline constexpr std::string_view kStoresLevel = "stores";
/// Verdict::level of launches that come late because the host does something else before them.
inline constexpr std::string_view kHostLevel = "host";

std::vector<Verdict> verdicts(const Capture&, const TrafficModel&, const std::vector<OpTime>&, const StepWaits&,
                              const VerdictRules&);  ///< indexed by OpId
/// The same algorithm on a whole step: all ops' work and bytes against the median step, of a GPU its copies and idle
/// time too. Waiting comes first: a step that waits is limited by what it waits for, whatever its ops would be limited
/// by.
Verdict step_verdict(const Capture&, const TrafficModel&, const std::vector<Verdict>&, const std::vector<OpTime>&,
                     const StepWaits&, const VerdictRules&);

}  // namespace profiler
