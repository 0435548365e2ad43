// SPDX-License-Identifier: Apache-2.0
// Batch normalisation over rows of channels; this file is compiled once per vector unit.
#include "engine/kernels/norms/batch_norm_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/norms/batch_norm_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/kernels/norms/batch_norm_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu::HWY_NAMESPACE {
namespace table = batch_norm;
}
HWY_AFTER_NAMESPACE();

#include "engine/kernels/core/both_floats-inl.h"

#if HWY_ONCE
namespace engine::cpu {

BatchNormLoops<float> batch_norm_loops_f32() { return HWY_DYNAMIC_DISPATCH(loops_f32)(); }
BatchNormLoops<double> batch_norm_loops_f64() { return HWY_DYNAMIC_DISPATCH(loops_f64)(); }

}  // namespace engine::cpu
#endif
