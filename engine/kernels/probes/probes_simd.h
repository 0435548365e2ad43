// SPDX-License-Identifier: Apache-2.0
// The inner loop of multiply_add_chain, chosen at run time (Highway).
#pragma once

#include <cstdint>

namespace engine::cpu {

template <class T>
struct ChainLoop {
  /// y[i] = x[i] after `rounds` multiply-adds; `chains` (1, 2, 4 or 8) vectors are in flight at once.
  void (*run)(const T* x, T* y, int64_t count, int64_t rounds, int chains, T factor, T shift) = nullptr;
  int64_t lanes = 1;  ///< elements of one vector
};

template <class T>
struct MaskedLoop {
  /// y[i] = x[i] after `rounds` rounds of the path of element i. For each path among the lanes of a vector all lanes
  /// compute it, and a mask keeps it where it is theirs. Paths outside of 0 to paths - 1 leave x; paths <= 64.
  void (*run)(const T* x, const int32_t* path, T* y, int64_t count, int64_t rounds, int64_t paths) = nullptr;
  int64_t lanes = 1;  ///< elements of one vector
};

ChainLoop<float> chain_loop_f32();
/// Without a loop on vector units without doubles.
ChainLoop<double> chain_loop_f64();
MaskedLoop<float> masked_loop_f32();
/// Without a loop on vector units without doubles.
MaskedLoop<double> masked_loop_f64();

}  // namespace engine::cpu
