// SPDX-License-Identifier: Apache-2.0
// Rooflines of data sheets over the ops of a step.
#include "profiler/predict/sheet_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "profiler/memory/traffic_bounds.h"

namespace profiler {
namespace {

using engine::DType;

Cell cell(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }

/// The floating type that an op of the step computes in: the widest of its operands. Indices and masks do not count.
DType computed_in(const Capture& capture, const OpRecord& op) {
  constexpr std::array kWidestFirst{DType::float64, DType::float32, DType::bfloat16, DType::float16};
  const auto operands = capture.operands(op);
  for (const DType dtype : kWidestFirst) {
    const auto has = [&](const OperandRecord& o) { return capture.tensors()[o.tensor].dtype == dtype; };
    if (std::ranges::any_of(operands, has)) return dtype;
  }
  return DType::int8;
}

/// The peak that a sheet has for a data type. Matrix units of a TPU round f32 operands to bf16.
std::pair<const char*, double> peak(const GpuDataSheet& sheet, DType dtype) {
  const std::array candidates{
      std::pair{"f32", dtype == DType::float32 ? sheet.f32_flop_per_s : kUnknown},
      std::pair{"f16", dtype == DType::float16 ? sheet.f16_flop_per_s : kUnknown},
      std::pair{"bf16", dtype == DType::bfloat16 || sheet.kind == "tpu" ? sheet.bf16_flop_per_s : kUnknown},
      std::pair{"operations", sheet.operations_per_s}};
  if (dtype == DType::float64) return {"", kUnknown};
  for (const auto& [name, rate] : candidates)
    if (!std::isnan(rate)) return {name, rate};
  return {"", kUnknown};
}

/// What the step asks of any device.
struct Work {
  DType dtype = DType::float32;
  double flops = 0, bytes = 0;
};

std::vector<Work> work_of(const Capture& capture) {
  std::vector<Work> all;
  for (const OpRecord& op : capture.ops())
    if (!op.view)
      all.push_back({computed_in(capture, op), op.flops, traffic_bounds(capture, op, kUnknown).compulsory()});
  return all;
}

SheetBound bound_of(const GpuDataSheet& sheet, const std::vector<Work>& step, double needed) {
  SheetBound bound{.sheet = &sheet, .rate = {}, .needed_bytes = needed};
  double ns = 0, arithmetic = 0, most_flops = 0;
  for (const Work& op : step) {
    const auto [name, rate] = peak(sheet, op.dtype);
    if (op.flops > most_flops) most_flops = op.flops, bound.rate = name, bound.flop_per_s = rate;
    const double compute = op.flops > 0 ? op.flops / rate * 1e9 : op.flops,
                 memory = std::isnan(sheet.memory_bytes_per_s) ? 0 : op.bytes / sheet.memory_bytes_per_s * 1e9;
    if (std::isnan(compute) || std::isnan(memory)) return bound;
    ns += std::max(compute, memory);
    if (compute >= memory) arithmetic += compute;
  }
  if (!(ns > 0)) return bound;
  bound.step_ns = ns;
  bound.arithmetic_ratio = arithmetic / ns;
  return bound;
}

}  // namespace

double SheetBound::fits() const {
  if (std::isnan(sheet->memory_bytes) || std::isnan(needed_bytes)) return kUnknown;
  return needed_bytes <= sheet->memory_bytes ? 1 : 0;
}

std::vector<SheetBound> sheet_bounds(const Capture& capture) {
  const std::vector<Work> step = work_of(capture);
  const RunInfo& run = capture.run();
  const double planned = static_cast<double>(run.persistent_bytes) + static_cast<double>(run.arena_bytes);
  std::vector<SheetBound> all;
  for (const GpuDataSheet& sheet : gpu_data_sheets())
    all.push_back(bound_of(sheet, step, planned > 0 ? planned : kUnknown));
  return all;
}

Table sheet_bounds_table(const std::vector<SheetBound>& bounds) {
  Table table;
  table.name = "sheets";
  table.columns = {
      {"device", "Device", Quantity::text, Origin::specified, "As its vendor calls it"},
      {"kind", "Kind", Quantity::text, Origin::specified, "gpu, tpu or edge"},
      {"step_ns", "Step, at least", Quantity::duration_ns, Origin::modelled,
       "Each op at the peak or at the bandwidth, whichever takes longer. Unknown where no peak is specified"},
      {"limit", "Limit", Quantity::text, Origin::modelled, "What takes longer in most of the step"},
      {"limit_ratio", "of step", Quantity::percent_of, Origin::modelled, "Part of the step that this limits"},
      {"fits", "Fits", Quantity::text, Origin::modelled, "Whether the planned bytes are at most those of the memory"},
      {"needed_bytes", "Needs", Quantity::capacity_bytes, Origin::exact,
       "Planned: tensors of all steps, and the arena"},
      {"memory_bytes", "Memory", Quantity::capacity_bytes, Origin::specified,
       "Data sheet: GiB, which vendors write as GB"},
      {"rate", "Peak of", Quantity::text, Origin::specified,
       "Number format of the peak. TPUs round f32 to bf16. \"operations\": integers, or not published"},
      {"peak_flop_per_s", "Peak", Quantity::flop_per_s, Origin::specified, "Data sheet, dense"},
      {"memory_bytes_per_s", "Bandwidth", Quantity::bytes_per_s, Origin::specified, "Data sheet"},
      {"ridge_flop_per_byte", "Ridge", Quantity::intensity, Origin::specified, "Peak / bandwidth"},
      {"multiprocessors_count", "SMs", Quantity::count, Origin::specified, "Multiprocessors"},
      {"units_count", "Units", Quantity::count, Origin::specified,
       "f32 arithmetic units of all multiprocessors, which vendors call cores"},
      {"clock_ghz", "GHz", Quantity::count, Origin::specified, "Boost clock [GHz]"},
      {"worked_out_flop_per_s", "Worked out", Quantity::flop_per_s, Origin::specified,
       "Units x clock x 2, to hold against the f32 peak"},
      {"pod_chips_count", "Chips of a pod", Quantity::count, Origin::specified, "Data sheet"},
      {"pod_flop_per_s", "Peak of a pod", Quantity::flop_per_s, Origin::specified,
       "Chips x peak. Communication takes a part of it"}};
  for (const SheetBound& b : bounds) {
    const GpuDataSheet& s = *b.sheet;
    const bool some = !std::isnan(b.step_ns), arithmetic = some && b.arithmetic_ratio >= 0.5;
    const double fits = b.fits();
    table.rows.push_back({s.name, s.kind, cell(b.step_ns),
                          some ? Cell(std::string(arithmetic ? "arithmetic" : "memory")) : Cell(),
                          cell(arithmetic ? b.arithmetic_ratio : 1 - b.arithmetic_ratio),
                          std::isnan(fits) ? Cell() : Cell(std::string(fits > 0 ? "yes" : "no")), cell(b.needed_bytes),
                          cell(s.memory_bytes), b.rate.empty() ? Cell() : Cell(b.rate), cell(b.flop_per_s),
                          cell(s.memory_bytes_per_s), cell(b.flop_per_s / s.memory_bytes_per_s),
                          s.multiprocessors > 0 ? Cell(static_cast<double>(s.multiprocessors)) : Cell(),
                          cell(s.units()), cell(s.boost_hz * 1e-9), cell(s.worked_out_flop_per_s()),
                          s.pod_chips > 0 ? Cell(static_cast<double>(s.pod_chips)) : Cell(),
                          s.pod_chips > 0 ? cell(s.pod_chips * b.flop_per_s) : Cell()});
  }
  return table;
}

}  // namespace profiler
