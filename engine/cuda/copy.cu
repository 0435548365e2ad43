// SPDX-License-Identifier: Apache-2.0
// Strided copies and fills: bytes are moved as they are, whatever they mean.
#include "engine/cuda/copy.h"

#include <cstdint>

#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

template <class T>
struct CopyElement {
  T* to;
  const T* from;
  Walk<2> walk;
  __host__ __device__ void operator()(int64_t i) const {
    int64_t at[2];
    offsets_at(walk, i, at);
    to[at[0]] = from[at[1]];
  }
};

template <class T>
struct FillElement {
  T* to;
  T value;
  Walk<1> walk;
  __host__ __device__ void operator()(int64_t i) const {
    int64_t at[1];
    offsets_at(walk, i, at);
    to[at[0]] = value;
  }
};

template <class T>
cudaError_t start(const Launcher& launcher, const StridedCopy& copy) {
  return for_each_element(launcher, CopyElement<T>{static_cast<T*>(copy.to), static_cast<const T*>(copy.from), copy.walk},
                          copy.walk.count);
}

template <class T>
cudaError_t start(const Launcher& launcher, const StridedFill& fill) {
  return for_each_element(launcher, FillElement<T>{static_cast<T*>(fill.to), static_cast<T>(fill.bits), fill.walk}, fill.walk.count);
}

template <class Work>
cudaError_t start_for_size(const Launcher& launcher, const Work& work) {
  switch (work.element_bytes) {
    case 1: return start<uint8_t>(launcher, work);
    case 2: return start<uint16_t>(launcher, work);
    case 4: return start<uint32_t>(launcher, work);
    case 8: return start<uint64_t>(launcher, work);
    default: return cudaErrorInvalidValue;
  }
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const StridedCopy& copy) {
  const bool dense = copy.walk.axes == 0 || (copy.walk.linear && copy.walk.strides[0][0] == 1 && copy.walk.strides[1][0] == 1);
  if (dense && !launcher.on_host && copy.walk.count > 0) {
    return cudaMemcpyAsync(copy.to, copy.from, static_cast<size_t>(copy.walk.count * copy.element_bytes), cudaMemcpyDeviceToDevice,
                           launcher.stream);
  }
  return start_for_size(launcher, copy);
}

cudaError_t launch(const Launcher& launcher, const StridedFill& fill) {
  const bool dense = fill.walk.axes == 0 || (fill.walk.linear && fill.walk.strides[0][0] == 1);
  if (dense && fill.bits == 0 && !launcher.on_host && fill.walk.count > 0) {
    return cudaMemsetAsync(fill.to, 0, static_cast<size_t>(fill.walk.count * fill.element_bytes), launcher.stream);
  }
  return start_for_size(launcher, fill);
}

}  // namespace engine::cuda
