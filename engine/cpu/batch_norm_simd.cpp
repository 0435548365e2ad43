// SPDX-License-Identifier: Apache-2.0
// Batch normalisation over rows of channels; this file is compiled once per vector unit.
#include "engine/cpu/batch_norm_simd.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/batch_norm_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// Rows summed in T before the sums go to doubles: keeps the rounding error of f32 sums near 1e-6.
constexpr int64_t kRowsPerFlush = 256;
/// Rows one pass over the channels takes together, so that the running sums are loaded and stored
/// once for all of them.
constexpr int64_t kRowsPerPass = 8;

/// Calls f(tag, channel) for whole vectors of channels, then one by one for the rest.
template <class T, class F>
HWY_INLINE void for_channels(int64_t channels, const F& f) {
  const hn::ScalableTag<T> wide;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) f(wide, c);
  for (; c < channels; ++c) f(hn::CappedTag<T, 1>(), c);
}

/// Sums two terms per element: term(d, row, channel, first, second) adds to both. Flushes scratch
/// to `sums`.
template <class T, class Term>
HWY_INLINE void sum_rows(int64_t rows, int64_t channels, T* scratch, double* sums,
                         const Term& term) {
  for (int64_t begin = 0; begin < rows; begin += kRowsPerFlush) {
    const int64_t end = std::min(rows, begin + kRowsPerFlush);
    std::fill_n(scratch, 2 * channels, T{0});
    for (int64_t row = begin; row < end; row += kRowsPerPass) {
      const int64_t last = std::min(end, row + kRowsPerPass);
      for_channels<T>(channels, [&](auto d, int64_t c) HWY_ATTR {
        auto first = hn::LoadU(d, scratch + c), second = hn::LoadU(d, scratch + channels + c);
        for (int64_t r = row; r < last; ++r) term(d, r, c, first, second);
        hn::StoreU(first, d, scratch + c);
        hn::StoreU(second, d, scratch + channels + c);
      });
    }
    for (int64_t i = 0; i < 2 * channels; ++i) sums[i] += static_cast<double>(scratch[i]);
  }
}

template <class T>
void moments(const T* x, int64_t rows, int64_t channels, const T* shift, T* scratch, double* sums) {
  sum_rows<T>(rows, channels, scratch, sums,
              [=](auto d, int64_t r, int64_t c, auto& first, auto& second) HWY_ATTR {
                const auto v = hn::Sub(hn::LoadU(d, x + r * channels + c), hn::LoadU(d, shift + c));
                first = hn::Add(first, v);
                second = hn::MulAdd(v, v, second);
              });
}

template <class T>
void gradient_sums(const T* dy, const T* x, int64_t rows, int64_t channels, const T* mean,
                   T* scratch, double* sums) {
  sum_rows<T>(rows, channels, scratch, sums,
              [=](auto d, int64_t r, int64_t c, auto& first, auto& second) HWY_ATTR {
                const auto g = hn::LoadU(d, dy + r * channels + c);
                first = hn::Add(first, g);
                second = hn::MulAdd(
                    g, hn::Sub(hn::LoadU(d, x + r * channels + c), hn::LoadU(d, mean + c)), second);
              });
}

template <class T>
void normalize(const T* x, int64_t rows, int64_t channels, const T* mean, const T* factor,
               const T* bias, T* y) {
  for (int64_t r = 0; r < rows; ++r) {
    for_channels<T>(channels, [&](auto d, int64_t c) HWY_ATTR {
      const auto centred = hn::Sub(hn::LoadU(d, x + r * channels + c), hn::LoadU(d, mean + c));
      hn::StoreU(hn::MulAdd(centred, hn::LoadU(d, factor + c), hn::LoadU(d, bias + c)), d,
                 y + r * channels + c);
    });
  }
}

template <class T>
void gradient(const T* dy, const T* x, int64_t rows, int64_t channels, const T* mean,
              const T* factor, const T* a, const T* b, T* dx) {
  for (int64_t r = 0; r < rows; ++r) {
    for_channels<T>(channels, [&](auto d, int64_t c) HWY_ATTR {
      const int64_t i = r * channels + c;
      const auto centred = hn::Sub(hn::LoadU(d, x + i), hn::LoadU(d, mean + c));
      const auto g = hn::Sub(hn::LoadU(d, dy + i), hn::LoadU(d, a + c));
      hn::StoreU(hn::Mul(hn::LoadU(d, factor + c), hn::NegMulAdd(centred, hn::LoadU(d, b + c), g)),
                 d, dx + i);
    });
  }
}

template <class T>
BatchNormLoops<T> loops() {
  return {moments<T>, normalize<T>, gradient_sums<T>, gradient<T>};
}
BatchNormLoops<float> loops_f32() { return loops<float>(); }
BatchNormLoops<double> loops_f64() {
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

BatchNormLoops<float> batch_norm_loops_f32() { return HWY_DYNAMIC_DISPATCH(loops_f32)(); }
BatchNormLoops<double> batch_norm_loops_f64() { return HWY_DYNAMIC_DISPATCH(loops_f64)(); }

}  // namespace engine::cpu
#endif
