// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions by Winograd's minimal filtering; this file is compiled once per vector unit.
#include "engine/kernels/convolution/winograd_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/convolution/winograd_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/kernels/convolution/winograd_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

WinogradLoops winograd_of_unit() { return winograd::loops_over(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(winograd_of_unit);

WinogradLoops winograd_loops() { return HWY_DYNAMIC_DISPATCH(winograd_of_unit)(); }

}  // namespace engine::cpu
#endif
