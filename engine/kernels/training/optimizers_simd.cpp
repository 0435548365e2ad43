// SPDX-License-Identifier: Apache-2.0
// Loops of the optimisers; this file is compiled once per vector unit.
#include "engine/kernels/training/optimizers_simd.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/training/optimizers_simd.cpp"
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
void adam(const AdamFactors& factors, int64_t count, const T* gradient, T* weight, T* m, T* v) {
  const auto update = [&](auto d, int64_t i) HWY_ATTR {
    const auto set = [&](double value) HWY_ATTR { return hn::Set(d, static_cast<T>(value)); };
    const auto old = hn::LoadU(d, weight + i);
    const auto slope = hn::Mul(set(factors.gradient_factor), hn::LoadU(d, gradient + i));
    const auto g = hn::MulAdd(set(factors.gradient_decay), old, slope);
    const auto first = hn::MulAdd(set(1 - factors.beta1), g, hn::Mul(set(factors.beta1), hn::LoadU(d, m + i)));
    const auto second =
        hn::MulAdd(hn::Mul(set(1 - factors.beta2), g), g, hn::Mul(set(factors.beta2), hn::LoadU(d, v + i)));
    const auto divisor = hn::MulAdd(hn::Sqrt(second), set(factors.root), set(factors.epsilon));
    const auto shrunk = hn::NegMulAdd(set(factors.weight_decay), old, old);
    hn::StoreU(first, d, m + i);
    hn::StoreU(second, d, v + i);
    hn::StoreU(hn::NegMulAdd(set(factors.rate), hn::Div(first, divisor), shrunk), d, weight + i);
  };
  const hn::ScalableTag<T> wide;
  const auto lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) update(wide, i);
  for (; i < count; ++i) update(hn::CappedTag<T, 1>(), i);
}

template <class T>
double squared_norm(const T* x, int64_t count) {
  const hn::ScalableTag<T> wide;
  const auto lanes = static_cast<int64_t>(hn::Lanes(wide));
  double total = 0;
  for (int64_t from = 0; from < count; from += kFlush) {
    const int64_t to = std::min(count, from + kFlush);
    auto s0 = hn::Zero(wide), s1 = s0;
    int64_t i = from;
    for (; i + 2 * lanes <= to; i += 2 * lanes) {
      const auto a = hn::LoadU(wide, x + i), b = hn::LoadU(wide, x + i + lanes);
      s0 = hn::MulAdd(a, a, s0);
      s1 = hn::MulAdd(b, b, s1);
    }
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(wide, hn::Add(s0, s1))));
    for (; i < to; ++i) total += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
  return total;
}

OptimizerLoops<float> find_f32() { return {adam<float>, squared_norm<float>}; }

OptimizerLoops<double> find_f64() {
#if HWY_HAVE_FLOAT64
  return {adam<double>, squared_norm<double>};
#else
  return {nullptr, nullptr};
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

OptimizerLoops<float> optimizer_loops_f32() { return HWY_DYNAMIC_DISPATCH(find_f32)(); }
OptimizerLoops<double> optimizer_loops_f64() { return HWY_DYNAMIC_DISPATCH(find_f64)(); }

}  // namespace engine::cpu
#endif
