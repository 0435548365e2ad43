// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels: one that takes every function, dtype and layout, one for vectors of any function in float, and
// vector kernels for what training steps are full of.
#include "engine/cuda/elementwise.h"

#include "engine/cuda/functions.cuh"
#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

/// Any function of any dtypes and layouts: everything is looked up per element, which hides behind the memory's time.
template <class A>
struct AnyElement {
  Elementwise work;

  __host__ __device__ void operator()(int64_t i) const {
    int64_t at[4];
    offsets_at(work.walk, i, at);
    A x[3] = {};
    unrolled<3>([&](int n) {
      if (n < work.operands) x[n] = load<A>(work.in[n], work.x[n], at[n + 1]);
    });
    const A y =
        compute<A>(work.code, work.operands, x[0], x[1], x[2], static_cast<A>(work.p[0]), static_cast<A>(work.p[1]));
    store<A>(work.out, work.y, at[0], y);
  }
};

struct AnyWhole {
  Elementwise work;

  __host__ __device__ void operator()(int64_t i) const {
    int64_t at[4];
    offsets_at(work.walk, i, at);
    int64_t x[3] = {};
    unrolled<3>([&](int n) {
      if (n < work.operands) x[n] = load<int64_t>(work.in[n], work.x[n], at[n + 1]);
    });
    store<int64_t>(work.out, work.y, at[0], compute_whole(work.code, x[0], x[1], x[2], work.q[0], work.q[1]));
  }
};

/// Vectors of one function and dtype. An operand that does not lie beside is one number for the whole vector.
template <class T, Code kCode, int kOperands>
struct VectorElement {
  static constexpr int kLanes = kLanesOf<T>;
  T* y;
  const T* x[kOperands];
  LaneWalk<4> by;
  float p, p1;

  struct Fetched {
    Vector<T, kLanes> in[kOperands];
    int64_t to;
  };

  __host__ __device__ T one(const T& a, const T& b, const T& c) const {
    return rounded<T>(compute<float>(kCode, kOperands, number(a), number(b), number(c), p, p1));
  }
  /// Along one axis the last vector may be cut short.
  __host__ __device__ bool whole(int64_t i) const { return by.walk.axes > 1 || (i + 1) * kLanes <= by.elements; }

  __host__ __device__ void fetch(int64_t i, Fetched& fetched) const {
    int64_t at[4];
    offsets_at(by.walk, i, at);
    fetched.to = at[0];
    if (!whole(i)) return;
    for (int n = 0; n < kOperands; ++n) {
      if (by.beside[n + 1]) {
        fetched.in[n] = load_vector<kLanes>(x[n] + at[n + 1]);
      } else {
        fetched.in[n].at[0] = x[n][at[n + 1]];
      }
    }
  }
  __host__ __device__ void put(int64_t i, Fetched& fetched) const {
    if (!whole(i)) {
      for (int64_t k = fetched.to; k < by.elements; ++k) {
        T in[3] = {};
        for (int n = 0; n < kOperands; ++n) in[n] = x[n][by.beside[n + 1] ? k : 0];
        y[k] = one(in[0], in[1], in[2]);
      }
      return;
    }
    for (int n = 0; n < kOperands; ++n) {
      if (by.beside[n + 1]) continue;
      unrolled<kLanes>([&](int k) { fetched.in[n].at[k] = fetched.in[n].at[0]; });
    }
    Vector<T, kLanes> out;
    unrolled<kLanes>([&](int k) {
      out.at[k] =
          one(fetched.in[0].at[k], fetched.in[kOperands > 1 ? 1 : 0].at[k], fetched.in[kOperands > 2 ? 2 : 0].at[k]);
    });
    store_vector<kLanes>(y + fetched.to, out);
  }
};

template <class T, Code kCode, int kOperands>
cudaError_t run_vectors(const Launcher& launcher, const Elementwise& work) {
  VectorElement<T, kCode, kOperands> element{
      static_cast<T*>(work.y), {}, work.by_lane, static_cast<float>(work.p[0]), static_cast<float>(work.p[1])};
  for (int n = 0; n < kOperands; ++n) element.x[n] = static_cast<const T*>(work.x[n]);
  return for_each_staged<2>(launcher, element, element.by.walk.count);
}

/// All functions in one place, called: the lanes would otherwise hold a copy of them each.
__host__ __device__ __attribute__((noinline)) float any_function(Code code, int operands, float a, float b, float c,
                                                                 float p, float p1) {
  return compute<float>(code, operands, a, b, c, p, p1);
}

/// Any function in float of dtypes of up to 4 bytes, four elements at a time.
struct AnyLanes {
  static constexpr int kLanes = 4;
  Elementwise work;
  int32_t bytes[3];  ///< of an element of each operand

  struct Fetched {
    uint4 in[3];  ///< bits as they lie in memory
    int64_t to;
  };

  __host__ __device__ bool whole(int64_t i) const {
    return work.by_lane.walk.axes > 1 || (i + 1) * kLanes <= work.by_lane.elements;
  }

  /// kLanes elements of `bytes` each, which lie side by side, or the `one` that stands for all.
  __host__ __device__ static void load_bits(const void* base, int64_t offset, int32_t bytes, bool one, uint4& bits) {
    const char* address = static_cast<const char*>(base) + offset * bytes;
    switch (one ? bytes : bytes * kLanes) {
      case 16: bits = load_vector<1>(reinterpret_cast<const uint4*>(address)).at[0]; return;
      case 8: {
        const uint2 half = load_vector<1>(reinterpret_cast<const uint2*>(address)).at[0];
        bits.x = half.x;
        bits.y = half.y;
        return;
      }
      case 4: bits.x = load_vector<1>(reinterpret_cast<const uint32_t*>(address)).at[0]; return;
      case 2: bits.x = *reinterpret_cast<const uint16_t*>(address); return;
      default: bits.x = *reinterpret_cast<const uint8_t*>(address); return;
    }
  }
  template <class T>
  __host__ __device__ static void unpack(const uint4& bits, float (&x)[kLanes]) {
    Vector<T, kLanes> packed;
    memcpy(&packed, &bits, sizeof packed);
    for (int k = 0; k < kLanes; ++k) x[k] = static_cast<float>(number(packed.at[k]));
  }
  __host__ __device__ static void unpack_bytes(DType dtype, uint32_t bits, float (&x)[kLanes]) {
    for (int k = 0; k < kLanes; ++k) {
      const uint32_t byte = bits >> (8 * k) & 0xffu;
      x[k] = dtype == DType::boolean ? byte != 0
             : dtype == DType::int8  ? static_cast<float>(static_cast<int8_t>(byte))
                                     : static_cast<float>(byte);
    }
  }
  __host__ __device__ static void lanes_of(DType dtype, const uint4& bits, float (&x)[kLanes]) {
    switch (dtype) {
      case DType::float32: return unpack<float>(bits, x);
      case DType::bfloat16: return unpack<__nv_bfloat16>(bits, x);
      case DType::float16: return unpack<__half>(bits, x);
      case DType::int32:
        x[0] = static_cast<float>(static_cast<int32_t>(bits.x));
        x[1] = static_cast<float>(static_cast<int32_t>(bits.y));
        x[2] = static_cast<float>(static_cast<int32_t>(bits.z));
        x[3] = static_cast<float>(static_cast<int32_t>(bits.w));
        return;
      default: return unpack_bytes(dtype, bits.x, x);
    }
  }
  template <class T>
  __host__ __device__ void pack(int64_t to, const float (&y)[kLanes]) const {
    Vector<T, kLanes> packed;
    for (int k = 0; k < kLanes; ++k) packed.at[k] = rounded<T>(y[k]);
    store_vector<kLanes>(static_cast<T*>(work.y) + to, packed);
  }

  __host__ __device__ void fetch(int64_t i, Fetched& fetched) const {
    int64_t at[4];
    offsets_at(work.by_lane.walk, i, at);
    fetched.to = at[0];
    if (!whole(i)) return;
    for (int n = 0; n < 3; ++n) {
      if (n < work.operands) load_bits(work.x[n], at[n + 1], bytes[n], !work.by_lane.beside[n + 1], fetched.in[n]);
    }
  }
  __host__ __device__ void put(int64_t i, const Fetched& fetched) const {
    const float p = static_cast<float>(work.p[0]), p1 = static_cast<float>(work.p[1]);
    if (!whole(i)) {
      for (int64_t k = fetched.to; k < work.by_lane.elements; ++k) {
        float in[3] = {};
        for (int n = 0; n < 3; ++n) {
          if (n < work.operands) in[n] = load<float>(work.in[n], work.x[n], work.by_lane.beside[n + 1] ? k : 0);
        }
        store<float>(work.out, work.y, k, any_function(work.code, work.operands, in[0], in[1], in[2], p, p1));
      }
      return;
    }
    float x[3][kLanes] = {}, y[kLanes];
    for (int n = 0; n < 3; ++n) {
      if (n >= work.operands) break;
      lanes_of(work.in[n], fetched.in[n], x[n]);
      if (work.by_lane.beside[n + 1]) continue;
      for (int k = 1; k < kLanes; ++k) x[n][k] = x[n][0];
    }
    unrolled<kLanes>([&](int k) {
      y[k] =
          work.code == Code::cast ? x[0][k] : any_function(work.code, work.operands, x[0][k], x[1][k], x[2][k], p, p1);
    });
    switch (work.out) {
      case DType::float32: return pack<float>(fetched.to, y);
      case DType::bfloat16: return pack<__nv_bfloat16>(fetched.to, y);
      case DType::float16: return pack<__half>(fetched.to, y);
      default:
        for (int k = 0; k < kLanes; ++k) store<float>(work.out, work.y, fetched.to + k, y[k]);
    }
  }
};

/// The functions with kernels of their own: where a training step spends its elementwise time.
template <class T>
cudaError_t run_hot(const Launcher& launcher, const Elementwise& work) {
  switch (work.code) {
    case Code::add: return run_vectors<T, Code::add, 2>(launcher, work);
    case Code::subtract: return run_vectors<T, Code::subtract, 2>(launcher, work);
    case Code::multiply: return run_vectors<T, Code::multiply, 2>(launcher, work);
    case Code::scaled_add: return run_vectors<T, Code::scaled_add, 2>(launcher, work);
    case Code::scale: return run_vectors<T, Code::scale, 1>(launcher, work);
    case Code::relu: return run_vectors<T, Code::relu, 1>(launcher, work);
    case Code::relu_grad: return run_vectors<T, Code::relu_grad, 2>(launcher, work);
    case Code::sigmoid: return run_vectors<T, Code::sigmoid, 1>(launcher, work);
    case Code::sigmoid_grad: return run_vectors<T, Code::sigmoid_grad, 2>(launcher, work);
    case Code::tanh: return run_vectors<T, Code::tanh, 1>(launcher, work);
    case Code::tanh_grad: return run_vectors<T, Code::tanh_grad, 2>(launcher, work);
    case Code::gelu: return run_vectors<T, Code::gelu, 1>(launcher, work);
    case Code::gelu_grad: return run_vectors<T, Code::gelu_grad, 2>(launcher, work);
    case Code::silu: return run_vectors<T, Code::silu, 1>(launcher, work);
    case Code::silu_grad: return run_vectors<T, Code::silu_grad, 2>(launcher, work);
    default: return cudaErrorNotSupported;
  }
}

bool is_hot(Code code) {
  switch (code) {
    case Code::add:
    case Code::subtract:
    case Code::multiply:
    case Code::scaled_add:
    case Code::scale:
    case Code::relu:
    case Code::relu_grad:
    case Code::sigmoid:
    case Code::sigmoid_grad:
    case Code::tanh:
    case Code::tanh_grad:
    case Code::gelu:
    case Code::gelu_grad:
    case Code::silu:
    case Code::silu_grad: return true;
    default: return false;
  }
}

}  // namespace

void vectorize(Elementwise& work) {
  const bool narrow = work.out == DType::float32 || work.out == DType::bfloat16 || work.out == DType::float16;
  bool hot = narrow && is_hot(work.code), small = size_bytes(work.out) <= 4;
  for (int n = 0; n < work.operands; ++n) {
    hot = hot && work.in[n] == work.out;
    small = small && size_bytes(work.in[n]) <= 4;
  }
  if (!hot && (!small || work.arithmetic != Arithmetic::float32)) return;
  const auto can = [&](int64_t lanes) {
    const auto by = by_lanes(work.walk, lanes);
    if (!by || !is_aligned(work.y, lanes * size_bytes(work.out))) return false;
    for (int n = 0; n < work.operands; ++n) {
      if (by->beside[n + 1] && !is_aligned(work.x[n], lanes * size_bytes(work.in[n]))) return false;
    }
    work.lanes = lanes;
    work.by_lane = *by;
    return true;
  };
  work.hot = hot && can(kWidest / size_bytes(work.out));
  if (!work.hot && small && work.arithmetic == Arithmetic::float32) can(AnyLanes::kLanes);
}

cudaError_t launch(const Launcher& launcher, const Elementwise& work) {
  if (work.hot) {
    switch (work.out) {
      case DType::float32: return run_hot<float>(launcher, work);
      case DType::bfloat16: return run_hot<__nv_bfloat16>(launcher, work);
      default: return run_hot<__half>(launcher, work);
    }
  }
  if (work.lanes > 1) {
    AnyLanes lanes{work, {}};
    for (int n = 0; n < work.operands; ++n) lanes.bytes[n] = static_cast<int32_t>(size_bytes(work.in[n]));
    return for_each_staged<2>(launcher, lanes, work.by_lane.walk.count);
  }
  switch (work.arithmetic) {
    case Arithmetic::float64: return for_each_element(launcher, AnyElement<double>{work}, work.walk.count);
    case Arithmetic::whole: return for_each_element(launcher, AnyWhole{work}, work.walk.count);
    default: return for_each_element(launcher, AnyElement<float>{work}, work.walk.count);
  }
}

}  // namespace engine::cuda
