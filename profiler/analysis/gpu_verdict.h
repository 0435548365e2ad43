// SPDX-License-Identifier: Apache-2.0
// What limits ops that ran on a GPU: copies, launches, too small grids, the data sheet's roofs.
#pragma once

#include <optional>
#include <vector>

#include "profiler/analysis/analysis.h"

namespace profiler {

/// What a GPU did for one op in one step: medians over the steps that count. NaN: unknown.
struct GpuOpWork {
  int32_t device = kUnknownFigure;
  double kernels = 0, copies = 0;  ///< per step
  Spread kernel_ns;                ///< sum of its kernels
  double call_ns = 0;              ///< sum of the calls that launched them; NaN: not all were recorded
  double copy_ns = 0, exposed_ns = 0, copied_bytes = 0;  ///< its copies; exposed: no kernel beside them
  double copy_bytes_per_s = 0;     ///< each copy by itself, of all steps; NaN: no sizes
  double copy_use_ratio = 0;       ///< time its copies would take at the rate of the fastest of their directions, of the time they took; NaN: no sizes
  bool pageable = false;           ///< some copy's memory on the host is
  double waves = 0;                ///< of its longest kernel: blocks by those that fit at a time; NaN: unknown
};
/// Indexed by OpId; nothing for ops that ran no kernel and no copy on a GPU.
std::vector<std::optional<GpuOpWork>> gpu_work(const Capture&);

/// What the data sheet (specified) allows; NaN: unknown.
struct GpuRoofs {
  double flop_per_s = 0;   ///< f32 outside tensor cores, or tensor cores for 16-bit floats, TF32 or FP8
  double bytes_per_s = 0;  ///< device memory
  double l2_bytes = 0;
};
/// `kernel`: as the op names it; it tells of narrower formats (engine/tensor/product_format.h).
GpuRoofs gpu_roofs(const GpuDevice&, engine::DType, std::string_view kernel = {});

/// Blocks of a kernel by how many the device holds at a time; NaN: unknown. Limits of threads, blocks and registers per
/// multiprocessor: CUDA C++ Programming Guide, technical specifications per compute capability.
double waves_of(const KernelRecord&, const GpuDevice&);

/// The numbers a class is found from; pushed to test how firm it is.
struct GpuCase {
  double kernel_ns = 0, call_ns = 0, exposed_ns = 0;
  double compute_ns = 0, memory_ns = 0;  ///< at the roofs; NaN: unknown
  double memory_band = 0;                ///< relative error of the bytes
  double waves = 0;
  bool counted = false;  ///< memory_ns is of bytes that the GPU counted, else of the compulsory ones
};
Bound classify_gpu(const GpuCase&, const VerdictRules&);

Verdict judge_on_gpu(const Capture&, const OpRecord&, const GpuOpWork&, const VerdictRules&);
/// A whole step: by the time copies run alone and by why the GPU stands still, else by the ops that take most of its time.
Verdict judge_step_on_gpu(const Capture&, const std::vector<Verdict>&, const VerdictRules&);

}  // namespace profiler
