// SPDX-License-Identifier: Apache-2.0
// CUPTI 13.0 as profiler/cupti speaks of it, where its tracer and decoder are compiled for the emulated GPU: names,
// numbers and layouts are those of NVIDIA's headers. Fields that nobody here reads are `unread`. What counts (range
// profiler, PM sampling) is declared by name only.
#pragma once

#include <cstddef>
#include <cstdint>

#define CUPTIAPI
#define CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN 128

using CUcontext = struct CUctx_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUgraphExec = struct CUgraphExec_st*;
struct CUuuid {
  char bytes[16];
};

enum CUptiResult {
  CUPTI_SUCCESS = 0,
  CUPTI_ERROR_INVALID_PARAMETER = 1,
  CUPTI_ERROR_MAX_LIMIT_REACHED = 12,
  CUPTI_ERROR_QUEUE_EMPTY = 18,
  CUPTI_ERROR_INVALID_KIND = 21,
  CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
  CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
};

enum CUpti_ActivityKind {
  CUPTI_ACTIVITY_KIND_INVALID = 0,
  CUPTI_ACTIVITY_KIND_MEMCPY = 1,
  CUPTI_ACTIVITY_KIND_MEMSET = 2,
  CUPTI_ACTIVITY_KIND_DRIVER = 4,
  CUPTI_ACTIVITY_KIND_RUNTIME = 5,
  CUPTI_ACTIVITY_KIND_DEVICE = 8,
  CUPTI_ACTIVITY_KIND_CONTEXT = 9,
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_ACTIVITY_KIND_OVERHEAD = 17,
  CUPTI_ACTIVITY_KIND_MEMCPY2 = 22,
  CUPTI_ACTIVITY_KIND_STREAM = 37,
  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION = 38,
  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39,
  CUPTI_ACTIVITY_KIND_JIT = 52,
};
enum CUpti_ActivityOverheadKind {
  CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER = 1,
  CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH = 1 << 16,
  CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION = 2 << 16,
  CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE = 3 << 16,
  CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING = 4 << 16,
  CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING = 5 << 16,
  CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL = 6 << 16,
  CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST = 7 << 16,
  CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT = 8 << 16,
};
enum CUpti_ExternalCorrelationKind {
  CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 = 3,
  CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1 = 4
};
enum CUpti_ActivityAttribute {
  CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER = 9,
  CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER = 5,
  CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE = 6,
};
enum CUpti_ActivityThreadIdType { CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT = 0, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM = 1 };
enum CUpti_ActivityJitOperationType { CUPTI_ACTIVITY_JIT_OPERATION_COMPILE = 3 };
enum CUpti_ActivitySynchronizationType {
  CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN = 0,
  CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE = 1,
  CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT = 2,
  CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE = 3,
  CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE = 4,
};
enum : unsigned {
  CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC = 1,
  CUPTI_ACTIVITY_FLAG_FLUSH_FORCED = 1,
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOD = 1,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOH = 2,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOD = 8,
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOH = 9,
  CUPTI_ACTIVITY_MEMCPY_KIND_PTOP = 10,
  CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE = 1,
  CUPTI_ACTIVITY_MEMORY_KIND_PINNED = 2,
  CUPTI_ACTIVITY_MEMORY_KIND_DEVICE = 3,
};

// ---- records
// ---------------------------------------------------------------------------------------------------------------------

struct __attribute__((packed, aligned(8))) CUpti_Activity {
  CUpti_ActivityKind kind;
};
struct __attribute__((packed, aligned(8))) CUpti_ActivityKernel10 {
  CUpti_ActivityKind kind;
  uint8_t unread_caches[2];
  uint16_t registersPerThread;
  uint32_t unread_global_caches[2];
  uint64_t start, end, unread_completed;
  uint32_t deviceId, contextId, streamId;
  int32_t gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory;
  uint32_t unread_local[2], correlationId;
  int64_t unread_grid;
  const char* name;
  void* unread_reserved;
  uint64_t unread_queued[2];
  uint8_t unread_launch[4];
  uint32_t unread_shared;
  uint64_t graphNodeId;
  uint32_t unread_limit, graphId;
  void* unread_window;
  uint32_t unread_channel[2], clusterX, clusterY, clusterZ, unread_cluster;
  uint64_t localMemoryTotal_v2;
  uint32_t unread_clusters[2];
  uint8_t unread_end[8];
};
struct __attribute__((packed, aligned(8))) CUpti_ActivityMemcpy6 {
  CUpti_ActivityKind kind;
  uint8_t copyKind, srcKind, dstKind, flags;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId, runtimeCorrelationId, unread_pad;
  void* unread_reserved;
  uint64_t graphNodeId;
  uint32_t graphId, unread_channel[2];
  uint8_t unread_end[4];
  uint64_t copyCount;
};
struct __attribute__((packed, aligned(8))) CUpti_ActivityMemcpyPtoP4 {
  CUpti_ActivityKind kind;
  uint8_t copyKind, srcKind, dstKind, flags;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, srcDeviceId, srcContextId, dstDeviceId, dstContextId, correlationId;
  void* unread_reserved;
  uint64_t graphNodeId;
  uint32_t graphId, unread_channel[2];
};
struct __attribute__((packed, aligned(8))) CUpti_ActivityMemset4 {
  CUpti_ActivityKind kind;
  uint32_t value;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId;
  uint16_t flags, memoryKind;
  uint32_t unread_pad;
  void* unread_reserved;
  uint64_t graphNodeId;
  uint32_t graphId, unread_channel[2];
  uint8_t unread_end[4];
};
using CUpti_CallbackId = uint32_t;
struct __attribute__((packed, aligned(8))) CUpti_ActivityAPI {
  CUpti_ActivityKind kind;
  CUpti_CallbackId cbid;
  uint64_t start, end;
  uint32_t processId, threadId, correlationId, returnValue;
};
struct __attribute__((packed, aligned(8))) CUpti_ActivityExternalCorrelation {
  CUpti_ActivityKind kind;
  CUpti_ExternalCorrelationKind externalKind;
  uint64_t externalId;
  uint32_t correlationId, unread_reserved;
};
struct __attribute__((packed, aligned(8))) CUpti_ActivitySynchronization2 {
  CUpti_ActivityKind kind;
  CUpti_ActivitySynchronizationType type;
  uint64_t start, end;
  uint32_t correlationId, contextId, streamId, cudaEventId;
  uint64_t unread_sync;
  uint32_t returnValue, unread_pad;
};
struct __attribute__((packed, aligned(8))) CUpti_ActivityOverhead3 {
  CUpti_ActivityKind kind;
  CUpti_ActivityOverheadKind overheadKind;
  uint32_t unread_object[4];
  uint64_t start, end;
  uint32_t correlationId, unread_reserved;
  void* overheadData;
};
struct __attribute__((packed, aligned(8))) CUpti_ActivityDevice5 {
  CUpti_ActivityKind kind;
  uint32_t unread_flags;
  uint64_t globalMemoryBandwidth, globalMemorySize;
  uint32_t unread_constant, l2CacheSize, unread_warp, coreClockRate, numMemcpyEngines, numMultiprocessors,
      unread_limits[14], computeCapabilityMajor, computeCapabilityMinor, id, unread_ecc;
  CUuuid uuid;
  const char* name;
  uint8_t unread_visible[8];
  uint32_t unread_instance[2];
  CUuuid unread_mig;
  uint32_t unread_numa[2];
};
struct __attribute__((packed, aligned(8))) CUpti_ActivityContext3 {
  CUpti_ActivityKind kind;
  uint32_t contextId, deviceId;
  uint16_t computeApiKind, nullStreamId;
  uint32_t unread_parent;
  uint8_t isGreenContext, unread_padding;
  uint16_t numMultiprocessors;
  uint32_t unread_end[2];
};
struct __attribute__((packed, aligned(8))) CUpti_ActivityStream {
  CUpti_ActivityKind kind;
  uint32_t contextId, streamId, priority, flag, correlationId;
};
struct __attribute__((packed, aligned(8))) CUpti_ActivityJit2 {
  CUpti_ActivityKind kind;
  uint32_t unread_entry;
  CUpti_ActivityJitOperationType jitOperationType;
  uint32_t deviceId;
  uint64_t start, end;
  uint32_t correlationId, unread_padding;
  uint64_t unread_cache[2];
  const char* unread_path;
  uint32_t processId, threadId;
};

// ---- callbacks
// -------------------------------------------------------------------------------------------------------------------

enum CUpti_CallbackDomain {
  CUPTI_CB_DOMAIN_DRIVER_API = 1,
  CUPTI_CB_DOMAIN_RUNTIME_API = 2,
  CUPTI_CB_DOMAIN_RESOURCE = 3,
  CUPTI_CB_DOMAIN_STATE = 6
};
enum : unsigned {
  CUPTI_CBID_STATE_FATAL_ERROR = 1,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED = 13,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED = 20
};
using CUpti_CallbackFunc = void (*)(void* data, CUpti_CallbackDomain, CUpti_CallbackId, const void* about);
using CUpti_SubscriberHandle = struct CUpti_Subscriber_st*;
using CUpti_BuffersCallbackRequestFunc = void (*)(uint8_t** buffer, size_t* bytes, size_t* most_records);
using CUpti_BuffersCallbackCompleteFunc = void (*)(CUcontext, uint32_t stream, uint8_t* buffer, size_t bytes,
                                                   size_t valid_bytes);

struct CUpti_ResourceData {
  CUcontext context;
  void* resourceHandle;
  void* resourceDescriptor;
};
struct CUpti_GraphData {
  CUgraph graph, originalGraph;
  CUgraphNode node, originalNode;
  int nodeType;
  CUgraphNode dependency;
  CUgraphExec graphExec;
};
struct CUpti_StateData {
  struct {
    CUptiResult result;
    const char* message;
  } notification;
};
struct CUpti_SubscriberParams {
  size_t structSize;
  const char* subscriberName;
  char* oldSubscriberName;
  size_t oldSubscriberSize;
};
#define CUpti_SubscriberParams_STRUCT_SIZE sizeof(CUpti_SubscriberParams)

// ---- functions
// -------------------------------------------------------------------------------------------------------------------

extern "C" {
CUptiResult cuptiGetVersion(uint32_t*);
CUptiResult cuptiGetResultString(CUptiResult, const char**);
CUptiResult cuptiGetErrorMessage(CUptiResult, const char**);
CUptiResult cuptiGetTimestamp(uint64_t*);
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain, uint32_t, const char**);
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*, CUpti_SubscriberParams*);
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle);
CUptiResult cuptiEnableCallback(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId);
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType);
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute, size_t*, void*);
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc);
CUptiResult cuptiActivityEnable(CUpti_ActivityKind);
CUptiResult cuptiActivityDisable(CUpti_ActivityKind);
CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind);
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId, uint8_t);
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId, uint8_t);
CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t);
CUptiResult cuptiActivityFlushAll(uint32_t);
CUptiResult cuptiActivityGetNextRecord(uint8_t*, size_t, CUpti_Activity**);
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t*);
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind, uint64_t);
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind, uint64_t*);
CUptiResult cuptiGetGraphNodeId(CUgraphNode, uint64_t*);
CUptiResult cuptiProfilerInitialize(void*);
CUptiResult cuptiProfilerDeviceSupported(void*);
CUptiResult cuptiDeviceGetChipName(void*);
CUptiResult cuptiProfilerGetCounterAvailability(void*);
CUptiResult cuptiProfilerHostInitialize(void*);
CUptiResult cuptiProfilerHostDeinitialize(void*);
CUptiResult cuptiProfilerHostGetSupportedChips(void*);
CUptiResult cuptiProfilerHostConfigAddMetrics(void*);
CUptiResult cuptiProfilerHostGetConfigImageSize(void*);
CUptiResult cuptiProfilerHostGetConfigImage(void*);
CUptiResult cuptiProfilerHostGetNumOfPasses(void*);
CUptiResult cuptiProfilerHostEvaluateToGpuValues(void*);
CUptiResult cuptiRangeProfilerEnable(void*);
CUptiResult cuptiRangeProfilerDisable(void*);
CUptiResult cuptiRangeProfilerGetCounterDataSize(void*);
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(void*);
CUptiResult cuptiRangeProfilerSetConfig(void*);
CUptiResult cuptiRangeProfilerStart(void*);
CUptiResult cuptiRangeProfilerStop(void*);
CUptiResult cuptiRangeProfilerPushRange(void*);
CUptiResult cuptiRangeProfilerPopRange(void*);
CUptiResult cuptiRangeProfilerDecodeData(void*);
CUptiResult cuptiRangeProfilerGetCounterDataInfo(void*);
CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(void*);
CUptiResult cuptiPmSamplingGetCounterAvailability(void*);
CUptiResult cuptiPmSamplingEnable(void*);
CUptiResult cuptiPmSamplingDisable(void*);
CUptiResult cuptiPmSamplingSetConfig(void*);
CUptiResult cuptiPmSamplingGetCounterDataSize(void*);
CUptiResult cuptiPmSamplingCounterDataImageInitialize(void*);
CUptiResult cuptiPmSamplingStart(void*);
CUptiResult cuptiPmSamplingStop(void*);
CUptiResult cuptiPmSamplingDecodeData(void*);
CUptiResult cuptiPmSamplingGetCounterDataInfo(void*);
CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(void*);
}
