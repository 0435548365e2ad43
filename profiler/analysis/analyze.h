// SPDX-License-Identifier: Apache-2.0
// What is computed once per capture; views, tables and reports start from it.
#pragma once

#include <memory>
#include <vector>

#include "profiler/analysis/base/op_times.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/waits.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/traffic.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {

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

}  // namespace profiler
