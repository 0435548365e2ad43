// SPDX-License-Identifier: Apache-2.0
// Inner loops of depthwise convolutions (depthwise_simd-inl.h), once per vector unit.
#include "engine/cpu/depthwise_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/depthwise_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/cpu/depthwise_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

DepthwiseLoops<float> loops_f32() { return depthwise::loops_over<float>(); }
DepthwiseLoops<double> loops_f64() {
#if HWY_HAVE_FLOAT64
  return depthwise::loops_over<double>();
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
