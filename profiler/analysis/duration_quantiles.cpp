// SPDX-License-Identifier: Apache-2.0
// Durations gathered by name, and their quantiles.
#include "profiler/analysis/duration_quantiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "profiler/analysis/base/time_origin.h"
#include "profiler/base/statistics.h"

namespace profiler {
namespace {

constexpr double kShares[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

/// Whether a step's times count; activities of no step (traces without steps) do.
class CountedStep {
 public:
  explicit CountedStep(const Capture& capture) : any_(!capture.steps().empty()) {
    for (const StepRecord& step : capture.steps())
      if (step.traced && !step.warmup) counted_.insert(step.index);
  }
  bool operator()(uint32_t step) const { return !any_ || counted_.contains(step); }

 private:
  bool any_;
  std::set<uint32_t> counted_;
};

}  // namespace

Table quantiles_table(const Capture& capture) {
  Table table;
  table.name = "quantiles";
  table.columns = {{"name", "Name", Quantity::text, Origin::exact, "Type of op, or function that was called"},
                   {"what", "What", Quantity::text, Origin::exact, "op or call"},
                   {"count", "Count", Quantity::count, Origin::exact, "Runs in the timed steps"}};
  for (const double share : kShares) {
    const std::string percent = fmt::format("{:.0f}", 100 * share);
    table.columns.push_back({fmt::format("p{}_ns", percent), percent + " %", Quantity::duration_ns, Origin::measured,
                             fmt::format("{} % of the runs took no longer", percent)});
  }
  table.columns.push_back({"longest_ns", "Longest", Quantity::duration_ns, Origin::measured, "The longest run"});
  const ActivityColumns& all = capture.activities();
  const CountedStep counted(capture);
  std::map<std::pair<NameId, bool>, std::vector<double>> by_name;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool call = all.kind[i] == ActivityKind::api;
    if ((!call && all.kind[i] != ActivityKind::op) || !counted(all.step[i])) continue;
    if (!call && all.op[i] >= capture.ops().size()) continue;
    const NameId name = call ? all.name[i] : capture.ops()[all.op[i]].type;
    by_name[{name, call}].push_back(static_cast<double>(all.duration_ns[i]));
  }
  for (auto& [key, ns] : by_name) {
    std::vector<Cell> row{std::string(capture.name(key.first)), std::string(key.second ? "call" : "op"),
                          static_cast<double>(ns.size())};
    for (const double share : kShares) row.emplace_back(quantile(ns, share));
    row.emplace_back(*std::ranges::max_element(ns));
    table.rows.push_back(std::move(row));
  }
  return with_time_origin(std::move(table), capture);
}

std::vector<std::string> quantiles_sentences(const Capture& capture) {
  if (!capture.run().source.empty()) return {};
  return {"Ops follow each other without a gap: the time of an op holds the start of the next one.",
          "It holds one look at the clock, too."};
}

}  // namespace profiler
