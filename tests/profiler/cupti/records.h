// SPDX-License-Identifier: Apache-2.0
// Buffers of activity records as CUPTI would write them, and the real CUPTI that steps over them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "profiler/cupti/cupti_api.h"
#include "profiler/cupti/decode.h"

namespace profiler::cupti {

/// The CUPTI of the toolkit that the tests were built with; nullptr: it is not here, or cannot be called without a
/// driver, and the test is to be skipped.
inline const CuptiLibrary* real_cupti() {
  static const engine::Result<CuptiLibrary> library =
      load_cupti({.files = {TENSORTIDE_TEST_CUPTI}, .chosen = true, .none = {}});
  return library ? &*library : nullptr;
}

inline Decoder::Functions real_functions() {
  return {.next_record = real_cupti()->api.activity_get_next_record,
          .callback_name = real_cupti()->api.get_callback_name,
          .release = std::free};
}

/// Records back to back.
class Records {
 public:
  template <class Record>
  Records& add(const Record& record) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&record);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof record);
    ++count_;
    return *this;
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  size_t count() const { return count_; }
  /// Decoded from a buffer aligned as CUPTI wants it.
  GpuEvents decoded() const {
    std::vector<uint64_t> aligned((bytes_.size() + 7) / 8 + 1);
    std::memcpy(aligned.data(), bytes_.data(), bytes_.size());
    GpuEvents events;
    Decoder(real_functions()).decode({reinterpret_cast<uint8_t*>(aligned.data()), bytes_.size()}, events);
    return events;
  }

 private:
  std::vector<uint8_t> bytes_;
  size_t count_ = 0;
};

inline CUpti_ActivityKernel10 kernel_record(uint32_t correlation, uint64_t start, uint64_t end,
                                            const char* name = "_Z4gemmPf") {
  CUpti_ActivityKernel10 r{};
  r.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  r.correlationId = correlation;
  r.start = start;
  r.end = end;
  r.name = name;
  r.streamId = 7;
  r.contextId = 1;
  r.gridX = 64, r.gridY = 2, r.gridZ = 1;
  r.blockX = 128, r.blockY = r.blockZ = 1;
  r.registersPerThread = 40;
  r.dynamicSharedMemory = 2048;
  r.localMemoryTotal_v2 = 4096;
  return r;
}

inline CUpti_ActivityAPI api_record(uint32_t correlation, uint64_t start, uint64_t end) {
  CUpti_ActivityAPI r{};
  r.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  r.cbid = 211;  // CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000
  r.start = start;
  r.end = end;
  r.threadId = 99;
  r.correlationId = correlation;
  return r;
}

inline CUpti_ActivityExternalCorrelation external_record(uint32_t correlation, CUpti_ExternalCorrelationKind kind,
                                                         uint64_t id) {
  CUpti_ActivityExternalCorrelation r{};
  r.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  r.externalKind = kind;
  r.externalId = id;
  r.correlationId = correlation;
  return r;
}

inline CUpti_ActivityMemcpy6 copy_record(uint32_t correlation, uint64_t start, uint64_t end, uint64_t bytes) {
  CUpti_ActivityMemcpy6 r{};
  r.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  r.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  r.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  r.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  r.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  r.bytes = bytes;
  r.start = start;
  r.end = end;
  r.streamId = 13;
  r.correlationId = correlation;
  r.copyCount = 1;
  return r;
}

}  // namespace profiler::cupti
