// SPDX-License-Identifier: Apache-2.0
// Strided copies and fills: bytes are moved as they are, whatever they mean. What is turned over goes through tiles in
// shared memory, so that both sides are read and written along their neighbours.
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
  struct Fetched {
    Vector<T, 1> value;
    int64_t to;
  };
  __host__ __device__ void fetch(int64_t i, Fetched& fetched) const {
    int64_t at[2];
    offsets_at(walk, i, at);
    fetched.value = load_vector<1>(from + at[1]);
    fetched.to = at[0];
  }
  __host__ __device__ void put(int64_t, const Fetched& fetched) const {
    store_vector<1>(to + fetched.to, fetched.value);
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
    store_vector<1>(to + at[0], Vector<T, 1>{{value}});
  }
};

constexpr int kTurnThreads = 256;

/// A block per tile of 64 x 64. A row is longer by a word than its elements are, so that a column lies in different
/// banks.
template <class T, int kWide>
__global__ void __launch_bounds__(kTurnThreads) turn_kernel(const __grid_constant__ Turn t, T* to, const T* from) {
  constexpr int kPadding = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  constexpr int kAcross = kTurnSide / kWide, kRows = kTurnThreads / kAcross, kPasses = kTurnSide / kRows;
  __shared__ T tile[kTurnSide][kTurnSide + kPadding];
  const int first_row = static_cast<int>(threadIdx.x) / kAcross,
            first = static_cast<int>(threadIdx.x) % kAcross * kWide;
  const int64_t tiles_down = t.tiles_down(), tiles = t.tiles_across() * tiles_down;
  const int64_t matrix = blockIdx.x / tiles, within = blockIdx.x - matrix * tiles;
  const int64_t across = within / tiles_down * kTurnSide, down = within % tiles_down * kTurnSide;
  int64_t at[2];
  offsets_at(t.matrices, matrix, at);
  from += at[1] + down * t.from_stride + across + first;
  to += at[0] + across * t.to_stride + down + first;
  const int64_t left_across = t.across - across, left_down = t.down - down;
  Vector<T, kWide> held[kPasses] = {};
  unrolled<kPasses>([&](int pass) {
    const int row = pass * kRows + first_row;
    if (row < left_down && first < left_across) held[pass] = load_vector<kWide>(from + row * t.from_stride);
  });
  unrolled<kPasses>(
      [&](int pass) { unrolled<kWide>([&](int k) { tile[pass * kRows + first_row][first + k] = held[pass].at[k]; }); });
  __syncthreads();
  unrolled<kPasses>([&](int pass) {
    const int row = pass * kRows + first_row;
    if (row >= left_across || first >= left_down) return;
    Vector<T, kWide> turned;
    unrolled<kWide>([&](int k) { turned.at[k] = tile[first + k][row]; });
    store_vector<kWide>(to + row * t.to_stride, turned);
  });
}

template <class T, int kWide>
cudaError_t start_turn(const Launcher& launcher, const StridedCopy& copy, int64_t tiles) {
  return start_kernel<turn_kernel<T, kWide>>(launcher.stream, tiles, kTurnThreads, copy.turn, static_cast<T*>(copy.to),
                                             static_cast<const T*>(copy.from));
}

template <class T>
cudaError_t start(const Launcher& launcher, const StridedCopy& copy) {
  if constexpr (sizeof(T) < kWidest) {
    const Turn& t = copy.turn;
    const int64_t tiles = t.tiles_across() * t.tiles_down() * t.matrices.count;
    if (tiles > 0 && tiles <= INT32_MAX && !launcher.on_host) {
      return t.wide ? start_turn<T, kLanesOf<T>>(launcher, copy, tiles) : start_turn<T, 1>(launcher, copy, tiles);
    }
  }
  return for_each_staged<4>(
      launcher, CopyElement<T>{static_cast<T*>(copy.to), static_cast<const T*>(copy.from), copy.walk}, copy.walk.count);
}

/// A pattern of 8 bytes, as often as T holds it.
template <class T>
T repeated(uint64_t bits) {
  const uint64_t twice[2] = {bits, bits};
  T value;
  memcpy(&value, twice, sizeof value);
  return value;
}

template <class T>
cudaError_t start(const Launcher& launcher, const StridedFill& fill) {
  return for_each_element(launcher, FillElement<T>{static_cast<T*>(fill.to), repeated<T>(fill.bits), fill.walk},
                          fill.walk.count);
}

template <class Work>
cudaError_t start_for_size(const Launcher& launcher, const Work& work) {
  switch (work.element_bytes) {
    case 1: return start<uint8_t>(launcher, work);
    case 2: return start<uint16_t>(launcher, work);
    case 4: return start<uint32_t>(launcher, work);
    case 8: return start<uint64_t>(launcher, work);
    case 16: return start<uint4>(launcher, work);
    default: return cudaErrorInvalidValue;
  }
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const StridedCopy& copy) {
  const bool dense =
      copy.walk.axes == 0 || (copy.walk.linear && copy.walk.strides[0][0] == 1 && copy.walk.strides[1][0] == 1);
  if (dense && !launcher.on_host && copy.walk.count > 0) {
    return cudaMemcpyAsync(copy.to, copy.from, static_cast<size_t>(copy.walk.count * copy.element_bytes),
                           cudaMemcpyDeviceToDevice, launcher.stream);
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
