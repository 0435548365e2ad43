// SPDX-License-Identifier: Apache-2.0
// All analyses of a capture the views share, computed once.
#include "profiler/analysis/analyze.h"

#include "profiler/analysis/base/op_times.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/traffic.h"

namespace profiler {

std::shared_ptr<const Analyzed> analyze(std::shared_ptr<const Capture> capture, const VerdictRules& rules) {
  auto result = std::make_shared<Analyzed>();
  result->times = op_times(*capture);
  result->model = model_traffic(*capture);
  result->sources = TrafficSources(capture, result->model);
  result->rules = rules;
  result->waits = step_waits(*capture);
  result->verdicts = verdicts(*capture, result->model, result->times, result->waits, rules);
  result->step = step_verdict(*capture, result->model, result->verdicts, result->times, result->waits, rules);
  result->capture = std::move(capture);
  return result;
}

}  // namespace profiler
