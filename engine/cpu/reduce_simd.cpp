// SPDX-License-Identifier: Apache-2.0
// Loops of reductions; this file is compiled once per vector unit.
#include "engine/cpu/reduce_simd.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/reduce_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/cpu/exp_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// Elements gathered in T before they go to a double.
constexpr int64_t kFlush = 4096;

template <class V>
HWY_INLINE V greater_of(V a, V x) {
  return hn::IfThenElse(hn::Or(hn::Gt(x, a), hn::Ne(x, x)), x, a);
}
template <class V>
HWY_INLINE V lesser_of(V a, V x) {
  return hn::IfThenElse(hn::Or(hn::Lt(x, a), hn::Ne(x, x)), x, a);
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

/// x as doubles (D of doubles), from T.
template <class T, class D>
HWY_INLINE hn::VFromD<D> load_as(D d, const T* x) {
#if HWY_HAVE_FLOAT64
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    return hn::LoadU(d, x);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), x));
  }
#else
  return hn::LoadU(d, x);
#endif
}

/// What four running values over [0, count) gather, in elements of D, which may be wider than T.
template <Gathered g, class T, class D>
HWY_INLINE double stretch(D d, const T* x, int64_t count, T shift) {
  using Wide = hn::TFromD<D>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto first = hn::Set(d, static_cast<Wide>(start_of(g))), by = hn::Set(d, static_cast<Wide>(shift));
  auto a0 = first, a1 = first, a2 = first, a3 = first;
  int64_t i = 0;
  const auto at = [&](int64_t k) HWY_ATTR { return term<g>(d, load_as(d, x + k), by); };
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
  for (int64_t k = 0; k < 4 * lanes; ++k) total = join(g, total, static_cast<double>(kept[k]));
  const hn::CappedTag<Wide, 1> one;
  for (; i < count; ++i) {
    const auto alone = term<g>(one, hn::Set(one, static_cast<Wide>(x[i])), hn::Set(one, static_cast<Wide>(shift)));
    total = join(g, total, static_cast<double>(hn::GetLane(gather<g>(hn::Set(one, static_cast<Wide>(start_of(g))), alone))));
  }
  return total;
}

template <Gathered g, class T>
double line_of(const T* x, int64_t count, T shift) {
  double total = start_of(g);
  for (int64_t from = 0; from < count; from += kFlush) {
    const int64_t part = std::min(kFlush, count - from);
    constexpr bool in_double = g == Gathered::squares || g == Gathered::product;
#if HWY_HAVE_FLOAT64
    if constexpr (in_double) {
      total = join(g, total, stretch<g>(hn::ScalableTag<double>(), x + from, part, shift));
    } else {
      total = join(g, total, stretch<g>(hn::ScalableTag<T>(), x + from, part, shift));
    }
#else
    if constexpr (in_double) {
      for (int64_t i = from; i < from + part; ++i) total = join(g, total, g == Gathered::squares ? static_cast<double>(x[i]) * static_cast<double>(x[i]) : static_cast<double>(x[i]));
    } else {
      total = join(g, total, stretch<g>(hn::ScalableTag<T>(), x + from, part, shift));
    }
#endif
  }
  return total;
}

template <Gathered g, class T>
void across_of(const T* x, int64_t count, const T* shift, double* to) {
  int64_t i = 0;
#if HWY_HAVE_FLOAT64
  const hn::ScalableTag<double> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) {
    auto value = load_as(d, x + i);
    if constexpr (g == Gathered::absolute) value = hn::Abs(value);
    if constexpr (g == Gathered::exponentials) {
      const hn::Rebind<T, decltype(d)> narrow;
      const auto exponential = exp_down(narrow, hn::Sub(hn::LoadU(narrow, x + i), hn::LoadU(narrow, shift + i)));
      if constexpr (sizeof(T) == sizeof(double)) value = exponential;
      else value = hn::PromoteTo(d, exponential);
    }
    hn::StoreU(gather<g>(hn::LoadU(d, to + i), value), d, to + i);
  }
#endif
  for (; i < count; ++i) {
    const double v = static_cast<double>(x[i]);
    const double value = g == Gathered::absolute ? std::abs(v) : g == Gathered::squares ? v * v : g == Gathered::exponentials ? std::exp(v - static_cast<double>(shift[i])) : v;
    to[i] = join(g, to[i], value);
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

template <class T>
double line(Gathered g, const T* x, int64_t count, T shift) {
  return chosen<T>(g, [=]<Gathered what>() { return line_of<what>(x, count, shift); });
}
template <class T>
void across(Gathered g, const T* x, int64_t count, const T* shift, double* to) {
  chosen<T>(g, [=]<Gathered what>() { across_of<what>(x, count, shift, to); });
}

ReduceLoops<float> loops_f32() { return {line<float>, across<float>}; }
ReduceLoops<double> loops_f64() {
#if HWY_HAVE_FLOAT64
  return {line<double>, across<double>};
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

double start_of(Gathered g) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return g == Gathered::most ? -kInfinity : g == Gathered::least ? kInfinity : g == Gathered::product ? 1 : 0;
}

double join(Gathered g, double a, double b) {
  switch (g) {
    case Gathered::most: return b > a || std::isnan(b) ? b : a;
    case Gathered::least: return b < a || std::isnan(b) ? b : a;
    case Gathered::product: return a * b;
    default: return a + b;
  }
}

HWY_EXPORT(loops_f32);
HWY_EXPORT(loops_f64);
ReduceLoops<float> reduce_loops_f32() { return HWY_DYNAMIC_DISPATCH(loops_f32)(); }
ReduceLoops<double> reduce_loops_f64() { return HWY_DYNAMIC_DISPATCH(loops_f64)(); }

}  // namespace engine::cpu
#endif
