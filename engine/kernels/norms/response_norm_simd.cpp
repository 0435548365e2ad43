// SPDX-License-Identifier: Apache-2.0
// Loops of local response normalisation; this file is compiled once per vector unit.
#include "engine/kernels/norms/response_norm_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/norms/response_norm_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/kernels/norms/response_norm_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

ResponseLoops loops() { return response_norm::loops_over(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(loops);
ResponseLoops response_loops() { return HWY_DYNAMIC_DISPATCH(loops)(); }

}  // namespace engine::cpu
#endif
