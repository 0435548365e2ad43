// SPDX-License-Identifier: Apache-2.0
// How long each op took, step by step: what op_times() is made of.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "profiler/base/statistics.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// [op][step that counts] nanoseconds; steps in which the op did not run are left out. Empty: a view, or not traced.
std::vector<std::vector<double>> op_samples(const Capture&);

/// The steps whose times count: traced and no warm-up. A capture without any step record (killed early, or foreign)
/// still has times: better those than nothing.
class CountedSteps {
 public:
  explicit CountedSteps(const Capture&);
  bool contains(uint32_t step) const { return any_ || steps_.contains(step); }
  bool any() const { return any_; }  ///< whatever its step
  size_t count() const { return any_ ? 1 : steps_.size(); }

 private:
  bool any_ = false;
  std::unordered_set<uint32_t> steps_;
};

/// What one step takes of figures that were summed step by step, of the steps with any. In own captures, whose steps do
/// the same work, their median. In imported traces, whose steps differ, their sum over all `steps` that count: means of
/// parts add up to the mean of the whole. NaN: there are none.
double of_a_step(const Capture&, std::span<const double> sums, size_t steps);

/// Spread over steps whose `median` is of_a_step(): in traces of other tools that of the mean (spread_of_mean()), with
/// the steps without any in it.
Spread step_spread(const Capture&, std::vector<double> sums, size_t steps);

/// The time that is held against roofs: the median. Of noisy() times of a run of ours their lower quartile
/// (process_time_ns()), which background load changes least. In traces of other tools steps differ by themselves.
double judged_step_ns(const Capture&, std::span<const double> sums, const Spread&);

/// For each activity the nanoseconds that count as its op's time; -1: none. An op that a GPU worked for took its
/// kernels', copies' and memsets' time, not that of starting them.
std::vector<int64_t> op_ns(const Capture&);

/// [op] Calls per step. In own captures 1, as a step runs each op of the plan once, or 0 for a view. In imported traces
/// an op is all calls of one name and shapes: the mean over the steps that count. GPU work without an op counts its
/// activities; 0: none.
std::vector<double> op_calls(const Capture&);

}  // namespace profiler
