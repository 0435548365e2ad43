// SPDX-License-Identifier: Apache-2.0
// The rungs without vector instructions, for any element: numbers in ladder_scalar.cpp, in a test elements that note
// who reads and writes them.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/kernels/teaching/ladder_loops.h"
#include "engine/kernels/teaching/ladder_rungs.h"

namespace engine::cpu {

template <class T>
T ladder_sigmoid(T x) {
  using std::exp;
  return T{1} / (T{1} + exp(-x));
}

template <class T>
void scalar_sigmoid(T* c, int64_t count) {
  for (int64_t i = 0; i < count; ++i) c[i] = ladder_sigmoid(c[i]);
}

template <class T>
loops::LadderShape shape_of(const LadderProblem<T>& p) {
  return {.m = p.m, .n = p.n, .k = p.k, .sigmoid = p.sigmoid};
}

/// The parts of ladder_loops.h.
template <class T>
class ScalarLadder : public loops::Computes {
 public:
  explicit ScalarLadder(const LadderProblem<T>& problem) : p_(problem) {}

  /// y_j += w_ij x_i: b is read by columns.
  void element(int64_t i, int64_t j) {
    T sum = 0;
    for (int64_t k = 0; k < p_.k; ++k) sum += p_.a[i * p_.k + k] * p_.b[k * p_.row_of_b + j];
    p_.c[i * p_.n + j] = p_.sigmoid ? ladder_sigmoid(sum) : sum;
  }
  void clear() { std::fill_n(p_.c, p_.m * p_.n, T{0}); }
  void add_tile(loops::Range rows, loops::Range steps, loops::Range columns) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      T* const c = p_.c + i * p_.n;
      for (int64_t k = steps.begin; k < steps.end; ++k) {
        const T factor = p_.a[i * p_.k + k];
        const T* const b = p_.b + k * p_.row_of_b;
        for (int64_t j = columns.begin; j < columns.end; ++j) c[j] += factor * b[j];
      }
    }
  }
  void sigmoid() { scalar_sigmoid(p_.c, p_.m * p_.n); }

 private:
  const LadderProblem<T> p_;
};

template <class T>
void ladder_scalar_naive(const LadderProblem<T>& p) {
  ScalarLadder<T> parts(p);
  loops::ladder_naive(shape_of(p), parts);
}
template <class T>
void ladder_scalar_reordered(const LadderProblem<T>& p) {
  ScalarLadder<T> parts(p);
  loops::ladder_reordered(shape_of(p), parts);
}
template <class T>
void ladder_scalar_tiled(const LadderProblem<T>& p) {
  ScalarLadder<T> parts(p);
  loops::ladder_tiled(shape_of(p), p.tile, parts);
}

}  // namespace engine::cpu
