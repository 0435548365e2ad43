// SPDX-License-Identifier: Apache-2.0
// A vector of channels at a time through all taps.
#include "engine/cpu/depthwise_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/depthwise_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void sum(const T* const* x, const T* const* w, int64_t count, const T* bias, int64_t channels, T* y) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + 2 * lanes <= channels; c += 2 * lanes) {  // two, so that one sum need not wait for the other
    auto first = bias != nullptr ? hn::LoadU(d, bias + c) : hn::Zero(d);
    auto second = bias != nullptr ? hn::LoadU(d, bias + c + lanes) : hn::Zero(d);
    for (int64_t i = 0; i < count; ++i) {
      first = hn::MulAdd(hn::LoadU(d, x[i] + c), hn::LoadU(d, w[i] + c), first);
      second = hn::MulAdd(hn::LoadU(d, x[i] + c + lanes), hn::LoadU(d, w[i] + c + lanes), second);
    }
    hn::StoreU(first, d, y + c);
    hn::StoreU(second, d, y + c + lanes);
  }
  for (; c < channels; ++c) {
    T value = bias != nullptr ? bias[c] : T{0};
    for (int64_t i = 0; i < count; ++i) value += x[i][c] * w[i][c];
    y[c] = value;
  }
}

template <class T>
void accumulate(const T* const* x, const T* dy, int64_t count, int64_t channels, T* const* to) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) {
    const auto factor = hn::LoadU(d, dy + c);
    for (int64_t i = 0; i < count; ++i) hn::StoreU(hn::MulAdd(hn::LoadU(d, x[i] + c), factor, hn::LoadU(d, to[i] + c)), d, to[i] + c);
  }
  for (; c < channels; ++c) {
    for (int64_t i = 0; i < count; ++i) to[i][c] += x[i][c] * dy[c];
  }
}

template <class T>
DepthwiseLoops<T> loops() {
  return {sum<T>, accumulate<T>};
}
DepthwiseLoops<float> loops_f32() { return loops<float>(); }
DepthwiseLoops<double> loops_f64() {
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

DepthwiseLoops<float> depthwise_loops_f32() { return HWY_DYNAMIC_DISPATCH(loops_f32)(); }
DepthwiseLoops<double> depthwise_loops_f64() { return HWY_DYNAMIC_DISPATCH(loops_f64)(); }

}  // namespace engine::cpu
#endif
