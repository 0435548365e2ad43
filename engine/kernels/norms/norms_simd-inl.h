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
    const auto near = [&](int64_t at) HWY_ATTR {
      const auto own = M::load(d, x + at);
      if constexpr (kCentred) return hn::Sub(own, middle);
      else return own;
    };
    int64_t i = from;
    for (; i + 4 * lanes <= to; i += 4 * lanes) {
      const auto a = near(i), b = near(i + lanes), c = near(i + 2 * lanes), e = near(i + 3 * lanes);
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
    total.squares += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)))));
    if constexpr (kCentred)
      total.sum += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(t0, t1), hn::Add(t2, t3)))));
    for (; i < to; ++i) {
      const T own = M::load(x + i), off = own - shift;
      total.squares += static_cast<double>(off * off);
      if constexpr (kCentred) total.sum += static_cast<double>(off);
    }
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
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    // The line behind it, which comes next: processors fetch ahead within a page only.
    hwy::Prefetch(x + count + i);
    __builtin_prefetch(y + count + i, 1);
    const auto xhat = hn::Mul(hn::Sub(M::load(d, x + i), m), f), s = M::load(d, scale + i);
    M::store(bias != nullptr ? hn::MulAdd(xhat, s, M::load(d, bias + i)) : hn::Mul(xhat, s), d, y + i);
  }
  for (; i < count; ++i) {
    const T own = M::load(x + i), s = M::load(scale + i);
    M::store((own - mean) * factor * s + (bias != nullptr ? M::load(bias + i) : T{0}), y + i);
  }
}

template <class T, class M>
void gradient_sums(const T* dy, const T* x, int64_t count, T mean, T factor, const T* scale, T* dscale, T* dbias,
                   double* sums) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor);
  double total = 0, total_xhat = 0;
  for (int64_t from = 0; from < count; from += kRowStretch) {
    const int64_t to = std::min(count, from + kRowStretch);
    auto s = hn::Zero(d), s_xhat = s;
    int64_t i = from;
    for (; i + lanes <= to; i += lanes) {
      const auto own = M::load(d, dy + i), xhat = hn::Mul(hn::Sub(M::load(d, x + i), m), f);
      const auto g = hn::Mul(own, M::load(d, scale + i));
      s = hn::Add(s, g);
      s_xhat = hn::MulAdd(g, xhat, s_xhat);
      M::store(hn::MulAdd(own, xhat, M::load(d, dscale + i)), d, dscale + i);
      if (dbias != nullptr) M::store(hn::Add(own, M::load(d, dbias + i)), d, dbias + i);
    }
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s)));
    total_xhat += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s_xhat)));
    for (; i < to; ++i) {
      const T own = M::load(dy + i), xhat = (M::load(x + i) - mean) * factor, g = own * M::load(scale + i);
      total += static_cast<double>(g);
      total_xhat += static_cast<double>(g * xhat);
      M::store(M::load(dscale + i) + own * xhat, dscale + i);
      if (dbias != nullptr) M::store(M::load(dbias + i) + own, dbias + i);
    }
  }
  sums[0] = total;
  sums[1] = total_xhat;
}

template <class T, class M>
void gradient(const T* dy, const T* x, int64_t count, T mean, T factor, const T* scale, T a, T b, T* dx) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor), va = hn::Set(d, a), vb = hn::Set(d, b);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto xhat = hn::Mul(hn::Sub(M::load(d, x + i), m), f);
    const auto own = M::load(d, dy + i);
    const auto g = hn::MulSub(own, M::load(d, scale + i), va);
    M::store(hn::Mul(hn::NegMulAdd(xhat, vb, g), f), d, dx + i);
  }
  for (; i < count; ++i) {
    const T own_x = M::load(x + i), own = M::load(dy + i), s = M::load(scale + i);
    M::store(factor * (own * s - a - (own_x - mean) * factor * b), dx + i);
  }
}

template <class T, class M>
void affine(const T* x, int64_t count, T mean, T factor, T bias, T* y) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor), b = hn::Set(d, bias);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) M::store(hn::MulAdd(hn::Sub(M::load(d, x + i), m), f, b), d, y + i);
  for (; i < count; ++i) M::store((M::load(x + i) - mean) * factor + bias, y + i);
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
    int64_t i = from;
    for (; i + 2 * lanes <= to; i += 2 * lanes) {
      const auto a = M::load(d, dy + i);
      s0 = hn::Add(s0, a);
      p0 = hn::MulAdd(a, hn::Sub(M::load(d, x + i), m), p0);
      const auto b = M::load(d, dy + i + lanes);
      s1 = hn::Add(s1, b);
      p1 = hn::MulAdd(b, hn::Sub(M::load(d, x + i + lanes), m), p1);
    }
    sums[0] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1))));
    sums[1] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(p0, p1))));
    for (; i < to; ++i) {
      const T own = M::load(dy + i);
      sums[0] += static_cast<double>(own);
      sums[1] += static_cast<double>(own * (M::load(x + i) - mean));
    }
  }
}

template <class T, class M>
void channel_gradient(const T* dy, const T* x, int64_t count, T mean, T factor, T shift, T slope, T* dx) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor), a = hn::Set(d, shift), b = hn::Set(d, slope);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto g = hn::MulSub(M::load(d, dy + i), f, a);
    M::store(hn::NegMulAdd(hn::Sub(M::load(d, x + i), m), b, g), d, dx + i);
  }
  for (; i < count; ++i) {
    const T own = M::load(dy + i);
    M::store(own * factor - shift - (M::load(x + i) - mean) * slope, dx + i);
  }
}

template <class T, class M>
void channels_gradient(const T* dy, const T* x, int64_t count, const T* mean, const T* factor, const T* shift,
                       const T* slope, T* dx) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto own = M::load(d, dy + i), f = M::load(d, factor + i), g = hn::MulSub(own, f, M::load(d, shift + i));
    const auto value = M::load(d, x + i), centred = hn::Sub(value, M::load(d, mean + i));
    M::store(hn::NegMulAdd(centred, M::load(d, slope + i), g), d, dx + i);
  }
  for (; i < count; ++i) {
    const T own = M::load(dy + i), f = M::load(factor + i), a = M::load(shift + i), value = M::load(x + i),
            m = M::load(mean + i);
    M::store(own * f - a - (value - m) * M::load(slope + i), dx + i);
  }
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
