// SPDX-License-Identifier: Apache-2.0
// Products of several matrices with one and the same matrix are one product of all their rows.
#include "engine/kernels/gemm/joined_rows_rule.h"

#include <utility>

namespace engine {

std::optional<JoinedRows> joined_rows(bool linear, const TensorType& a, const TensorType& b, const TensorType& c) {
  if (c.rank() < 3 || a.rank() != c.rank() || c.elements() == 0 || a.elements() == 0) return {};
  TensorType matrix = b;
  while (!linear && matrix.rank() > 2 && matrix.shape.front() == 1) {
    matrix.shape.erase(matrix.shape.begin());
    matrix.strides.erase(matrix.strides.begin());
  }
  if (matrix.rank() != 2) return {};
  const Result<View> rows = view_reshape(a, {-1, a.shape.back()}), result = view_reshape(c, {-1, c.shape.back()});
  if (!rows || !result) return {};
  if (rows->type.shape[0] != result->type.shape[0]) return {};
  return JoinedRows{rows->type, std::move(matrix), result->type};
}

}  // namespace engine
