// SPDX-License-Identifier: Apache-2.0
// How long each op took, step by step: what op_times() is the median of.
#pragma once

#include <unordered_set>
#include <vector>

#include "profiler/model/capture.h"

namespace profiler {

/// [op][step that counts] nanoseconds; steps in which the op did not run are left out. Empty: a view, or not traced.
std::vector<std::vector<double>> op_samples(const Capture&);

/// The steps whose times count: traced and no warm-up. A capture without any step record (killed early, or foreign) still has
/// times: better those than nothing.
class CountedSteps {
 public:
  explicit CountedSteps(const Capture&);
  bool contains(uint32_t step) const { return any_ || steps_.contains(step); }
  bool any() const { return any_; }  ///< whatever its step

 private:
  bool any_ = false;
  std::unordered_set<uint32_t> steps_;
};

/// For each activity the nanoseconds that count as its op's time; -1: none. An op that a GPU worked for took its kernels', copies'
/// and memsets' time, not that of starting them.
std::vector<int64_t> op_ns(const Capture&);

/// [op] How often it was called in a step: 1 in runs of ours, whose steps run each op of the plan once; 0: a view. In traces of
/// other tools an op is all calls of one name and shapes: the median over the steps that count and that call it, of GPU work that
/// no op launched its pieces; 0: none does.
std::vector<double> op_calls(const Capture&);

}  // namespace profiler
