// SPDX-License-Identifier: Apache-2.0
// Inner loops of reductions of integers, chosen at run time: plain loops in 64 bits, as the references', which the
// compiler turns into vectors.
#pragma once

#include <cstdint>

#include "engine/kernels/reduction/reduce_simd.h"
#include "engine/tensor/dtype.h"

namespace engine::cpu {

/// Where gathering integers begins, and two gathered ones as one: sums, squares and products wrap around in 64 bits,
/// extrema are of int64.
int64_t whole_start_of(Gathered);
int64_t whole_join(Gathered, int64_t, int64_t);

/// Over `count` neighbours of type T.
template <class T>
struct WholeReduceLoops {
  int64_t (*line)(Gathered, const T* x, int64_t count);              ///< all of a line, 1 or more
  void (*across)(Gathered, const T* x, int64_t count, int64_t* to);  ///< element by element: to[i] and x[i] as one
};
/// T: int64_t, int32_t, int8_t, uint8_t.
template <class T>
WholeReduceLoops<T> whole_reduce_loops();

/// use.operator()<T>() for the T of an integer dtype, bool as the bytes 0 and 1; a default result for other dtypes.
template <class Use>
auto with_integer(DType dtype, const Use& use) -> decltype(use.template operator()<int64_t>()) {
  switch (dtype) {
    case DType::int64: return use.template operator()<int64_t>();
    case DType::int32: return use.template operator()<int32_t>();
    case DType::int8: return use.template operator()<int8_t>();
    case DType::uint8:
    case DType::boolean: return use.template operator()<uint8_t>();
    default: return {};
  }
}

}  // namespace engine::cpu
