// SPDX-License-Identifier: Apache-2.0
// Pooling over channels side by side; this file is compiled once per vector unit.
#include "engine/kernels/pooling/pooling_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/pooling/pooling_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/kernels/pooling/pooling_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

PoolingLoops loops_of_unit() { return pooling::loops_over(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(loops_of_unit);
PoolingLoops pooling_loops() { return HWY_DYNAMIC_DISPATCH(loops_of_unit)(); }

}  // namespace engine::cpu
#endif
