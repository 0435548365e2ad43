// SPDX-License-Identifier: Apache-2.0
// Kernels counted by op, name, grid and block.
#include "profiler/analysis/gpu/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/base/time_origin.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

double product(const std::array<int32_t, 3>& extent) {
  double all = 1;
  for (const int32_t n : extent) {
    if (n < 0) return kUnknown;
    all *= n;
  }
  return all;
}

/// Counts kernels of the ops that `wanted` says.
template <class Wanted>
std::vector<LaunchRow> counted_launches(const Capture& capture, const Wanted& wanted) {
  const ActivityColumns& all = capture.activities();
  std::vector<LaunchRow> rows;
  std::map<std::tuple<OpId, NameId, std::array<int32_t, 3>, std::array<int32_t, 3>>, size_t> known_rows;
  for (const KernelRecord& kernel : capture.gpu().kernels) {
    const OpId said = all.op[kernel.activity], op = said < capture.ops().size() ? said : kNoOp;
    if (!wanted(op)) continue;
    const auto [at, fresh] = known_rows.try_emplace({op, kernel.short_name, kernel.grid, kernel.block}, rows.size());
    if (fresh) rows.push_back({op, kernel.short_name, kernel.grid, kernel.block, 0, 0});
    ++rows[at->second].launches;
    rows[at->second].total_ns += static_cast<double>(all.duration_ns[kernel.activity]);
  }
  std::ranges::stable_sort(rows, {}, &LaunchRow::op);
  return rows;
}

Cell known(double value) { return value == value ? Cell(value) : Cell(); }
Cell known(std::string text) { return text.empty() ? Cell() : Cell(std::move(text)); }

}  // namespace

double LaunchRow::blocks() const { return product(grid); }
double LaunchRow::threads() const { return product(grid) * product(block); }

std::string extent_words(const std::array<int32_t, 3>& extent) {
  return product(extent) == product(extent) ? fmt::format("{} x {} x {}", extent[0], extent[1], extent[2])
                                            : std::string();
}

std::vector<LaunchRow> launch_rows(const Capture& capture) {
  return counted_launches(capture, [](OpId) { return true; });
}

std::vector<LaunchRow> launch_rows(const Capture& capture, OpId op) {
  return counted_launches(capture, [op](OpId of) { return of == op; });
}

Table launches_table(const Capture& capture) {
  Table table;
  table.name = "launches";
  table.columns = {
      {"op", "Op", Quantity::text, Origin::exact, "The op that launched it; empty: none is known"},
      {"kernel", "Kernel", Quantity::text, Origin::exact, "Name without template arguments"},
      {"launches_count", "Launches", Quantity::count, Origin::exact, "In the whole capture; the rows add up to all"},
      {"grid", "Grid", Quantity::text, Origin::exact, "Blocks along x, y and z"},
      {"block", "Block", Quantity::text, Origin::exact, "Threads of a block along x, y and z"},
      {"blocks_count", "Blocks", Quantity::count, Origin::exact, "Blocks of one launch"},
      {"threads_count", "Threads", Quantity::count, Origin::exact,
       "Threads of one launch: blocks x threads of a block"},
      {"total_ns", "Total", Quantity::duration_ns, Origin::measured, "Time of all these launches"},
      {"op_bytes", "Op's bytes", Quantity::bytes, Origin::exact, "Compulsory bytes of the op: every operand once"}};
  for (const LaunchRow& row : launch_rows(capture)) {
    const OpRecord* op = row.op == kNoOp ? nullptr : &capture.ops()[row.op];
    table.rows.push_back(
        {op == nullptr ? Cell() : Cell(std::string(capture.name(op->name))), std::string(capture.name(row.kernel)),
         static_cast<double>(row.launches), known(extent_words(row.grid)), known(extent_words(row.block)),
         known(row.blocks()), known(row.threads()), row.total_ns,
         op == nullptr ? Cell() : known(compulsory_read(capture, *op) + compulsory_written(capture, *op))});
    table.row_ops.push_back(row.op);
  }
  return with_time_origin(std::move(table), capture);
}

std::vector<std::string> launches_sentences(const Capture& capture) {
  const size_t kernels = capture.gpu().kernels.size();
  if (kernels == 0) return {};
  std::vector<bool> launched(capture.ops().size(), false);
  for (const LaunchRow& row : launch_rows(capture))
    if (row.op != kNoOp) launched[row.op] = true;
  return {say("{} launched {} in this capture.",
              counted(static_cast<uint64_t>(std::ranges::count(launched, true)), "op"), counted(kernels, "kernel"))};
}

}  // namespace profiler
