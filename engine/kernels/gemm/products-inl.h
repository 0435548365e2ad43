// SPDX-License-Identifier: Apache-2.0
// An own matrix product inside of another kernel, over memory that is plain (products.cpp) or, in a test, notes each
// access.
#pragma once

#include "engine/kernels/gemm/gemm_simd.h"
#include "engine/kernels/gemm/inner_product_loops.h"

namespace engine::cpu {

/// The parts of inner_product_loops.h; `scratch`: product_scratch() elements.
template <class T, class M>
struct OwnProduct {
  const GemmLoops<T>& loops;
  GemmProblem<T> p;
  T alpha;
  T* scratch;

  void scale() {
    T* const to = scratch + loops::in_lines(loops.workspace_elements(p.m, p.n, p.k));
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t j = 0; j < p.k; ++j)
        M::store(alpha * M::load(p.a.data + i * p.a.row + j * p.a.column), to + i * p.k + j);
    }
    p.a = {to, p.k, 1};
  }
  void multiply() { loops.multiply(p, scratch); }
};

template <class M, class T>
void own_product(const GemmLoops<T>& loops, const GemmProblem<T>& problem, T alpha, T* scratch) {
  OwnProduct<T, M> parts{loops, problem, alpha, scratch};
  loops::inner_product(alpha != T{1}, parts);
}

}  // namespace engine::cpu
