// SPDX-License-Identifier: Apache-2.0
// Loops over lines of neighbouring elements; this file is compiled once per vector unit.
#include "engine/cpu/lines_simd.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/lines_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/cpu/exp_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// Elements summed in T before the sum goes to a double.
constexpr int64_t kFlush = 4096;

/// Calls f(tag, i) for whole vectors, then one by one for the rest.
template <class T, class F>
HWY_INLINE void for_each(int64_t count, const F& f) {
  const hn::ScalableTag<T> wide;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) f(wide, i);
  for (; i < count; ++i) f(hn::CappedTag<T, 1>(), i);
}

/// Sum of term(tag, i) over [begin, end) with four running sums.
template <class T, class Term>
HWY_INLINE double sum_terms(int64_t begin, int64_t end, const Term& term) {
  const hn::ScalableTag<T> wide;
  const hn::CappedTag<T, 1> single;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  double total = 0;
  for (int64_t from = begin; from < end; from += kFlush) {
    const int64_t to = std::min(end, from + kFlush);
    auto s0 = hn::Zero(wide), s1 = s0, s2 = s0, s3 = s0;
    int64_t i = from;
    for (; i + 4 * lanes <= to; i += 4 * lanes) {
      s0 = hn::Add(s0, term(wide, i));
      s1 = hn::Add(s1, term(wide, i + lanes));
      s2 = hn::Add(s2, term(wide, i + 2 * lanes));
      s3 = hn::Add(s3, term(wide, i + 3 * lanes));
    }
    for (; i + lanes <= to; i += lanes) s0 = hn::Add(s0, term(wide, i));
    auto rest = hn::Zero(single);
    for (; i < to; ++i) rest = hn::Add(rest, term(single, i));
    const auto all = hn::SumOfLanes(wide, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
    total += static_cast<double>(hn::GetLane(all)) + static_cast<double>(hn::GetLane(rest));
  }
  return total;
}

template <class T>
T largest(const T* x, int64_t count) {
  const hn::ScalableTag<T> wide;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  T most = x[0];
  int64_t i = 0;
  if (count >= 4 * lanes) {  // four running maxima: one would wait for itself
    auto m0 = hn::LoadU(wide, x), m1 = hn::LoadU(wide, x + lanes), m2 = hn::LoadU(wide, x + 2 * lanes), m3 = hn::LoadU(wide, x + 3 * lanes);
    for (i = 4 * lanes; i + 4 * lanes <= count; i += 4 * lanes) {
      m0 = hn::Max(m0, hn::LoadU(wide, x + i));
      m1 = hn::Max(m1, hn::LoadU(wide, x + i + lanes));
      m2 = hn::Max(m2, hn::LoadU(wide, x + i + 2 * lanes));
      m3 = hn::Max(m3, hn::LoadU(wide, x + i + 3 * lanes));
    }
    most = hn::GetLane(hn::MaxOfLanes(wide, hn::Max(hn::Max(m0, m1), hn::Max(m2, m3))));
  }
  for (; i < count; ++i) most = std::max(most, x[i]);
  return most;
}

template <class T>
double softmax(const T* x, int64_t count, T* y) {
  const T most = largest(x, count);
  const double total = sum_terms<T>(0, count, [=](auto d, int64_t i) HWY_ATTR {
    const auto t = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, most));
    const auto e = exp_down(d, t);
    hn::StoreU(e, d, y + i);
    return e;
  });
  const T factor = static_cast<T>(1 / total);
  for_each<T>(count, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, y + i), hn::Set(d, factor)), d, y + i);
  });
  return static_cast<double>(most) + std::log(total);
}

template <class T>
void softmax_gradient(const T* dy, const T* y, int64_t count, T* dx) {
  const T total = static_cast<T>(sum_terms<T>(0, count, [=](auto d, int64_t i) HWY_ATTR {
    return hn::Mul(hn::LoadU(d, dy + i), hn::LoadU(d, y + i));
  }));
  for_each<T>(count, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, y + i), hn::Sub(hn::LoadU(d, dy + i), hn::Set(d, total))), d,
               dx + i);
  });
}

template <class T>
void log_softmax(const T* x, int64_t count, T* y) {
  const T most = largest(x, count);
  const double total = sum_terms<T>(0, count, [=](auto d, int64_t i) HWY_ATTR { return exp_down(d, hn::Sub(hn::LoadU(d, x + i), hn::Set(d, most))); });
  // In two steps: the sum of both is rounded where x is large.
  const T rest = static_cast<T>(std::log(total));
  for_each<T>(count, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Sub(hn::Sub(hn::LoadU(d, x + i), hn::Set(d, most)), hn::Set(d, rest)), d, y + i);
  });
}

template <class T>
void log_softmax_gradient(const T* dy, const T* y, int64_t count, T* dx) {
  const T total = static_cast<T>(sum_terms<T>(0, count, [=](auto d, int64_t i) HWY_ATTR { return hn::LoadU(d, dy + i); }));
  for_each<T>(count, [=](auto d, int64_t i) HWY_ATTR {
    const auto p = exp_down(d, hn::LoadU(d, y + i));
    hn::StoreU(hn::NegMulAdd(p, hn::Set(d, total), hn::LoadU(d, dy + i)), d, dx + i);
  });
}

template <class T>
void scaled(const T* x, int64_t count, T factor, T* y) {
  for_each<T>(count, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, factor)), d, y + i);
  });
}

template <class T>
double sum(const T* x, int64_t count) {
  return sum_terms<T>(0, count, [=](auto d, int64_t i) HWY_ATTR { return hn::LoadU(d, x + i); });
}

template <class T>
void add(const T* x, int64_t count, T* to) {
  for_each<T>(count, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, x + i)), d, to + i);
  });
}

template <class T>
LineLoops<T> loops() {
  return {softmax<T>, softmax_gradient<T>, log_softmax<T>, log_softmax_gradient<T>, scaled<T>, sum<T>, add<T>};
}
LineLoops<float> loops_f32() { return loops<float>(); }
LineLoops<double> loops_f64() {
#if HWY_HAVE_FLOAT64
  return loops<double>();
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

HWY_EXPORT(loops_f32);
HWY_EXPORT(loops_f64);

LineLoops<float> line_loops_f32() { return HWY_DYNAMIC_DISPATCH(loops_f32)(); }
LineLoops<double> line_loops_f64() { return HWY_DYNAMIC_DISPATCH(loops_f64)(); }

}  // namespace engine::cpu
#endif
