// SPDX-License-Identifier: Apache-2.0
// The parts of local response normalisation (response_norm_loops.h) around its loops over neighbours. A test compiles
// them over a memory that notes each access.
#pragma once

#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/norms/response_norm_loops.h"
#include "engine/kernels/norms/response_norm_simd.h"

namespace engine::cpu {

/// dy: of the gradient alone.
template <class M = ScalarMemory>
struct ResponseParts : loops::Computes {
  ResponseLoops loops;
  const ResponseSettings& settings;
  const float *x, *dy;
  float *y, *scratch;

  void zero(int64_t to, int64_t count) const { M::fill(scratch + to, count, 0.0F); }
  void square(int64_t at, int64_t count, int64_t to) const { loops.square(x + at, count, scratch + to); }
  void add(int64_t from, int64_t count, int64_t to) const { loops.add(scratch + from, count, scratch + to); }
  void normalize(int64_t at, int64_t sums, int64_t count) const {
    loops.normalize(settings, x + at, scratch + sums, count, y + at);
  }
  void terms(int64_t at, int64_t sums, int64_t count, int64_t to) const {
    loops.terms(settings, dy + at, x + at, scratch + sums, count, scratch + to);
  }
  void gradient(int64_t at, int64_t sums, int64_t term_sums, int64_t count) const {
    loops.gradient(settings, dy + at, x + at, scratch + sums, scratch + term_sums, count, y + at);
  }
};

}  // namespace engine::cpu
