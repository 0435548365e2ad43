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

/// Sum of term(part, i) over [begin, end) with four running sums.
template <class M, class T, class Term>
HWY_INLINE double sum_terms(int64_t begin, int64_t end, const Term& term) {
  const hn::ScalableTag<T> d;
  const WholeVector<M, T> whole;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  double total = 0;
  for (int64_t from = begin; from < end; from += kRowStretch) {
    const int64_t to = std::min(end, from + kRowStretch);
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    int64_t i = from;
    for (; i + 4 * lanes <= to; i += 4 * lanes) {
      s0 = hn::Add(s0, term(whole, i));
      s1 = hn::Add(s1, term(whole, i + lanes));
      s2 = hn::Add(s2, term(whole, i + 2 * lanes));
      s3 = hn::Add(s3, term(whole, i + 3 * lanes));
    }
    for_vectors<M, T>(i, to, [&](const auto& part, int64_t at) HWY_ATTR {
      s1 = hn::Add(s1, part.or_else(term(part, at), hn::Zero(d)));
    });
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)))));
  }
  return total;
}

template <class M, class T>
T largest(const T* x, int64_t count) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto first = hn::Set(d, M::load(x));
  auto m0 = first, m1 = first, m2 = first, m3 = first;  // four running maxima: one would wait for itself
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    m0 = hn::Max(m0, M::load(d, x + i));
    m1 = hn::Max(m1, M::load(d, x + i + lanes));
    m2 = hn::Max(m2, M::load(d, x + i + 2 * lanes));
    m3 = hn::Max(m3, M::load(d, x + i + 3 * lanes));
  }
  for_vectors<M, T>(i, count, [&](const auto& part, int64_t at) HWY_ATTR {
    m1 = hn::Max(m1, part.or_else(part.load(x + at), first));
  });
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(m0, m1), hn::Max(m2, m3))));
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
    total = sum_terms<M, T>(0, count, [from = x, to = y, largest = most](const auto& part, int64_t i) HWY_ATTR {
      const auto e = exp_down(part.d, hn::Sub(part.load(from + i), hn::Set(part.d, largest)));
      part.store(e, to + i);
      return e;
    });
  }
  void scale() {
    const T factor = static_cast<T>(1 / total);
    for_vectors<M, T>(0, count, [to = y, factor](const auto& part, int64_t i) HWY_ATTR {
      part.store(hn::Mul(part.load(to + i), hn::Set(part.d, factor)), to + i);
    });
  }
  void sum_exponentials() {
    total = sum_terms<M, T>(0, count, [from = x, largest = most](const auto& part, int64_t i) HWY_ATTR {
      return exp_down(part.d, hn::Sub(part.load(from + i), hn::Set(part.d, largest)));
    });
  }
  /// In two steps: the sum of both is rounded where x is large.
  void subtract() {
    const T rest = static_cast<T>(std::log(total));
    for_vectors<M, T>(0, count, [from = x, to = y, largest = most, rest](const auto& part, int64_t i) HWY_ATTR {
      const auto below = hn::Sub(part.load(from + i), hn::Set(part.d, largest));
      part.store(hn::Sub(below, hn::Set(part.d, rest)), to + i);
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
    total = static_cast<T>(sum_terms<M, T>(0, count, [a = dy, b = y](const auto& part, int64_t i) HWY_ATTR {
      const auto g = part.load(a + i);
      return hn::Mul(g, part.load(b + i));
    }));
  }
  void gradient() {
    for_vectors<M, T>(0, count, [a = dy, b = y, to = dx, all = total](const auto& part, int64_t i) HWY_ATTR {
      const auto p = part.load(b + i);
      part.store(hn::Mul(p, hn::Sub(part.load(a + i), hn::Set(part.d, all))), to + i);
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
    total = static_cast<T>(
        sum_terms<M, T>(0, count, [a = dy](const auto& part, int64_t i) HWY_ATTR { return part.load(a + i); }));
  }
  void gradient() {
    for_vectors<M, T>(0, count, [a = dy, b = y, to = dx, all = total](const auto& part, int64_t i) HWY_ATTR {
      const auto p = exp_down(part.d, part.load(b + i));
      part.store(hn::NegMulAdd(p, hn::Set(part.d, all), part.load(a + i)), to + i);
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
  for_vectors<M, T>(0, count, [=](const auto& part, int64_t i) HWY_ATTR {
    part.store(hn::Mul(part.load(x + i), hn::Set(part.d, factor)), y + i);
  });
}

template <class T, class M>
double sum(const T* x, int64_t count) {
  return sum_terms<M, T>(0, count, [=](const auto& part, int64_t i) HWY_ATTR { return part.load(x + i); });
}

/// Row after row to the same line: a part of a vector would wait for that of the row before, so the last ones go one by
/// one.
template <class T, class M>
void add(const T* x, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto before = M::load(d, to + i);
    M::store(hn::Add(before, M::load(d, x + i)), d, to + i);
  }
  for (; i < count; ++i) {
    const T before = M::load(to + i);
    M::store(before + M::load(x + i), to + i);
  }
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
