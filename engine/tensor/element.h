// SPDX-License-Identifier: Apache-2.0
// One element of any dtype, read and written as double.
#pragma once

#include <cstddef>

#include "engine/tensor/dtype.h"

namespace engine {

/// The element at `address` as double (int64 beyond 2^53 is rounded).
double load_element(DType, const std::byte* address);
/// Writes `value`: floats round once to nearest even; integers are cut towards zero and held in
/// their range, NaN becomes 0; boolean is value != 0.
void store_element(DType, std::byte* address, double value);
/// Writes the element at `from` as `to_dtype`: floats as store_element does; integers in a floating type rounded once
/// from all their bits, in a narrower integer by their lowest bits (two's complement: 200 becomes -56 in i8). Equal
/// types keep their bits.
void convert_element(DType from_dtype, const std::byte* from, DType to_dtype, std::byte* to);

}  // namespace engine
