// SPDX-License-Identifier: Apache-2.0
// Sums activities by what ran, step by step; an op of several kernels has a part in several rows.
#include "profiler/analysis/gpu/kernel_rows.h"

#include <map>
#include <string_view>
#include <unordered_map>

#include "profiler/analysis/base/op_samples.h"
#include "profiler/capture/communication.h"

namespace profiler {
namespace {

struct Sum {
  double calls = 0, ns = 0;
};

struct Row {
  std::string_view name;
  std::map<uint32_t, Sum> steps;
  std::map<OpId, double> op_ns;  // of all steps
  bool communication = false;
};

/// What ran, as it is called in a table.
std::string_view what_ran(const Capture& capture, uint32_t activity) {
  const ActivityColumns& all = capture.activities();
  if (const KernelRecord* kernel = capture.kernel_of(activity); kernel != nullptr)
    return capture.name(kernel->short_name);
  if (all.kind[activity] == ActivityKind::op) return capture.name(capture.ops()[all.op[activity]].kernel);
  return capture.name(all.name[activity]);
}

std::vector<Row> sums_by_name(const Capture& capture) {
  const ActivityColumns& all = capture.activities();
  const CountedSteps counted(capture);
  const std::vector<int64_t> ns = op_ns(capture);
  std::vector<Row> rows;
  Communication communication(capture);
  std::unordered_map<std::string_view, size_t> known;
  for (size_t i = 0; i < all.size(); ++i) {
    const uint32_t step = all.step[i];
    if (ns[i] < 0 || !counted.contains(step)) continue;
    const OpId op = all.op[i];
    if (all.kind[i] == ActivityKind::op && op >= capture.ops().size()) continue;
    const std::string_view name = what_ran(capture, static_cast<uint32_t>(i));
    const auto [at, fresh] = known.try_emplace(name, rows.size());
    if (fresh) rows.push_back({name, {}, {}, communication.is(static_cast<uint32_t>(i))});
    Row& row = rows[at->second];
    Sum& sum = row.steps[step];
    ++sum.calls;
    sum.ns += static_cast<double>(ns[i]);
    if (op < capture.ops().size()) row.op_ns[op] += static_cast<double>(ns[i]);
  }
  return rows;
}

}  // namespace

std::vector<KernelRow> kernel_rows(const Capture& capture) {
  if (capture.gpu().kernels.empty()) return {};
  const std::vector<Row> sums = sums_by_name(capture);
  std::vector<int> rows_of(capture.ops().size(), 0);
  for (const Row& row : sums) {
    for (const auto& [op, ns] : row.op_ns) ++rows_of[op];
  }
  std::vector<KernelRow> rows;
  const size_t steps = CountedSteps(capture).count();
  for (const Row& row : sums) {
    std::vector<double> calls, times;
    double total = 0;
    for (const auto& [step, sum] : row.steps) calls.push_back(sum.calls), times.push_back(sum.ns), total += sum.ns;
    KernelRow& out = rows.emplace_back();
    out.name = row.name;
    out.calls = of_a_step(capture, calls, steps);
    out.time_ns = of_a_step(capture, times, steps);
    out.communication = row.communication;
    for (const auto& [op, ns] : row.op_ns)
      out.parts.push_back({op, total > 0 ? ns / total * out.time_ns : 0, rows_of[op] == 1});
  }
  return rows;
}

}  // namespace profiler
