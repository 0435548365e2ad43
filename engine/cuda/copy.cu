// SPDX-License-Identifier: Apache-2.0
// Strided copies and fills: bytes are moved as they are, whatever they mean.
#include <cstdint>

#include "engine/cuda/copy.h"

namespace engine::cuda {
namespace {

constexpr int kThreads = 256;

template <class T>
__global__ void __launch_bounds__(kThreads) copy_kernel(T* to, const T* from, Walk<2> walk) {
  const int64_t step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x; i < walk.count; i += step) {
    int64_t at[2];
    offsets_at(walk, i, at);
    to[at[0]] = from[at[1]];
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) fill_kernel(T* to, T value, Walk<1> walk) {
  const int64_t step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x; i < walk.count; i += step) {
    int64_t at[1];
    offsets_at(walk, i, at);
    to[at[0]] = value;
  }
}

template <class T>
void start(const StridedCopy& copy, cudaStream_t stream) {
  copy_kernel<T><<<static_cast<unsigned>(copy.blocks), kThreads, 0, stream>>>(static_cast<T*>(copy.to), static_cast<const T*>(copy.from),
                                                                             copy.walk);
}

template <class T>
void start(const StridedFill& fill, cudaStream_t stream) {
  fill_kernel<T><<<static_cast<unsigned>(fill.blocks), kThreads, 0, stream>>>(static_cast<T*>(fill.to), static_cast<T>(fill.bits),
                                                                             fill.walk);
}

template <class Work>
cudaError_t start_for_size(const Work& work, cudaStream_t stream) {
  switch (work.element_bytes) {
    case 1: start<uint8_t>(work, stream); break;
    case 2: start<uint16_t>(work, stream); break;
    case 4: start<uint32_t>(work, stream); break;
    case 8: start<uint64_t>(work, stream); break;
    default: return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_copy(const StridedCopy& copy, cudaStream_t stream) {
  if (copy.walk.count == 0) return cudaSuccess;
  const bool dense = copy.walk.linear && copy.walk.strides[0][0] == 1 && copy.walk.strides[1][0] == 1;
  if (dense || copy.walk.axes == 0) {
    return cudaMemcpyAsync(copy.to, copy.from, static_cast<size_t>(copy.walk.count * copy.element_bytes), cudaMemcpyDeviceToDevice, stream);
  }
  return start_for_size(copy, stream);
}

cudaError_t launch_fill(const StridedFill& fill, cudaStream_t stream) {
  if (fill.walk.count == 0) return cudaSuccess;
  const bool dense = fill.walk.axes == 0 || (fill.walk.linear && fill.walk.strides[0][0] == 1);
  if (dense && fill.bits == 0) return cudaMemsetAsync(fill.to, 0, static_cast<size_t>(fill.walk.count * fill.element_bytes), stream);
  return start_for_size(fill, stream);
}

}  // namespace engine::cuda
