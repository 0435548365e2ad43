// SPDX-License-Identifier: Apache-2.0
// What a step put out, made into a checksum, figures and kept values; and read back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/base/result.h"
#include "engine/tensor/tensor.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// Largest result that is kept whole.
inline constexpr int64_t kWholeResultBytes = 256 * 1024;
/// Evenly spread elements that are kept of a larger one, and of all parameters.
inline constexpr int64_t kKeptElements = 4096;

/// Collects one result from one tensor or several, one behind the other.
class ResultSummary {
 public:
  /// `elements`: of all tensors together, all of dtype `kept_as` or converted to it. `whole`: all elements are kept;
  /// else kKeptElements of them.
  ResultSummary(engine::DType kept_as, int64_t elements, bool whole);
  ~ResultSummary();
  ResultSummary(const ResultSummary&) = delete;
  ResultSummary& operator=(const ResultSummary&) = delete;

  /// The next tensor, in the host's memory, in any layout. Refused where memory for a row-major copy is missing.
  engine::Result<void> add(const engine::Tensor&);
  /// All figures; tensor and step are left as they are. CHECKs that all elements were added.
  ResultRecord finish() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A result of one tensor: kept whole where it is small.
engine::Result<ResultRecord> summarize_result(const engine::Tensor& host);

/// What recorded steps put out.
std::span<const ResultRecord> step_results(const Capture&);
/// Tensors of one further step behind the recorded ones, in the order in which they were made: what the collector
/// "values" reads. Empty: it was not asked for.
std::span<const ResultRecord> tensor_values(const Capture&);

/// How many elements are kept, and which: the place of kept element `i` among all.
int64_t kept_count(const ResultRecord&);
int64_t kept_place(const ResultRecord&, int64_t i);
/// Value of kept element `i`; integers beyond 2^53 are rounded.
double kept_value(const ResultRecord&, int64_t i);
/// Whether all elements are kept.
bool is_whole(const ResultRecord&);

/// "logits", or "all parameters".
std::string result_name(const Capture&, const ResultRecord&);

/// Whether each step of the run puts out the same: no op overwrites what lives across steps.
bool steps_repeat(const Capture&);

}  // namespace profiler
