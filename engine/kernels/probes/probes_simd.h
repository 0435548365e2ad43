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

ChainLoop<float> chain_loop_f32();
/// Without a loop on vector units without doubles.
ChainLoop<double> chain_loop_f64();

}  // namespace engine::cpu
