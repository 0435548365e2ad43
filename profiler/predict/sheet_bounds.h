// SPDX-License-Identifier: Apache-2.0
// The least time of a step on every device whose data sheet we have, and whether its memory is large enough.
#pragma once

#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/machine/gpu_data_sheet.h"

namespace profiler {

/// A step on one device: each op takes the longer of its FLOPs at the peak and its compulsory bytes at the bandwidth.
/// A bound, not a forecast. Nothing was measured; all of it is modelled from specified figures.
struct SheetBound {
  const GpuDataSheet* sheet = nullptr;
  std::string rate;                    ///< whose peak counts: "f32", "bf16", "operations"; empty: none is specified
  double flop_per_s = kUnknown;        ///< that peak
  double step_ns = kUnknown;           ///< NaN: an op's work or the peak of its data type is unknown
  double arithmetic_ratio = kUnknown;  ///< part of the step that arithmetic limits
  double needed_bytes = kUnknown;      ///< planned: tensors that live across steps, and the arena
  /// NaN: the data sheet has no memory size.
  double fits() const;
};

/// In the order of the data sheets. A chip without a bandwidth is limited by arithmetic alone.
std::vector<SheetBound> sheet_bounds(const Capture&);
/// "sheets": a row per device.
Table sheet_bounds_table(const std::vector<SheetBound>&);

}  // namespace profiler
