// SPDX-License-Identifier: Apache-2.0
// Powers of f32 by logarithms in doubles; this file is compiled once per vector unit.
#include "engine/kernels/elementwise/power_simd.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/elementwise/power_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

#if HWY_HAVE_FLOAT64
/// f32 lanes of vectors of doubles.
using Wide = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, Wide>;

constexpr size_t kMostLanes = hn::MaxLanes(Narrow());

/// A whole vector of a^b.
HWY_INLINE void power_lanes(const float* a, const float* b, bool one_exponent, float* y) {
  const Wide wide;
  const Narrow narrow;
  const auto base = hn::LoadU(narrow, a);
  const auto exponent = one_exponent ? hn::Set(narrow, *b) : hn::LoadU(narrow, b);
  const auto usual = hn::And(hn::And(hn::Gt(base, hn::Zero(narrow)), hn::IsFinite(base)), hn::IsFinite(exponent));
  const auto safe = hn::IfThenElse(usual, base, hn::Set(narrow, 1.0f));
  // Beyond these bounds f32 has infinity and zero.
  const auto product =
      hn::Mul(hn::PromoteTo(wide, hn::IfThenElseZero(usual, exponent)), hn::Log(wide, hn::PromoteTo(wide, safe)));
  const auto bounded = hn::Min(hn::Max(product, hn::Set(wide, -200.0)), hn::Set(wide, 200.0));
  const auto power = hn::DemoteTo(narrow, hn::Exp(wide, bounded));
  if (HWY_LIKELY(hn::AllTrue(narrow, usual))) {
    hn::StoreU(power, narrow, y);
    return;
  }
  HWY_ALIGN float bases[kMostLanes], exponents[kMostLanes];
  hn::Store(base, narrow, bases);
  hn::Store(exponent, narrow, exponents);
  hn::StoreU(power, narrow, y);
  for (size_t i = 0; i < hn::Lanes(narrow); ++i) {
    if (!(bases[i] > 0 && std::isfinite(bases[i]) && std::isfinite(exponents[i])))
      y[i] = std::pow(bases[i], exponents[i]);
  }
}

void power_elements(const float* a, const float* b, bool one_exponent, int64_t count, float* y) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Narrow()));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) power_lanes(a + i, one_exponent ? b : b + i, one_exponent, y + i);
  if (i == count) return;
  float bases[kMostLanes], exponents[kMostLanes], powers[kMostLanes];
  std::fill_n(bases, kMostLanes, 1.0f);
  std::fill_n(exponents, kMostLanes, 1.0f);
  std::copy(a + i, a + count, bases);
  if (!one_exponent) std::copy(b + i, b + count, exponents);
  power_lanes(bases, one_exponent ? b : exponents, one_exponent, powers);
  std::copy_n(powers, count - i, y + i);
}
#endif

PowerRow power_row_for_target() {
#if HWY_HAVE_FLOAT64
  return power_elements;
#else
  return nullptr;
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(power_row_for_target);

PowerRow power_row() { return HWY_DYNAMIC_DISPATCH(power_row_for_target)(); }

}  // namespace engine::cpu
#endif
