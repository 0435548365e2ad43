// SPDX-License-Identifier: Apache-2.0
// Products of several matrices with one and the same matrix are one product of all their rows.
#pragma once

#include <optional>

#include "engine/tensor/tensor.h"

namespace engine {

/// The operands of such a product as matrices: [rows, k], b as it is for one product, [rows, n].
struct JoinedRows {
  TensorType a, b, c;
};

/// [.., m, k] [k, n] -> [.., m, n] (`linear`: b is [n, k]) as [rows, k] [k, n]: one pass over b instead of one for each
/// of the leading axes; and leading axes of 1 do not keep oneDNN from packing b. Nothing where b has leading axes of
/// its own, or the rows of a or c do not lie evenly apart.
std::optional<JoinedRows> joined_rows(bool linear, const TensorType& a, const TensorType& b, const TensorType& c);

}  // namespace engine
