// SPDX-License-Identifier: Apache-2.0
// Loops of layer, root-mean-square and group normalisation. Included once per vector unit (norms_simd.cpp), and by a
// test that notes each access: it has an include guard per unit, as Highway's own inner headers do.
#if defined(ENGINE_CPU_NORMS_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_NORMS_SIMD_INL_H
#undef ENGINE_CPU_NORMS_SIMD_INL_H
#else
#define ENGINE_CPU_NORMS_SIMD_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/core/rows_loops.h"
#include "engine/kernels/norms/norms_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace norms {

namespace hn = hwy::HWY_NAMESPACE;
using loops::kRowStretch;

/// kCentred: about `shift`; otherwise about 0, and of the squares alone.
template <class T, class M, bool kCentred>
HWY_INLINE Moments gather_moments(const T* x, int64_t count, T shift) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto middle = hn::Set(d, shift);
  Moments total;
  for (int64_t from = 0; from < count; from += kRowStretch) {
    const int64_t to = std::min(count, from + kRowStretch);
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    const auto near = [&](const auto& part, int64_t at) HWY_ATTR {
      const auto own = part.load(x + at);
      if constexpr (kCentred) return part.or_else(hn::Sub(own, middle), hn::Zero(d));
      else return own;  // lanes that are none of the row's hold 0
    };
    const WholeVector<M, T> whole;
    int64_t i = from;
    for (; i + 4 * lanes <= to; i += 4 * lanes) {
      const auto a = near(whole, i), b = near(whole, i + lanes), c = near(whole, i + 2 * lanes),
                 e = near(whole, i + 3 * lanes);
      s0 = hn::MulAdd(a, a, s0);
      s1 = hn::MulAdd(b, b, s1);
      s2 = hn::MulAdd(c, c, s2);
      s3 = hn::MulAdd(e, e, s3);
      if constexpr (kCentred) {
        t0 = hn::Add(t0, a);
        t1 = hn::Add(t1, b);
        t2 = hn::Add(t2, c);
        t3 = hn::Add(t3, e);
      }
    }
    for_vectors<M, T>(i, to, [&](const auto& part, int64_t at) HWY_ATTR {
      const auto a = near(part, at);
      s1 = hn::MulAdd(a, a, s1);
      if constexpr (kCentred) t1 = hn::Add(t1, a);
    });
    total.squares += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)))));
    if constexpr (kCentred)
      total.sum += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(t0, t1), hn::Add(t2, t3)))));
  }
  return total;
}

template <class T, class M>
Moments moments(const T* x, int64_t count, T shift) {
  return gather_moments<T, M, true>(x, count, shift);
}
template <class T, class M>
double squares(const T* x, int64_t count) {
  return gather_moments<T, M, false>(x, count, T{0}).squares;
}

template <class T, class M>
void normalize(const T* x, int64_t count, T mean, T factor, const T* scale, const T* bias, T* y) {
  const hn::ScalableTag<T> d;
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor);
  for_vectors<M, T>(0, count, [=](const auto& part, int64_t i) HWY_ATTR {
    // The line behind it, which comes next: processors fetch ahead within a page only.
    hwy::Prefetch(x + count + i);
    __builtin_prefetch(y + count + i, 1);
    const auto xhat = hn::Mul(hn::Sub(part.load(x + i), m), f), s = part.load(scale + i);
    part.store(bias != nullptr ? hn::MulAdd(xhat, s, part.load(bias + i)) : hn::Mul(xhat, s), y + i);
  });
}

template <class T, class M>
void gradient_sums(const T* dy, const T* x, int64_t count, T mean, T factor, const T* scale, T* dscale, T* dbias,
                   double* sums) {
  const hn::ScalableTag<T> d;
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor);
  double total = 0, total_xhat = 0;
  for (int64_t from = 0; from < count; from += kRowStretch) {
    const int64_t to = std::min(count, from + kRowStretch);
    auto s = hn::Zero(d), s_xhat = s;
    for_vectors<M, T>(from, to, [&](const auto& part, int64_t i) HWY_ATTR {
      const auto own = part.load(dy + i), xhat = hn::Mul(hn::Sub(part.load(x + i), m), f);
      const auto g = hn::Mul(own, part.load(scale + i));  // 0 in lanes that are none of the row's
      s = hn::Add(s, g);
      s_xhat = hn::MulAdd(g, part.or_else(xhat, hn::Zero(d)), s_xhat);
      part.store(hn::MulAdd(own, xhat, part.load(dscale + i)), dscale + i);
      if (dbias != nullptr) part.store(hn::Add(own, part.load(dbias + i)), dbias + i);
    });
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s)));
    total_xhat += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s_xhat)));
  }
  sums[0] = total;
  sums[1] = total_xhat;
}

template <class T, class M>
void gradient(const T* dy, const T* x, int64_t count, T mean, T factor, const T* scale, T a, T b, T* dx) {
  const hn::ScalableTag<T> d;
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor), va = hn::Set(d, a), vb = hn::Set(d, b);
  for_vectors<M, T>(0, count, [=](const auto& part, int64_t i) HWY_ATTR {
    const auto xhat = hn::Mul(hn::Sub(part.load(x + i), m), f);
    const auto own = part.load(dy + i);
    const auto g = hn::MulSub(own, part.load(scale + i), va);
    part.store(hn::Mul(hn::NegMulAdd(xhat, vb, g), f), dx + i);
  });
}

template <class T, class M>
void affine(const T* x, int64_t count, T mean, T factor, T bias, T* y) {
  const hn::ScalableTag<T> d;
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor), b = hn::Set(d, bias);
  for_vectors<M, T>(0, count, [=](const auto& part, int64_t i) HWY_ATTR {
    part.store(hn::MulAdd(hn::Sub(part.load(x + i), m), f, b), y + i);
  });
}

template <class T, class M>
void channel_sums(const T* dy, const T* x, int64_t count, T mean, double* sums) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean);
  sums[0] = sums[1] = 0;
  for (int64_t from = 0; from < count; from += kRowStretch) {
    const int64_t to = std::min(count, from + kRowStretch);
    auto s0 = hn::Zero(d), s1 = s0, p0 = s0, p1 = s0;
    const auto take = [&](const auto& part, int64_t i, auto& s, auto& p) HWY_ATTR {
      const auto own = part.load(dy + i);
      s = hn::Add(s, own);
      p = hn::MulAdd(own, part.or_else(hn::Sub(part.load(x + i), m), hn::Zero(d)), p);
    };
    const WholeVector<M, T> whole;
    int64_t i = from;
    for (; i + 2 * lanes <= to; i += 2 * lanes) {
      take(whole, i, s0, p0);
      take(whole, i + lanes, s1, p1);
    }
    for_vectors<M, T>(i, to, [&](const auto& part, int64_t at) HWY_ATTR { take(part, at, s0, p0); });
    sums[0] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1))));
    sums[1] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(p0, p1))));
  }
}

template <class T, class M>
void channel_gradient(const T* dy, const T* x, int64_t count, T mean, T factor, T shift, T slope, T* dx) {
  const hn::ScalableTag<T> d;
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor), a = hn::Set(d, shift), b = hn::Set(d, slope);
  for_vectors<M, T>(0, count, [=](const auto& part, int64_t i) HWY_ATTR {
    const auto g = hn::MulSub(part.load(dy + i), f, a);
    part.store(hn::NegMulAdd(hn::Sub(part.load(x + i), m), b, g), dx + i);
  });
}

template <class T, class M>
void channels_gradient(const T* dy, const T* x, int64_t count, const T* mean, const T* factor, const T* shift,
                       const T* slope, T* dx) {
  for_vectors<M, T>(0, count, [=](const auto& part, int64_t i) HWY_ATTR {
    const auto own = part.load(dy + i), f = part.load(factor + i), g = hn::MulSub(own, f, part.load(shift + i));
    const auto value = part.load(x + i), centred = hn::Sub(value, part.load(mean + i));
    part.store(hn::NegMulAdd(centred, part.load(slope + i), g), dx + i);
  });
}

template <class T, class M = Memory>
NormLoops<T> loops_over() {
  return {moments<T, M>, squares<T, M>,      normalize<T, M>,        gradient_sums<T, M>,    gradient<T, M>,
          affine<T, M>,  channel_sums<T, M>, channel_gradient<T, M>, channels_gradient<T, M>};
}

}  // namespace norms
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
