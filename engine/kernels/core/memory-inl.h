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

/// `count` elements, fewer than 2 * kMost, by copies of known sizes: no call.
template <size_t kMost, class T>
HWY_INLINE void copy_some(const T* from, T* to, int64_t count) {
  if constexpr (kMost > 0) {
    constexpr auto kStep = static_cast<int64_t>(kMost);
    const bool taken = count >= kStep;
    if (taken) std::memcpy(to, from, kMost * sizeof(T));
    copy_some<kMost / 2>(taken ? from + kStep : from, taken ? to + kStep : to, taken ? count - kStep : count);
  }
}

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
    copy_some<hn::MaxLanes(D()) / 2>(from, lanes, count);
    return hn::Load(d, lanes);
  }
  template <class D, class T>
  static HWY_INLINE void store_some(hwy::HWY_NAMESPACE::Vec<D> x, D d, T* to, int64_t count) {
    namespace hn = hwy::HWY_NAMESPACE;
    if constexpr (HWY_TARGET <= HWY_AVX2) return hn::BlendedStore(x, hn::FirstN(d, static_cast<size_t>(count)), d, to);
    HWY_ALIGN T lanes[hn::MaxLanes(D())];
    hn::Store(x, d, lanes);
    copy_some<hn::MaxLanes(D()) / 2>(lanes, to, count);
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

/// Neighbours that a whole vector takes.
template <class M, class T>
struct WholeVector {
  using D = hwy::HWY_NAMESPACE::ScalableTag<T>;
  using V = hwy::HWY_NAMESPACE::Vec<D>;
  static constexpr D d{};

  HWY_INLINE V load(const T* from) const { return M::load(d, from); }
  HWY_INLINE void store(V x, T* to) const { M::store(x, d, to); }
  /// x, and `other` in the lanes that are none of the row's.
  HWY_INLINE V or_else(V x, V) const { return x; }
};
/// What is left of a row behind its last whole vector.
template <class M, class T>
struct PartOfVector {
  using D = hwy::HWY_NAMESPACE::ScalableTag<T>;
  using V = hwy::HWY_NAMESPACE::Vec<D>;
  static constexpr D d{};
  int64_t count;

  HWY_INLINE V load(const T* from) const { return M::load_some(d, from, count); }
  HWY_INLINE void store(V x, T* to) const { M::store_some(x, d, to, count); }
  HWY_INLINE V or_else(V x, V other) const {
    namespace hn = hwy::HWY_NAMESPACE;
    return hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(count)), x, other);
  }
};
/// Calls f(part, i) for each vector of a row's elements [begin, end).
template <class M, class T, class F>
HWY_INLINE void for_vectors(int64_t begin, int64_t end, const F& f) {
  const auto lanes = static_cast<int64_t>(hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<T>()));
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) f(WholeVector<M, T>(), i);
  if (i < end) f(PartOfVector<M, T>{end - i}, i);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
