// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a buffer of activity records. With Clang: clang++ -fsanitize=fuzzer,address of this file
// and the library tensortide_cupti; with other compilers decode_test runs it on mutated records.
#include "tests/profiler/cupti/decode_fuzz.h"

#include <cstdlib>

#include "tests/profiler/cupti/records.h"

namespace profiler::cupti {
namespace {

/// Sets what is a pointer in a record to nullptr: after a mutation it may point anywhere, which CUPTI never writes.
void clear_pointers(std::span<uint8_t> buffer, decltype(CuptiApi::activity_get_next_record) next_record) {
  CUpti_Activity* record = nullptr;
  while (next_record(buffer.data(), buffer.size(), &record) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        reinterpret_cast<CUpti_ActivityKernel10*>(record)->name = nullptr;
        break;
      case CUPTI_ACTIVITY_KIND_DEVICE: reinterpret_cast<CUpti_ActivityDevice5*>(record)->name = nullptr; break;
      case CUPTI_ACTIVITY_KIND_OVERHEAD:
        reinterpret_cast<CUpti_ActivityOverhead3*>(record)->overheadData = nullptr;
        break;
      default: break;
    }
  }
}

/// Stops the program, as a fuzzer wants it, when an event says what no capture can hold.
void require(bool holds) {
  if (!holds) std::abort();
}

void check(const GpuEvents& events) {
  for (const GpuCopyEvent& copy : events.copies) {
    require(static_cast<int>(copy.record.kind) < kCopyKindCount);
    require(static_cast<int>(copy.record.source) < kMemoryKindCount &&
            static_cast<int>(copy.record.destination) < kMemoryKindCount);
    require(copy.record.bytes >= -1);
  }
  for (const GpuKernelEvent& kernel : events.kernels) {
    for (const int32_t extent : kernel.record.grid) require(extent >= -1);
    require(kernel.name < events.names.size());
  }
  for (const SynchronizationEvent& sync : events.synchronizations)
    require(static_cast<int>(sync.record.kind) < kSyncKindCount);
  for (const GpuDevice& device : events.devices) require(device.device >= 0);
}

}  // namespace
}  // namespace profiler::cupti

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace profiler::cupti;
  if (real_cupti() == nullptr) return 0;
  std::vector<uint64_t> aligned(size / 8 + 1);
  std::memcpy(aligned.data(), data, size);
  const std::span<uint8_t> buffer(reinterpret_cast<uint8_t*>(aligned.data()), size);
  clear_pointers(buffer, real_functions().next_record);
  profiler::GpuEvents events;
  Decoder(real_functions()).decode(buffer, events);
  check(events);
  return 0;
}
