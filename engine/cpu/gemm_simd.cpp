// SPDX-License-Identifier: Apache-2.0
// Own matrix products; this file is compiled once per vector unit.
#include "engine/cpu/gemm_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/gemm_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/cpu/gemm_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

template <class T>
GemmLoops<T> loops_of() {
  return {gemm::kRows, gemm::kTiles<T>.columns, gemm::workspace_elements<T>, gemm::multiply<T>, gemm::vector_times_matrix<T>};
}
GemmLoops<float> loops_f32() { return loops_of<float>(); }
GemmLoops<double> loops_f64() {
#if HWY_HAVE_FLOAT64
  return loops_of<double>();
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

GemmLoops<float> gemm_loops_f32() { return HWY_DYNAMIC_DISPATCH(loops_f32)(); }
GemmLoops<double> gemm_loops_f64() { return HWY_DYNAMIC_DISPATCH(loops_f64)(); }

}  // namespace engine::cpu
#endif
