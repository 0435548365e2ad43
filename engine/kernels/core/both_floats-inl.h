// SPDX-License-Identifier: Apache-2.0
// loops_f32 and loops_f64 of a file that is compiled once per vector unit: what table::loops_over<T>() of that unit
// says. The file names `table` before it includes this. It has an include guard per unit, as Highway's own inner
// headers do.
#if defined(ENGINE_CPU_BOTH_FLOATS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_BOTH_FLOATS_INL_H
#undef ENGINE_CPU_BOTH_FLOATS_INL_H
#else
#define ENGINE_CPU_BOTH_FLOATS_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

decltype(table::loops_over<float>()) loops_f32() { return table::loops_over<float>(); }
/// Null pointers on vector units without doubles.
decltype(table::loops_over<double>()) loops_f64() {
#if HWY_HAVE_FLOAT64
  return table::loops_over<double>();
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

}  // namespace engine::cpu
#endif

#endif
