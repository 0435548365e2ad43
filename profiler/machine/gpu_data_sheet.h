// SPDX-License-Identifier: Apache-2.0
// What vendors specify of GPUs: roofs for traces that name their GPU and hold nothing else of it.
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
  int compute_major = -1, compute_minor = -1, multiprocessors = -1;
  double memory_bytes = kUnknown, memory_bytes_per_s = kUnknown, l2_bytes = kUnknown;
  /// Dense peaks [FLOP/s]: f32 of the vector units, the others of the matrix units where there are any.
  double f32_flop_per_s = kUnknown, f16_flop_per_s = kUnknown, bf16_flop_per_s = kUnknown, tf32_flop_per_s = kUnknown;
  std::string sources;
};
const std::vector<GpuDataSheet>& gpu_data_sheets();
/// The text of resources/gpu_data_sheets.json, built into the program.
const char* gpu_data_sheets_text();

/// "NVIDIA A100-SXM4-40GB" -> "a100 sxm4 40gb": without vendor and family words.
std::string plain_gpu_name(std::string_view driver_name);

/// What a trace says of its GPU; -1: nothing.
struct NamedGpu {
  std::string_view name;  ///< as its driver calls it
  int compute_major = -1, compute_minor = -1, multiprocessors = -1;
  int64_t memory_bytes = -1;
};
/// The data sheet of that GPU; null: none has its name, or the trace contradicts it. So does a part of a GPU (MIG), or
/// another model of the same name.
const GpuDataSheet* find_data_sheet(const NamedGpu&);

}  // namespace profiler
