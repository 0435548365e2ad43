// SPDX-License-Identifier: Apache-2.0
// Chains from the ops' attributes and their times.
#include "profiler/analysis/dependent_work.h"

#include <cmath>

#include "profiler/analysis/base/dependent_chain.h"
#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"

namespace profiler {
std::vector<DependentWork> dependent_work(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  std::vector<DependentWork> found;
  for (const OpRecord& op : capture.ops()) {
    const auto chain = dependent_chain(capture, op);
    if (!chain) continue;
    DependentWork work;
    work.op = op.id;
    work.in_a_row = chain->in_a_row, work.in_all = chain->in_all, work.operation = chain->operation;
    const Spread& ns = analyzed.times[op.id].ns;
    const bool timed = ns.samples > 0 && ns.median > 0;
    work.each_ns = timed ? ns.median / work.in_a_row : kUnknown;
    work.per_s = timed ? capture.rate(work.in_all, ns.median) : kUnknown;
    found.push_back(work);
  }
  return found;
}

Table latency_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const Origin timed = capture.time_origin();
  Table table;
  table.name = "latency";
  table.columns = {
      {"op", "Op", Quantity::text, Origin::exact, "Name of the op"},
      {"operation", "Operation", Quantity::text, Origin::exact, "What waits for what came before"},
      {"in_a_row_count", "In a row", Quantity::count, Origin::exact, "Operations of which each needs the one before"},
      {"in_all_count", "In all", Quantity::count, Origin::exact, "Operations of all independent chains together"},
      {"each_ns", "Time of each", Quantity::duration_ns, timed,
       "Time of the op / operations in a row: the latency where few chains run at once"},
      {"operations_per_s", "Per second", Quantity::count, timed, "Operations in all / time: the throughput"}};
  const auto cell = [](double value) { return std::isnan(value) ? Cell() : Cell(value); };
  for (const DependentWork& work : dependent_work(analyzed)) {
    table.rows.push_back({std::string(capture.name(capture.ops()[work.op].name)), std::string(work.operation),
                          work.in_a_row, work.in_all, cell(work.each_ns), cell(work.per_s)});
    table.row_ops.push_back(work.op);
  }
  return table;
}

std::vector<std::string> latency_sentences(const Analyzed& analyzed) {
  std::vector<std::string> sentences;
  for (const DependentWork& work : dependent_work(analyzed)) {
    if (std::isnan(work.each_ns) || std::isnan(work.per_s)) continue;
    const auto in_a_row = static_cast<uint64_t>(std::llround(work.in_a_row));
    sentences.push_back(
        say("{}: {} wait for one another, {} each. All chains do {} per second.",
            analyzed.capture->name(analyzed.capture->ops()[work.op].name),
            work.operation == std::string_view("load") ? counted(in_a_row, "load") : counted(in_a_row, "multiply-add"),
            format_quantity(work.each_ns, Quantity::duration_ns), format_quantity(work.per_s, Quantity::count)));
  }
  return sentences;
}

}  // namespace profiler
