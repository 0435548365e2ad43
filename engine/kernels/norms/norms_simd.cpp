// SPDX-License-Identifier: Apache-2.0
// Loops of layer, root-mean-square and group normalisation; this file is compiled once per vector unit.
#include "engine/kernels/norms/norms_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/norms/norms_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/kernels/norms/norms_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu::HWY_NAMESPACE {
namespace table = norms;
}
HWY_AFTER_NAMESPACE();

#include "engine/kernels/core/both_floats-inl.h"

#if HWY_ONCE
namespace engine::cpu {

NormLoops<float> norm_loops_f32() { return HWY_DYNAMIC_DISPATCH(loops_f32)(); }
NormLoops<double> norm_loops_f64() { return HWY_DYNAMIC_DISPATCH(loops_f64)(); }

}  // namespace engine::cpu
#endif
