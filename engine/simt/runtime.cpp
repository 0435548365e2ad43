// SPDX-License-Identifier: Apache-2.0
// CUDA's runtime for engine/cuda, on the emulated GPU: handles to its streams, events and graphs; each call is told to
// who watches.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <atomic>
#include <cstring>

#include "engine/base/clock.h"
#include "engine/simt/device.h"
#include "engine/simt/submit.h"

namespace {

using namespace engine::simt;  // NOLINT: the bodies of C functions

Device& gpu() { return Device::the(); }

/// A call from its begin to its end, seen by who watches. Names are CUPTI's: with the version of CUDA that brought
/// them.
class Call {
 public:
  explicit Call(std::string_view name)
      : name_(name), watcher_(gpu().watcher()), correlation_(gpu().next_correlation()), start_ns_(engine::now_ns()) {
    if (watcher_ != nullptr) watcher_->begun(correlation_);
  }
  ~Call() {
    if (watcher_ != nullptr) watcher_->done(CallDone{name_, correlation_, start_ns_, engine::now_ns(), result_});
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  uint32_t correlation() const { return correlation_; }
  cudaError_t answer(cudaError_t result) { return result_ = result; }
  /// Of a function that is false where the device has failed.
  cudaError_t answer(bool well) { return answer(well ? cudaSuccess : cudaErrorLaunchFailure); }
  /// The same of a wait.
  cudaError_t waited(bool well, WaitKind kind, int stream, int event) {
    if (watcher_ != nullptr) watcher_->done(WaitDone{kind, stream, event, correlation_, start_ns_, engine::now_ns()});
    return answer(well);
  }

 private:
  const std::string_view name_;
  Watcher* const watcher_;
  const uint32_t correlation_;
  const int64_t start_ns_;
  cudaError_t result_ = cudaSuccess;
};

int number(cudaStream_t stream) { return static_cast<int>(reinterpret_cast<intptr_t>(stream)); }
Event& event_of(cudaEvent_t event) { return *reinterpret_cast<Event*>(event); }
Graph* graph_of(cudaGraph_t graph) { return reinterpret_cast<Graph*>(graph); }
Use range(const void* begin, size_t bytes, bool writes) {
  const auto at = reinterpret_cast<uintptr_t>(begin);
  return {at, at + bytes, writes};
}

/// What is launched, with the number that its nodes' records bear.
struct Launchable {
  std::unique_ptr<Graph> graph;
  uint32_t id = 0;
};

const char* words(Way way) {
  switch (way) {
    case Way::host_to_device: return "host to device";
    case Way::device_to_host: return "device to host";
    case Way::device_to_device: return "device to device";
    default: return "host to host";
  }
}

cudaError_t copy(Call& call, void* to, const void* from, size_t bytes, Way way, cudaStream_t stream) {
  if (bytes == 0) return call.answer(cudaSuccess);
  const bool reads_gpu = way == Way::device_to_host || way == Way::device_to_device;
  const bool writes_gpu = way == Way::host_to_device || way == Way::device_to_device;
  std::vector<Use> uses;
  const bool from_locked = gpu().is_page_locked(from), to_locked = gpu().is_page_locked(to);
  if (reads_gpu || from_locked) uses.push_back(range(from, bytes, false));
  if (writes_gpu || to_locked) uses.push_back(range(to, bytes, true));
  const bool pinned = way == Way::device_to_device || (reads_gpu ? to_locked : from_locked);
  const CopyWork work{static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, way, pinned};
  bool well =
      gpu().submit(number(stream), {fmt::format("cudaMemcpyAsync {} of {} bytes", words(way), bytes),
                                    std::make_shared<const Work>(work), std::move(uses), call.correlation(), 0, 0});
  // Pageable memory may be gone or changed when the call has returned: the driver has staged it, or waited, by then.
  if (well && !pinned && !gpu().is_noting(number(stream))) well = gpu().synchronize(number(stream));
  return call.answer(well);
}

}  // namespace

namespace engine::simt {

DeviceInfo describe() {
  DeviceInfo info;
  info.device = {"emu", 0};
  info.model = "emulated GPU";
  info.cores = Device::kMultiprocessors;
  info.features = {fmt::format("sm_{}", __CUDA_ARCH__ / 10), "emulated on this machine's processor",
                   "functional only: its times are not a GPU's"};
  info.memory_bytes = Device::kMemoryBytes;
  info.libraries = {fmt::format("CUDA runtime {}.{}, emulated", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10)};
  return info;
}

cudaError_t submit(cudaStream_t stream, std::string_view kernel, Launch launch, const Addresses& addresses) {
  Call call("cudaLaunchKernel_v7000");
  if (launch.blocks == 0 || launch.threads == 0 || launch.threads > kMostThreads)
    return call.answer(cudaErrorInvalidConfiguration);
  Operation operation{fmt::format("kernel {}", kernel),
                      nullptr,
                      gpu().uses_of(addresses.pointers, addresses.words),
                      call.correlation(),
                      0,
                      0};
  operation.work = std::make_shared<const Work>(KernelWork{std::string(kernel), std::move(launch)});
  return call.answer(gpu().submit(number(stream), std::move(operation)));
}

}  // namespace engine::simt

extern "C" {

const char* cudaGetErrorName(cudaError_t code) {
  switch (code) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    case cudaErrorNotSupported: return "cudaErrorNotSupported";
    case cudaErrorStreamCaptureUnsupported: return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated: return "cudaErrorStreamCaptureInvalidated";
    default: return "an error of the emulated GPU";
  }
}
const char* cudaGetErrorString(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorStreamCaptureUnsupported: return "operation not permitted when stream is capturing";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorLaunchFailure: break;
    default: return "not as the emulated GPU takes it";
  }
  static std::string kept;  // the first fault stays the first
  static std::mutex writing;
  const std::lock_guard lock(writing);
  if (std::string fault = gpu().fault(); kept != fault) kept = std::move(fault);
  return kept.c_str();
}
cudaError_t cudaGetLastError(void) { return cudaSuccess; }

cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  *properties = {};
  std::strcpy(properties->name, "emulated GPU");
  properties->totalGlobalMem = Device::kMemoryBytes;
  properties->sharedMemPerBlock = 48 << 10;
  properties->sharedMemPerBlockOptin = 227 << 10;
  properties->major = __CUDA_ARCH__ / 100;
  properties->multiProcessorCount = Device::kMultiprocessors;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *free = static_cast<size_t>(gpu().free_bytes());
  *total = static_cast<size_t>(Device::kMemoryBytes);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void) {
  Call call("cudaDeviceSynchronize_v3020");
  return call.waited(gpu().synchronize(), WaitKind::device, -1, -1);
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  *pool = nullptr;
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  Call call("cudaStreamCreateWithFlags_v5000");
  const int made = gpu().make_stream();
  *stream = reinterpret_cast<cudaStream_t>(static_cast<intptr_t>(made));
  return call.answer(made == 0 ? cudaErrorMemoryAllocation : cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Call call("cudaStreamDestroy_v5050");
  gpu().destroy_stream(number(stream));
  return call.answer(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  Call call("cudaStreamSynchronize_v3020");
  if (gpu().is_noting(number(stream))) return call.answer(cudaErrorStreamCaptureUnsupported);
  return call.waited(gpu().synchronize(number(stream)), WaitKind::stream, number(stream), -1);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  Call call("cudaStreamWaitEvent_v3020");
  if (gpu().is_noting(number(stream))) return call.answer(cudaErrorStreamCaptureUnsupported);
  return call.waited(gpu().wait(number(stream), event_of(event)), WaitKind::stream_for_event, number(stream),
                     event_of(event).id);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  Call call("cudaEventCreateWithFlags_v3020");
  *event = reinterpret_cast<cudaEvent_t>(new Event(gpu().make_event()));
  return call.answer(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  Call call("cudaEventDestroy_v3020");
  delete &event_of(event);
  return call.answer(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  Call call("cudaEventRecord_v3020");
  if (gpu().is_noting(number(stream))) return call.answer(cudaErrorStreamCaptureUnsupported);
  return call.answer(gpu().record(event_of(event), number(stream)));
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  Call call("cudaEventSynchronize_v3020");
  return call.waited(gpu().synchronize(event_of(event)), WaitKind::event, event_of(event).stream, event_of(event).id);
}

cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t stream) {
  Call call("cudaMallocAsync_v11020");
  if (gpu().is_noting(number(stream))) return call.answer(cudaErrorStreamCaptureUnsupported);
  *data = gpu().allocate(number(stream), bytes);
  if (*data != nullptr) return call.answer(cudaSuccess);
  return call.answer(gpu().fault().empty() ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure);
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  Call call("cudaFreeAsync_v11020");
  return call.answer(data == nullptr || gpu().free(number(stream), data));
}
cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned) {
  Call call("cudaHostAlloc_v3020");
  *data = gpu().allocate_host(bytes);
  return call.answer(*data == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}
cudaError_t cudaFreeHost(void* data) {
  Call call("cudaFreeHost_v3020");
  return call.answer(data == nullptr || gpu().free_host(data));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  Call call("cudaMemcpyAsync_v3020");
  switch (kind) {
    case cudaMemcpyHostToDevice: return copy(call, to, from, bytes, Way::host_to_device, stream);
    case cudaMemcpyDeviceToHost: return copy(call, to, from, bytes, Way::device_to_host, stream);
    case cudaMemcpyDeviceToDevice: return copy(call, to, from, bytes, Way::device_to_device, stream);
    default: return call.answer(cudaErrorInvalidMemcpyDirection);
  }
}
cudaError_t cudaMemcpyPeerAsync(void*, int, const void*, int, size_t, cudaStream_t) {
  Call call("cudaMemcpyPeerAsync_v4000");
  return call.answer(cudaErrorInvalidDevice);  // there is one
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  Call call("cudaMemsetAsync_v3020");
  if (bytes == 0) return call.answer(cudaSuccess);
  return call.answer(
      gpu().submit(number(stream), {fmt::format("cudaMemsetAsync of {} bytes", bytes),
                                    std::make_shared<const Work>(MemsetWork{static_cast<std::byte*>(to), value, bytes}),
                                    {range(to, bytes, true)},
                                    call.correlation(),
                                    0,
                                    0}));
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  Call call("cudaStreamBeginCapture_v10000");
  return call.answer(gpu().begin_graph(number(stream)));
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Call call("cudaStreamEndCapture_v10000");
  *graph = reinterpret_cast<cudaGraph_t>(gpu().end_graph(number(stream)).release());
  return call.answer(*graph == nullptr ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (nodes != nullptr) return cudaErrorNotSupported;
  *count = graph_of(graph)->nodes.size();
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  Call call("cudaGraphInstantiate_v12000");
  static std::atomic<uint32_t> last{0};
  *made = reinterpret_cast<cudaGraphExec_t>(new Launchable{gpu().instantiate(*graph_of(graph)), ++last});
  return call.answer(cudaSuccess);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  Call call("cudaGraphLaunch_v10000");
  const auto& launched = *reinterpret_cast<const Launchable*>(graph);
  return call.answer(gpu().launch(*launched.graph, number(stream), call.correlation(), launched.id));
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph_of(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete reinterpret_cast<Launchable*>(graph);
  return cudaSuccess;
}

}  // extern "C"
