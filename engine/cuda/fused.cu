// SPDX-License-Identifier: Apache-2.0
// Fused loops: a thread takes a few elements through all steps. What one step hands the next stays in registers; the
// few values that later steps read lie in the thread's own memory, which the first cache level holds.
#include "engine/cuda/fused.h"

#include "engine/cuda/functions.cuh"
#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

template <class A, int kLanes>
struct Lanes {
  A at[kLanes];
};

/// All functions in one place, called: what follows would otherwise hold a copy of them per lane.
template <class A>
__host__ __device__ __attribute__((noinline)) A any_function(Code code, int operands, A a, A b, A c, A p, A p1) {
  return compute<A>(code, operands, a, b, c, p, p1);
}

/// What training steps are full of is computed in place.
template <class A, int kLanes>
__host__ __device__ Lanes<A, kLanes> apply(const FusedStep& step, const Lanes<A, kLanes> (&in)[3]) {
  const A p = static_cast<A>(step.p[0]), p1 = static_cast<A>(step.p[1]);
  const Lanes<A, kLanes>&a = in[0], &b = in[1], &c = in[2];
  Lanes<A, kLanes> y;
  switch (step.code) {
    case Code::add:
      for (int i = 0; i < kLanes; ++i) y.at[i] = a.at[i] + b.at[i];
      return y;
    case Code::subtract:
      for (int i = 0; i < kLanes; ++i) y.at[i] = a.at[i] - b.at[i];
      return y;
    case Code::multiply:
      for (int i = 0; i < kLanes; ++i) y.at[i] = a.at[i] * b.at[i];
      return y;
    case Code::scaled_add:
      for (int i = 0; i < kLanes; ++i) y.at[i] = a.at[i] + p * b.at[i];
      return y;
    case Code::scale:
      for (int i = 0; i < kLanes; ++i) y.at[i] = p * a.at[i] + p1;
      return y;
    case Code::relu:
      for (int i = 0; i < kLanes; ++i) y.at[i] = a.at[i] < 0 ? A{0} : a.at[i];
      return y;
    case Code::relu_grad:
      for (int i = 0; i < kLanes; ++i) y.at[i] = b.at[i] > 0 ? a.at[i] : A{0};
      return y;
    case Code::cast: return a;
    default:
      for (int i = 0; i < kLanes; ++i)
        y.at[i] = any_function<A>(step.code, step.operands, a.at[i], b.at[i], c.at[i], p, p1);
      return y;
  }
}

template <class A>
__host__ __device__ A as_stored(DType dtype, A value) {
  switch (dtype) {
    case DType::float32: return static_cast<A>(static_cast<float>(value));
    case DType::bfloat16: return static_cast<A>(number(rounded<__nv_bfloat16>(value)));
    case DType::float16: return static_cast<A>(number(rounded<__half>(value)));
    case DType::boolean: return value != A{} ? A{1} : A{0};
    default: return value;
  }
}

/// kLanes elements that lie side by side, in one load.
template <class T, int kLanes>
struct alignas(sizeof(T) * kLanes) Packed {
  T at[kLanes];
};

template <class A, class T, int kLanes>
__host__ __device__ Lanes<A, kLanes> load_packed(const void* base, int64_t offset) {
  const auto packed = *reinterpret_cast<const Packed<T, kLanes>*>(static_cast<const T*>(base) + offset);
  Lanes<A, kLanes> lanes;
  for (int i = 0; i < kLanes; ++i) lanes.at[i] = static_cast<A>(number(packed.at[i]));
  return lanes;
}
template <class A, class T, int kLanes>
__host__ __device__ void store_packed(void* base, int64_t offset, const Lanes<A, kLanes>& lanes) {
  Packed<T, kLanes> packed;
  for (int i = 0; i < kLanes; ++i) packed.at[i] = rounded<T>(lanes.at[i]);
  *reinterpret_cast<Packed<T, kLanes>*>(static_cast<T*>(base) + offset) = packed;
}

/// Elements i kLanes and up. kLanes > 1: the loop is one of vectors.
template <class A, int kLanes>
struct FusedElements {
  FusedLoop loop;

  __host__ __device__ static Lanes<A, kLanes> fetch(const Data& x, int64_t offset, bool repeated) {
    if (kLanes > 1 && !repeated) {
      switch (x.dtype) {
        case DType::float32: return load_packed<A, float, kLanes>(x.bytes, offset);
        case DType::bfloat16: return load_packed<A, __nv_bfloat16, kLanes>(x.bytes, offset);
        case DType::float16: return load_packed<A, __half, kLanes>(x.bytes, offset);
        default: break;
      }
    }
    Lanes<A, kLanes> lanes;
    for (int k = 0; k < kLanes; ++k) lanes.at[k] = load<A>(x.dtype, x.bytes, repeated ? offset : offset + k);
    return lanes;
  }

  __host__ __device__ void put(int64_t offset, const Lanes<A, kLanes>& lanes) const {
    if (kLanes > 1) {
      switch (loop.y.dtype) {
        case DType::float32: return store_packed<A, float, kLanes>(loop.y.bytes, offset, lanes);
        case DType::bfloat16: return store_packed<A, __nv_bfloat16, kLanes>(loop.y.bytes, offset, lanes);
        case DType::float16: return store_packed<A, __half, kLanes>(loop.y.bytes, offset, lanes);
        default: break;
      }
    }
    for (int k = 0; k < kLanes; ++k) store<A>(loop.y.dtype, loop.y.bytes, offset + k, lanes.at[k]);
  }

  __host__ __device__ void operator()(int64_t i) const {
    const int64_t first = i * kLanes;
    int64_t at[kMostFusedOperands + 1];
    if (kLanes == 1) offsets_at(loop.walk, first, at);
    const auto offset = [&](int operand) {
      return kLanes == 1 ? at[operand] : loop.walk.strides[operand][0] == 0 ? 0 : first;
    };
    Lanes<A, kLanes> kept[kMostFusedSteps], last{};
    for (int s = 0; s < loop.steps; ++s) {
      const FusedStep& step = loop.step[s];
      Lanes<A, kLanes> in[3] = {};
      for (int n = 0; n < 3; ++n) {
        if (n >= step.operands) break;
        const int from = step.from[n];
        if (from == kLast) in[n] = last;
        else if (from < 0) in[n] = kept[kKept - from];
        else in[n] = fetch(loop.x[from], offset(from + 1), kLanes > 1 && loop.walk.strides[from + 1][0] == 0);
      }
      last = apply<A, kLanes>(step, in);
      for (int k = 0; k < kLanes; ++k) last.at[k] = as_stored<A>(step.dtype, last.at[k]);
      if (step.keep >= 0) kept[step.keep] = last;
    }
    put(offset(0), last);
  }
};

/// The elements behind the last whole vector.
template <class A>
struct FusedRest {
  FusedElements<A, 1> elements;
  int64_t begin;
  __host__ __device__ void operator()(int64_t i) const { elements(begin + i); }
};

template <class A>
cudaError_t run_fused(const Launcher& launcher, const FusedLoop& loop) {
  constexpr int kLanes = 4;
  const int64_t whole = loop.vectors ? loop.walk.count / kLanes : 0, begin = whole * kLanes;
  cudaError_t code = cudaSuccess;
  if (whole > 0) code = for_each_element(launcher, FusedElements<A, kLanes>{loop}, whole, 2);
  if (code != cudaSuccess || begin == loop.walk.count) return code;
  return for_each_element(launcher, FusedRest<A>{{loop}, begin}, loop.walk.count - begin);
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const FusedLoop& loop) {
  return loop.arithmetic == Arithmetic::float64 ? run_fused<double>(launcher, loop) : run_fused<float>(launcher, loop);
}

}  // namespace engine::cuda
