// SPDX-License-Identifier: Apache-2.0
// The ladder's own loops: scalar ones, compiled without vectorisation, and vectors of a stated width.
#pragma once

#include <cstdint>
#include <string_view>

namespace engine::cpu {

/// c = a b, or its sigmoid; all row-major, a and c without gaps, a row of b every `row_of_b` elements.
template <class T>
struct LadderProblem {
  const T *a = nullptr, *b = nullptr;
  T* c = nullptr;
  int64_t m = 0, n = 0, k = 0;
  int64_t row_of_b = 0;
  int64_t tile = 64;
  bool sigmoid = false;
};

template <class T>
using LadderLoop = void (*)(const LadderProblem<T>&);

/// "naive" "reordered" "tiled"; null for others.
template <class T>
LadderLoop<T> scalar_ladder(std::string_view rung);

/// Loops in vectors; null where this machine's are narrower.
template <class T>
struct VectorLadder {
  LadderLoop<T> tiled_128 = nullptr, tiled_256 = nullptr, tiled_512 = nullptr;
  LadderLoop<T> registers = nullptr;
};
VectorLadder<float> vector_ladder_f32();
/// All null on vector units without doubles.
VectorLadder<double> vector_ladder_f64();

/// c = sigmoid(c), one element after the other.
template <class T>
void scalar_sigmoid(T* c, int64_t count);

}  // namespace engine::cpu
