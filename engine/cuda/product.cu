// SPDX-License-Identifier: Apache-2.0
// Our own product of matrices.
#include "engine/cuda/product.h"

#include "engine/cuda/gemm.cuh"
#include "engine/cuda/numbers.cuh"

namespace engine::cuda {
namespace {

template <class A, bool kFastA, bool kFastB>
struct Matrices {
  using Value = A;
  using Row = int64_t;
  using Column = int64_t;
  struct Depth {
    int64_t a, b;
  };
  static constexpr bool kDepthFastA = kFastA, kDepthFastB = kFastB;
  int64_t m, n, k, batches;
  Product p;

  __host__ __device__ void begins(int64_t z, int64_t (&at)[3]) const { offsets_at(p.batch, z, at); }
  __host__ __device__ Row row(int64_t z, int64_t i) const {
    int64_t at[3];
    begins(z, at);
    return at[1] + i * p.a_strides[0];
  }
  __host__ __device__ Column column(int64_t z, int64_t j) const {
    int64_t at[3];
    begins(z, at);
    return at[2] + j * p.b_strides[1];
  }
  __host__ __device__ Depth depth(int64_t, int64_t l) const { return {l * p.a_strides[1], l * p.b_strides[0]}; }
  __host__ __device__ A a(Row row, Depth depth) const { return load<A>(p.a.dtype, p.a.bytes, row + depth.a); }
  __host__ __device__ A b(Depth depth, Column column) const { return load<A>(p.b.dtype, p.b.bytes, depth.b + column); }
  __host__ __device__ void set(int64_t z, int64_t i, int64_t j, A value) const {
    int64_t at[3];
    begins(z, at);
    if (p.bias.bytes != nullptr) value += load<A>(p.bias.dtype, p.bias.bytes, j * p.bias_stride);
    store<A>(p.c.dtype, p.c.bytes, at[0] + i * p.c_strides[0] + j * p.c_strides[1], value);
  }
};

template <class A, bool kFastA, bool kFastB>
cudaError_t run(const Launcher& launcher, const Product& p) {
  return multiply(launcher, Matrices<A, kFastA, kFastB>{p.m, p.n, p.k, p.batch.count, p},
                  {p.parts.count, p.parts.length, p.sums});
}

template <class A>
cudaError_t run(const Launcher& launcher, const Product& p) {
  const bool fast_a = p.a_strides[1] == 1, fast_b = p.b_strides[0] == 1;
  if (fast_a) return fast_b ? run<A, true, true>(launcher, p) : run<A, true, false>(launcher, p);
  return fast_b ? run<A, false, true>(launcher, p) : run<A, false, false>(launcher, p);
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const Product& product) {
  switch (product.arithmetic) {
    case Arithmetic::float64: return run<double>(launcher, product);
    case Arithmetic::whole: return run<int64_t>(launcher, product);
    default: return run<float>(launcher, product);
  }
}

}  // namespace engine::cuda
