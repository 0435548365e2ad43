// SPDX-License-Identifier: Apache-2.0
// Losses by point and number of steps.
#include "profiler/sweep/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "profiler/base/statistics.h"

namespace profiler {

Table sweep_losses_table(const Sweep& sweep) {
  Table table{.name = "losses", .columns = {}, .rows = {}, .row_ops = {}};
  for (const SweepAxis& axis : sweep.request.axes)
    table.columns.push_back({axis.name, axis.name, Quantity::text, Origin::exact, "Setting of this point"});
  table.columns.push_back(
      {"steps_count", "Steps", Quantity::count, Origin::exact, "Steps that trained so far, warm-up included"});
  table.columns.push_back(
      {"processes_count", "Processes", Quantity::count, Origin::exact, "Processes that ran as many steps"});
  table.columns.push_back({"loss", "Loss", Quantity::text, Origin::measured,
                           "Median over the processes; computed by the run in its dtype"});
  table.columns.push_back({"loss_least", "Least", Quantity::text, Origin::measured, "Smallest of them"});
  table.columns.push_back({"loss_most", "Largest", Quantity::text, Origin::measured, "Largest of them"});
  const auto text = [](double loss) { return fmt::format("{:.6g}", loss); };
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    std::map<int, std::vector<double>> by_steps;
    for (const SweepSample& sample : sweep.points[i].samples) {
      for (const SweepLoss& loss : sample.losses) by_steps[loss.steps].push_back(loss.loss);
    }
    const std::vector<size_t> at = sweep.position(i);
    for (const auto& [steps, losses] : by_steps) {
      std::vector<Cell> row;
      for (size_t axis = 0; axis < at.size(); ++axis) row.emplace_back(sweep.request.axes[axis].values[at[axis]]);
      const auto [least, most] = std::ranges::minmax(losses);
      row.insert(row.end(), {static_cast<double>(steps), static_cast<double>(losses.size()), text(median(losses)),
                             text(least), text(most)});
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace profiler
