// SPDX-License-Identifier: Apache-2.0
// Loops of layer and root-mean-square normalisation; this file is compiled once per vector unit.
#include "engine/cpu/norms_simd.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/norms_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// Elements summed in T before the sum goes to a double.
constexpr int64_t kFlush = 4096;

template <class T>
double squares(const T* x, int64_t count, T shift) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto middle = hn::Set(d, shift);
  double total = 0;
  for (int64_t from = 0; from < count; from += kFlush) {
    const int64_t to = std::min(count, from + kFlush);
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    const auto near = [&](int64_t at) HWY_ATTR { return hn::Sub(hn::LoadU(d, x + at), middle); };
    int64_t i = from;
    for (; i + 4 * lanes <= to; i += 4 * lanes) {
      const auto a = near(i), b = near(i + lanes), c = near(i + 2 * lanes), e = near(i + 3 * lanes);
      s0 = hn::MulAdd(a, a, s0);
      s1 = hn::MulAdd(b, b, s1);
      s2 = hn::MulAdd(c, c, s2);
      s3 = hn::MulAdd(e, e, s3);
    }
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)))));
    for (; i < to; ++i) total += static_cast<double>((x[i] - shift) * (x[i] - shift));
  }
  return total;
}

template <class T>
void normalize(const T* x, int64_t count, T mean, T factor, const T* scale, const T* bias, T* y) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto xhat = hn::Mul(hn::Sub(hn::LoadU(d, x + i), m), f), s = hn::LoadU(d, scale + i);
    hn::StoreU(bias != nullptr ? hn::MulAdd(xhat, s, hn::LoadU(d, bias + i)) : hn::Mul(xhat, s), d, y + i);
  }
  for (; i < count; ++i) y[i] = (x[i] - mean) * factor * scale[i] + (bias != nullptr ? bias[i] : T{0});
}

template <class T>
void gradient_sums(const T* dy, const T* x, int64_t count, T mean, T factor, const T* scale, T* dscale, T* dbias, double* sums) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor);
  double total = 0, total_xhat = 0;
  for (int64_t from = 0; from < count; from += kFlush) {
    const int64_t to = std::min(count, from + kFlush);
    auto s = hn::Zero(d), s_xhat = s;
    int64_t i = from;
    for (; i + lanes <= to; i += lanes) {
      const auto own = hn::LoadU(d, dy + i), xhat = hn::Mul(hn::Sub(hn::LoadU(d, x + i), m), f);
      const auto g = hn::Mul(own, hn::LoadU(d, scale + i));
      s = hn::Add(s, g);
      s_xhat = hn::MulAdd(g, xhat, s_xhat);
      hn::StoreU(hn::MulAdd(own, xhat, hn::LoadU(d, dscale + i)), d, dscale + i);
      if (dbias != nullptr) hn::StoreU(hn::Add(own, hn::LoadU(d, dbias + i)), d, dbias + i);
    }
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s)));
    total_xhat += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s_xhat)));
    for (; i < to; ++i) {
      const T xhat = (x[i] - mean) * factor, g = dy[i] * scale[i];
      total += static_cast<double>(g);
      total_xhat += static_cast<double>(g * xhat);
      dscale[i] += dy[i] * xhat;
      if (dbias != nullptr) dbias[i] += dy[i];
    }
  }
  sums[0] = total;
  sums[1] = total_xhat;
}

template <class T>
void gradient(const T* dy, const T* x, int64_t count, T mean, T factor, const T* scale, T a, T b, T* dx) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor), va = hn::Set(d, a), vb = hn::Set(d, b);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto xhat = hn::Mul(hn::Sub(hn::LoadU(d, x + i), m), f);
    const auto g = hn::MulSub(hn::LoadU(d, dy + i), hn::LoadU(d, scale + i), va);
    hn::StoreU(hn::Mul(hn::NegMulAdd(xhat, vb, g), f), d, dx + i);
  }
  for (; i < count; ++i) dx[i] = factor * (dy[i] * scale[i] - a - (x[i] - mean) * factor * b);
}

template <class T>
void affine(const T* x, int64_t count, T mean, T factor, T bias, T* y) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor), b = hn::Set(d, bias);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::MulAdd(hn::Sub(hn::LoadU(d, x + i), m), f, b), d, y + i);
  for (; i < count; ++i) y[i] = (x[i] - mean) * factor + bias;
}

template <class T>
void channel_sums(const T* dy, const T* x, int64_t count, T mean, double* sums) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean);
  sums[0] = sums[1] = 0;
  for (int64_t from = 0; from < count; from += kFlush) {
    const int64_t to = std::min(count, from + kFlush);
    auto s0 = hn::Zero(d), s1 = s0, p0 = s0, p1 = s0;
    int64_t i = from;
    for (; i + 2 * lanes <= to; i += 2 * lanes) {
      const auto a = hn::LoadU(d, dy + i), b = hn::LoadU(d, dy + i + lanes);
      s0 = hn::Add(s0, a);
      s1 = hn::Add(s1, b);
      p0 = hn::MulAdd(a, hn::Sub(hn::LoadU(d, x + i), m), p0);
      p1 = hn::MulAdd(b, hn::Sub(hn::LoadU(d, x + i + lanes), m), p1);
    }
    sums[0] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1))));
    sums[1] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(p0, p1))));
    for (; i < to; ++i) {
      sums[0] += static_cast<double>(dy[i]);
      sums[1] += static_cast<double>(dy[i] * (x[i] - mean));
    }
  }
}

template <class T>
void channel_gradient(const T* dy, const T* x, int64_t count, T mean, T factor, T shift, T slope, T* dx) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor), a = hn::Set(d, shift), b = hn::Set(d, slope);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::NegMulAdd(hn::Sub(hn::LoadU(d, x + i), m), b, hn::MulSub(hn::LoadU(d, dy + i), f, a)), d, dx + i);
  }
  for (; i < count; ++i) dx[i] = dy[i] * factor - shift - (x[i] - mean) * slope;
}

template <class T>
void channels_gradient(const T* dy, const T* x, int64_t count, const T* mean, const T* factor, const T* shift, const T* slope, T* dx) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto g = hn::MulSub(hn::LoadU(d, dy + i), hn::LoadU(d, factor + i), hn::LoadU(d, shift + i));
    hn::StoreU(hn::NegMulAdd(hn::Sub(hn::LoadU(d, x + i), hn::LoadU(d, mean + i)), hn::LoadU(d, slope + i), g), d, dx + i);
  }
  for (; i < count; ++i) dx[i] = dy[i] * factor[i] - shift[i] - (x[i] - mean[i]) * slope[i];
}

template <class T>
NormLoops<T> loops() {
  return {squares<T>, normalize<T>, gradient_sums<T>, gradient<T>, affine<T>, channel_sums<T>, channel_gradient<T>, channels_gradient<T>};
}
NormLoops<float> loops_f32() { return loops<float>(); }
NormLoops<double> loops_f64() {
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

NormLoops<float> norm_loops_f32() { return HWY_DYNAMIC_DISPATCH(loops_f32)(); }
NormLoops<double> norm_loops_f64() { return HWY_DYNAMIC_DISPATCH(loops_f64)(); }

}  // namespace engine::cpu
#endif
