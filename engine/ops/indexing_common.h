// SPDX-License-Identifier: Apache-2.0
// What the ops that pick and place elements share: positions, indices, and references that move bits.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/graph/autograd.h"
#include "engine/graph/element_maps.h"
#include "engine/ops/check.h"
#include "engine/tensor/tensor.h"

namespace engine::ops {

/// Element i of y (row-major) gets the bits of element sources[i] of x, or `missing` where that is kNoElement.
void move_elements(const Tensor& x, std::span<const int64_t> sources, double missing, const Tensor& y);
/// All elements of an integer tensor, exactly.
std::vector<int64_t> load_integers(const Tensor&);
/// Rounds nothing: values outside of the dtype's range keep their lowest bits.
void store_integers(const Tensor&, std::span<const int64_t> values);
/// Indices along an axis of `extent` elements: negative ones count from the end, those outside become kNoElement.
std::vector<int64_t> load_indices(const Tensor&, int64_t extent);
/// The same for one index.
int64_t index_inside(int64_t index, int64_t extent);

/// Indices are i32 or i64.
bool check_indices(OperandCheck&, const TensorType&, std::string_view operand);
/// Every operand has the dtype of the first; `operand` is what one is called.
bool check_equal_dtypes(OperandCheck&, std::span<const TensorType> inputs, std::string_view operand);
/// The dense type with the axis order of `like`; row-major where `like` repeats elements (no model for a layout).
TensorType dense_like(const TensorType& like, Shape shape);
/// The type that "input_shape" and "input_strides" name; refuses what is not dense.
bool check_result_type(OperandCheck&, const TensorType& result);
/// Bytes of `elements` elements of x, at most all it has: what is read where only some elements are named.
int64_t named_bytes(const TensorType& x, double elements);

/// A zero of `dtype` repeated to `shape` with stride 0: no bytes of its own but one element's.
ValueId zeros(GraphBuilder&, DType dtype, const Shape& shape);

}  // namespace engine::ops
