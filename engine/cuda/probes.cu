// SPDX-License-Identifier: Apache-2.0
// Chains: a thread per few elements. The chase: one thread. Divergence: a branch per path, which no compiler can make
// one of.
#include "engine/cuda/probes.h"

#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

/// Elements i, i + step, i + 2 step, ... of one thread, side by side.
template <class A, int kChains>
struct ChainPart {
  MultiplyAddChain work;
  int64_t step;

  __host__ __device__ void operator()(int64_t i) const {
    const A factor = static_cast<A>(work.factor), shift = static_cast<A>(work.shift);
    int64_t to[kChains] = {};
    A value[kChains] = {};
    for (int c = 0; c < kChains; ++c) {
      const int64_t element = i + c * step;
      if (element >= work.walk.count) continue;
      int64_t at[2];
      offsets_at(work.walk, element, at);
      to[c] = at[0];
      value[c] = load<A>(work.x.dtype, work.x.bytes, at[1]);
    }
    for (int64_t round = 0; round < work.rounds; ++round) {
      for (int c = 0; c < kChains; ++c) value[c] = factor * value[c] + shift;
    }
    for (int c = 0; c < kChains; ++c) {
      if (i + c * step < work.walk.count) store<A>(work.y.dtype, work.y.bytes, to[c], value[c]);
    }
  }
};

template <class A, int kChains>
cudaError_t run_parts(const Launcher& launcher, const MultiplyAddChain& work) {
  const int64_t step = (work.walk.count + kChains - 1) / kChains;
  return for_each_element(launcher, ChainPart<A, kChains>{work, step}, step, 1);
}

template <class A>
cudaError_t run_chain(const Launcher& launcher, const MultiplyAddChain& work) {
  switch (work.chains) {
    case 1: return run_parts<A, 1>(launcher, work);
    case 2: return run_parts<A, 2>(launcher, work);
    case 4: return run_parts<A, 4>(launcher, work);
    default: return run_parts<A, 8>(launcher, work);
  }
}

/// Positions are held inside by one minimum, the one instruction between two loads besides the address: whether the
/// chase ever left is found out beside it. `Position`: 32 bits wherever they suffice.
template <class T, class Position, bool kDense>
struct Chase {
  PointerChase work;

  __host__ __device__ void operator()(int64_t) const {
    const T* next = static_cast<const T*>(work.next.bytes);
    const auto last = static_cast<Position>(work.count - 1);
    Position position = 0;
    bool left = false;
    for (int64_t i = 0; i < work.accesses; ++i) {
      const T found = next[kDense ? static_cast<int64_t>(position) : static_cast<int64_t>(position) * work.stride];
      left = left || found < 0 || static_cast<int64_t>(found) >= work.count;
      const auto wanted = static_cast<Position>(found);
      position = wanted < last ? wanted : last;
    }
    *static_cast<T*>(work.last.bytes) = left ? T(-1) : static_cast<T>(position);
  }
};

template <class T, class Position>
cudaError_t run_chase(const Launcher& launcher, const PointerChase& work) {
  return work.stride == 1 ? for_each_element(launcher, Chase<T, Position, true>{work}, 1)
                          : for_each_element(launcher, Chase<T, Position, false>{work}, 1);
}

template <class A>
struct DivergentElement {
  DivergentChain work;

  __host__ __device__ void operator()(int64_t i) const {
    int64_t at[3];
    offsets_at(work.walk, i, at);
    A value = load<A>(work.x.dtype, work.x.bytes, at[1]);
    const int32_t path = static_cast<const int32_t*>(work.path.bytes)[at[2]];
    for (int32_t taken = 0; taken < work.paths; ++taken) {
      if (path != taken) continue;  // threads of other paths wait here until this one has been gone
      const A shift = static_cast<A>(taken + 1) / 64;
      for (int64_t round = 0; round < work.rounds; ++round) value = A(0.75) * value + shift;
    }
    store<A>(work.y.dtype, work.y.bytes, at[0], value);
  }
};

}  // namespace

cudaError_t launch(const Launcher& launcher, const MultiplyAddChain& work) {
  return work.arithmetic == Arithmetic::float64 ? run_chain<double>(launcher, work) : run_chain<float>(launcher, work);
}

cudaError_t launch(const Launcher& launcher, const PointerChase& work) {
  if (work.next.dtype == DType::int32) return run_chase<int32_t, uint32_t>(launcher, work);
  return work.count <= int64_t{UINT32_MAX} ? run_chase<int64_t, uint32_t>(launcher, work)
                                           : run_chase<int64_t, uint64_t>(launcher, work);
}

cudaError_t launch(const Launcher& launcher, const DivergentChain& work) {
  return work.arithmetic == Arithmetic::float64
             ? for_each_element(launcher, DivergentElement<double>{work}, work.walk.count, 1)
             : for_each_element(launcher, DivergentElement<float>{work}, work.walk.count, 1);
}

}  // namespace engine::cuda
