// SPDX-License-Identifier: Apache-2.0
// Loops of reductions; this file is compiled once per vector unit.
#include "engine/kernels/reduction/reduce_simd.h"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/reduction/reduce_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/kernels/reduction/reduce_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu::HWY_NAMESPACE {
namespace table = reduction;
}
HWY_AFTER_NAMESPACE();

#include "engine/kernels/core/both_floats-inl.h"

#if HWY_ONCE
namespace engine::cpu {

double start_of(Gathered g) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return g == Gathered::most ? -kInfinity : g == Gathered::least ? kInfinity : g == Gathered::product ? 1 : 0;
}

double join(Gathered g, double a, double b) {
  switch (g) {
    case Gathered::most: return b > a || std::isnan(b) ? b : a;
    case Gathered::least: return b < a || std::isnan(b) ? b : a;
    case Gathered::product: return a * b;
    default: return a + b;
  }
}

ReduceLoops<float> reduce_loops_f32() { return HWY_DYNAMIC_DISPATCH(loops_f32)(); }
ReduceLoops<double> reduce_loops_f64() { return HWY_DYNAMIC_DISPATCH(loops_f64)(); }

}  // namespace engine::cpu
#endif
