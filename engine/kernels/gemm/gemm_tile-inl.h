// SPDX-License-Identifier: Apache-2.0
// The micro-kernel of own matrix products: a tile of c in registers. Included once per vector unit, by files that are
// compiled so (gemm_simd.cpp, convolution_product_simd.cpp): it has an include guard per unit, as Highway's own inner
// headers do.
#if defined(ENGINE_CPU_GEMM_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_GEMM_TILE_INL_H
#undef ENGINE_CPU_GEMM_TILE_INL_H
#else
#define ENGINE_CPU_GEMM_TILE_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstdint>

#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/gemm/gemm_loops.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace tiles {

namespace hn = hwy::HWY_NAMESPACE;
using loops::Beside;

/// Rows of a tile, one step of the sum: row r at data[r * row], step k at + k * step. A packed panel has its rows side
/// by side.
template <class T>
struct Rows {
  const T* data;
  int64_t row, step;
};
/// Neighbours of b, one step of the sum after another `step` elements on.
template <class T>
struct Columns {
  const T* data;
  int64_t step;
};
/// Lines fetched ahead while a tile is summed, one per step: a vector of the next panel's rows.
template <class T>
struct Ahead {
  const T* data = nullptr;
  int64_t step = 0;
};
/// An address as a number: what is fetched may lie past the end of its array, where no pointer may point.
template <class T>
HWY_INLINE uintptr_t address(const T* data, int64_t offset) {
  return reinterpret_cast<uintptr_t>(data) + static_cast<uintptr_t>(offset) * sizeof(T);
}
template <class T>
HWY_INLINE void fetch(uintptr_t from) {
  hwy::Prefetch(reinterpret_cast<const T*>(from));
}

/// The sums of a tile: kHigh rows by kVectors vectors, all in registers (GCC keeps an array there only where every loop
/// over it is unrolled, which it does not do by itself for so many).
template <class T, int kHigh, int kVectors>
struct Sums {
  hn::Vec<hn::ScalableTag<T>> of[kHigh][kVectors];
};

/// One step of all sums. kPacked: rows side by side, so that no register holds where each lies. kCopy: what is read of
/// b goes to `copy`, too.
template <class M, bool kPacked, bool kCopy, class T, int kHigh, int kVectors>
HWY_INLINE void step(const T* HWY_RESTRICT a, int64_t row, const T* HWY_RESTRICT b, T* HWY_RESTRICT copy,
                     Sums<T, kHigh, kVectors>& sums) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> columns[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    columns[v] = M::load(d, b + v * lanes);
    if constexpr (kCopy) M::store(columns[v], d, copy + v * lanes);
  }
#pragma GCC unroll 16
  for (int r = 0; r < kHigh; ++r) {
    const auto x = hn::Set(d, M::load(a + (kPacked ? r : r * row)));
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums.of[r][v] = hn::MulAdd(x, columns[v], sums.of[r][v]);
  }
}

/// sums[r][v] = sum over `depth` steps of a's row r times b's vector v. M: Memory, or what stands for it.
template <class M, bool kPacked, Beside kBeside, class T, int kHigh, int kVectors>
HWY_INLINE void sum(const Rows<T>& a, const Columns<T>& b, int64_t depth, const Ahead<T>& ahead,
                    T* HWY_RESTRICT packed_b, Sums<T, kHigh, kVectors>& sums) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
#pragma GCC unroll 16
  for (int r = 0; r < kHigh; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums.of[r][v] = hn::Zero(d);
  }
  const T* HWY_RESTRICT ak = a.data;
  const T* HWY_RESTRICT bk = b.data;
  const int64_t a_step = kPacked ? kHigh : a.step;
  uintptr_t fetched = address(ahead.data, 0);
  // Unrolled late, by the compiler: written out it would move sums between registers, as many times as a quarter of the
  // multiply-adds.
#pragma GCC unroll 4
  for (int64_t k = 0; k < depth; ++k) {
    if constexpr (kBeside == Beside::fetch) {
      fetch<T>(fetched);
      fetched += static_cast<uintptr_t>(ahead.step) * sizeof(T);
    }
    step<M, kPacked, kBeside == Beside::pack>(ak, a.row, bk, packed_b, sums);
    if constexpr (kBeside == Beside::pack) packed_b += kVectors * lanes;
    ak += a_step;
    bk += b.step;
  }
}

}  // namespace tiles
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
