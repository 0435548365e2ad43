// SPDX-License-Identifier: Apache-2.0
// The collector "cupti": kernels and copies of an NVIDIA GPU while steps run.
#include "engine/tensor/device.h"
#include "profiler/record/catalog.h"

namespace profiler {
namespace {

using engine::Result;

Availability check_cupti(const GpuChain& chain) { return check_chain(chain, ChainNeeds::trace); }

/// There before the device is, and after it.
class Tracing final : public Collection {
 public:
  explicit Tracing(std::unique_ptr<GpuTracer> tracer) : tracer_(std::move(tracer)) {}

 private:
  std::unique_ptr<GpuTracer> tracer_;
};

Result<std::unique_ptr<Collection>> start_cupti(CollectContext& context) {
  if (engine::traits_of(context.device).emulated) {
    context.record.untraced_why = "the times are those of an emulation";
  } else if (engine::traits_of(context.device).is_gpu) {
    Result<std::vector<double>> untraced = context.time_untraced();
    if (untraced) context.record.untraced_steps_ns = *std::move(untraced);
    else context.record.untraced_why = untraced.error().message;
  }
  auto started = context.gpu.start_trace(context.device);
  if (!started) return started.error();
  context.record.tracer = started->get();
  return std::unique_ptr<Collection>(std::make_unique<Tracing>(*std::move(started)));
}

/// GPUs of no vendor have their traces in every run; what is no GPU is refused when the trace starts.
Result<void> takes_cupti(const std::string& device) {
  const engine::DeviceTraits& traits = engine::traits_of(device);
  if (!traits.is_gpu || traits.emulated || traits.vendor == engine::Vendor::nvidia) return {};
  return engine::usage_error("[--collect] cupti watches NVIDIA GPUs; runs on --device " + device +
                             " have their kernels and copies without it: leave cupti out");
}

}  // namespace

const Collector kCuptiCollector{.name = "cupti",
                                .title = "GPU kernels and copies through CUPTI",
                                .when = When::during,
                                .check = check_cupti,
                                .start = start_cupti,
                                .takes = takes_cupti,
                                .in_sweeps = true};

}  // namespace profiler
