// SPDX-License-Identifier: Apache-2.0
// One element of any dtype, read and written as double.
#pragma once

#include <cstddef>

#include "engine/tensor/dtype.h"

namespace engine {

/// The element at `address` as double (int64 beyond 2^53 is rounded).
double load_element(DType, const std::byte* address);
/// Writes `value`: floats round to nearest even (16-bit ones by way of binary32); integers are cut
/// towards zero and held in their range, NaN becomes 0; boolean is value != 0.
void store_element(DType, std::byte* address, double value);

}  // namespace engine
