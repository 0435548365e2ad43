// SPDX-License-Identifier: Apache-2.0
// What a GPU did at each instant of a step: computing, communication alone, copies alone, nothing, and why nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/gpu/idle_causes.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// launch: the GPU waits for launches, and for most of that the host is in the calls that make them. host: for most of
/// it the host does something else before it launches.
enum class GpuBound : uint8_t { unknown, busy, transfer, launch, mixed, communication, input, host };
std::string_view name(GpuBound);  ///< "transfer-bound"

/// One device within one step (or within all of its work, where a capture has no steps). kernel_ns,
/// exposed_communication_ns, exposed_ns() and idle_ns add up to span_ns.
struct GpuRegion {
  uint32_t rank =
      0;  ///< index into Capture::ranks(): devices of different ranks are different ones, whatever their numbers
  int32_t device = kUnknownFigure;
  uint32_t step = kNoStep;
  double span_ns = 0;                   ///< of the step, with the work that was launched in it (StepWindow)
  double kernel_ns = 0;                 ///< some kernel that computes, or a memset, ran
  double communication_ns = 0;          ///< some kernel that carries data between devices ran
  double exposed_communication_ns = 0;  ///< part of that without a kernel that computes
  double copy_ns = 0;                   ///< some copy ran
  double overlapped_ns = 0;             ///< part of that beside a kernel of either sort
  double idle_ns = 0;                   ///< none of these
  IdleCauses idle;
  int64_t kernels = 0, communications = 0, copies = 0;  ///< started within; memsets are kernels
  GpuBound bound = GpuBound::unknown;
  double exposed_ns() const { return copy_ns - overlapped_ns; }
};

/// Where the work of all GPUs lies, in nanoseconds of their time.
struct GpuWorkPlaces {
  double busy_ns = 0;              ///< all of it
  double stepless_ns = 0;          ///< outside all steps that count: before, between or after them
  double behind_host_ns = 0;       ///< of the steps, but after the host had left them
  int64_t steps = 0;               ///< that are traced and no warm-up, of all ranks
  int64_t steps_without_time = 0;  ///< of those (TimedSteps::without_time): no region is theirs
};

/// Launches against the work they start; NaN where unknown.
struct LaunchStatistics {
  int64_t launches = 0;         ///< kernels whose call is known
  double median_call_ns = 0;    ///< of their calls, on the host
  double graph_ratio = 0;       ///< of all kernels: those that a graph launched; not among `launches`
  double median_kernel_ns = 0;  ///< of those kernels
  double shorter_ratio = 0;     ///< part of the kernels that ran for less time than their call took
};

struct Overlap {
  std::vector<GpuRegion> regions;  ///< per device and step, ascending
  LaunchStatistics launches;
  GpuWorkPlaces places;
  std::vector<std::string> findings;
};
/// Measured steps only: neither warm-up nor untraced ones, unless there are no others.
Overlap overlap(const Capture&, const VerdictRules& = VerdictRules::built_in());

/// Part of the measured steps in which a GPU did nothing, the mean over devices: the idle time of overlap()'s regions
/// by their length. NaN: no GPU did anything.
double gpu_idle_ratio(const Capture&);
/// Time [ns] of one step in which a device does nothing: median over steps and devices, comparable with other medians
/// of steps. NaN: no GPU worked. It differs from gpu_idle_ratio() of a median step: one long step without work would
/// count as idle time of all.
double gpu_idle_step_ns(const Capture&);
/// gpu_idle_step_ns() over the median length of the same steps. For own captures, whose ops are shown by their medians;
/// imported traces use gpu_idle_ratio(). NaN: no GPU worked.
double gpu_idle_step_ratio(const Capture&);

/// One capture looked at again and again: what each GPU did within any span of time.
class GpuTimes {
 public:
  explicit GpuTimes(std::shared_ptr<const Capture>);
  ~GpuTimes();
  /// Per device that ever did anything, ascending; `step` is kNoStep, `bound` by the built-in rules.
  std::vector<GpuRegion> within(int64_t begin_ns, int64_t end_ns) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

/// Row per region of overlap() of this capture; empty where no GPU did anything.
Table overlap_table(const Capture&, const Overlap&);

}  // namespace profiler
