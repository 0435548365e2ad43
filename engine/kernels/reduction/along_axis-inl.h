// SPDX-License-Identifier: Apache-2.0
// The parts of cumulative sums (along_axis_loops.h), over memory that is plain (along_axis.cpp) or, in a test, notes
// each access.
#pragma once

#include <cstdint>
#include <type_traits>

#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/reduction/along_axis_loops.h"

namespace engine::cpu {

/// Sums of floats run in double, those of integers in 64 bits, where they wrap around.
template <class T>
using RunningSum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

template <class T, class M = ScalarMemory>
struct CumulativeSumParts : loops::Computes {
  const T* x;
  T* y;
  RunningSum<T>* sums;  ///< loops::kSideBySide of them
  bool exclusive;

  void clear(int64_t count) const { M::fill(sums, count, RunningSum<T>{0}); }
  void add(int64_t at, int64_t count) const {
    const T* const from = x + at;
    T* const to = y + at;
    RunningSum<T>* const totals = sums;
    const bool without = exclusive;
    for (int64_t i = 0; i < count; ++i) {
      const RunningSum<T> before = M::load(totals + i), sum = before + static_cast<RunningSum<T>>(M::load(from + i));
      M::store(static_cast<T>(without ? before : sum), to + i);
      M::store(sum, totals + i);
    }
  }
};

}  // namespace engine::cpu
