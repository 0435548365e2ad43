// SPDX-License-Identifier: Apache-2.0
// How kernels are written: one function per element, or one per row for a team of threads. The same functions run as
// loops on the host, where a team is one thread.
#pragma once

#include <cstdint>

#include "engine/cuda/index.h"
#include "engine/cuda/launch.h"
#include "engine/cuda/numbers.cuh"
#include "engine/cuda/start.cuh"

namespace engine::cuda {

inline constexpr int kElementThreads = 256, kElementsPerThread = 4;
inline constexpr int kWarp = 32, kWarpsPerBlock = 8;

template <class F>
__global__ void __launch_bounds__(kElementThreads) elements_kernel(const __grid_constant__ F f, int64_t count) {
  const int64_t step = int64_t{gridDim.x} * kElementThreads;
  for (int64_t i = int64_t{blockIdx.x} * kElementThreads + threadIdx.x; i < count; i += step) f(i);
}

/// Calls f(i) for i in [0, count), in any order, side by side. `per_thread`: 1 where a call is long.
template <class F>
cudaError_t for_each_element(const Launcher& launcher, const F& f, int64_t count,
                             int64_t per_thread = kElementsPerThread) {
  if (launcher.on_host) {
    for (int64_t i = 0; i < count; ++i) f(i);
    return cudaSuccess;
  }
  if (count == 0) return cudaSuccess;
  const int64_t blocks = blocks_for(count, kElementThreads, per_thread, launcher.multiprocessors);
  return start_kernel<elements_kernel<F>>(launcher.stream, blocks, kElementThreads, f, count);
}

template <class F, int kBatch>
__global__ void __launch_bounds__(kElementThreads) staged_kernel(const __grid_constant__ F f, int64_t count) {
  constexpr int64_t kTaken = int64_t{kElementThreads} * kBatch;
  for (int64_t first = blockIdx.x * kTaken + threadIdx.x; first < count; first += gridDim.x * kTaken) {
    typename F::Fetched fetched[kBatch];
    unrolled<kBatch>([&](int n) {
      if (first + n * kElementThreads < count) f.fetch(first + n * kElementThreads, fetched[n]);
    });
    unrolled<kBatch>([&](int n) {
      if (first + n * kElementThreads < count) f.put(first + n * kElementThreads, fetched[n]);
    });
  }
}

/// Calls f.fetch(i, fetched), which only reads and uses nothing of what it has read, then f.put(i, fetched), for each i
/// in [0, count): a thread has kBatch reads under way before it waits for the first. What put() writes no other i may
/// read.
template <int kBatch, class F>
cudaError_t for_each_staged(const Launcher& launcher, const F& f, int64_t count) {
  if (launcher.on_host) {
    for (int64_t i = 0; i < count; ++i) {
      typename F::Fetched fetched;
      f.fetch(i, fetched);
      f.put(i, fetched);
    }
    return cudaSuccess;
  }
  if (count == 0) return cudaSuccess;
  const int64_t blocks = blocks_for(count, kElementThreads, kBatch, launcher.multiprocessors);
  return start_kernel<staged_kernel<F, kBatch>>(launcher.stream, blocks, kElementThreads, f, count);
}

/// The threads that share a row: `rank` of `size`. Collectives are called by all of them and give all of them the
/// result; the order of a sum is fixed by the size alone.
struct OneThread {
  static constexpr int rank = 0, size = 1;
  template <class T, class Op>
  __host__ __device__ T reduce(T value, Op) const {
    return value;
  }
  __host__ __device__ void sync() const {}
};

/// Some lanes of a warp. Several such teams are in one warp and call their collectives together.
template <int kLanes>
struct LaneTeam {
  int rank;
  static constexpr int size = kLanes;
  template <class T, class Op>
  __host__ __device__ T reduce(T value, Op op) const {
#ifdef __CUDA_ARCH__
    for (int distance = kLanes / 2; distance > 0; distance /= 2)
      value = op(value, __shfl_xor_sync(0xffffffffu, value, distance));
#endif
    return value;
  }
  __host__ __device__ void sync() const {
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
  }
};

using WarpTeam = LaneTeam<kWarp>;

struct BlockTeam {
  int rank, size;
  double* scratch;  ///< shared: one entry of 8 bytes per warp
  template <class T, class Op>
  __host__ __device__ T reduce(T value, Op op) const {
    static_assert(sizeof(T) <= sizeof(double));
#ifdef __CUDA_ARCH__
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
      value = op(value, __shfl_xor_sync(0xffffffffu, value, distance));
    T* const parts = reinterpret_cast<T*>(scratch);
    __syncthreads();  // the last reduction has been read
    if (rank % kWarp == 0) parts[rank / kWarp] = value;
    __syncthreads();
    value = parts[0];
    for (int warp = 1; warp < size / kWarp; ++warp) value = op(value, parts[warp]);
#endif
    return value;
  }
  __host__ __device__ void sync() const {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }
};

struct Sum {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
/// NaN wins.
struct Max {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};
struct Min {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};

template <class F>
__global__ void __launch_bounds__(kWarp* kWarpsPerBlock) warp_rows_kernel(const __grid_constant__ F f, int64_t rows) {
  const WarpTeam team{static_cast<int>(threadIdx.x % kWarp)};
  const int64_t step = int64_t{gridDim.x} * kWarpsPerBlock;
  for (int64_t row = int64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarp; row < rows; row += step) f(team, row);
}

template <class F>
__global__ void __launch_bounds__(1024) block_rows_kernel(const __grid_constant__ F f, int64_t rows) {
  __shared__ double scratch[1024 / kWarp];
  const BlockTeam team{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), scratch};
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) f(team, row);
}

/// Calls f(team, row) for each row of `length` elements: a warp per row for short rows, a block for long ones.
template <class F>
cudaError_t for_each_row(const Launcher& launcher, const F& f, int64_t rows, int64_t length) {
  if (launcher.on_host) {
    for (int64_t row = 0; row < rows; ++row) f(OneThread{}, row);
    return cudaSuccess;
  }
  if (rows == 0) return cudaSuccess;
  constexpr int64_t kWarpRow = 1024;  // elements a warp does alone; above, a block has more loads in flight. Ours.
  if (length <= kWarpRow) {
    const int64_t blocks = blocks_for(rows, kWarpsPerBlock, 1, launcher.multiprocessors);
    return start_kernel<warp_rows_kernel<F>>(launcher.stream, blocks, kWarp * kWarpsPerBlock, f, rows);
  }
  const int64_t threads = length <= 4 * kWarpRow ? 256 : 1024;
  const int64_t blocks = blocks_for(rows, 1, 1, launcher.multiprocessors);
  return start_kernel<block_rows_kernel<F>>(launcher.stream, blocks, threads, f, rows);
}

}  // namespace engine::cuda
