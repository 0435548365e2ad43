// SPDX-License-Identifier: Apache-2.0
// Start, read-outs and end of a trace.
#include "profiler/cupti/tracer.h"

#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "profiler/gpu/clock_map.h"

namespace profiler::cupti {

using engine::refused_error;
using engine::Result;

namespace {

/// CUPTI's buffer callbacks carry no pointer of ours: this is the one place that knows whose buffers they are.
std::atomic<BufferPool*>& active_pool() {
  static std::atomic<BufferPool*> pool{nullptr};
  return pool;
}

void CUPTIAPI request_buffer(uint8_t** buffer, size_t* size, size_t* most_records) {
  BufferPool* pool = active_pool().load(std::memory_order_acquire);
  *buffer = pool == nullptr ? nullptr : pool->request();
  *size = *buffer == nullptr ? 0 : pool->buffer_bytes();
  *most_records = 0;  // as many as fit
}

void CUPTIAPI complete_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_size) {
  if (BufferPool* pool = active_pool().load(std::memory_order_acquire)) pool->complete(buffer, valid_size);
}

constexpr CUpti_ExternalCorrelationKind kExternal[] = {CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                                                       CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1};

struct KindToEnable {
  CUpti_ActivityKind kind;
  const char* name;
  bool needed;  ///< without it there is no trace
};
// CONCURRENT_KERNEL, never KERNEL, which runs kernels one after the other. DEVICE, CONTEXT and STREAM are dumped as
// well.
constexpr KindToEnable kKinds[] = {
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels", true},
    {CUPTI_ACTIVITY_KIND_MEMCPY, "copies", true},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, "copies between devices", false},
    {CUPTI_ACTIVITY_KIND_MEMSET, "memsets", false},
    {CUPTI_ACTIVITY_KIND_RUNTIME, "runtime calls", true},
    {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, "ops of kernels", true},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "waits", false},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, "overheads", false},
    {CUPTI_ACTIVITY_KIND_JIT, "translation of kernels", false},
};
constexpr KindToEnable kDumped[] = {{CUPTI_ACTIVITY_KIND_DEVICE, "devices", false},
                                    {CUPTI_ACTIVITY_KIND_CONTEXT, "contexts", false},
                                    {CUPTI_ACTIVITY_KIND_STREAM, "streams", false}};
/// Calls that do nothing and come by the thousand.
constexpr CUpti_CallbackId kMuted[] = {
    CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020, CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020};
/// Libraries (cuBLASLt, cuDNN) launch through the driver; without these their kernels have no call. _ptsz: built for a
/// default stream per thread.
constexpr CUpti_CallbackId kDriverCalls[] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};

}  // namespace

CuptiTracer::CuptiTracer(const CuptiApi& api, const TracerOptions& options)
    : api_(api),
      options_(options),
      pool_(options.buffers),
      decoder_(
          {.next_record = api.activity_get_next_record, .callback_name = api.get_callback_name, .release = std::free}) {
}

Result<void> CuptiTracer::subscribe() {
  char other[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = {};
  CUpti_SubscriberParams params{.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
                                .subscriberName = "tensortide",
                                .oldSubscriberName = other,
                                .oldSubscriberSize = sizeof other};
  const auto handler = reinterpret_cast<CUpti_CallbackFunc>(&CuptiTracer::callback);
  const CUptiResult result = api_.subscribe_v2(&subscriber_, handler, this, &params);
  if (result == CUPTI_SUCCESS) return {};
  subscriber_ = nullptr;
  other[sizeof other - 1] = '\0';
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    return refused_error(
        fmt::format("another profiler ({}) is attached to this process: run without it to trace the GPU",
                    *other == '\0' ? "nsys, ncu, cuda-gdb or the like" : other));
  }
  return refused_error(
      fmt::format("CUPTI refuses to attach: {}; without a working driver it cannot", result_text(api_, result)));
}

Result<void> CuptiTracer::switch_on() {
  static_cast<void>(api_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM));
  uint8_t yes = 1;
  size_t size = sizeof yes, device_buffers = 6, device_size = sizeof device_buffers;
  // each is an improvement only: CUPTI's default is slower, not wrong
  static_cast<void>(api_.activity_set_attribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &size, &yes));
  static_cast<void>(api_.activity_set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &yes));
  static_cast<void>(
      api_.activity_set_attribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE, &device_size, &device_buffers));
  if (const CUptiResult result = api_.activity_register_callbacks(request_buffer, complete_buffer);
      result != CUPTI_SUCCESS) {
    return refused_error(fmt::format("CUPTI takes no buffers: {}", result_text(api_, result)));
  }
  const auto enable = [this](const KindToEnable& kind, auto function) -> Result<void> {
    const CUptiResult result = function(kind.kind);
    if (result == CUPTI_SUCCESS) {
      enabled_.push_back(kind.kind);
    } else if (kind.needed) {
      return refused_error(fmt::format("CUPTI does not record {}: {}", kind.name, result_text(api_, result)));
    } else {
      notes_.push_back(fmt::format("CUPTI does not record {}: {}.", kind.name, result_text(api_, result)));
    }
    return {};
  };
  for (const KindToEnable& kind : kDumped) {
    if (Result<void> done = enable(kind, api_.activity_enable_and_dump); !done) return done;
  }
  for (const KindToEnable& kind : kKinds) {
    if (Result<void> done = enable(kind, api_.activity_enable); !done) return done;
  }
  for (const CUpti_CallbackId call : kMuted) static_cast<void>(api_.activity_enable_runtime_api(call, 0));
  for (const CUpti_CallbackId call : kDriverCalls) static_cast<void>(api_.activity_enable_driver_api(call, 1));
  static_cast<void>(api_.activity_enable_all_sync_records(0));
  for (const auto& [domain, call] :
       {std::pair{CUPTI_CB_DOMAIN_STATE, CUpti_CallbackId{CUPTI_CBID_STATE_FATAL_ERROR}},
        {CUPTI_CB_DOMAIN_RESOURCE, CUpti_CallbackId{CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED}},
        {CUPTI_CB_DOMAIN_RESOURCE, CUpti_CallbackId{CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED}}}) {
    if (api_.enable_callback(1, subscriber_, domain, call) != CUPTI_SUCCESS) {
      notes_.push_back(
          fmt::format("CUPTI does not call back for event {} of domain {}.", call, static_cast<int>(domain)));
    }
  }
  return {};
}

/// In the reverse order, and only what was switched on. CUPTI itself stays: it may not leave a running process.
void CuptiTracer::switch_off() {
  if (!failed()) {
    for (auto kind = enabled_.rbegin(); kind != enabled_.rend(); ++kind)
      static_cast<void>(api_.activity_disable(*kind));
    if (subscriber_ != nullptr) static_cast<void>(api_.unsubscribe(subscriber_));
  }
  enabled_.clear();
  subscriber_ = nullptr;
}

Result<std::unique_ptr<CuptiTracer>> CuptiTracer::start(const CuptiApi& api, const TracerOptions& options) {
  std::unique_ptr<CuptiTracer> tracer(new CuptiTracer(api, options));
  BufferPool* nobody = nullptr;
  CHECK(active_pool().compare_exchange_strong(nobody, &tracer->pool_));
  Result<void> started = tracer->subscribe();
  if (started) started = tracer->switch_on();
  if (!started) {
    tracer->switch_off();
    active_pool().store(nullptr);
    return started.error();
  }
  if (!options.warning.empty()) tracer->notes_.push_back(options.warning + ".");
  GpuEvents first;
  first.clock.push_back(tracer->clock_pair());
  first.notes = std::exchange(tracer->notes_, {});
  tracer->hand_out(std::move(first));
  tracer->thread_ = std::jthread([self = tracer.get()](std::stop_token stop) {
    std::unique_lock lock(self->wake_mutex_);
    while (!stop.stop_requested()) {
      self->wake_.wait_for(lock, stop, std::chrono::nanoseconds(self->options_.read_out_ns), [] { return false; });
      lock.unlock();
      if (!stop.stop_requested()) self->read_out(0);
      lock.lock();
    }
  });
  return tracer;
}

CuptiTracer::~CuptiTracer() {
  if (thread_.joinable()) static_cast<void>(stop());
}

ClockPair CuptiTracer::clock_pair() const {
  return bracket_clock([] { return engine::now_ns(); },
                       [this] {
                         uint64_t now = 0;
                         static_cast<void>(api_.get_timestamp(&now));
                         return static_cast<int64_t>(now);
                       });
}

void CuptiTracer::push(ExternalKind kind, uint64_t id) {
  if (kind == ExternalKind::op) current_op_.store(id, std::memory_order_relaxed);
  if (!failed()) static_cast<void>(api_.activity_push_external_correlation_id(kExternal[static_cast<int>(kind)], id));
}

void CuptiTracer::pop(ExternalKind kind) {
  if (kind == ExternalKind::op) current_op_.store(kNoOp, std::memory_order_relaxed);
  uint64_t last = 0;
  if (!failed()) static_cast<void>(api_.activity_pop_external_correlation_id(kExternal[static_cast<int>(kind)], &last));
}

/// One read-out: everything CUPTI has completed so far, decoded and handed out.
void CuptiTracer::read_out(uint32_t flush_flag) {
  GpuEvents events;
  if (!failed()) {
    events.clock.push_back(clock_pair());
    static_cast<void>(api_.activity_flush_all(flush_flag));
  }
  while (const auto filled = pool_.next_filled()) {
    decoder_.decode({filled->data, filled->valid_bytes}, events);
    pool_.recycle(*filled);
  }
  pool_.top_up();
  size_t dropped = 0;
  if (!failed() && api_.activity_get_num_dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS) {
    events.dropped += static_cast<int64_t>(dropped);
  }
  {
    const std::lock_guard lock(small_mutex_);
    events.graph_nodes = std::exchange(graph_nodes_, {});
    events.failure = std::exchange(failure_, {});
  }
  hand_out(std::move(events));
}

void CuptiTracer::hand_out(GpuEvents&& events) {
  const std::lock_guard lock(ready_mutex_);
  if (waiting_events_ + events.size() > options_.most_waiting_events) {
    GpuEvents rest;  // clocks and losses are kept: they are few
    rest.clock = std::move(events.clock);
    rest.dropped = events.dropped + static_cast<int64_t>(events.size());
    rest.unreadable = events.unreadable;
    rest.failure = std::move(events.failure);
    events = std::move(rest);
  }
  waiting_events_ += events.size();
  ready_.push_back(std::move(events));
}

std::vector<GpuEvents> CuptiTracer::take() {
  const std::lock_guard lock(ready_mutex_);
  waiting_events_ = 0;
  return std::exchange(ready_, {});
}

std::vector<GpuEvents> CuptiTracer::stop() {
  if (!thread_.joinable()) return take();
  thread_.request_stop();
  thread_.join();
  thread_ = {};
  read_out(0);
  if (!failed()) read_out(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  switch_off();
  active_pool().store(nullptr);
  return take();
}

void CuptiTracer::callback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId call, const void* data) {
  auto* tracer = static_cast<CuptiTracer*>(self);
  if (data == nullptr) return;
  if (domain == CUPTI_CB_DOMAIN_STATE && call == CUPTI_CBID_STATE_FATAL_ERROR) {
    tracer->note_failure(*static_cast<const CUpti_StateData*>(data));
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    const void* graph = static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor;
    if (graph != nullptr) tracer->note_graph_node(call, *static_cast<const CUpti_GraphData*>(graph));
  }
}

void CuptiTracer::note_graph_node(CUpti_CallbackId call, const CUpti_GraphData& graph) {
  GraphNodeEvent event;
  if (api_.get_graph_node_id(graph.node, &event.node) != CUPTI_SUCCESS) return;
  if (call == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
    if (api_.get_graph_node_id(graph.originalNode, &event.original) != CUPTI_SUCCESS) return;
  } else {
    event.op = static_cast<OpId>(current_op_.load(std::memory_order_relaxed));
  }
  const std::lock_guard lock(small_mutex_);
  graph_nodes_.push_back(event);
}

/// CUPTI has ended itself: what was collected stays, nothing of it may be called any more.
void CuptiTracer::note_failure(const CUpti_StateData& state) {
  const char* message = state.notification.message;
  std::string words = fmt::format("CUPTI gave up: {}{}{}", result_text(api_, state.notification.result),
                                  message == nullptr ? "" : ": ", message == nullptr ? "" : message);
  failed_.store(true, std::memory_order_release);
  const std::lock_guard lock(small_mutex_);
  failure_ = std::move(words);
}

}  // namespace profiler::cupti
