// SPDX-License-Identifier: Apache-2.0
// Durations gathered by name, and their quantiles.
#include "profiler/analysis/duration_quantiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "profiler/analysis/base/op_samples.h"
#include "profiler/analysis/base/time_origin.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/op_devices.h"

namespace profiler {
namespace {

constexpr double kShares[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

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
                             say("{} % of the runs took no longer", percent)});
  }
  table.columns.push_back({"longest_ns", "Longest", Quantity::duration_ns, Origin::measured, "The longest run"});
  const ActivityColumns& all = capture.activities();
  const CountedSteps counted(capture);
  std::map<std::pair<NameId, bool>, std::vector<double>> by_name;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool call = all.kind[i] == ActivityKind::api;
    if ((!call && all.kind[i] != ActivityKind::op) || !counted.contains(all.step[i])) continue;
    if (!call && all.op[i] >= capture.ops().size()) continue;
    const NameId name = call ? all.name[i] : capture.ops()[all.op[i]].type;
    by_name[{name, call}].push_back(static_cast<double>(all.duration_ns[i]));
  }
  for (auto& [key, ns] : by_name) {
    std::vector<Cell> row{std::string(capture.name(key.first)), std::string(key.second ? "call" : "op"),
                          static_cast<double>(ns.size())};
    std::ranges::sort(ns);
    for (const double share : kShares) row.emplace_back(quantile_of_sorted(ns, share));
    row.emplace_back(ns.back());
    table.rows.push_back(std::move(row));
  }
  return with_time_origin(std::move(table), capture);
}

std::vector<std::string> quantiles_sentences(const Capture& capture) {
  if (!capture.run().source.empty()) return {};
  // GPUs and further devices work beside the host: there is a gap, or an overlap.
  if (!capture.gpu().kernels.empty() || capture.device().is_gpu || OpDevices(capture).several()) return {};
  return {say("Ops follow each other without a gap: the time of an op holds the start of the next one."),
          say("It holds one look at the clock, too.")};
}

}  // namespace profiler
