// SPDX-License-Identifier: Apache-2.0
// f32-products: products in f32 on a GPU whose matrix units compute TF32 or 16-bit floats many times faster.
#include <algorithm>
#include <cmath>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/capture/op_devices.h"

namespace profiler {
namespace {

/// A peak less than this much higher is not worth less precision.
constexpr double kWorthIt = 2;

}  // namespace

void find_f32_products(const FindingInput& in, FindingList& list) {
  if (in.capture.run().source.empty())
    return;  // of our own runs the rules of their limits say it, with a change to try
  RunFinding f;
  double ratio = 0;
  bool tf32 = false;
  for (const OpRecord& op : in.capture.ops()) {
    const std::optional<GpuOpWork>& work = in.gpu[op.id];
    const GpuDevice* device = work ? gpu_device(in.capture, work->device) : nullptr;
    if (device == nullptr || !(op.flops > 0) || dtype_of(in.capture, op) != engine::DType::float32 ||
        in.capture.facts(op.id).format != engine::ProductFormat::as_it_is)
      continue;
    const GpuRoofs f32 = gpu_roofs(*device, engine::DType::float32),
                   by_tf32 = gpu_roofs(*device, engine::DType::float32, engine::ProductFormat::tf32),
                   f16 = gpu_roofs(*device, engine::DType::float16);
    const bool has_tf32 = by_tf32.flop_per_s >= kWorthIt * f32.flop_per_s;
    const double faster = (has_tf32 ? by_tf32.flop_per_s : f16.flop_per_s) / f32.flop_per_s;
    const double bytes = compulsory_read(in.capture, op) + compulsory_written(in.capture, op),
                 memory_ns = bytes / f32.bytes_per_s * 1e9, compute_ns = op.flops / f32.flop_per_s * 1e9;
    // Elementwise ops have no matrix units to go to: their bytes take longer than their arithmetic.
    if (!(faster >= kWorthIt) || !(compute_ns > memory_ns) || !(in.time(op.id) > 0)) continue;
    f.ops.push_back(op.id);
    tf32 = has_tf32, ratio = faster;
    f.gain_ns += std::max(0.0, in.time(op.id) - std::max(in.time(op.id) / 2, memory_ns));
  }
  if (f.ops.empty()) return;
  std::ranges::stable_sort(f.ops, std::ranges::greater{}, [&](OpId op) { return in.time(op); });
  f.sentence =
      say("{} compute in f32 outside the matrix units, whose peak is {:.2g} times as high.", in.types(f.ops), ratio);
  f.evidence = {
      {"time_ns", say("spent in these ops per step"), in.sum_time(f.ops), Quantity::duration_ns, Origin::measured},
      {"peak_ratio", tf32 ? say("peak of TF32 by that of f32") : say("peak of f16 by that of f32"), ratio,
       Quantity::ratio, Origin::specified}};
  f.gain_how = say("each of these ops in half its time, but no faster than its bytes");
  f.advice = tf32 ? say("Allow TF32, or compute in 16 bits. In PyTorch: torch.set_float32_matmul_precision('high'), or "
                        "torch.autocast.")
                  : say("Compute in 16 bits with weights in f32. In PyTorch: torch.autocast.");
  f.no_change = say("No option of a run changes another program's number format.");
  list.push_back(std::move(f));
}

}  // namespace profiler
