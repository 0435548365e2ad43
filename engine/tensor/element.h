// SPDX-License-Identifier: Apache-2.0
// One element of any dtype, read and written as double.
#pragma once

#include <cstddef>

#include "engine/tensor/dtype.h"

namespace engine {

/// The element at `address` as double (int64 beyond 2^53 is rounded).
double load_element(DType, const std::byte* address);
/// Writes `value`. Floats round once to nearest even. Integers are truncated towards zero and clamped to their range;
/// NaN becomes 0. Boolean is value != 0.
void store_element(DType, std::byte* address, double value);
/// Writes the element at `from` as `to_dtype`: floats as store_element does. Integers round once into a floating dtype.
/// A narrower integer gets the lowest bits (two's complement: 200 becomes -56 in i8). Equal types keep their bits.
void convert_element(DType from_dtype, const std::byte* from, DType to_dtype, std::byte* to);

}  // namespace engine
