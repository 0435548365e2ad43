// SPDX-License-Identifier: Apache-2.0
// The rungs in vectors; compiled once per vector unit, and without vectorisation by the compiler: the widths are those written here.
#include "engine/cpu/ladder_loops.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/ladder_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/cpu/exp_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// c = sigmoid(c) in vectors of D; what is left over by itself.
template <class D, class T>
HWY_INLINE void sigmoid_all(D d, T* c, int64_t count) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(sigmoid_of(d, hn::LoadU(d, c + i)), d, c + i);
  scalar_sigmoid(c + i, count - i);
}

/// The loops of the scalar "tiled", with the innermost in vectors of kBits.
template <class T, size_t kBits>
HWY_NOINLINE void ladder_vector_tiled(const LadderProblem<T>& p) {
  const hn::CappedTag<T, kBits / 8 / sizeof(T)> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  std::fill_n(p.c, p.m * p.n, T{0});
  for (int64_t i0 = 0; i0 < p.m; i0 += p.tile) {
    for (int64_t k0 = 0; k0 < p.k; k0 += p.tile) {
      for (int64_t j0 = 0; j0 < p.n; j0 += p.tile) {
        const int64_t i1 = std::min(p.m, i0 + p.tile), k1 = std::min(p.k, k0 + p.tile), j1 = std::min(p.n, j0 + p.tile);
        for (int64_t i = i0; i < i1; ++i) {
          T* const c = p.c + i * p.n;
          for (int64_t k = k0; k < k1; ++k) {
            const T factor = p.a[i * p.k + k];
            const T* const b = p.b + k * p.row_of_b;
            const auto factors = hn::Set(d, factor);
            int64_t j = j0;
            for (; j + lanes <= j1; j += lanes) hn::StoreU(hn::MulAdd(factors, hn::LoadU(d, b + j), hn::LoadU(d, c + j)), d, c + j);
            for (; j < j1; ++j) c[j] += factor * b[j];
          }
        }
      }
    }
  }
  if (p.sigmoid) sigmoid_all(d, p.c, p.m * p.n);
}

/// kHigh rows by two vectors of c, summed up in registers.
template <class T, int64_t kHigh>
HWY_INLINE void register_tile(const LadderProblem<T>& p, int64_t i, int64_t j) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> left[kHigh], right[kHigh];
  for (int64_t r = 0; r < kHigh; ++r) left[r] = right[r] = hn::Zero(d);
  const T* const a = p.a + i * p.k;
  for (int64_t k = 0; k < p.k; ++k) {
    const T* const b = p.b + k * p.row_of_b + j;
    const auto b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + lanes);
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHigh; ++r) {
      const auto x = hn::Set(d, a[r * p.k + k]);
      left[r] = hn::MulAdd(x, b0, left[r]);
      right[r] = hn::MulAdd(x, b1, right[r]);
    }
  }
#pragma GCC unroll 8
  for (int64_t r = 0; r < kHigh; ++r) {
    T* const c = p.c + (i + r) * p.n + j;
    hn::StoreU(left[r], d, c);
    hn::StoreU(right[r], d, c + lanes);
  }
}

/// Rows of c held in registers: 16 of 32 with AVX-512, 8 of 16 below.
constexpr int64_t kRegisterRows = HWY_TARGET <= HWY_AVX3 ? 8 : 4;

template <class T>
HWY_NOINLINE void ladder_registers(const LadderProblem<T>& p) {
  const hn::ScalableTag<T> d;
  const int64_t wide = 2 * static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + wide <= p.n; j += wide) {
    int64_t i = 0;
    for (; i + kRegisterRows <= p.m; i += kRegisterRows) register_tile<T, kRegisterRows>(p, i, j);
    for (; i < p.m; ++i) register_tile<T, 1>(p, i, j);
  }
  for (; j < p.n; ++j) {
    for (int64_t i = 0; i < p.m; ++i) {
      T sum = 0;
      for (int64_t k = 0; k < p.k; ++k) sum += p.a[i * p.k + k] * p.b[k * p.row_of_b + j];
      p.c[i * p.n + j] = sum;
    }
  }
  if (p.sigmoid) sigmoid_all(d, p.c, p.m * p.n);
}

template <class T>
VectorLadder<T> ladder() {
  constexpr size_t kWidest = 8 * sizeof(T) * hn::MaxLanes(hn::ScalableTag<T>());
  VectorLadder<T> loops;
  if constexpr (kWidest >= 128) loops.tiled_128 = ladder_vector_tiled<T, 128>;
  if constexpr (kWidest >= 256) loops.tiled_256 = ladder_vector_tiled<T, 256>;
  if constexpr (kWidest >= 512) loops.tiled_512 = ladder_vector_tiled<T, 512>;
  loops.registers = ladder_registers<T>;
  return loops;
}
VectorLadder<float> ladder_f32() { return ladder<float>(); }
VectorLadder<double> ladder_f64() {
#if HWY_HAVE_FLOAT64
  return ladder<double>();
#else
  return {};
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(ladder_f32);
HWY_EXPORT(ladder_f64);

VectorLadder<float> vector_ladder_f32() { return HWY_DYNAMIC_DISPATCH(ladder_f32)(); }
VectorLadder<double> vector_ladder_f64() { return HWY_DYNAMIC_DISPATCH(ladder_f64)(); }

}  // namespace engine::cpu
#endif
