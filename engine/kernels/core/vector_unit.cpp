// SPDX-License-Identifier: Apache-2.0
// The name of the vector unit; this file is compiled once per vector unit.
#include "engine/kernels/core/vector_unit.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/core/vector_unit.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(target_name);

const char* vector_unit() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace engine::cpu
#endif
