// SPDX-License-Identifier: Apache-2.0
// Comparison: two sets of runs matched op by op: what takes longer, by how much, how sure, and what explains it.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/change.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// One process: what each op and the whole step took.
struct ProcessTimes {
  std::vector<double> op_ns;  ///< by OpId: process_time_ns() of its steps; NaN: not timed
  double step_ns = 0;  ///< lower quartile of the timed steps. Of a trace without steps: the sum of op_ns, and its
                       ///< median share outside all ops. NaN: nothing was timed
  double foreign_load_ratio = std::numeric_limits<double>::quiet_NaN();  ///< see Capture::honesty(); NaN: unknown
  double queued_ratio = std::numeric_limits<double>::quiet_NaN();        ///< the same
  std::vector<double> op_noise;  ///< by OpId: process_noise() of its steps; NaN: unknown
  double step_noise = std::numeric_limits<double>::quiet_NaN();  ///< of the whole step
  double began_ns = std::numeric_limits<double>::quiet_NaN();  ///< when its recording began, by the machine's monotonic
                                                               ///< clock; NaN: unknown
};
ProcessTimes process_times(const Capture&);

/// One side of a comparison: a run, and what it took in every process that ran it.
struct CompareSide {
  std::string label;                    ///< how sentences call it; a file's name
  std::shared_ptr<const Analyzed> run;  ///< whose graph, bytes and verdicts are compared
  std::vector<ProcessTimes> processes;  ///< run's own, and its repeats'; every one has as many ops as `run`
};
/// A side of that run alone.
CompareSide side_of(std::string label, std::shared_ptr<const Analyzed> run);
/// Adds a repeat. Refused when it is not the same graph: other ops, other order, another batch.
engine::Result<void> add_repeat(CompareSide&, const std::string& label, const Capture& repeat);

/// Which ops of the one side stand for which of the other.
enum class MatchKind : uint8_t {
  matched,    ///< one op, on both sides
  regrouped,  ///< what a layer does, in other ops: fused, or split
  summed,     ///< all shapes of one name and phase: one of two imported traces has no shapes
  before_only,
  after_only
};
std::string_view name(MatchKind);

struct OpMatch {
  MatchKind kind = MatchKind::matched;
  std::vector<OpId> before, after;
};
/// Ops that run (no views). Matched by name and type, then by type and shape of the result in order. The rest of a
/// layer on both sides is one group. Others have no partner. Traces of other tools have no graph: a name per op, with
/// its shapes where the trace knows them. Where one side has a name without shapes and the other with, all of that name
/// and phase are one group on both. Rows follow the order of `before`, what is only in `after` last.
/// Of a trace and a run of ours, ops of one module are one group: layers are matched by module_path().
std::vector<OpMatch> match_ops(const Capture& before, const Capture& after);
/// The module that a layer is of. An exported ONNX node is called "/layer1/layer1.0/conv1/Conv" and is of
/// "layer1.0.conv1"; other layers are modules themselves.
std::string module_path(std::string_view layer);

/// What one row costs over one link.
struct ByteChange {
  double before = 0, after = 0;  ///< NaN: unknown on that side
};

/// Importers write an op's shapes behind its type: "aten::mm [8,16] [16,4] float".
bool name_knows_shapes(const Capture&, const OpRecord&);

struct CompareRow {
  OpMatch match;
  std::string name, type, layer;       ///< the after side's where they differ
  double before_ns = 0, after_ns = 0;  ///< geometric mean over processes; NaN: not there, or not timed
  double share = 0;                    ///< of the step, mean of both sides
  Change change;                       ///< beside the other ops where Comparison::shift is known
  bool different_work = false;  ///< the two sides are not known to do the same: the change has no verdict (UNSURE)
  double before_flops = 0, after_flops = 0;   ///< exact; NaN: unknown
  ByteChange compulsory;                      ///< exact
  std::vector<ByteChange> links;              ///< modelled; as Comparison::links
  std::string before_verdict, after_verdict;  ///< what limits it, in words; empty: unknown
  bool verdict_changed = false;
  std::vector<std::string> notes;  ///< "shape 64x1024 → 64x1050", "kernel ... → ..."
};

/// Whether both sides put out the same.
struct ResultsCompared {
  enum class Kind : uint8_t {
    unknown,    ///< cannot be compared: `why`
    identical,  ///< all results are equal bit for bit
    apart,      ///< some values differ: `distance`
  };
  Kind kind = Kind::unknown;
  std::string why;       ///< of unknown: "the runs have different seeds (1 and 2)"
  size_t results = 0;    ///< compared
  size_t identical = 0;  ///< of them, equal bit for bit
  uint32_t step = 0;     ///< of the before side, after which they were read, counted from 0
  std::string worst;     ///< name of the result that is farthest apart
  /// Of `worst`: the largest difference of two values over the largest magnitude before. Infinite: one side has NaN or
  /// infinity where the other has none.
  double distance = 0;
  double rounding = 0;      ///< half the spacing at 1 of the coarser dtype of `worst`; 0: integers
  std::string rounding_of;  ///< that dtype: "f32"
  double worst_before = std::numeric_limits<double>::quiet_NaN(),
         worst_after = worst_before;  ///< values farthest apart
  int64_t values = 0, of_values = 0;  ///< compared elements of `worst`, and how many it has
};
ResultsCompared compare_results(const Capture& before, const Capture& after);
/// "same results", "results differ by 3e-07"; empty: unknown.
std::string results_headline(const ResultsCompared&);
/// In a sentence or two; never empty.
std::string results_words(const ResultsCompared&);

struct Comparison {
  std::string before, after;                     ///< labels
  size_t before_ops = 0, after_ops = 0;          ///< that run (no views)
  size_t before_matched = 0, after_matched = 0;  ///< of them, with a partner that does the same, alone or in a group
  double before_matched_ratio = 0, after_matched_ratio = 0;  ///< their part of the ops' time; NaN: no op was timed
  bool foreign =
      false;  ///< a side is another tool's trace: most of its ops are calls on the host that take no time of their own
  /// On both sides fewer than half of the ops have a partner; in imported traces, ops with less than half of the time.
  /// The totals are then of different work.
  bool different_work() const {
    if (foreign && before_matched_ratio >= 0 && after_matched_ratio >= 0)
      return before_matched_ratio < 0.5 && after_matched_ratio < 0.5;
    return 2 * before_matched < before_ops && 2 * after_matched < after_ops;
  }
  /// "mlp before, data_pipeline after": two runs of ours, of workloads of other names. Between workloads of the
  /// catalog, ops of one name are compared only where both have the same FLOPs, or bytes without FLOPs. Empty: the
  /// same, or unknown.
  std::string workloads;
  bool per_sample = false;                             ///< batches differ: all times, FLOPs and bytes are per sample
  bool before_computed = true, after_computed = true;  ///< false on the null device, which runs no kernel
  double before_samples = 1, after_samples = 1;        ///< what was divided by
  CompareRow total;
  std::vector<CompareRow> rows;
  /// The step less its ops; NaN: unknown, or a side is another tool's trace.
  double between_before_ns = std::numeric_limits<double>::quiet_NaN(), between_after_ns = between_before_ns;
  /// Part of the step's change that passes between ops; NaN: unknown.
  double between_ratio() const { return (between_after_ns - between_before_ns) / (total.after_ns - total.before_ns); }
  std::optional<Change>
      shift;  ///< common to all ops and within its noise: taken out of the rows' changes, see judge_ops()
  std::vector<std::string> links;  ///< "DRAM->L3", those both sides have
  ResultsCompared results;
  std::string sentence;            ///< the answer
  std::vector<std::string> notes;  ///< what differs between the runs, and what limits the comparison
  std::string how;                 ///< the test, with its figures
};

/// Values of settings that captures of ours leave out, by name: {"fuse", "off"}. Nothing: unknown, because only some
/// captures hold it. For other names nothing is assumed.
using UnsaidSettings = std::map<std::string, std::optional<std::string>>;

/// The error rate is split: half for the total, half over the ops (judge_ops()). At most `error_rate` of comparisons of
/// a run with itself then name a change, whatever the number of ops.
Comparison compare(const CompareSide& before, const CompareSide& after, const ChangeTest& = {},
                   const UnsaidSettings& = {});

/// One row per op, as compare_rows() orders them; row_ops are the after side's first op.
Table compare_table(const Comparison&);
/// Rows by what they add to or take from the step, largest first; called changes before others.
std::vector<const CompareRow*> ranked_rows(const Comparison&);
/// "0 of 3 before, 1 of 3 after", "45 % of the ops' time before, 1 % after": what different_work() asks.
std::string matched_words(const Comparison&);
/// "SLOWER"; "different work" where nothing is judged.
std::string verdict_words(const CompareRow&);
/// "+5.2 %" of a ratio, "2.1x" from a factor 2 on; en dash where unknown.
std::string change_words(double ratio);

}  // namespace profiler
