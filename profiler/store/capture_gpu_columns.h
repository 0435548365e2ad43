// SPDX-License-Identifier: Apache-2.0
// The columns of each GPU table of a .tide file, once for CREATE TABLE, writing and reading.
#pragma once

#include <type_traits>

#include "profiler/capture/gpu_records.h"
#include "profiler/store/capture_schema.h"

namespace profiler {

// The columns of each record, in the order of its table. A visitor has
//   figure(column, member)       signed, -1 is NULL         number(column, member)        unsigned
//   kind(column, member, count)  an enumerator              flag(column, member)          0 or 1
//   name(column, member)         an id of StringIds         tensor(column, member)        an id of TIDE_TENSOR or NULL
//   text(column, member)         inline text                process(column), thread(column)  for other tools, never
//   read back

template <class Place, class Visitor>
void visit_place(Place& place, Visitor& v) {
  v.figure("deviceId", place.device);
  v.figure("contextId", place.context);
  v.figure("streamId", place.stream);
  v.process("globalPid");
}

template <class Record, class Visitor>
void visit_columns(Record& r, Visitor& v) {
  using T = std::remove_const_t<Record>;
  if constexpr (std::is_same_v<T, KernelRecord>) {
    visit_place(r.place, v);
    v.name("shortName", r.short_name);
    v.figure("gridX", r.grid[0]), v.figure("gridY", r.grid[1]), v.figure("gridZ", r.grid[2]);
    v.figure("blockX", r.block[0]), v.figure("blockY", r.block[1]), v.figure("blockZ", r.block[2]);
    v.figure("clusterX", r.cluster[0]), v.figure("clusterY", r.cluster[1]), v.figure("clusterZ", r.cluster[2]);
    v.figure("registersPerThread", r.registers_per_thread);
    v.figure("staticSharedMemory", r.static_shared_bytes);
    v.figure("dynamicSharedMemory", r.dynamic_shared_bytes);
    v.figure("localMemoryTotal", r.local_bytes);
    v.number("graphId", r.graph), v.number("graphNodeId", r.graph_node);
  } else if constexpr (std::is_same_v<T, CopyRecord>) {
    visit_place(r.place, v);
    v.figure("bytes", r.bytes);
    v.kind("copyKind", r.kind, kCopyKindCount);
    v.kind("srcKind", r.source, kMemoryKindCount);
    v.kind("dstKind", r.destination, kMemoryKindCount);
    v.figure("srcDeviceId", r.source_device);
    v.figure("dstDeviceId", r.destination_device);
    v.figure("copyCount", r.copies);
    v.number("graphNodeId", r.graph_node), v.number("tideGraphId", r.graph);
    v.kind("tideSynchrony", r.synchrony, kSynchronyCount);
    v.tensor("tideTensor", r.tensor);
    v.name("tideReasonId", r.reason);
    v.number("tideContentVersion", r.content_version);
  } else if constexpr (std::is_same_v<T, MemsetRecord>) {
    visit_place(r.place, v);
    v.number("value", r.value);
    v.figure("bytes", r.bytes);
    v.kind("memKind", r.memory, kMemoryKindCount);
    v.number("graphNodeId", r.graph_node), v.number("tideGraphId", r.graph);
  } else if constexpr (std::is_same_v<T, ApiCallRecord>) {
    v.flag("eventClass", r.driver);
    v.thread("globalTid");
    v.number("returnValue", r.return_value);
  } else if constexpr (std::is_same_v<T, SynchronizationRecord>) {
    visit_place(r.place, v);
    v.kind("syncType", r.kind, kSyncKindCount);
    v.figure("eventId", r.event);
  } else if constexpr (std::is_same_v<T, OverheadRecord>) {
    v.thread("globalTid");
    v.number("overheadType", r.kind);
  } else if constexpr (std::is_same_v<T, GpuDevice>) {
    v.figure("id", r.device), v.figure("cuDevice", r.device);
    v.text("name", r.name), v.text("chipName", r.chip), v.text("uuid", r.uuid), v.text("busLocation", r.bus);
    v.figure("computeMajor", r.compute_major), v.figure("computeMinor", r.compute_minor);
    v.figure("smCount", r.multiprocessors), v.figure("asyncEngines", r.copy_engines);
    v.figure("totalMemory", r.memory_bytes), v.figure("l2CacheSize", r.l2_bytes);
    v.figure("memoryBandwidth", r.memory_bytes_per_s), v.figure("clockRate", r.clock_hz);
  } else if constexpr (std::is_same_v<T, GpuContext>) {
    v.figure("contextId", r.context), v.figure("deviceId", r.device), v.figure("nullStreamId", r.null_stream);
    v.flag("isGreenContext", r.green);
    v.figure("numMultiprocessors", r.multiprocessors);
  } else {
    static_assert(std::is_same_v<T, GpuStream>);
    v.figure("streamId", r.stream), v.figure("contextId", r.context);
    v.integer("priority", r.priority), v.number("flag", r.flag);
  }
}

/// Table of a record type, and what its column with the activity's name is called there.
template <class Record>
struct GpuTable;
template <>
struct GpuTable<KernelRecord> {
  static constexpr Tide table = Tide::kernels;
  static constexpr const char* name_column = "demangledName";
};
template <>
struct GpuTable<CopyRecord> {
  static constexpr Tide table = Tide::copies;
  static constexpr const char* name_column = "tideNameId";
};
template <>
struct GpuTable<MemsetRecord> {
  static constexpr Tide table = Tide::memsets;
  static constexpr const char* name_column = "tideNameId";
};
template <>
struct GpuTable<ApiCallRecord> {
  static constexpr Tide table = Tide::api_calls;
  static constexpr const char* name_column = "nameId";
};
template <>
struct GpuTable<SynchronizationRecord> {
  static constexpr Tide table = Tide::synchronizations;
  static constexpr const char* name_column = "tideNameId";
};
template <>
struct GpuTable<OverheadRecord> {
  static constexpr Tide table = Tide::overheads;
  static constexpr const char* name_column = "nameId";
};
template <>
struct GpuTable<GpuDevice> {
  static constexpr Tide table = Tide::gpus;
};
template <>
struct GpuTable<GpuContext> {
  static constexpr Tide table = Tide::gpu_contexts;
};
template <>
struct GpuTable<GpuStream> {
  static constexpr Tide table = Tide::gpu_streams;
};

/// Calls f(Record{}) with the record type of a GPU table.
template <class F>
auto with_record_of(Tide table, F&& f) {
  switch (table) {
    case Tide::kernels: return f(KernelRecord{});
    case Tide::copies: return f(CopyRecord{});
    case Tide::memsets: return f(MemsetRecord{});
    case Tide::api_calls: return f(ApiCallRecord{});
    case Tide::synchronizations: return f(SynchronizationRecord{});
    case Tide::overheads: return f(OverheadRecord{});
    case Tide::gpus: return f(GpuDevice{});
    case Tide::gpu_contexts: return f(GpuContext{});
    default: CHECK(table == Tide::gpu_streams); return f(GpuStream{});
  }
}

}  // namespace profiler
