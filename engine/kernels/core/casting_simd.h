// SPDX-License-Identifier: Apache-2.0
// Conversions of neighbouring elements from one dtype to another, chosen at run time (Highway).
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/tensor/dtype.h"

namespace engine::cpu {

/// Converts `count` neighbours as convert_element() would each of them.
using ConvertRow = void (*)(const std::byte* from, std::byte* to, int64_t count);

/// The vector loop from f32 to another dtype or from another dtype to f32, and between the dtypes
/// for which f32 in the middle is exact; null for other pairs and for those with f64 on vector
/// units without doubles.
ConvertRow find_convert_row(DType from, DType to);

}  // namespace engine::cpu
