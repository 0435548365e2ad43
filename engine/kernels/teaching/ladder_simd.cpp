// SPDX-License-Identifier: Apache-2.0
// The rungs in vectors; compiled once per vector unit, and without vectorisation by the compiler: the widths are those
// written here.
#include "engine/kernels/teaching/ladder_rungs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/teaching/ladder_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/kernels/teaching/ladder_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

template <class T>
VectorLadder<T> rungs() {
  constexpr size_t kWidest = 8 * sizeof(T) * hn::MaxLanes(hn::ScalableTag<T>());
  VectorLadder<T> loops;
  if constexpr (kWidest >= 128) loops.tiled_128 = ladder::tiled<T, 128>;
  if constexpr (kWidest >= 256) loops.tiled_256 = ladder::tiled<T, 256>;
  if constexpr (kWidest >= 512) loops.tiled_512 = ladder::tiled<T, 512>;
  loops.registers = ladder::registers<T>;
  return loops;
}
VectorLadder<float> ladder_f32() { return rungs<float>(); }
VectorLadder<double> ladder_f64() {
#if HWY_HAVE_FLOAT64
  return rungs<double>();
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

HWY_EXPORT(ladder_f32);
HWY_EXPORT(ladder_f64);

VectorLadder<float> vector_ladder_f32() { return HWY_DYNAMIC_DISPATCH(ladder_f32)(); }
VectorLadder<double> vector_ladder_f64() { return HWY_DYNAMIC_DISPATCH(ladder_f64)(); }

}  // namespace engine::cpu
#endif
