// SPDX-License-Identifier: Apache-2.0
// Kinds of activity records we decode and the size each has in the CUPTI we were built with.
#pragma once

#include <cupti.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace profiler::cupti {

struct RecordSize {
  CUpti_ActivityKind kind;
  size_t bytes;
  const char* name;
};

inline constexpr std::array kRecordSizes{
    RecordSize{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizeof(CUpti_ActivityKernel10), "kernel"},
    RecordSize{CUPTI_ACTIVITY_KIND_MEMCPY, sizeof(CUpti_ActivityMemcpy6), "copy"},
    RecordSize{CUPTI_ACTIVITY_KIND_MEMCPY2, sizeof(CUpti_ActivityMemcpyPtoP4), "copy between devices"},
    RecordSize{CUPTI_ACTIVITY_KIND_MEMSET, sizeof(CUpti_ActivityMemset4), "memset"},
    RecordSize{CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(CUpti_ActivityAPI), "runtime call"},
    RecordSize{CUPTI_ACTIVITY_KIND_DRIVER, sizeof(CUpti_ActivityAPI), "driver call"},
    RecordSize{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, sizeof(CUpti_ActivityExternalCorrelation),
               "external correlation"},
    RecordSize{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, sizeof(CUpti_ActivitySynchronization2), "synchronisation"},
    RecordSize{CUPTI_ACTIVITY_KIND_OVERHEAD, sizeof(CUpti_ActivityOverhead3), "overhead"},
    RecordSize{CUPTI_ACTIVITY_KIND_DEVICE, sizeof(CUpti_ActivityDevice5), "device"},
    RecordSize{CUPTI_ACTIVITY_KIND_CONTEXT, sizeof(CUpti_ActivityContext3), "context"},
    RecordSize{CUPTI_ACTIVITY_KIND_STREAM, sizeof(CUpti_ActivityStream), "stream"},
    RecordSize{CUPTI_ACTIVITY_KIND_JIT, sizeof(CUpti_ActivityJit2), "translation of code"},
};
inline constexpr size_t kLargestRecord = std::max_element(kRecordSizes.begin(), kRecordSizes.end(),
                                                          [](auto& a, auto& b) { return a.bytes < b.bytes; }) -> bytes;

}  // namespace profiler::cupti
