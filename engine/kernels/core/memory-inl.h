// SPDX-License-Identifier: Apache-2.0
// How kernels reach memory. A test compiles the same kernels over a memory that notes each access
// (tests/engine/kernels/core/noted_kernels.cpp) and holds their descriptions against it. Included once per vector unit:
// it has an include guard per unit, as Highway's own inner headers do.
#if defined(ENGINE_CPU_MEMORY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_MEMORY_INL_H
#undef ENGINE_CPU_MEMORY_INL_H
#else
#define ENGINE_CPU_MEMORY_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged

struct Memory {
  template <class D, class T>
  static HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> load(D d, const T* from) {
    return hwy::HWY_NAMESPACE::LoadU(d, from);
  }
  template <class D, class T>
  static HWY_INLINE void store(hwy::HWY_NAMESPACE::Vec<D> x, D d, T* to) {
    hwy::HWY_NAMESPACE::StoreU(x, d, to);
  }
  /// The first `count` lanes, fewer than all; the others are zeros, and their places are not touched.
  template <class D, class T>
  static HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> load_some(D d, const T* from, int64_t count) {
    namespace hn = hwy::HWY_NAMESPACE;
    if constexpr (HWY_TARGET <= HWY_AVX2) return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count)), d, from);
    HWY_ALIGN T lanes[hn::MaxLanes(D())] = {};
    std::copy_n(from, count, lanes);
    return hn::Load(d, lanes);
  }
  template <class D, class T>
  static HWY_INLINE void store_some(hwy::HWY_NAMESPACE::Vec<D> x, D d, T* to, int64_t count) {
    namespace hn = hwy::HWY_NAMESPACE;
    if constexpr (HWY_TARGET <= HWY_AVX2) return hn::BlendedStore(x, hn::FirstN(d, static_cast<size_t>(count)), d, to);
    HWY_ALIGN T lanes[hn::MaxLanes(D())];
    hn::Store(x, d, lanes);
    std::copy_n(lanes, count, to);
  }
  /// Their lanes in turn: two vectors.
  template <class D, class T>
  static HWY_INLINE void store_interleaved(hwy::HWY_NAMESPACE::Vec<D> x, hwy::HWY_NAMESPACE::Vec<D> y, D d, T* to) {
    hwy::HWY_NAMESPACE::StoreInterleaved2(x, y, d, to);
  }
  template <class T>
  static HWY_INLINE T load(const T* from) {
    return *from;
  }
  template <class T>
  static HWY_INLINE void store(T x, T* to) {
    *to = x;
  }
  template <class T>
  static HWY_INLINE void fill(T* to, int64_t count, T x) {
    std::fill_n(to, count, x);
  }
  /// So many elements as one, to where they do not lie.
  template <int64_t kCount, class T>
  static HWY_INLINE void copy(const T* from, T* to) {
    std::memcpy(to, from, kCount * sizeof(T));
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
