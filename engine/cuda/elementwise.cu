// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels: one that takes every function, dtype and layout, and vector kernels for what training steps are full of.
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
    for (int n = 0; n < work.operands; ++n) x[n] = load<A>(work.in[n], work.x[n], at[n + 1]);
    const A y = compute<A>(work.code, work.operands, x[0], x[1], x[2], static_cast<A>(work.p[0]), static_cast<A>(work.p[1]));
    store<A>(work.out, work.y, at[0], y);
  }
};

struct AnyWhole {
  Elementwise work;

  __host__ __device__ void operator()(int64_t i) const {
    int64_t at[4];
    offsets_at(work.walk, i, at);
    int64_t x[3] = {};
    for (int n = 0; n < work.operands; ++n) x[n] = load<int64_t>(work.in[n], work.x[n], at[n + 1]);
    store<int64_t>(work.out, work.y, at[0], compute_whole(work.code, x[0], x[1], x[2], work.q[0], work.q[1]));
  }
};

/// 16 bytes of elements.
template <class T>
struct alignas(16) Vector {
  static constexpr int kElements = 16 / sizeof(T);
  T at[kElements];
};

/// One 16-byte vector of each operand; the last position does the rest one by one. An operand of stride 0 is one number.
template <class T, Code kCode, int kOperands>
struct VectorElement {
  T* y;
  const T* x[3];
  bool repeated[3];
  int64_t count;
  float p, p1;

  __host__ __device__ T one(const T& a, const T& b, const T& c) const {
    return rounded<T>(compute<float>(kCode, kOperands, number(a), number(b), number(c), p, p1));
  }
  __host__ __device__ void operator()(int64_t i) const {
    constexpr int kElements = Vector<T>::kElements;
    const int64_t begin = i * kElements;
    if (begin + kElements > count) {
      for (int64_t k = begin; k < count; ++k) {
        T in[3] = {};
        for (int n = 0; n < kOperands; ++n) in[n] = x[n][repeated[n] ? 0 : k];
        y[k] = one(in[0], in[1], in[2]);
      }
      return;
    }
    Vector<T> in[3];
    for (int n = 0; n < kOperands; ++n) {
      if (repeated[n]) {
        for (int k = 0; k < kElements; ++k) in[n].at[k] = x[n][0];
      } else {
        in[n] = *reinterpret_cast<const Vector<T>*>(x[n] + begin);
      }
    }
    Vector<T> out;
    for (int k = 0; k < kElements; ++k) out.at[k] = one(in[0].at[k], in[kOperands > 1 ? 1 : 0].at[k], in[kOperands > 2 ? 2 : 0].at[k]);
    *reinterpret_cast<Vector<T>*>(y + begin) = out;
  }
};

template <class T, Code kCode, int kOperands>
cudaError_t run_vectors(const Launcher& launcher, const Elementwise& work) {
  VectorElement<T, kCode, kOperands> element{static_cast<T*>(work.y),
                                             {},
                                             {},
                                             work.walk.count,
                                             static_cast<float>(work.p[0]),
                                             static_cast<float>(work.p[1])};
  for (int n = 0; n < kOperands; ++n) {
    element.x[n] = static_cast<const T*>(work.x[n]);
    element.repeated[n] = work.walk.axes == 0 || work.walk.strides[n + 1][0] == 0;
  }
  constexpr int64_t kElements = Vector<T>::kElements;
  return for_each_element(launcher, element, (work.walk.count + kElements - 1) / kElements);
}

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
    case Code::add: case Code::subtract: case Code::multiply: case Code::scaled_add: case Code::scale: case Code::relu:
    case Code::relu_grad: case Code::sigmoid: case Code::sigmoid_grad: case Code::tanh: case Code::tanh_grad: case Code::gelu:
    case Code::gelu_grad: case Code::silu: case Code::silu_grad: return true;
    default: return false;
  }
}

}  // namespace

bool is_vectorized(const Elementwise& work) {
  const bool narrow = work.out == DType::float32 || work.out == DType::bfloat16 || work.out == DType::float16;
  if (!narrow || !is_hot(work.code) || !work.walk.linear || work.walk.axes != 1 || work.walk.strides[0][0] != 1) return false;
  const auto aligned = [](const void* address) { return reinterpret_cast<uintptr_t>(address) % 16 == 0; };
  if (!aligned(work.y)) return false;
  for (int n = 0; n < work.operands; ++n) {
    if (work.in[n] != work.out || (work.walk.strides[n + 1][0] != 0 && !aligned(work.x[n]))) return false;
  }
  return true;
}

cudaError_t launch(const Launcher& launcher, const Elementwise& work) {
  if (is_vectorized(work)) {
    switch (work.out) {
      case DType::float32: return run_hot<float>(launcher, work);
      case DType::bfloat16: return run_hot<__nv_bfloat16>(launcher, work);
      default: return run_hot<__half>(launcher, work);
    }
  }
  switch (work.arithmetic) {
    case Arithmetic::float64: return for_each_element(launcher, AnyElement<double>{work}, work.walk.count);
    case Arithmetic::whole: return for_each_element(launcher, AnyWhole{work}, work.walk.count);
    default: return for_each_element(launcher, AnyElement<float>{work}, work.walk.count);
  }
}

}  // namespace engine::cuda
