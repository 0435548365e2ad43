// SPDX-License-Identifier: Apache-2.0
// CUDA's runtime over host memory: whatever a stream is given happens at once.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>

#include "engine/simt/submit.h"

namespace engine::simt {
namespace {

std::string& complaint() {
  static std::string words;
  return words;
}

}  // namespace

cudaError_t submit(cudaStream_t, std::string_view kernel, Launch launch, std::span<const std::byte>) {
  std::string objection = run_grid(launch);
  if (objection.empty()) return cudaSuccess;
  complaint() = std::string(kernel) + ": " + objection;
  return cudaErrorLaunchFailure;
}

}  // namespace engine::simt

extern "C" {
const char* cudaGetErrorName(cudaError_t code) { return code == cudaErrorLaunchFailure ? "cudaErrorLaunchFailure" : "an error"; }
const char* cudaGetErrorString(cudaError_t) { return engine::simt::complaint().c_str(); }
cudaError_t cudaGetLastError(void) { return cudaSuccess; }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int) { return cudaErrorNotSupported; }
cudaError_t cudaMemGetInfo(size_t*, size_t*) { return cudaErrorNotSupported; }
cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int) { return cudaErrorNotSupported; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaErrorNotSupported; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaErrorNotSupported; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned) { return cudaErrorNotSupported; }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaErrorNotSupported; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned) { return cudaErrorNotSupported; }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaErrorNotSupported; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaErrorNotSupported; }
cudaError_t cudaMallocAsync(void**, size_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaFreeAsync(void*, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaHostAlloc(void**, size_t, unsigned) { return cudaErrorNotSupported; }
cudaError_t cudaFreeHost(void*) { return cudaErrorNotSupported; }
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  std::memmove(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void*, int, const void*, int, size_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) { return cudaErrorNotSupported; }
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) { return cudaErrorNotSupported; }
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t*, size_t*) { return cudaErrorNotSupported; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) { return cudaErrorNotSupported; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return cudaErrorNotSupported; }
}
