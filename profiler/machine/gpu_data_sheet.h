// SPDX-License-Identifier: Apache-2.0
// What vendors specify of GPUs and other chips: roofs for traces that name their GPU and hold nothing else of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/dtype.h"
#include "profiler/base/unknown.h"

namespace profiler {

/// One row of resources/gpu_data_sheets.json. NaN and -1: the data sheet does not say.
struct GpuDataSheet {
  std::string name;                  ///< "A100 SXM4 40GB"
  std::vector<std::string> drivers;  ///< plain_gpu_name() of what drivers call it
  std::string kind = "gpu";          ///< "tpu", "edge": no driver has such a name
  int compute_major = -1, compute_minor = -1, multiprocessors = -1;
  int lanes = -1;              ///< f32 multiply-adds that a multiprocessor starts per cycle
  double boost_hz = kUnknown;  ///< of the peaks
  double memory_bytes = kUnknown, memory_bytes_per_s = kUnknown, l2_bytes = kUnknown;
  /// Dense peaks [FLOP/s]: f32 of the vector units, the others of the matrix units where there are any.
  double f32_flop_per_s = kUnknown, f16_flop_per_s = kUnknown, bf16_flop_per_s = kUnknown, tf32_flop_per_s = kUnknown;
  double operations_per_s = kUnknown;  ///< integer operations, or of a number format that is not published
  int pod_chips = -1;                  ///< of a whole machine
  std::string sources;
  /// Arithmetic units, which vendors call cores.
  double units() const { return multiprocessors > 0 && lanes > 0 ? 1.0 * multiprocessors * lanes : kUnknown; }
  /// Units x clock x 2, the FLOPs of a multiply-add.
  double worked_out_flop_per_s() const { return 2 * units() * boost_hz; }
};
const std::vector<GpuDataSheet>& gpu_data_sheets();
/// The text of resources/gpu_data_sheets.json, built into the program.
const char* gpu_data_sheets_text();

/// "NVIDIA A100-SXM4-40GB" -> "a100 sxm4 40gb": without vendor and family words.
std::string plain_gpu_name(std::string_view driver_name);

/// The row that a user names: by its own name, whose marks and vendor words do not count, or by a driver's; null: none.
const GpuDataSheet* named_data_sheet(std::string_view name);

/// What a trace says of its GPU; -1: nothing.
struct NamedGpu {
  std::string_view name;  ///< as its driver calls it, or GpuDataSheet::name
  int compute_major = -1, compute_minor = -1, multiprocessors = -1;
  int64_t memory_bytes = -1;
};
/// The data sheet of that GPU; null: none has its name, or the trace contradicts it. So does a part of a GPU (MIG), or
/// another model of the same name. Null, too, where several models have its name and the trace fits all of them.
const GpuDataSheet* find_data_sheet(const NamedGpu&);

}  // namespace profiler
