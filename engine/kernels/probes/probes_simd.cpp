// SPDX-License-Identifier: Apache-2.0
// The chain of multiply-adds, plain and under masks; this file is compiled once per vector unit.
#include "engine/kernels/probes/probes_simd.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/probes/probes_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// `kChains` vectors side by side, each in a register of its own: the chain of one vector is longer than a processor
/// looks ahead, so what runs at once is what stands here.
template <int kChains, class T>
HWY_INLINE void chains_of(const T* x, T* y, int64_t count, int64_t rounds, T factor, T shift) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto a = hn::Set(d, factor), b = hn::Set(d, shift);
  using V = hn::Vec<decltype(d)>;
  for (int64_t from = 0; from < count; from += kChains * lanes) {
    const auto part = [&](int k) HWY_ATTR {
      return static_cast<size_t>(std::clamp<int64_t>(count - from - k * lanes, 0, lanes));
    };
    const auto at = [&](int k) HWY_ATTR { return x + std::min(count, from + k * lanes); };
    // The end of the arrays goes through a buffer: on older vector units a masked access touches the whole vector.
    T buffer[hn::MaxLanes(d)] = {};
    const auto load = [&](int k) HWY_ATTR {
      if (part(k) == static_cast<size_t>(lanes)) return hn::LoadU(d, at(k));
      std::copy_n(at(k), part(k), buffer);
      return hn::LoadU(d, buffer);
    };
    V v0 = load(0), v1 = v0, v2 = v0, v3 = v0, v4 = v0, v5 = v0, v6 = v0, v7 = v0;
    if constexpr (kChains > 1) v1 = load(1);
    if constexpr (kChains > 2) v2 = load(2), v3 = load(3);
    if constexpr (kChains > 4) v4 = load(4), v5 = load(5), v6 = load(6), v7 = load(7);
    for (int64_t i = 0; i < rounds; ++i) {
      v0 = hn::MulAdd(v0, a, b);
      if constexpr (kChains > 1) v1 = hn::MulAdd(v1, a, b);
      if constexpr (kChains > 2) v2 = hn::MulAdd(v2, a, b), v3 = hn::MulAdd(v3, a, b);
      if constexpr (kChains > 4) {
        v4 = hn::MulAdd(v4, a, b), v5 = hn::MulAdd(v5, a, b);
        v6 = hn::MulAdd(v6, a, b), v7 = hn::MulAdd(v7, a, b);
      }
    }
    const auto store = [&](int k, V v) HWY_ATTR {
      if (part(k) == static_cast<size_t>(lanes)) return hn::StoreU(v, d, y + from + k * lanes);
      hn::StoreU(v, d, buffer);
      std::copy_n(buffer, part(k), y + std::min(count, from + k * lanes));
    };
    store(0, v0);
    if constexpr (kChains > 1) store(1, v1);
    if constexpr (kChains > 2) store(2, v2), store(3, v3);
    if constexpr (kChains > 4) store(4, v4), store(5, v5), store(6, v6), store(7, v7);
  }
}

template <class T>
void run(const T* x, T* y, int64_t count, int64_t rounds, int chains, T factor, T shift) {
  switch (chains) {
    case 8: return chains_of<8>(x, y, count, rounds, factor, shift);
    case 4: return chains_of<4>(x, y, count, rounds, factor, shift);
    case 2: return chains_of<2>(x, y, count, rounds, factor, shift);
    default: return chains_of<1>(x, y, count, rounds, factor, shift);
  }
}

/// Lanes beyond the end compute, too, and nobody takes their result.
template <class T>
void run_masked(const T* x, const int32_t* path, T* y, int64_t count, int64_t rounds, int64_t paths) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  T values[hn::MaxLanes(d)] = {}, numbers[hn::MaxLanes(d)] = {};
  const auto factor = hn::Set(d, T(0.75));
  for (int64_t from = 0; from < count; from += lanes) {
    const int64_t part = std::min(lanes, count - from);
    uint64_t among = 0;
    for (int64_t k = 0; k < part; ++k) {
      const int32_t p = path[from + k];
      values[k] = x[from + k];
      numbers[k] = static_cast<T>(p);
      if (p >= 0 && p < paths) among |= uint64_t{1} << p;
    }
    const auto start = hn::LoadU(d, values), own = hn::LoadU(d, numbers);
    auto result = start;
    for (; among != 0; among &= among - 1) {
      const T p = static_cast<T>(std::countr_zero(among));
      const auto shift = hn::Set(d, (p + 1) / 64);
      auto value = start;
      for (int64_t i = 0; i < rounds; ++i) value = hn::MulAdd(value, factor, shift);
      result = hn::IfThenElse(hn::Eq(own, hn::Set(d, p)), value, result);
    }
    hn::StoreU(result, d, values);
    std::copy_n(values, part, y + from);
  }
}

template <class T>
int64_t lanes_of() {
  return static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
}

ChainLoop<float> find_f32() { return {run<float>, lanes_of<float>()}; }

ChainLoop<double> find_f64() {
#if HWY_HAVE_FLOAT64
  return {run<double>, lanes_of<double>()};
#else
  return {};
#endif
}

MaskedLoop<float> find_masked_f32() { return {run_masked<float>, lanes_of<float>()}; }

MaskedLoop<double> find_masked_f64() {
#if HWY_HAVE_FLOAT64
  return {run_masked<double>, lanes_of<double>()};
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

HWY_EXPORT(find_f32);
HWY_EXPORT(find_f64);
HWY_EXPORT(find_masked_f32);
HWY_EXPORT(find_masked_f64);

ChainLoop<float> chain_loop_f32() { return HWY_DYNAMIC_DISPATCH(find_f32)(); }
ChainLoop<double> chain_loop_f64() { return HWY_DYNAMIC_DISPATCH(find_f64)(); }
MaskedLoop<float> masked_loop_f32() { return HWY_DYNAMIC_DISPATCH(find_masked_f32)(); }
MaskedLoop<double> masked_loop_f64() { return HWY_DYNAMIC_DISPATCH(find_masked_f64)(); }

}  // namespace engine::cpu
#endif
