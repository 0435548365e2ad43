// SPDX-License-Identifier: Apache-2.0
// Loops over rows of neighbouring elements; this file is compiled once per vector unit.
#include "engine/kernels/core/rows_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/core/rows_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/kernels/core/rows_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu::HWY_NAMESPACE {
namespace table = rows;
}
HWY_AFTER_NAMESPACE();

#include "engine/kernels/core/both_floats-inl.h"

#if HWY_ONCE
namespace engine::cpu {

RowLoops<float> row_loops_f32() { return HWY_DYNAMIC_DISPATCH(loops_f32)(); }
RowLoops<double> row_loops_f64() { return HWY_DYNAMIC_DISPATCH(loops_f64)(); }

}  // namespace engine::cpu
#endif
