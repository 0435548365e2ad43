// SPDX-License-Identifier: Apache-2.0
// A point's request and command line.
#include "app/base/sweep_child.h"

#include <algorithm>

#include "app/base/run_settings.h"

namespace app {

using engine::Result;

namespace {

constexpr double kSecondsPerProcess = 0.5;
constexpr int kFewestSteps = 5, kMostSteps = 50;

}  // namespace

Result<RunRequest> request_of(const SweepOptions& options, const profiler::Sweep& sweep, size_t point) {
  RunRequest request = options.base;
  const std::vector<size_t> at = sweep.position(point);
  for (size_t axis = 0; axis < at.size(); ++axis) {
    const profiler::SweepAxis& a = sweep.request.axes[axis];
    Result<RunRequest> with = with_setting(std::move(request), a.name, a.values[at[axis]]);
    if (!with) return with.error();
    request = *std::move(with);
  }
  return request;
}

int steps_for(double step_ns) {
  if (!(step_ns > 0)) return kFewestSteps;
  return static_cast<int>(std::clamp(kSecondsPerProcess * 1e9 / step_ns, double{kFewestSteps}, double{kMostSteps}));
}

std::vector<std::string> child_words(RunRequest request, int steps) {
  if (request.steps == 0) request.steps = steps;
  std::vector<std::string> words = words_of(request);
  words.insert(words.begin(), "run");
  return words;
}

}  // namespace app
