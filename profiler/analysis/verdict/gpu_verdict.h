// SPDX-License-Identifier: Apache-2.0
// What limits ops that ran on a GPU: copies, launches, too small grids, the data sheet's roofs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_reason.h"
#include "profiler/base/origin.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/capture.h"
#include "profiler/machine/gpu_data_sheet.h"

namespace profiler {

/// What a GPU did for one op in one step, of the steps that count (of_a_step()). NaN: unknown.
struct GpuOpWork {
  int32_t device = kUnknownFigure;
  double kernels = 0, copies = 0;       ///< per step
  Spread kernel_ns;                     ///< sum of its kernels
  double communication_ns = 0;          ///< part of that which carries data between GPUs (sum of kernels, as kernel_ns)
  double exposed_communication_ns = 0;  ///< part of that without a kernel beside it that computes
  double call_ns = 0;                   ///< sum of the calls that launched them; NaN: not all were recorded
  double copy_ns = 0, exposed_ns = 0, copied_bytes = 0;  ///< its copies; exposed: no kernel beside them
  double copy_bytes_per_s = 0;                           ///< each copy by itself, of all steps; NaN: no sizes
  double copy_use_ratio = 0;  ///< time its copies would take at the rate of the fastest of their directions, of the
                              ///< time they took; NaN: no sizes
  bool pageable = false;      ///< some copy's memory on the host is
  double waves = 0;           ///< of its longest kernel: blocks by those that fit at a time; NaN: unknown
  double flops_ratio = 1;     ///< part of the op's FLOPs that its kernels compute (flops_ratio_of()); NaN: unknown
};
/// Indexed by OpId; nothing for ops that ran no kernel and no copy on a GPU.
std::vector<std::optional<GpuOpWork>> gpu_work(const Capture&);

/// What the data sheet (specified) allows; NaN: unknown.
struct GpuRoofs {
  double flop_per_s = 0;   ///< f32 outside tensor cores, or tensor cores for 16-bit floats, TF32 or FP8
  double bytes_per_s = 0;  ///< device memory
  double l2_bytes = 0;
  double l2_bytes_per_s = 0;  ///< between L2 and the multiprocessors; published for few chips
};
/// Of the device's own figures, and what these lack of the data sheet of the GPU of its name (data_sheet_of()).
/// `format`: what the kernel rounds its operands to.
GpuRoofs gpu_roofs(const GpuDevice&, engine::DType, engine::ProductFormat format = engine::ProductFormat::as_it_is);

/// By its name; null: none, or its figures contradict it.
const GpuDataSheet* data_sheet_of(const GpuDevice&);

/// Blocks of a kernel by how many the device holds at a time; NaN: unknown. Limits of threads, blocks and registers per
/// multiprocessor: CUDA C++ Programming Guide, technical specifications per compute capability.
double waves_of(const KernelRecord&, const GpuDevice&);

enum class GpuLevel : uint8_t { memory, l2 };
inline constexpr size_t kGpuLevels = 2;
std::string_view name(GpuLevel);  ///< "device memory", "L2": whose bandwidth limits

/// Bytes of an op across the inner side of a level, by the best source: counters, then the sector model, then
/// compulsory bytes. The last only for device memory, where they exceed L2.
struct GpuLevelUse {
  double bytes = 0, ns = 0;       ///< ns: at the roof; NaN: unknown
  double band = 0;                ///< relative error of the bytes
  Origin origin = Origin::exact;  ///< exact: the compulsory ones
};

/// The numbers a class is found from; pushed to test how firm it is.
struct GpuCase {
  double kernel_ns = 0, call_ns = 0, exposed_ns = 0, communication_ns = 0;
  double compute_ns = 0;  ///< at the roof; NaN: unknown
  std::array<GpuLevelUse, kGpuLevels> levels;
  double memory_at_most_ns =
      0;  ///< of device memory, where its time is unknown because the operands fit into L2; NaN: nothing is known
  double waves = 0;
};

/// Utilisations below saturated_ratio and from busy_ratio on decide, too, but are worded "mostly". Source: NVIDIA
/// Nsight Compute, SpeedOfLight rule (see VerdictRules).
struct GpuClass {
  Bound bound = Bound::unknown;
  GpuLevel level = GpuLevel::memory;  ///< of memory and balanced
  bool mostly = false;
  bool same(const GpuClass& other) const { return bound == other.bound && level == other.level; }
};
GpuClass classify_gpu(const GpuCase&, const VerdictRules&);

/// `sectors`: gpu_sector_traffic() of the capture; may be null.
Verdict judge_on_gpu(const Capture&, const OpRecord&, const GpuOpWork&, const TrafficSource* sectors,
                     const VerdictRules&);
/// Why an op that is bound by a level's bandwidth moves what it moves: uncoalesced accesses, lost reuse, or nothing but
/// the compulsory bytes.
std::vector<Reason> gpu_memory_causes(const Capture&, const OpRecord&, const GpuLevelUse&, GpuLevel, double l2_bytes,
                                      const VerdictRules&);
/// A whole step: by the time of copies alone and the causes of idle time, else by the ops that take most of its time.
Verdict judge_step_on_gpu(const Capture&, const std::vector<Verdict>&, const VerdictRules&);

}  // namespace profiler
