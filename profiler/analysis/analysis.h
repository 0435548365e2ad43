// SPDX-License-Identifier: Apache-2.0
// The analyses: what is computed from a capture, as typed results. One header, so that a view or a report sees the whole offer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analysis/verdict_reason.h"
#include "profiler/analysis/verdict_rules.h"
#include "profiler/analysis/waits.h"
#include "profiler/memory/traffic.h"
#include "profiler/memory/traffic_model.h"
#include "profiler/model/capture.h"
#include "profiler/model/origin.h"
#include "profiler/model/statistics.h"
#include "profiler/model/table.h"

namespace profiler {

// ---- per-op timing -------------------------------------------------------------------------------------------------------

/// What one op takes of a step, over the traced, non-warm-up steps: `ns.median` is the median in runs of ours and the mean in traces of other
/// tools (of_a_step(): steps that run different ops). samples = 0: never ran (views) or not traced.
struct OpTime {
  Spread ns;
};
std::vector<OpTime> op_times(const Capture&);  ///< indexed by OpId

// ---- traffic -------------------------------------------------------------------------------------------------------------

/// Bytes across one link between neighbouring memory levels, per step: `outer` is the farther level ("DRAM"), `inner` the nearer
/// ("L3"); the innermost link is between "L1" and the registers ("core").
struct LinkTraffic {
  std::string outer, inner;
  RoleBytes compulsory_read{}, compulsory_written{};  ///< exact: every operand byte once per op
  RoleBytes modelled_read{}, modelled_written{};      ///< modelled: LRU over tensors with effective sizes, write-allocate, I/O lower bound
  bool modelled_known = true;                         ///< false: sizes unknown (no probe): show an en dash
  // measured: needs hardware counters; none on this build of collectors. measured_known = false -> show why.
  bool measured_known = false;
  RoleBytes measured_read{}, measured_written{};
  double modelled_total() const;
  double compulsory_total() const;
};

/// One tensor's part of a link, for "click a ribbon: the tensors in it, ranked".
struct TensorTraffic {
  TensorId tensor = kNoTensor;
  double modelled_read = 0, modelled_written = 0, compulsory_read = 0, compulsory_written = 0;
  int reads = 0, writes = 0;  ///< times per step
};

struct Traffic {
  std::vector<LinkTraffic> links;                    ///< nearest to DRAM first: DRAM->L3, L3->L2, L2->L1, L1->core
  std::vector<std::vector<TensorTraffic>> tensors;   ///< per link, largest first
  double working_set_bytes = 0;                      ///< distinct bytes touched by the scope
  std::string method;                                ///< one sentence on the model, with policy and error band
  std::string measured_reason;                       ///< why no bytes were measured, and what would help
};

/// Which ops a figure is for: all, one phase, one layer (and what is inside it), or one op.
struct Scope {
  std::optional<OpId> op;
  std::optional<std::string> layer;
  bool all() const { return !op && !layer; }
};

Traffic traffic(const Capture&, const TrafficModel&, const Scope&);

// ---- roofline ------------------------------------------------------------------------------------------------------------

struct Roof {
  std::string name;        ///< "DRAM 28.4 GB/s", "f32 peak 472 GFLOP/s"
  std::string level;       ///< memory roof: level name; compute roof: empty
  double value = 0;        ///< B/s or FLOP/s
  double low = 0, high = 0;
  Origin origin = Origin::measured;
  int threads = 1;
  engine::DType dtype = engine::DType::float32;
};

struct RooflinePoint {
  OpId op = kNoOp;
  std::string level;        ///< whose bytes the intensity uses: "DRAM" ...; "compulsory" when modelled bytes are unknown
  double intensity = 0;     ///< FLOP/B; NaN: no bytes at this level (shown at the right edge, labelled)
  double flop_per_s = 0;    ///< measured time, exact FLOPs
  double time_ns = 0;
  double attainable = 0;    ///< FLOP/s at this intensity under this roof; NaN: unknown roof
  double winnable_ns = 0;   ///< time minus the time at the roof, >= 0
  Origin origin = Origin::modelled;  ///< of the bytes; of "compulsory" ones: exact
};

struct Roofline {
  std::vector<Roof> roofs;
  std::vector<RooflinePoint> points;   ///< per op and level; ops without FLOPs are not in it
  int ops_without_flops = 0;           ///< said on the view
};
Roofline roofline(const Capture&, const TrafficModel&);

// ---- footprint -----------------------------------------------------------------------------------------------------------

struct FootprintPoint {
  OpId op = kNoOp;            ///< while this op runs
  RoleBytes live_bytes{};
};
struct Footprint {
  std::vector<FootprintPoint> points;   ///< one per op in order
  double persistent_bytes = 0;          ///< part of every point
  OpId peak_op = kNoOp;
  double peak_bytes = 0;
  std::vector<TensorId> at_peak;        ///< live at the peak, largest first
  double arena_bytes = 0, arena_without_reuse_bytes = 0, workspace_bytes = 0;
};
Footprint footprint(const Capture&);

// ---- verdict -------------------------------------------------------------------------------------------------------------

/// dispatch: starting threads; launch: starting kernels on a GPU; transfer: copies to or from a GPU with nothing beside them;
/// parallelism: too few blocks to fill a GPU; communication: between GPUs; waiting: for input data, or all threads sleep (Verdict::level says for
/// what: StepWaits::what).
enum class Bound : uint8_t {
  unknown, inconsistent, too_short, dispatch, compute, memory, balanced, latency, overhead, transfer, launch, parallelism, communication, waiting
};
inline constexpr int kBoundCount = 14;
std::string_view name(Bound);

/// What limits one op (or a whole step), why, and how sure. Algorithm and thresholds: VerdictRules.
struct Verdict {
  Bound bound = Bound::unknown;
  std::string level;           ///< memory and latency: at which level; waiting: for what
  std::string beside;          ///< balanced: the level beside arithmetic
  bool mostly = false;         ///< of a GPU: its roof is busy, and not full
  bool counted = false;        ///< the processor's own counters decided
  bool firm = false;           ///< same class under all perturbations; else `runner_up` is named
  std::string runner_up;
  double utilisation = 0;      ///< of the binding roof; NaN: unknown, or above it (above_roof())
  double next_speedup = 0;     ///< time / second limit, at least 1: best speed-up if this limit vanished; NaN: unknown
  std::vector<Reason> reasons;  ///< the steps of the reasoning, with their numbers; words: verdict_text.h
  std::vector<Reason> causes;   ///< why the limit binds; empty: none was found
};
/// Verdict::level of what counters say of stores that wait; no roof has it.
inline constexpr std::string_view kStoresLevel = "stores";

std::vector<Verdict> verdicts(const Capture&, const TrafficModel&, const std::vector<OpTime>&, const StepWaits&, const VerdictRules&);  ///< indexed by OpId
/// The same algorithm on a whole step: all ops' work and bytes against the median step, of a GPU its copies and idle time too. Waiting comes
/// first: a step that waits is limited by what it waits for, whatever its ops would be limited by.
Verdict step_verdict(const Capture&, const TrafficModel&, const std::vector<Verdict>&, const std::vector<OpTime>&, const StepWaits&, const VerdictRules&);

// ---- ops and summary -----------------------------------------------------------------------------------------------------

enum class OpsBy : uint8_t { op, layer, type, kernel, phase };
std::optional<OpsBy> parse_ops_by(std::string_view);

/// Everything the views need, computed once per capture.
struct Analyzed {
  std::shared_ptr<const Capture> capture;
  std::vector<OpTime> times;
  TrafficModel model;
  TrafficSources sources;  ///< measured, simulated and modelled traffic, side by side
  std::vector<Verdict> verdicts;
  Verdict step;
  StepWaits waits;
  VerdictRules rules;
};
/// With the built-in thresholds, or others (VerdictRules::of_user()).
std::shared_ptr<const Analyzed> analyze(std::shared_ptr<const Capture>, const VerdictRules& = VerdictRules::built_in());

/// One row per op or group: calls, time, share, FLOPs, compulsory and modelled bytes per level, intensity, FLOP/s, % of roof, verdict.
Table ops_table(const Analyzed&, OpsBy);

/// A limit and the share of the step's time it takes. `where`: the types of ops that take most of that; `what`: both in words.
struct Limiter {
  std::string what;  ///< "DRAM bandwidth: batch_norm and relu"
  double share = 0;
  Bound bound = Bound::unknown;
  std::string level, where;
};

/// The four answers.
struct Summary {
  Spread step_ns;                    ///< traced, non-warm-up steps
  double flops = 0, flop_per_s = 0, roof_ratio = 0;      ///< roof_ratio NaN: unknown, or above the roof
  bool above_roof = false;                               ///< the step is faster than the measured peak, which so bounds nothing
  double compulsory_bytes = 0, dram_bytes = 0, amplification = 0;  ///< DRAM link; NaN: unknown
  Origin dram_origin = Origin::modelled;                 ///< of dram_bytes and amplification: measured before simulated before modelled
  double samples_per_s = 0;          ///< batch / step; NaN: the workload has no batch
  std::vector<Limiter> limiters;     ///< time by verdict, largest first; share of the median step: share_per_ns()
  double untimed_ratio = 0;          ///< share of the step outside all ops
  std::string sentence;              ///< "Limited by DRAM bandwidth in batch_norm and relu (38 % of the step)."
  std::string advice;                ///< one sentence; empty: none
};
Summary summary(const Analyzed&);
/// "DRAM bandwidth", "arithmetic", "starting threads": a bound in the words of the summary.
std::string cause_words(Bound, const std::string& level);
/// The run's argument "batch"; NaN: it has none.
double batch_of(const Capture&);

// Tables for `analyze --table` and *Show data*; by the names of table_names().
Table summary_table(const Analyzed&);
Table traffic_table(const Analyzed&, const Scope&);
/// One row per op and link: compulsory bytes, I/O lower bound, modelled, simulated and measured bytes, hits and misses, layer condition.
Table cache_table(const Analyzed&);
/// Simulated bytes by op, link and tensor.
Table cache_tensors_table(const Analyzed&);
Table roofline_table(const Analyzed&);
Table memory_table(const Analyzed&);
/// A table by name; fails (usage) naming the nearest valid name.
engine::Result<Table> table_by_name(const Analyzed&, const std::string& table_name, OpsBy);
const std::vector<std::string>& table_names();
/// Whether there is a table of that name, found out before a capture is read; fails as table_by_name() does.
engine::Result<void> check_table_name(const std::string& table_name);

}  // namespace profiler
