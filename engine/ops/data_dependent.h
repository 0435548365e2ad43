// SPDX-License-Identifier: Apache-2.0
// Functions on host tensors whose results' shapes depend on the elements. A graph's shapes are fixed when it is built,
// so these are no ops: what is constant when a graph is made (an imported model's constants) is computed by them there
// and then.
#pragma once

#include <optional>

#include "engine/base/result.h"
#include "engine/tensor/tensor.h"

namespace engine::ops {

/// The places of all elements that are not 0, in row-major order: i64 [rank of x, count]. NaN is not 0.
Result<Tensor> non_zero(const Tensor& x);

struct Unique {
  Tensor values;   ///< each once
  Tensor first;    ///< i64: where each first appears in x
  Tensor inverse;  ///< i64: which of the values each of x is
  Tensor counts;   ///< i64: how often each appears
};
/// The distinct slices of x along `axis`; no axis: the distinct elements of x in row-major order. `sorted`: ascending
/// (slices by their first difference; NaN last, every NaN for itself), otherwise in order of appearance.
Result<Unique> unique(const Tensor& x, std::optional<int64_t> axis = {}, bool sorted = true);

/// The slices of x along `axis` (no axis: the elements in row-major order) where `condition` (bool, rank 1, at most as
/// long) is true.
Result<Tensor> compress(const Tensor& x, const Tensor& condition, std::optional<int64_t> axis = {});

}  // namespace engine::ops
