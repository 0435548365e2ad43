// SPDX-License-Identifier: Apache-2.0
// What the emulated GPU tells, written as CUPTI writes it.
#include "profiler/cupti_emulated/emulated_cupti.h"

#include <unistd.h>

#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/simt/device.h"
#include "profiler/cupti/record_sizes.h"
#include "profiler/cupti/tracer.h"

namespace profiler::cupti_emulated {
namespace {

using namespace engine::simt;  // NOLINT: what is told of

constexpr uint32_t kDevice = 0, kContext = 1, kNullStream = 7, kFirstCall = 1000;
constexpr unsigned kGraphCallbacks[] = {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED};

uint32_t id(int number) { return static_cast<uint32_t>(number); }

/// CUPTI stamps with the time of day.
int64_t ahead_of_steady() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(system_clock::now().time_since_epoch()).count() -
         engine::now_ns();
}

/// One per process, as CUPTI is.
class EmulatedCupti final : public Watcher {
 public:
  static EmulatedCupti& the() {
    static EmulatedCupti cupti;
    return cupti;
  }

  // ---- what the device tells
  void begun(uint32_t correlation) override {
    const std::lock_guard lock(mutex_);
    for (const auto& [kind, ids] : stacks_[gettid()]) {
      if (ids.empty()) continue;
      write<CUpti_ActivityExternalCorrelation>({.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                                .externalKind = kind,
                                                .externalId = ids.back(),
                                                .correlationId = correlation,
                                                .unread_reserved = 0});
    }
  }
  void done(const CallDone& call) override {
    const std::lock_guard lock(mutex_);
    write<CUpti_ActivityAPI>({.kind = CUPTI_ACTIVITY_KIND_RUNTIME,
                              .cbid = number_of(call.name),
                              .start = time(call.start_ns),
                              .end = time(call.end_ns),
                              .processId = id(getpid()),
                              .threadId = id(gettid()),
                              .correlationId = call.correlation,
                              .returnValue = id(call.result)});
  }
  void done(const KernelDone& kernel) override {
    const std::lock_guard lock(mutex_);
    CUpti_ActivityKernel10 r = work<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, kernel.work);
    r.name = names_.insert(std::string(kernel.name)).first->c_str();
    r.gridX = static_cast<int32_t>(kernel.blocks), r.blockX = static_cast<int32_t>(kernel.threads);
    r.gridY = r.gridZ = r.blockY = r.blockZ = 1;
    r.localMemoryTotal_v2 = UINT64_MAX;
    r.staticSharedMemory = r.dynamicSharedMemory = -1;  // unknown: the host's compiler lays it out
    write(r);
  }
  void done(const CopyDone& copy) override {
    const std::lock_guard lock(mutex_);
    CUpti_ActivityMemcpy6 r = work<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY, copy.work);
    const uint8_t host = copy.pinned ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED : CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
    constexpr uint8_t kThere = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    constexpr uint8_t kKinds[] = {CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH,
                                  CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, CUPTI_ACTIVITY_MEMCPY_KIND_HTOH};
    r.copyKind = kKinds[static_cast<size_t>(copy.way)];
    r.srcKind = copy.way == Way::host_to_device ? host : kThere;
    r.dstKind = copy.way == Way::device_to_host ? host : kThere;
    r.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
    r.bytes = copy.bytes;
    r.copyCount = 1;
    write(r);
  }
  void done(const MemsetDone& set) override {
    const std::lock_guard lock(mutex_);
    CUpti_ActivityMemset4 r = work<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET, set.work);
    r.bytes = set.bytes;
    r.value = static_cast<uint32_t>(set.value);
    r.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    write(r);
  }
  void done(const WaitDone& wait) override {
    constexpr CUpti_ActivitySynchronizationType kTypes[] = {CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE,
                                                            CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT,
                                                            CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE,
                                                            CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE};
    const std::lock_guard lock(mutex_);
    write<CUpti_ActivitySynchronization2>({.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                           .type = kTypes[static_cast<size_t>(wait.kind)],
                                           .start = time(wait.start_ns),
                                           .end = time(wait.end_ns),
                                           .correlationId = wait.correlation,
                                           .contextId = kContext,
                                           .streamId = id(wait.stream),
                                           .cudaEventId = id(wait.event),
                                           .unread_sync = 0,
                                           .returnValue = 0,
                                           .unread_pad = 0});
  }
  void made_stream(int stream) override {
    const std::lock_guard lock(mutex_);
    write<CUpti_ActivityStream>({.kind = CUPTI_ACTIVITY_KIND_STREAM,
                                 .contextId = kContext,
                                 .streamId = id(stream),
                                 .priority = 0,
                                 .flag = 2,
                                 .correlationId = 0});
  }
  void made_node(uint64_t node, uint64_t original) override {
    CUpti_GraphData graph{};
    graph.node = reinterpret_cast<CUgraphNode>(node);
    graph.originalNode = reinterpret_cast<CUgraphNode>(original);
    CUpti_ResourceData data{};
    data.resourceDescriptor = &graph;
    if (subscriber_ != nullptr)
      subscriber_(subscriber_data_, CUPTI_CB_DOMAIN_RESOURCE, kGraphCallbacks[original == 0 ? 0 : 1], &data);
  }

  // ---- what profiler/cupti calls
  CUptiResult subscribe(CUpti_CallbackFunc callback, void* data) {
    if (subscriber_ != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    subscriber_ = callback;
    subscriber_data_ = data;
    offset_ns_ = ahead_of_steady();
    Device::the().watch(this);
    return CUPTI_SUCCESS;
  }
  CUptiResult unsubscribe() {
    Device::the().watch(nullptr);
    subscriber_ = nullptr;
    return CUPTI_SUCCESS;
  }
  void take_buffers(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete) {
    const std::lock_guard lock(mutex_);
    request_ = request;
    complete_ = complete;
  }
  void enable(CUpti_ActivityKind kind, bool dump) {
    const std::lock_guard lock(mutex_);
    enabled_.insert(kind);
    if (!dump) return;
    if (kind == CUPTI_ACTIVITY_KIND_DEVICE) write(device());
    if (kind == CUPTI_ACTIVITY_KIND_CONTEXT) {
      CUpti_ActivityContext3 r{};
      r.kind = kind;
      r.contextId = kContext;
      r.deviceId = kDevice;
      r.nullStreamId = kNullStream;
      write(r);
    }
  }
  void disable(CUpti_ActivityKind kind) {
    const std::lock_guard lock(mutex_);
    enabled_.erase(kind);
  }
  void flush() {
    const std::lock_guard lock(mutex_);
    give_back();
  }
  size_t take_dropped() {
    const std::lock_guard lock(mutex_);
    return std::exchange(dropped_, 0);
  }
  void push(CUpti_ExternalCorrelationKind kind, uint64_t external) {
    const std::lock_guard lock(mutex_);
    stacks_[gettid()][kind].push_back(external);
  }
  CUptiResult pop(CUpti_ExternalCorrelationKind kind, uint64_t* external) {
    const std::lock_guard lock(mutex_);
    std::vector<uint64_t>& ids = stacks_[gettid()][kind];
    if (ids.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
    *external = ids.back();
    ids.pop_back();
    return CUPTI_SUCCESS;
  }
  CUptiResult name_of(uint32_t call, const char** name) {
    const std::lock_guard lock(mutex_);
    if (call < kFirstCall || call - kFirstCall >= calls_.size()) return CUPTI_ERROR_INVALID_PARAMETER;
    *name = calls_[call - kFirstCall]->c_str();
    return CUPTI_SUCCESS;
  }
  uint64_t now() const { return time(engine::now_ns()); }

 private:
  uint64_t time(int64_t steady_ns) const { return static_cast<uint64_t>(steady_ns + offset_ns_); }
  template <class Record>
  Record work(CUpti_ActivityKind kind, const WorkDone& work) const {
    Record r{};
    r.kind = kind;
    r.start = time(work.start_ns);
    r.end = time(work.end_ns);
    r.deviceId = kDevice;
    r.contextId = kContext;
    r.streamId = id(work.stream);
    r.correlationId = work.correlation;
    r.graphId = work.graph;
    r.graphNodeId = work.node;
    return r;
  }
  /// Without clock and bandwidth: nothing of this device can be a roof.
  static CUpti_ActivityDevice5 device() {
    static const std::string name = describe().model;
    CUpti_ActivityDevice5 r{};
    r.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    r.id = kDevice;
    r.name = name.c_str();
    r.globalMemorySize = static_cast<uint64_t>(Device::kMemoryBytes);
    r.numMultiprocessors = Device::kMultiprocessors;
    r.globalMemoryBandwidth = UINT64_MAX;  // unknown
    r.computeCapabilityMajor = r.computeCapabilityMinor = r.numMemcpyEngines = UINT32_MAX;
    return r;
  }
  uint32_t number_of(std::string_view call) {
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (*calls_[i] == call) return kFirstCall + static_cast<uint32_t>(i);
    }
    calls_.push_back(std::make_unique<std::string>(call));
    return kFirstCall + static_cast<uint32_t>(calls_.size() - 1);
  }
  void give_back() {
    if (buffer_ != nullptr) complete_(nullptr, 0, buffer_, buffer_bytes_, used_);
    buffer_ = nullptr;
    used_ = buffer_bytes_ = 0;
  }
  template <class Record>
  void write(const Record& record) {
    if (!enabled_.contains(record.kind) || request_ == nullptr) return;
    if (used_ + sizeof record > buffer_bytes_) {
      give_back();
      size_t most = 0;
      request_(&buffer_, &buffer_bytes_, &most);
      if (buffer_ == nullptr) buffer_bytes_ = 0;
    }
    if (used_ + sizeof record > buffer_bytes_) {
      ++dropped_;
      return;
    }
    std::memcpy(buffer_ + used_, &record, sizeof record);
    used_ += sizeof record;
  }

  std::mutex mutex_;
  std::set<CUpti_ActivityKind> enabled_;
  std::map<pid_t, std::map<CUpti_ExternalCorrelationKind, std::vector<uint64_t>>> stacks_;
  std::set<std::string, std::less<>> names_;         // of kernels: records point into it
  std::vector<std::unique_ptr<std::string>> calls_;  // by number
  CUpti_BuffersCallbackRequestFunc request_ = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete_ = nullptr;
  uint8_t* buffer_ = nullptr;
  size_t buffer_bytes_ = 0, used_ = 0, dropped_ = 0;
  CUpti_CallbackFunc subscriber_ = nullptr;
  void* subscriber_data_ = nullptr;
  int64_t offset_ns_ = 0;
};

EmulatedCupti& here() { return EmulatedCupti::the(); }

/// As CUPTI does it: records follow each other without gaps, and each knows its size by its kind.
CUptiResult next_record(uint8_t* buffer, size_t bytes, CUpti_Activity** record) {
  uint8_t* next = buffer;
  const auto size_of = [](const uint8_t* at) {
    CUpti_ActivityKind kind{};
    std::memcpy(&kind, at, sizeof kind);
    for (const cupti::RecordSize& known : cupti::kRecordSizes) {
      if (known.kind == kind) return known.bytes;
    }
    return size_t{0};
  };
  if (*record != nullptr) next = reinterpret_cast<uint8_t*>(*record) + size_of(reinterpret_cast<uint8_t*>(*record));
  const auto left = static_cast<size_t>(buffer + bytes - next);
  if (left == 0) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  if (left < sizeof(CUpti_Activity) || size_of(next) == 0 || size_of(next) > left) return CUPTI_ERROR_INVALID_KIND;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

}  // namespace

cupti::CuptiApi api() {
  cupti::CuptiApi api;
  api.get_result_string = [](CUptiResult result, const char** text) {
    *text = result == CUPTI_SUCCESS ? "CUPTI_SUCCESS" : "refused by the emulated GPU";
    return CUPTI_SUCCESS;
  };
  api.get_timestamp = [](uint64_t* now) {
    *now = here().now();
    return CUPTI_SUCCESS;
  };
  api.get_callback_name = [](CUpti_CallbackDomain, uint32_t call, const char** name) {
    return here().name_of(call, name);
  };
  api.subscribe_v2 = [](CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* data,
                        CUpti_SubscriberParams* params) {
    *handle = reinterpret_cast<CUpti_SubscriberHandle>(&here());
    if (params->oldSubscriberSize > 0) params->oldSubscriberName[0] = '\0';
    return here().subscribe(callback, data);
  };
  api.unsubscribe = [](CUpti_SubscriberHandle) { return here().unsubscribe(); };
  api.enable_callback = [](uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId) {
    return CUPTI_SUCCESS;
  };
  api.set_thread_id_type = [](CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; };
  api.activity_set_attribute = [](CUpti_ActivityAttribute, size_t*, void*) { return CUPTI_SUCCESS; };
  api.activity_register_callbacks = [](CUpti_BuffersCallbackRequestFunc request,
                                       CUpti_BuffersCallbackCompleteFunc complete) {
    here().take_buffers(request, complete);
    return CUPTI_SUCCESS;
  };
  api.activity_enable = [](CUpti_ActivityKind kind) {
    here().enable(kind, false);
    return CUPTI_SUCCESS;
  };
  api.activity_enable_and_dump = [](CUpti_ActivityKind kind) {
    here().enable(kind, true);
    return CUPTI_SUCCESS;
  };
  api.activity_disable = [](CUpti_ActivityKind kind) {
    here().disable(kind);
    return CUPTI_SUCCESS;
  };
  api.activity_enable_runtime_api = [](CUpti_CallbackId, uint8_t) { return CUPTI_SUCCESS; };
  api.activity_enable_driver_api = [](CUpti_CallbackId, uint8_t) { return CUPTI_SUCCESS; };
  api.activity_enable_all_sync_records = [](uint8_t) { return CUPTI_SUCCESS; };
  api.activity_flush_all = [](uint32_t) {
    here().flush();
    return CUPTI_SUCCESS;
  };
  api.activity_get_next_record = next_record;
  api.activity_get_num_dropped_records = [](CUcontext, uint32_t, size_t* dropped) {
    *dropped = here().take_dropped();
    return CUPTI_SUCCESS;
  };
  api.activity_push_external_correlation_id = [](CUpti_ExternalCorrelationKind kind, uint64_t external) {
    here().push(kind, external);
    return CUPTI_SUCCESS;
  };
  api.activity_pop_external_correlation_id = [](CUpti_ExternalCorrelationKind kind, uint64_t* external) {
    return here().pop(kind, external);
  };
  api.get_graph_node_id = [](CUgraphNode node, uint64_t* number) {
    *number = reinterpret_cast<uint64_t>(node);
    return CUPTI_SUCCESS;
  };
  return api;
}

const GpuModule& gpu_module() {
  using engine::Result;
  static const GpuModule module{
      .examine =
          [](bool) {
            return std::vector<ChainLink>{
                {.name = "CUPTI",
                 .works = true,
                 .found = "the emulated GPU's own: kernels, copies, waits and graphs, with times of the emulation",
                 .remedy = ""},
                {.name = "counters",
                 .works = false,
                 .found = "the emulated GPU counts nothing",
                 .remedy = "use a GPU: --device cuda",
                 .for_counters_only = true}};
          },
      .start_trace = []() -> Result<std::unique_ptr<GpuTracer>> {
        auto tracer = cupti::CuptiTracer::start(api(), {});
        if (!tracer) return tracer.error();
        return std::unique_ptr<GpuTracer>(*std::move(tracer));
      },
      .start_counters = [](int, CounterSet, size_t) -> Result<std::unique_ptr<GpuCounters>> {
        return engine::refused_error("[counters] the emulated GPU counts nothing: use --device cuda");
      },
      .start_samples = [](int) -> Result<std::unique_ptr<GpuSampler>> {
        return engine::refused_error("[counters] the emulated GPU has no samples over time: use --device cuda");
      }};
  return module;
}

}  // namespace profiler::cupti_emulated
