// SPDX-License-Identifier: Apache-2.0
// How references read and write tensors of any dtype and any strides: as dense row-major doubles.
#pragma once

#include <span>
#include <vector>

#include "engine/tensor/tensor.h"

namespace engine::ops {

/// All elements as doubles in row-major logical order (int64 beyond 2^53 is rounded). Costs 8 bytes per element while
/// it lives: references then are plain loops, and sums are formed in double whatever the dtype.
std::vector<double> load(const Tensor&);
/// The same with broadcast axes repeated up to `shape`.
std::vector<double> load_expanded(const Tensor&, const Shape& shape);
/// Rounds `values` (row-major) to the tensor's dtype as store_element() does: floats to nearest even, integers cut
/// towards zero and held in their range.
void store(const Tensor&, std::span<const double> values);
/// Integers and bool to the last bit.
std::vector<int64_t> load_whole(const Tensor&);
std::vector<int64_t> load_whole_expanded(const Tensor&, const Shape& shape);
/// Keeps the lowest bits of each value, as many as the integer dtype has (wraps around); bool is value != 0.
void store_whole(const Tensor&, std::span<const int64_t> values);
/// Copies between tensors of equal shape and dtype bit by bit, in any strides.
void copy_bits(const Tensor& from, const Tensor& to);

}  // namespace engine::ops
