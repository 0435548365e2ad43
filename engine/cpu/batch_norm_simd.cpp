// SPDX-License-Identifier: Apache-2.0
// Batch normalisation over rows of channels; this file is compiled once per vector unit.
#include "engine/cpu/batch_norm_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/batch_norm_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/cpu/batch_norm_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

BatchNormLoops<float> loops_f32() { return batch_norm::loops_over<float>(); }
BatchNormLoops<double> loops_f64() {
#if HWY_HAVE_FLOAT64
  return batch_norm::loops_over<double>();
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
