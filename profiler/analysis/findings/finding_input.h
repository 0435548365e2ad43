// SPDX-License-Identifier: Apache-2.0
// What rules look at: the analyses, each op's limits, and the arithmetic of gains they share.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "profiler/analysis/base/op_samples.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/gpu/transfers.h"
#include "profiler/analysis/verdict/gpu_verdict.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/analysis/verdict/waits.h"

namespace profiler {

struct FindingInput {
  explicit FindingInput(const Analyzed&);

  const Analyzed& a;
  const Capture& capture;
  const VerdictRules& rules;
  double step_ns = 0;            ///< median; NaN: no step was timed
  std::vector<OpLimits> limits;  ///< indexed by OpId
  std::vector<std::optional<GpuOpWork>> gpu;

  /// Ops that were timed, judged so, and are no views; longest first.
  std::vector<OpId> ops_bound(Bound) const;
  double time(OpId op) const { return time_of_op[op]; }
  /// The time that its verdict judged: what a change of its limit saves is of this one.
  double judged(OpId op) const { return judged_ns(a.verdicts[op], time(op)); }
  /// The level a verdict names, among the op's limits; null: none.
  const LevelLimit* binding(OpId) const;
  /// Time of the op's second limit: it takes at least that if its binding one vanished.
  double second_ns(OpId) const;
  /// Time won if the binding level moved `part` of its bytes and nothing else changed.
  double gain_ns(OpId, double part) const;
  /// An argument of the run, "" where it has none of that name.
  std::string argument(const std::string& name) const;
  /// "batch_norm and relu": types of ops in order of their time, at most three.
  std::string types(const std::vector<OpId>&) const;
  double sum_time(const std::vector<OpId>&) const;
  /// Where the bytes of these ops' binding levels are from; modelled where they are not all from one source.
  Origin bytes_origin(const std::vector<OpId>&) const;
  /// Modelled bytes of the op through its binding link: what parts of operands are compared with, which only the model
  /// knows.
  double modelled_bytes(OpId, const LevelLimit&) const;
  /// Steps of all ranks: what is summed over both is divided by it. At least 1.
  double steps_of_ranks(const CountedSteps&) const;
  /// The batch times `factor`, where the run has a batch.
  std::optional<RunChange> batch_times(double factor) const;
  /// A run of ours of a model file, which has dtypes of its own.
  bool model_file() const;
  /// A narrower dtype the run may take, where it has a dtype and its workload takes that one: f64 -> f32 -> bf16.
  std::optional<RunChange> narrower() const;

  /// Whether several threads could share the op: its kernel splits its work, and there is enough of it. Kernels of a
  /// run on one thread split nothing; their names and sizes decide then.
  bool could_share(OpId) const;

  /// What GPUs did in each step; computed when it is first asked for.
  const Overlap& gpu_overlap() const {
    if (!overlap_) overlap_ = overlap(capture, rules);
    return *overlap_;
  }

  std::vector<double> time_of_op;

 private:
  mutable std::optional<Overlap> overlap_;
};

using FindingList = std::vector<RunFinding>;

}  // namespace profiler
