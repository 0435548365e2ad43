// SPDX-License-Identifier: Apache-2.0
// What a capture knows of GPU activities beyond name and time: kernels, copies, memsets, API calls, synchronisations,
// overhead.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/capture/activity.h"

namespace profiler {

using TensorId = uint32_t;
inline constexpr TensorId kNoTensor = 0xffffffffu;

// Signed figures of this file are -1 where they are unknown (NULL in a file), never 0.
inline constexpr int32_t kUnknownFigure = -1;

/// The numbers of CUPTI and nsys (ENUM_CUDA_MEMCPY_OPER).
enum class CopyKind : uint8_t {
  unknown,
  host_to_device,
  device_to_host,
  host_to_array,
  array_to_host,
  array_to_array,
  array_to_device,
  device_to_array,
  device_to_device,
  host_to_host,
  peer_to_peer,
  managed_to_device,
  managed_to_host,
  managed_between_devices
};
inline constexpr int kCopyKindCount = 14;
std::string_view name(CopyKind);  ///< "host to device"

/// The numbers of nsys (ENUM_CUDA_MEM_KIND; CUPTI's are one higher, with unknown = 0).
enum class MemoryKind : uint8_t { pageable, pinned, device, array, managed, device_static, managed_static, unknown };
inline constexpr int kMemoryKindCount = 8;
std::string_view name(MemoryKind);

/// Whether the calling thread could go on while a copy ran.
enum class Synchrony : uint8_t { unknown, synchronous, asynchronous };
inline constexpr int kSynchronyCount = 3;

/// The numbers of CUPTI and nsys (ENUM_CUPTI_SYNC_TYPE).
enum class SyncKind : uint8_t { unknown, event, stream_wait_event, stream, context };
inline constexpr int kSyncKindCount = 5;
std::string_view name(SyncKind);

/// Where on which GPU: numbers of the driver, unique within a process.
struct GpuPlace {
  int32_t device = kUnknownFigure, context = kUnknownFigure, stream = kUnknownFigure;
  friend bool operator==(const GpuPlace&, const GpuPlace&) = default;
};

// Each record belongs to one row of Capture::activities(); that row holds name, time, op, step, track and correlation.

struct KernelRecord {
  static constexpr ActivityKind kKind = ActivityKind::kernel;
  uint32_t activity = 0;
  GpuPlace place{};
  NameId short_name = 0;  ///< without return type, template arguments and parameters: "gemm"; the builder fills it in
  std::array<int32_t, 3> grid{-1, -1, -1}, block{-1, -1, -1}, cluster{-1, -1, -1};
  int32_t registers_per_thread = kUnknownFigure;
  int64_t static_shared_bytes = kUnknownFigure, dynamic_shared_bytes = kUnknownFigure;  ///< per block
  int64_t local_bytes = kUnknownFigure;  ///< local memory reserved for all threads
  uint64_t graph = 0, graph_node = 0;    ///< CUDA graph ids; 0: launched on its own
  friend bool operator==(const KernelRecord&, const KernelRecord&) = default;
};

struct CopyRecord {
  static constexpr ActivityKind kKind = ActivityKind::copy;
  uint32_t activity = 0;
  GpuPlace place{};
  CopyKind kind = CopyKind::unknown;
  MemoryKind source = MemoryKind::unknown, destination = MemoryKind::unknown;
  Synchrony synchrony = Synchrony::unknown;
  int64_t bytes = kUnknownFigure;
  int32_t source_device = kUnknownFigure, destination_device = kUnknownFigure;  ///< of copies between devices
  int32_t copies = kUnknownFigure;                                              ///< how many a batched call stands for
  uint64_t graph = 0, graph_node = 0;
  TensorId tensor = kNoTensor;  ///< whose bytes; none: unknown
  NameId reason = 0;            ///< why: "input of the step", "read by matmul1 on cuda"; name 0: unknown
  /// Counts what was written to the source before this copy; equal numbers of one tensor mean equal bytes. 0: unknown.
  uint64_t content_version = 0;
  friend bool operator==(const CopyRecord&, const CopyRecord&) = default;
};

struct MemsetRecord {
  static constexpr ActivityKind kKind = ActivityKind::memset;
  uint32_t activity = 0;
  GpuPlace place{};
  int64_t bytes = kUnknownFigure;
  uint32_t value = 0;
  MemoryKind memory = MemoryKind::unknown;
  uint64_t graph = 0, graph_node = 0;
  friend bool operator==(const MemsetRecord&, const MemsetRecord&) = default;
};

/// A call of the CUDA runtime or driver on a host thread. It launched what has the same correlation.
struct ApiCallRecord {
  static constexpr ActivityKind kKind = ActivityKind::api;
  uint32_t activity = 0;
  bool driver = false;        ///< driver API (cuLaunchKernel), else runtime API (cudaLaunchKernel)
  uint32_t return_value = 0;  ///< 0: success
  friend bool operator==(const ApiCallRecord&, const ApiCallRecord&) = default;
};

struct SynchronizationRecord {
  static constexpr ActivityKind kKind = ActivityKind::synchronization;
  uint32_t activity = 0;
  GpuPlace place{};
  SyncKind kind = SyncKind::unknown;
  int32_t event = kUnknownFigure;
  friend bool operator==(const SynchronizationRecord&, const SynchronizationRecord&) = default;
};

/// What CUPTI itself cost; `kind` is its CUpti_ActivityOverheadKind.
struct OverheadRecord {
  static constexpr ActivityKind kKind = ActivityKind::overhead;
  uint32_t activity = 0;
  uint32_t kind = 0;
  friend bool operator==(const OverheadRecord&, const OverheadRecord&) = default;
};

struct GpuDevice {
  int32_t device = 0;                         ///< as in GpuPlace
  std::string name{}, chip{}, uuid{}, bus{};  ///< "NVIDIA H200", "GH100", "" where unknown
  int32_t compute_major = kUnknownFigure, compute_minor = kUnknownFigure, multiprocessors = kUnknownFigure;
  int32_t copy_engines = kUnknownFigure;
  int64_t memory_bytes = kUnknownFigure, l2_bytes = kUnknownFigure;
  int64_t memory_bytes_per_s = kUnknownFigure, clock_hz = kUnknownFigure;  ///< specified
  friend bool operator==(const GpuDevice&, const GpuDevice&) = default;
};

struct GpuContext {
  int32_t context = 0, device = kUnknownFigure, null_stream = kUnknownFigure;
  bool green = false;  ///< a green context: part of the multiprocessors
  int32_t multiprocessors = kUnknownFigure;
  friend bool operator==(const GpuContext&, const GpuContext&) = default;
};

struct GpuStream {
  int32_t stream = 0, context = kUnknownFigure;
  int64_t priority = 0;
  uint32_t flag = 0;  ///< CUpti_ActivityStreamFlag
  friend bool operator==(const GpuStream&, const GpuStream&) = default;
};

/// All of the above. In a capture each list is in the order of its activities. While records are collected, `activity`
/// counts within their batch.
struct GpuRecords {
  std::vector<KernelRecord> kernels;
  std::vector<CopyRecord> copies;
  std::vector<MemsetRecord> memsets;
  std::vector<ApiCallRecord> api_calls;
  std::vector<SynchronizationRecord> synchronizations;
  std::vector<OverheadRecord> overheads;
  std::vector<GpuDevice> devices;
  std::vector<GpuContext> contexts;
  std::vector<GpuStream> streams;

  /// Calls f(list) for each list of records that belong to activities.
  template <class Self, class F>
  static void visit_lists(Self& self, F&& f) {
    f(self.kernels), f(self.copies), f(self.memsets), f(self.api_calls), f(self.synchronizations), f(self.overheads);
  }
};

/// What a GPU trace lost; each figure other than 0 makes times and sums of the capture doubtful by that much.
struct GpuLosses {
  int64_t dropped = 0;       ///< records that found no buffer (cuptiActivityGetNumDroppedRecords)
  int64_t untimed = 0;       ///< kernels and copies that came without a time: counted here, shown nowhere else
  int64_t unattributed = 0;  ///< kernels and copies of steps that belong to no op
  int64_t unreadable = 0;    ///< records of a kind or size we do not know
  int64_t clock_steps = 0;   ///< jumps of the wall clock while tracing: times around them are off
  bool any() const { return dropped + untimed + unattributed + unreadable + clock_steps > 0; }
  friend bool operator==(const GpuLosses&, const GpuLosses&) = default;
};

/// "void at::native::vectorized<4, Add>(int, Add)" -> "vectorized"; a name without such parts is returned whole.
std::string short_kernel_name(std::string_view demangled);

}  // namespace profiler
