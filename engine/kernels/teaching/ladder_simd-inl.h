// SPDX-License-Identifier: Apache-2.0
// The rungs in vectors. Included once per vector unit (ladder_simd.cpp), and by a test that notes each access: it has
// an include guard per unit, as Highway's own inner headers do.
#if defined(ENGINE_CPU_LADDER_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_LADDER_SIMD_INL_H
#undef ENGINE_CPU_LADDER_SIMD_INL_H
#else
#define ENGINE_CPU_LADDER_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include "engine/kernels/core/exp_simd.h"
#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/teaching/ladder_loops.h"
#include "engine/kernels/teaching/ladder_rungs.h"
#include "engine/kernels/teaching/ladder_scalar-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace ladder {

namespace hn = hwy::HWY_NAMESPACE;

/// c = sigmoid(c) in vectors of D; what is left over by itself.
template <class M, class D, class T>
HWY_INLINE void sigmoid_all(D d, T* c, int64_t count) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) M::store(sigmoid_of(d, M::load(d, c + i)), d, c + i);
  for (; i < count; ++i) M::store(ladder_sigmoid(M::load(c + i)), c + i);
}

/// The parts of the tiled rungs, vectors of kBits along the rows.
template <class T, size_t kBits, class M = Memory>
class Tiled : public loops::Computes {
 public:
  explicit Tiled(const LadderProblem<T>& problem) : p_(problem) {}
  void clear() { M::fill(p_.c, p_.m * p_.n, T{0}); }
  HWY_NOINLINE void add_tile(loops::Range rows, loops::Range steps, loops::Range columns) {
    const hn::CappedTag<T, kBits / 8 / sizeof(T)> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      T* const c = p_.c + i * p_.n;
      for (int64_t k = steps.begin; k < steps.end; ++k) {
        const T factor = M::load(p_.a + i * p_.k + k);
        const T* const b = p_.b + k * p_.row_of_b;
        const auto factors = hn::Set(d, factor);
        int64_t j = columns.begin;
        for (; j + lanes <= columns.end; j += lanes) {
          const auto x = M::load(d, b + j);
          M::store(hn::MulAdd(factors, x, M::load(d, c + j)), d, c + j);
        }
        for (; j < columns.end; ++j) {
          const T x = M::load(b + j);
          M::store(M::load(c + j) + factor * x, c + j);
        }
      }
    }
  }
  HWY_NOINLINE void sigmoid() { sigmoid_all<M>(hn::CappedTag<T, kBits / 8 / sizeof(T)>(), p_.c, p_.m * p_.n); }

 private:
  const LadderProblem<T> p_;
};

/// kHigh rows by two vectors of c, summed up in registers.
template <class M, int64_t kHigh, class T>
HWY_INLINE void register_tile(const LadderProblem<T>& p, int64_t i, int64_t j) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> left[kHigh], right[kHigh];
  for (int64_t r = 0; r < kHigh; ++r) left[r] = right[r] = hn::Zero(d);
  const T* const a = p.a + i * p.k;
  for (int64_t k = 0; k < p.k; ++k) {
    const T* const b = p.b + k * p.row_of_b + j;
    const auto b0 = M::load(d, b), b1 = M::load(d, b + lanes);
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHigh; ++r) {
      const auto x = hn::Set(d, M::load(a + r * p.k + k));
      left[r] = hn::MulAdd(x, b0, left[r]);
      right[r] = hn::MulAdd(x, b1, right[r]);
    }
  }
#pragma GCC unroll 8
  for (int64_t r = 0; r < kHigh; ++r) {
    T* const c = p.c + (i + r) * p.n + j;
    M::store(left[r], d, c);
    M::store(right[r], d, c + lanes);
  }
}

/// The parts of the rung in registers.
template <class T, class M = Memory>
class Registers : public loops::Computes {
 public:
  static constexpr int64_t kRows = loops::ladder_rows_in_registers(HWY_TARGET <= HWY_AVX3);

  explicit Registers(const LadderProblem<T>& problem) : p_(problem) {}
  HWY_NOINLINE void tile(int64_t i, int64_t rows, int64_t j) {
    if (rows == kRows) register_tile<M, kRows>(p_, i, j);
    else register_tile<M, 1>(p_, i, j);
  }
  HWY_NOINLINE void element(int64_t i, int64_t j) {
    T sum = 0;
    for (int64_t k = 0; k < p_.k; ++k) {
      const T x = M::load(p_.a + i * p_.k + k);
      sum += x * M::load(p_.b + k * p_.row_of_b + j);
    }
    M::store(sum, p_.c + i * p_.n + j);
  }
  HWY_NOINLINE void sigmoid() { sigmoid_all<M>(hn::ScalableTag<T>(), p_.c, p_.m * p_.n); }

 private:
  const LadderProblem<T> p_;
};

template <class T, size_t kBits, class M = Memory>
void tiled(const LadderProblem<T>& p) {
  Tiled<T, kBits, M> parts(p);
  loops::ladder_tiled(shape_of(p), p.tile, parts);
}

template <class T, class M = Memory>
void registers(const LadderProblem<T>& p) {
  Registers<T, M> parts(p);
  loops::ladder_registers(shape_of(p), static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>())), Registers<T, M>::kRows,
                          parts);
}

}  // namespace ladder
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
