// SPDX-License-Identifier: Apache-2.0
// Loops of reductions. Included once per vector unit (reduce_simd.cpp), and by a test that notes each access: it has an
// include guard per unit, as Highway's own inner headers do.
#if defined(ENGINE_CPU_REDUCE_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_REDUCE_SIMD_INL_H
#undef ENGINE_CPU_REDUCE_SIMD_INL_H
#else
#define ENGINE_CPU_REDUCE_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "engine/kernels/core/exp_simd.h"
#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/reduction/reduce_simd.h"
#include "engine/kernels/reduction/reduction_loops.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace reduction {

namespace hn = hwy::HWY_NAMESPACE;

// NaN stays once it is there. Ne(x, x) would not find it: that is an ordered comparison on AVX2 and AVX-512.
template <class V>
HWY_INLINE V greater_of(V a, V x) {
  return hn::IfThenElse(hn::Or(hn::Gt(x, a), hn::IsNaN(x)), x, a);
}
template <class V>
HWY_INLINE V lesser_of(V a, V x) {
  return hn::IfThenElse(hn::Or(hn::Lt(x, a), hn::IsNaN(x)), x, a);
}

template <Gathered g, class V>
HWY_INLINE V gather(V a, V x) {
  if constexpr (g == Gathered::most) return greater_of(a, x);
  if constexpr (g == Gathered::least) return lesser_of(a, x);
  if constexpr (g == Gathered::product) return hn::Mul(a, x);
  if constexpr (g == Gathered::squares) return hn::MulAdd(x, x, a);
  return hn::Add(a, x);
}
template <Gathered g, class D, class V>
HWY_INLINE V term(D d, V x, V shift) {
  if constexpr (g == Gathered::absolute) return hn::Abs(x);
  if constexpr (g == Gathered::exponentials) return exp_down(d, hn::Sub(x, shift));
  return x;
}

/// As join(): a call for each lane would take longer than short lines.
template <Gathered g>
HWY_INLINE double joined(double a, double b) {
  if constexpr (g == Gathered::most) return b > a || std::isnan(b) ? b : a;
  if constexpr (g == Gathered::least) return b < a || std::isnan(b) ? b : a;
  if constexpr (g == Gathered::product) return a * b;
  return a + b;
}

/// x as doubles (D of doubles), from T.
template <class M, class T, class D>
HWY_INLINE hn::VFromD<D> load_as(D d, const T* x) {
#if HWY_HAVE_FLOAT64
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    return M::load(d, x);
  } else {
    return hn::PromoteTo(d, M::load(hn::Rebind<T, D>(), x));
  }
#else
  return M::load(d, x);
#endif
}

/// What four running values over [0, count) gather, in elements of D, which may be wider than T.
template <Gathered g, class M, class T, class D>
HWY_INLINE double stretch(D d, const T* x, int64_t count, T shift) {
  using Wide = hn::TFromD<D>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto first = hn::Set(d, static_cast<Wide>(start_of(g))), by = hn::Set(d, static_cast<Wide>(shift));
  auto a0 = first, a1 = first, a2 = first, a3 = first;
  int64_t i = 0;
  const auto at = [&](int64_t k) HWY_ATTR { return term<g>(d, load_as<M>(d, x + k), by); };
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    a0 = gather<g>(a0, at(i));
    a1 = gather<g>(a1, at(i + lanes));
    a2 = gather<g>(a2, at(i + 2 * lanes));
    a3 = gather<g>(a3, at(i + 3 * lanes));
  }
  for (; i + lanes <= count; i += lanes) a0 = gather<g>(a0, at(i));
  HWY_ALIGN Wide kept[4 * HWY_MAX_BYTES / sizeof(Wide)];
  hn::Store(a0, d, kept);
  hn::Store(a1, d, kept + lanes);
  hn::Store(a2, d, kept + 2 * lanes);
  hn::Store(a3, d, kept + 3 * lanes);
  double total = start_of(g);
  for (int64_t k = 0; k < 4 * lanes; ++k) total = joined<g>(total, static_cast<double>(kept[k]));
  const hn::CappedTag<Wide, 1> one;
  for (; i < count; ++i) {
    const auto alone =
        term<g>(one, hn::Set(one, static_cast<Wide>(M::load(x + i))), hn::Set(one, static_cast<Wide>(shift)));
    total = joined<g>(total,
                      static_cast<double>(hn::GetLane(gather<g>(hn::Set(one, static_cast<Wide>(start_of(g))), alone))));
  }
  return total;
}

template <Gathered g, class M, class T>
double line_of(const T* x, int64_t count, T shift) {
  double total = start_of(g);
  for (int64_t from = 0; from < count; from += loops::kGatherStretch) {
    const int64_t part = std::min(loops::kGatherStretch, count - from);
    constexpr bool in_double = g == Gathered::squares || g == Gathered::product;
#if HWY_HAVE_FLOAT64
    if constexpr (in_double) {
      total = join(g, total, stretch<g, M>(hn::ScalableTag<double>(), x + from, part, shift));
    } else {
      total = join(g, total, stretch<g, M>(hn::ScalableTag<T>(), x + from, part, shift));
    }
#else
    if constexpr (in_double) {
      for (int64_t i = from; i < from + part; ++i) {
        const double v = static_cast<double>(M::load(x + i));
        total = join(g, total, g == Gathered::squares ? v * v : v);
      }
    } else {
      total = join(g, total, stretch<g, M>(hn::ScalableTag<T>(), x + from, part, shift));
    }
#endif
  }
  return total;
}

template <Gathered g, class M, class T>
void across_of(const T* x, int64_t count, const T* shift, double* to) {
  int64_t i = 0;
#if HWY_HAVE_FLOAT64
  const hn::ScalableTag<double> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> value;
    if constexpr (g == Gathered::exponentials) {
      const hn::Rebind<T, decltype(d)> narrow;
      const auto own = M::load(narrow, x + i), exponential = exp_down(narrow, hn::Sub(own, M::load(narrow, shift + i)));
      if constexpr (sizeof(T) == sizeof(double)) value = exponential;
      else value = hn::PromoteTo(d, exponential);
    } else {
      value = load_as<M>(d, x + i);
    }
    if constexpr (g == Gathered::absolute) value = hn::Abs(value);
    M::store(gather<g>(M::load(d, to + i), value), d, to + i);
  }
#endif
  for (; i < count; ++i) {
    const double v = static_cast<double>(M::load(x + i));
    const double value = g == Gathered::absolute       ? std::abs(v)
                         : g == Gathered::squares      ? v * v
                         : g == Gathered::exponentials ? std::exp(v - static_cast<double>(M::load(shift + i)))
                                                       : v;
    M::store(join(g, M::load(to + i), value), to + i);
  }
}

template <class T, class Call>
HWY_INLINE auto chosen(Gathered g, const Call& call) {
  switch (g) {
    case Gathered::sum: return call.template operator()<Gathered::sum>();
    case Gathered::absolute: return call.template operator()<Gathered::absolute>();
    case Gathered::squares: return call.template operator()<Gathered::squares>();
    case Gathered::exponentials: return call.template operator()<Gathered::exponentials>();
    case Gathered::most: return call.template operator()<Gathered::most>();
    case Gathered::least: return call.template operator()<Gathered::least>();
    case Gathered::product: break;
  }
  return call.template operator()<Gathered::product>();
}

template <class T, class M>
double line(Gathered g, const T* x, int64_t count, T shift) {
  return chosen<T>(g, [=]<Gathered what>() { return line_of<what, M>(x, count, shift); });
}
template <class T, class M>
void across(Gathered g, const T* x, int64_t count, const T* shift, double* to) {
  chosen<T>(g, [=]<Gathered what>() { across_of<what, M>(x, count, shift, to); });
}

template <class T, class M = Memory>
ReduceLoops<T> loops_over() {
  return {line<T, M>, across<T, M>};
}

}  // namespace reduction
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
