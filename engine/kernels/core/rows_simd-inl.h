// SPDX-License-Identifier: Apache-2.0
// Loops over rows of neighbouring elements. Included once per vector unit (rows_simd.cpp), and by a test that notes
// each access: it has an include guard per unit, as Highway's own inner headers do.
#if defined(ENGINE_CPU_LINES_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_LINES_SIMD_INL_H
#undef ENGINE_CPU_LINES_SIMD_INL_H
#else
#define ENGINE_CPU_LINES_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "engine/kernels/core/exp_simd.h"
#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/core/rows_loops.h"
#include "engine/kernels/core/rows_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace rows {

namespace hn = hwy::HWY_NAMESPACE;
using loops::kRowStretch;

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
  for (int64_t from = begin; from < end; from += kRowStretch) {
    const int64_t to = std::min(end, from + kRowStretch);
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

template <class M, class T>
T largest(const T* x, int64_t count) {
  const hn::ScalableTag<T> wide;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  T most = M::load(x);
  int64_t i = 0;
  if (count >= 4 * lanes) {  // four running maxima: one would wait for itself
    auto m0 = M::load(wide, x), m1 = M::load(wide, x + lanes), m2 = M::load(wide, x + 2 * lanes),
         m3 = M::load(wide, x + 3 * lanes);
    for (i = 4 * lanes; i + 4 * lanes <= count; i += 4 * lanes) {
      m0 = hn::Max(m0, M::load(wide, x + i));
      m1 = hn::Max(m1, M::load(wide, x + i + lanes));
      m2 = hn::Max(m2, M::load(wide, x + i + 2 * lanes));
      m3 = hn::Max(m3, M::load(wide, x + i + 3 * lanes));
    }
    most = hn::GetLane(hn::MaxOfLanes(wide, hn::Max(hn::Max(m0, m1), hn::Max(m2, m3))));
  }
  for (; i < count; ++i) most = std::max(most, M::load(x + i));
  return most;
}

/// The parts of softmax and its logarithm.
template <class T, class M>
struct SoftmaxRow {
  const T* x;
  int64_t count;
  T* y;
  T most = 0;
  double total = 0;

  void largest() { most = rows::largest<M>(x, count); }
  void exponentials() {
    total = sum_terms<T>(0, count, [from = x, to = y, largest = most](auto d, int64_t i) HWY_ATTR {
      const auto t = hn::Sub(M::load(d, from + i), hn::Set(d, largest));
      const auto e = exp_down(d, t);
      M::store(e, d, to + i);
      return e;
    });
  }
  void scale() {
    const T factor = static_cast<T>(1 / total);
    for_each<T>(count, [to = y, factor](auto d, int64_t i)
                           HWY_ATTR { M::store(hn::Mul(M::load(d, to + i), hn::Set(d, factor)), d, to + i); });
  }
  void sum_exponentials() {
    total = sum_terms<T>(0, count, [from = x, largest = most](auto d, int64_t i) HWY_ATTR {
      return exp_down(d, hn::Sub(M::load(d, from + i), hn::Set(d, largest)));
    });
  }
  /// In two steps: the sum of both is rounded where x is large.
  void subtract() {
    const T rest = static_cast<T>(std::log(total));
    for_each<T>(count, [from = x, to = y, largest = most, rest](auto d, int64_t i) HWY_ATTR {
      M::store(hn::Sub(hn::Sub(M::load(d, from + i), hn::Set(d, largest)), hn::Set(d, rest)), d, to + i);
    });
  }
};

template <class T, class M>
double softmax(const T* x, int64_t count, T* y) {
  SoftmaxRow<T, M> line{x, count, y};
  loops::softmax_row(line);
  return static_cast<double>(line.most) + std::log(line.total);
}
template <class T, class M>
void log_softmax(const T* x, int64_t count, T* y) {
  SoftmaxRow<T, M> line{x, count, y};
  loops::log_softmax_row(line);
}

/// The parts of their gradients.
template <class T, class M>
struct SoftmaxGradient {
  const T *dy, *y;
  int64_t count;
  T* dx;
  T total = 0;

  void sum() {
    total = static_cast<T>(sum_terms<T>(0, count, [a = dy, b = y](auto d, int64_t i) HWY_ATTR {
      const auto g = M::load(d, a + i);
      return hn::Mul(g, M::load(d, b + i));
    }));
  }
  void gradient() {
    for_each<T>(count, [a = dy, b = y, to = dx, all = total](auto d, int64_t i) HWY_ATTR {
      const auto p = M::load(d, b + i);
      M::store(hn::Mul(p, hn::Sub(M::load(d, a + i), hn::Set(d, all))), d, to + i);
    });
  }
};
template <class T, class M>
struct LogSoftmaxGradient {
  const T *dy, *y;
  int64_t count;
  T* dx;
  T total = 0;

  void sum() {
    total = static_cast<T>(sum_terms<T>(0, count, [a = dy](auto d, int64_t i) HWY_ATTR { return M::load(d, a + i); }));
  }
  void gradient() {
    for_each<T>(count, [a = dy, b = y, to = dx, all = total](auto d, int64_t i) HWY_ATTR {
      const auto p = exp_down(d, M::load(d, b + i));
      M::store(hn::NegMulAdd(p, hn::Set(d, all), M::load(d, a + i)), d, to + i);
    });
  }
};

template <class Line, class T>
void softmax_gradient(const T* dy, const T* y, int64_t count, T* dx) {
  Line line{dy, y, count, dx};
  loops::softmax_gradient_row(line);
}

template <class T, class M>
void scaled(const T* x, int64_t count, T factor, T* y) {
  for_each<T>(count,
              [=](auto d, int64_t i) HWY_ATTR { M::store(hn::Mul(M::load(d, x + i), hn::Set(d, factor)), d, y + i); });
}

template <class T, class M>
double sum(const T* x, int64_t count) {
  return sum_terms<T>(0, count, [=](auto d, int64_t i) HWY_ATTR { return M::load(d, x + i); });
}

template <class T, class M>
void add(const T* x, int64_t count, T* to) {
  for_each<T>(count, [=](auto d, int64_t i) HWY_ATTR {
    const auto before = M::load(d, to + i);
    M::store(hn::Add(before, M::load(d, x + i)), d, to + i);
  });
}

template <class T, class M = Memory>
RowLoops<T> loops_over() {
  return {softmax<T, M>,     softmax_gradient<SoftmaxGradient<T, M>, T>,
          log_softmax<T, M>, softmax_gradient<LogSoftmaxGradient<T, M>, T>,
          scaled<T, M>,      sum<T, M>,
          add<T, M>};
}

}  // namespace rows
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
