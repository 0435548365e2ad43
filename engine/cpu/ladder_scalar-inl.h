// SPDX-License-Identifier: Apache-2.0
// The loops of the rungs without vector instructions, for any element: numbers in ladder_scalar.cpp, in a test elements that note who
// reads and writes them.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/cpu/ladder_loops.h"

namespace engine::cpu {

template <class T>
T ladder_sigmoid(T x) {
  using std::exp;
  return T{1} / (T{1} + exp(-x));
}

/// y_j += w_ij x_i, one j after the other: b is read by columns.
template <class T>
void ladder_scalar_naive(const LadderProblem<T>& p) {
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      T sum = 0;
      for (int64_t k = 0; k < p.k; ++k) sum += p.a[i * p.k + k] * p.b[k * p.row_of_b + j];
      p.c[i * p.n + j] = p.sigmoid ? ladder_sigmoid(sum) : sum;
    }
  }
}

template <class T>
void scalar_sigmoid(T* c, int64_t count) {
  for (int64_t i = 0; i < count; ++i) c[i] = ladder_sigmoid(c[i]);
}

template <class T>
void ladder_scalar_reordered(const LadderProblem<T>& p) {
  std::fill_n(p.c, p.m * p.n, T{0});
  for (int64_t i = 0; i < p.m; ++i) {
    T* const c = p.c + i * p.n;
    for (int64_t k = 0; k < p.k; ++k) {
      const T factor = p.a[i * p.k + k];
      const T* const b = p.b + k * p.row_of_b;
      for (int64_t j = 0; j < p.n; ++j) c[j] += factor * b[j];
    }
  }
  if (p.sigmoid) scalar_sigmoid(p.c, p.m * p.n);
}

/// A tile of b, tile x tile, serves tile rows of a before the next one comes.
template <class T>
void ladder_scalar_tiled(const LadderProblem<T>& p) {
  std::fill_n(p.c, p.m * p.n, T{0});
  for (int64_t i0 = 0; i0 < p.m; i0 += p.tile) {
    for (int64_t k0 = 0; k0 < p.k; k0 += p.tile) {
      for (int64_t j0 = 0; j0 < p.n; j0 += p.tile) {
        const int64_t i1 = std::min(p.m, i0 + p.tile), k1 = std::min(p.k, k0 + p.tile), j1 = std::min(p.n, j0 + p.tile);
        for (int64_t i = i0; i < i1; ++i) {
          T* const c = p.c + i * p.n;
          for (int64_t k = k0; k < k1; ++k) {
            const T factor = p.a[i * p.k + k];
            const T* const b = p.b + k * p.row_of_b;
            for (int64_t j = j0; j < j1; ++j) c[j] += factor * b[j];
          }
        }
      }
    }
  }
  if (p.sigmoid) scalar_sigmoid(p.c, p.m * p.n);
}

}  // namespace engine::cpu
