// SPDX-License-Identifier: Apache-2.0
// The larger and the smaller of a bound and a number that may be NaN: included by files that are compiled once per
// vector unit.
#if defined(TENSORTIDE_BOUNDS_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_BOUNDS_SIMD_H
#undef TENSORTIDE_BOUNDS_SIMD_H
#else
#define TENSORTIDE_BOUNDS_SIMD_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {

/// Whether Max and Min are the instructions of x86, which give their second operand where one is NaN or both are zeros.
constexpr bool kGivesSecondOperand = HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR;

/// x, or the bound where x is below it; NaN for NaN, -0 for -0.
template <class V>
HWY_INLINE V at_least(V bound, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  if constexpr (kGivesSecondOperand) return hn::Max(bound, x);
  return hn::IfThenElse(hn::Lt(x, bound), bound, x);
}
/// x, or the bound where x is above it; NaN for NaN.
template <class V>
HWY_INLINE V at_most(V bound, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  if constexpr (kGivesSecondOperand) return hn::Min(bound, x);
  return hn::IfThenElse(hn::Gt(x, bound), bound, x);
}

}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
