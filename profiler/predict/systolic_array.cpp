// SPDX-License-Identifier: Apache-2.0
// Closed forms of three dataflows.
#include "profiler/predict/systolic_array.h"

#include <fmt/format.h>

#include <array>

namespace profiler {
namespace {

constexpr std::array<std::string_view, 3> kNames{"os", "ws", "is"};

double folds_of(int64_t extent, int64_t side) { return static_cast<double>((extent - 1) / side + 1); }

}  // namespace

std::string_view name(Dataflow dataflow) { return kNames[static_cast<size_t>(dataflow)]; }

std::optional<Dataflow> parse_dataflow(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Dataflow>(i);
  }
  return {};
}

engine::Result<SystolicWork> systolic_work(const SystolicArray& array, int64_t m, int64_t n, int64_t k) {
  constexpr int64_t kLargestSide = int64_t{1} << 20;
  if (array.rows < 1 || array.columns < 1 || array.rows > kLargestSide || array.columns > kLargestSide) {
    return engine::usage_error(
        fmt::format("[systolic] an array of {} x {}: give 1 to {} a side", array.rows, array.columns, kLargestSide));
  }
  if (m < 1 || n < 1 || k < 1)
    return engine::usage_error(
        fmt::format("[systolic] a GEMM of {} x {} x {} has no work: give extents from 1", m, n, k));
  const double rows = static_cast<double>(array.rows), columns = static_cast<double>(array.columns);
  const double dm = static_cast<double>(m), dn = static_cast<double>(n), dk = static_cast<double>(k);
  SystolicWork work;
  double per_fold = 0, mapped = 0;
  switch (array.dataflow) {
    case Dataflow::output_stationary: {
      const double down = folds_of(m, array.rows), across = folds_of(n, array.columns);
      work.folds = down * across, per_fold = rows + columns + dk - 2, mapped = dm * dn;
      work.input_reads = dm * dk * across, work.weight_reads = dk * dn * down, work.output_writes = dm * dn;
      break;
    }
    case Dataflow::weight_stationary: {
      const double down = folds_of(k, array.rows), across = folds_of(n, array.columns);
      work.folds = down * across, per_fold = 2 * rows + columns + dm - 2, mapped = dk * dn;
      work.input_reads = dm * dk * across, work.weight_reads = dk * dn, work.output_writes = dm * dn * down;
      break;
    }
    case Dataflow::input_stationary: {
      const double down = folds_of(k, array.rows), across = folds_of(m, array.columns);
      work.folds = down * across, per_fold = 2 * rows + columns + dn - 2, mapped = dk * dm;
      work.input_reads = dm * dk, work.weight_reads = dk * dn * across, work.output_writes = dm * dn * down;
      break;
    }
  }
  work.cycles = work.folds * per_fold;
  work.mapped_ratio = mapped / (work.folds * rows * columns);
  work.used_ratio = dm * dn * dk / (rows * columns * work.cycles);
  return work;
}

}  // namespace profiler
