// SPDX-License-Identifier: Apache-2.0
// Inner loops of reductions over lines of neighbouring elements, chosen at run time (Highway).
#pragma once

#include <cstdint>

namespace engine::cpu {

/// What is gathered: sums of x, |x|, x^2 or exp(x - shift), the greatest or least (NaN if any is), the product.
enum class Gathered : uint8_t { sum, absolute, squares, exponentials, most, least, product };

/// Where gathering begins.
double start_of(Gathered);
/// Two gathered values as one.
double join(Gathered, double, double);

/// Loops over `count` neighbours of element type T. Squares and products are gathered in double, where they overflow
/// only with the result; the others in T over stretches of a few thousand elements.
template <class T>
struct ReduceLoops {
  /// All of a line; the shift of exponentials is at least its greatest element.
  double (*line)(Gathered, const T* x, int64_t count, T shift);
  /// Element by element: to[i] and x[i] as one; `shift` is by element.
  void (*across)(Gathered, const T* x, int64_t count, const T* shift, double* to);
};

ReduceLoops<float> reduce_loops_f32();
/// Null pointers on vector units without doubles.
ReduceLoops<double> reduce_loops_f64();

}  // namespace engine::cpu
