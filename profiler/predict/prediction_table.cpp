// SPDX-License-Identifier: Apache-2.0
// Predictions as tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "profiler/predict/prediction.h"

namespace profiler {
namespace {

Cell cell(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }

/// What ops of one type come to.
struct Sum {
  double ops = 0, unknown = 0, ns = 0, error = 0, flops = 0, dram = 0, l2 = 0;
  std::array<double, kGpuLimits> by_limit{};
  void add(const OpRecord& op, const PredictedOp& p) {
    ++ops;
    flops += op.flops;
    if (!p.known) {
      ++unknown;
      return;
    }
    ns += p.time.ns, error += p.error * p.time.ns, dram += p.time.dram_bytes, l2 += p.time.l2_bytes;
    by_limit[static_cast<size_t>(p.time.limit())] += p.time.ns;
  }
};

std::vector<Column> figures_columns() {
  return {{"time_ns", "Time", Quantity::duration_ns, Origin::modelled,
           "On the modelled device: launch, and the longest of arithmetic, memory and L2"},
          {"share_ratio", "Share", Quantity::percent_of, Origin::modelled, "Of the ops that are modelled"},
          {"error_ratio", "±", Quantity::percent_of, Origin::modelled,
           "Mean error of such ops' modelled times against measured ones"},
          {"limit", "Limit", Quantity::text, Origin::modelled,
           "What takes longest: arithmetic, DRAM, L2, the launch, or occupancy (too few tiles to fill the GPU)"},
          {"dram_bytes", "DRAM", Quantity::bytes, Origin::modelled, "To and from the device's memory"},
          {"l2_bytes", "L2", Quantity::bytes, Origin::modelled, "Between L2 and the multiprocessors"},
          {"flop_per_s", "FLOP/s", Quantity::flop_per_s, Origin::modelled, "Exact FLOPs / modelled time"}};
}

void add_figures(std::vector<Cell>& row, const Sum& sum, double step_ns) {
  const bool some = sum.unknown < sum.ops;
  const auto most = std::ranges::max_element(sum.by_limit);
  row.push_back(some ? cell(sum.ns) : Cell());
  row.push_back(some ? cell(sum.ns / step_ns) : Cell());
  row.push_back(some ? cell(sum.error / sum.ns) : Cell());
  row.push_back(some ? Cell(std::string(name(static_cast<GpuLimit>(most - sum.by_limit.begin())))) : Cell());
  row.push_back(some ? cell(sum.dram) : Cell());
  row.push_back(some ? cell(sum.l2) : Cell());
  row.push_back(some && sum.flops > 0 && sum.unknown == 0 ? cell(sum.flops / (sum.ns * 1e-9)) : Cell());
}

}  // namespace

Table prediction_table(const Capture& capture, const Prediction& p, bool by_type) {
  Table table;
  table.name = "prediction";
  const auto figures = figures_columns();
  if (by_type) {
    table.columns = {{"type", "Type", Quantity::text, Origin::exact, "Type of op"},
                     {"ops_count", "Ops", Quantity::count, Origin::exact, "Of this type in a step"},
                     {"unknown_count", "Unknown", Quantity::count, Origin::exact, "Of them not modelled"}};
    table.columns.insert(table.columns.end(), figures.begin(), figures.end());
    std::map<std::string, Sum> sums;
    for (const PredictedOp& op : p.ops)
      sums[std::string(capture.name(capture.ops()[op.op].type))].add(capture.ops()[op.op], op);
    std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
    std::ranges::stable_sort(sorted, std::greater(), [](const auto& entry) { return entry.second.ns; });
    for (const auto& [type, sum] : sorted) {
      std::vector<Cell> row{type, sum.ops, sum.unknown};
      add_figures(row, sum, p.modelled_ns);
      table.rows.push_back(std::move(row));
    }
    return table;
  }
  table.columns = {{"op", "Op", Quantity::text, Origin::exact, "Name of the op"}};
  table.columns.insert(table.columns.end(), figures.begin(), figures.end());
  table.columns.push_back(
      {"how", "How", Quantity::text, Origin::modelled, "Kernels assumed; of an op that is not modelled, why not"});
  for (const PredictedOp& op : p.ops) {
    Sum sum;
    sum.add(capture.ops()[op.op], op);
    std::vector<Cell> row{std::string(capture.name(capture.ops()[op.op].name))};
    add_figures(row, sum, p.modelled_ns);
    row.emplace_back(op.note);
    table.rows.push_back(std::move(row));
    table.row_ops.push_back(op.op);
  }
  return table;
}

Table predicted_devices_table(const std::vector<Prediction>& predictions, double samples) {
  Table table;
  table.name = "devices";
  table.columns = {
      {"device", "Device", Quantity::text, Origin::specified, "Key of the modelled device, for --on"},
      {"name", "Name", Quantity::text, Origin::specified, "As its vendor calls it"},
      {"step_ns", "Step", Quantity::duration_ns, Origin::modelled,
       "Sum of all ops, without what a framework adds between kernels; unknown where an op is not "
       "modelled"},
      {"modelled_ns", "Modelled", Quantity::duration_ns, Origin::modelled, "Sum of the ops that are modelled"},
      {"error_ratio", "±", Quantity::percent_of, Origin::modelled,
       "Mean error of modelled times of such ops against measured ones, weighted by time"},
      {"samples_per_s", "Samples/s", Quantity::count, Origin::modelled, "Batch / step"},
      {"limit", "Limit", Quantity::text, Origin::modelled, "Of most of the time"},
      {"limit_ratio", "of step", Quantity::percent_of, Origin::modelled, "Part of the step this limits"},
      {"peak_flop_per_s", "Peak", Quantity::flop_per_s, Origin::specified, "f32, data sheet, at the boost clock"},
      {"memory_bytes_per_s", "Memory", Quantity::bytes_per_s, Origin::specified, "Data sheet"},
      {"unknown_count", "Unknown", Quantity::count, Origin::exact, "Ops of the step that are not modelled"},
      {"checked", "Checked", Quantity::text, Origin::exact,
       "Whether modelled times were compared with measured ones of this device"}};
  for (const Prediction& p : predictions) {
    const bool some = p.modelled_ns > 0;
    table.rows.push_back({p.gpu.key, p.gpu.name, cell(p.step_ns()), some ? cell(p.modelled_ns) : Cell(),
                          some ? cell(p.error) : Cell(), cell(samples / (p.step_ns() * 1e-9)),
                          some ? Cell(std::string(name(p.limit))) : Cell(), some ? cell(p.limit_share) : Cell(),
                          p.gpu.peak_flop_per_s(), p.gpu.memory_bytes_per_s, static_cast<double>(p.unknown_ops),
                          std::string(p.gpu.errors.checked ? "yes" : "no")});
  }
  return table;
}

}  // namespace profiler
