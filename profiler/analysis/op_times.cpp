// SPDX-License-Identifier: Apache-2.0
// Median duration of each op over the steps that count.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "profiler/analysis/analysis.h"
#include "profiler/analysis/foreign_times.h"

namespace profiler {

namespace {

/// Sums of neighbours that belong to one step: an op may run in several pieces.
std::vector<double> sums_by_step(std::vector<std::pair<uint32_t, double>>& pieces) {
  const auto earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(pieces.begin(), pieces.end(), earlier))
    std::stable_sort(pieces.begin(), pieces.end(), earlier);
  std::vector<double> sums;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i == 0 || pieces[i].first != pieces[i - 1].first) sums.push_back(0);
    sums.back() += pieces[i].second;
  }
  return sums;
}

}  // namespace

std::vector<OpTime> op_times(const Capture& capture) {
  std::unordered_set<uint32_t> counted;
  for (const StepRecord& s : capture.steps()) {
    if (s.traced && !s.warmup) counted.insert(s.index);
  }
  // A capture without any step record (killed early, or foreign) still has times: better those than
  // nothing.
  const bool any_step = capture.steps().empty();
  const ActivityColumns& all = capture.activities();
  const bool foreign = !capture.run().source.empty();
  const std::vector<int64_t> foreign_ns = foreign ? foreign_op_ns(capture) : std::vector<int64_t>();
  std::vector<OpTime> times(capture.ops().size());
  std::vector<std::pair<uint32_t, double>> pieces;  // step, ns
  for (const OpRecord& op : capture.ops()) {
    pieces.clear();
    for (const uint32_t row : capture.activities_of(op.id)) {
      if (foreign ? foreign_ns[row] < 0 : all.kind[row] != ActivityKind::op) continue;
      const uint32_t step = all.step[row];
      if (any_step || counted.contains(step))
        pieces.emplace_back(step, static_cast<double>(foreign ? foreign_ns[row] : all.duration_ns[row]));
    }
    times[op.id].ns = spread(sums_by_step(pieces));
  }
  return times;
}

}  // namespace profiler
