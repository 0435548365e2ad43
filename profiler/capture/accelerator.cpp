// SPDX-License-Identifier: Apache-2.0
// The device of a run beside the processor, in words.
#include "profiler/capture/accelerator.h"

#include "engine/tensor/device_name.h"

namespace profiler {
namespace {

/// GPUs of no vendor are those of OpenCL, which leads to processors, too.
bool of_any_vendor(const engine::DeviceTraits& device) {
  return device.is_gpu && !device.emulated && device.vendor == engine::Vendor::none;
}

}  // namespace

std::string_view accelerator_noun(const Capture& capture) { return of_any_vendor(capture.device()) ? "device" : "GPU"; }

std::string_view unprobed_kind(const Capture& capture) {
  const engine::DeviceTraits device = capture.device();
  if (!capture.run().source.empty() || !device.is_gpu || device.emulated) return {};
  const std::string_view people = engine::people_name(capture.run().device);
  return people.empty() ? "such devices" : people;
}

std::string_view unprobed_bytes_words(const Capture& capture) {
  return of_any_vendor(capture.device()) ? "OpenCL has no counters and no cache sizes"
                                         : "only a processor's caches are modelled, and the GPU counted none of them";
}

}  // namespace profiler
