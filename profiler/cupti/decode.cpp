// SPDX-License-Identifier: Apache-2.0
// One function per kind of record.
#include "profiler/cupti/decode.h"

#include <fmt/format.h>

#include <limits>

namespace profiler::cupti {
namespace {

/// CUPTI's ids are unsigned; ones that stand for "none" and absurd ones are unknown.
int32_t id(uint32_t value) {
  return value > static_cast<uint32_t>(std::numeric_limits<int32_t>::max()) ? kUnknownFigure
                                                                            : static_cast<int32_t>(value);
}

int64_t figure(uint64_t value) {
  return value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) ? kUnknownFigure
                                                                            : static_cast<int64_t>(value);
}

int32_t extent(int32_t value) { return value < 0 ? kUnknownFigure : value; }

EventTime time(uint64_t start, uint64_t end) {
  const int64_t from = figure(start), to = figure(end);
  return from < 0 || to < 0 ? EventTime{} : EventTime{from, to};
}

/// CUPTI counts memory kinds from 1, with unknown = 0.
MemoryKind memory_kind(uint32_t kind) {
  return kind == 0 || kind >= static_cast<uint32_t>(kMemoryKindCount) ? MemoryKind::unknown
                                                                      : static_cast<MemoryKind>(kind - 1);
}

CopyKind copy_kind(uint8_t kind) {
  return kind <= CUPTI_ACTIVITY_MEMCPY_KIND_PTOP ? static_cast<CopyKind>(kind) : CopyKind::unknown;
}

Synchrony synchrony(uint32_t flags) {
  return (flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0 ? Synchrony::asynchronous : Synchrony::synchronous;
}

template <class Record>
GpuPlace place(const Record& r) {
  return {id(r.deviceId), id(r.contextId), id(r.streamId)};
}

GpuKernelEvent kernel_event(const CUpti_ActivityKernel10& r, GpuEvents& out) {
  GpuKernelEvent e;
  e.time = time(r.start, r.end);
  e.correlation = r.correlationId;
  e.name = out.intern(r.name == nullptr ? "unnamed kernel" : r.name);
  e.record.place = place(r);
  e.record.grid = {extent(r.gridX), extent(r.gridY), extent(r.gridZ)};
  e.record.block = {extent(r.blockX), extent(r.blockY), extent(r.blockZ)};
  if (r.clusterX > 0) e.record.cluster = {id(r.clusterX), id(r.clusterY), id(r.clusterZ)};
  e.record.registers_per_thread = r.registersPerThread > 0 ? r.registersPerThread : kUnknownFigure;
  e.record.static_shared_bytes = extent(r.staticSharedMemory);
  e.record.dynamic_shared_bytes = extent(r.dynamicSharedMemory);
  e.record.local_bytes = figure(r.localMemoryTotal_v2);
  e.record.graph = r.graphId;
  e.record.graph_node = r.graphNodeId;
  return e;
}

GpuCopyEvent copy_event(const CUpti_ActivityMemcpy6& r) {
  GpuCopyEvent e;
  e.time = time(r.start, r.end);
  e.correlation = r.correlationId;
  e.runtime_correlation = r.runtimeCorrelationId;
  e.record.place = place(r);
  e.record.kind = copy_kind(r.copyKind);
  e.record.source = memory_kind(r.srcKind);
  e.record.destination = memory_kind(r.dstKind);
  e.record.synchrony = synchrony(r.flags);
  e.record.bytes = figure(r.bytes);
  e.record.copies = r.copyCount > 0 && r.copyCount < 1u << 31 ? static_cast<int32_t>(r.copyCount) : kUnknownFigure;
  e.record.graph = r.graphId;
  e.record.graph_node = r.graphNodeId;
  return e;
}

GpuCopyEvent copy_event(const CUpti_ActivityMemcpyPtoP4& r) {
  GpuCopyEvent e;
  e.time = time(r.start, r.end);
  e.correlation = r.correlationId;
  e.record.place = place(r);
  e.record.kind = CopyKind::peer_to_peer;
  e.record.source = memory_kind(r.srcKind);
  e.record.destination = memory_kind(r.dstKind);
  e.record.synchrony = synchrony(r.flags);
  e.record.bytes = figure(r.bytes);
  e.record.source_device = id(r.srcDeviceId);
  e.record.destination_device = id(r.dstDeviceId);
  e.record.graph = r.graphId;
  e.record.graph_node = r.graphNodeId;
  return e;
}

GpuMemsetEvent memset_event(const CUpti_ActivityMemset4& r) {
  GpuMemsetEvent e;
  e.time = time(r.start, r.end);
  e.correlation = r.correlationId;
  e.record.place = place(r);
  e.record.bytes = figure(r.bytes);
  e.record.value = r.value;
  e.record.memory = memory_kind(r.memoryKind);
  e.record.graph = r.graphId;
  e.record.graph_node = r.graphNodeId;
  return e;
}

SynchronizationEvent synchronization_event(const CUpti_ActivitySynchronization2& r) {
  SynchronizationEvent e;
  e.time = time(r.start, r.end);
  e.correlation = r.correlationId;
  e.record.place = {kUnknownFigure, id(r.contextId), id(r.streamId)};
  e.record.kind = r.type > 0 && r.type < kSyncKindCount ? static_cast<SyncKind>(r.type) : SyncKind::unknown;
  e.record.event = id(r.cudaEventId);
  return e;
}

const char* overhead_name(CUpti_ActivityOverheadKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER: return "driver compiles";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH: return "CUPTI flushes a buffer";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION: return "CUPTI instruments a kernel";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE: return "CUPTI creates resources";
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING: return "CUDA loads a module";
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING: return "CUDA loads a function";
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL: return "command buffer is full";
    case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST: return "CUPTI asks for a buffer";
    case CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT: return "CUPTI prepares for managed memory";
    default: return "overhead of an unknown kind";
  }
}

OverheadEvent overhead_event(const CUpti_ActivityOverhead3& r, GpuEvents& out) {
  OverheadEvent e;
  e.time = time(r.start, r.end);
  e.name = out.intern(overhead_name(r.overheadKind));
  e.record.kind = static_cast<uint32_t>(r.overheadKind);
  return e;
}

OverheadEvent jit_event(const CUpti_ActivityJit2& r, GpuEvents& out) {
  OverheadEvent e;
  e.time = time(r.start, r.end);
  e.name = out.intern(r.jitOperationType == CUPTI_ACTIVITY_JIT_OPERATION_COMPILE
                          ? "driver translates kernels for this GPU"
                          : "driver reads or writes its cache of kernels");
  e.record.kind = CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER;
  return e;
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

GpuDevice device(const CUpti_ActivityDevice5& r) {
  GpuDevice d;
  d.device = static_cast<int32_t>(r.id & 0x7fffffff);
  d.name = r.name == nullptr ? "" : r.name;
  d.uuid = uuid_text(r.uuid);
  d.compute_major = id(r.computeCapabilityMajor);
  d.compute_minor = id(r.computeCapabilityMinor);
  d.multiprocessors = id(r.numMultiprocessors);
  d.copy_engines = id(r.numMemcpyEngines);
  d.memory_bytes = figure(r.globalMemorySize);
  d.l2_bytes = r.l2CacheSize > 0 ? int64_t{r.l2CacheSize} : kUnknownFigure;
  // CUPTI says kBytes/sec and kHz
  d.memory_bytes_per_s =
      r.globalMemoryBandwidth < uint64_t{1} << 50 ? figure(r.globalMemoryBandwidth * 1000) : kUnknownFigure;
  d.clock_hz = r.coreClockRate > 0 ? int64_t{r.coreClockRate} * 1000 : kUnknownFigure;
  return d;
}

template <class Record>
const Record& as(const CUpti_Activity& record) {
  return reinterpret_cast<const Record&>(record);
}

}  // namespace

std::string_view Decoder::call_name(bool driver, CUpti_CallbackId call) {
  std::string& name = call_names_[uint64_t{call} << 1 | driver];
  if (name.empty()) {
    const char* text = nullptr;
    const CUpti_CallbackDomain domain = driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API;
    const bool known = functions_.callback_name(domain, call, &text) == CUPTI_SUCCESS && text != nullptr;
    name = known ? std::string(text) : fmt::format("{} call {}", driver ? "driver" : "runtime", call);
  }
  return name;
}

void Decoder::decode_api_call(const CUpti_ActivityAPI& r, GpuEvents& out) {
  ApiCallEvent e;
  e.time = time(r.start, r.end);
  e.correlation = r.correlationId;
  e.thread = r.threadId;
  e.record.driver = r.kind == CUPTI_ACTIVITY_KIND_DRIVER;
  e.name = out.intern(call_name(e.record.driver, r.cbid));
  e.record.return_value = r.returnValue;
  out.api_calls.push_back(e);
}

void Decoder::decode_record(const CUpti_Activity& record, GpuEvents& out) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      out.kernels.push_back(kernel_event(as<CUpti_ActivityKernel10>(record), out));
      return;
    case CUPTI_ACTIVITY_KIND_MEMCPY: out.copies.push_back(copy_event(as<CUpti_ActivityMemcpy6>(record))); return;
    case CUPTI_ACTIVITY_KIND_MEMCPY2: out.copies.push_back(copy_event(as<CUpti_ActivityMemcpyPtoP4>(record))); return;
    case CUPTI_ACTIVITY_KIND_MEMSET: out.memsets.push_back(memset_event(as<CUpti_ActivityMemset4>(record))); return;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: return decode_api_call(as<CUpti_ActivityAPI>(record), out);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& r = as<CUpti_ActivityExternalCorrelation>(record);
      if (r.externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
        out.externals.push_back({r.correlationId, ExternalKind::op, r.externalId});
      if (r.externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1)
        out.externals.push_back({r.correlationId, ExternalKind::step, r.externalId});
      return;
    }
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      out.synchronizations.push_back(synchronization_event(as<CUpti_ActivitySynchronization2>(record)));
      return;
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      const auto& r = as<CUpti_ActivityOverhead3>(record);
      out.overheads.push_back(overhead_event(r, out));
      if (r.overheadData != nullptr) functions_.release(r.overheadData);
      return;
    }
    case CUPTI_ACTIVITY_KIND_JIT: out.overheads.push_back(jit_event(as<CUpti_ActivityJit2>(record), out)); return;
    case CUPTI_ACTIVITY_KIND_DEVICE: out.devices.push_back(device(as<CUpti_ActivityDevice5>(record))); return;
    case CUPTI_ACTIVITY_KIND_CONTEXT: {
      const auto& r = as<CUpti_ActivityContext3>(record);
      out.contexts.push_back({id(r.contextId), id(r.deviceId), r.nullStreamId, r.isGreenContext != 0,
                              r.numMultiprocessors > 0 ? int32_t{r.numMultiprocessors} : kUnknownFigure});
      return;
    }
    case CUPTI_ACTIVITY_KIND_STREAM: {
      const auto& r = as<CUpti_ActivityStream>(record);
      out.streams.push_back(
          {id(r.streamId), id(r.contextId), static_cast<int32_t>(r.priority), static_cast<uint32_t>(r.flag)});
      return;
    }
    default: ++out.unreadable;
  }
}

void Decoder::decode(std::span<uint8_t> buffer, GpuEvents& out) {
  CUpti_Activity* record = nullptr;
  while (true) {
    const CUptiResult stepped = functions_.next_record(buffer.data(), buffer.size(), &record);
    if (stepped == CUPTI_ERROR_MAX_LIMIT_REACHED) return;
    if (stepped != CUPTI_SUCCESS || record == nullptr) {
      ++out.unreadable;
      return;
    }
    decode_record(*record, out);
  }
}

}  // namespace profiler::cupti
