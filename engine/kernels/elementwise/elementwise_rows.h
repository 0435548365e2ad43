// SPDX-License-Identifier: Apache-2.0
// What elementwise kernels, alone and fused, share: operands on their way to the inner loops, the loops by op, their
// constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/graph/op.h"
#include "engine/kernels/core/row_blocks.h"
#include "engine/kernels/elementwise/elementwise_simd.h"

namespace engine::cpu {

/// Non-temporal stores pay (1.15-1.35x) once the result outgrows the last cache level, from about
/// 64 MiB on; below, the next op would find its input gone from the cache.
inline constexpr int64_t kStreamingFromBytes = int64_t{64} << 20;

/// 16-bit floats are computed on as f32.
inline DType compute_dtype(DType dtype) { return size_bytes(dtype) == 2 ? DType::float32 : dtype; }

/// Neighbours of one dtype to neighbours of another.
void convert_elements(DType from_dtype, const std::byte* from, DType to_dtype, std::byte* to, int64_t count);

/// An operand on its way to the inner loop: as it lies, or by way of a buffer where it is a 16-bit float, which is
/// computed on as f32, or where its elements do not lie side by side.
struct Passage {
  DType dtype, computed;
  int64_t stride = 0;   ///< bytes between neighbours in memory
  bool single = false;  ///< one element for all, as which the inner loop takes it

  int64_t bytes() const { return size_bytes(dtype); }
  bool direct() const { return dtype == computed && (single || stride == bytes()); }
  /// At most kChunk elements, where the inner loop finds them: at `at`, or in the buffer.
  const std::byte* read(const std::byte* at, int64_t count, std::byte* buffer) const;
  /// Takes the results from the buffer to memory.
  void write(std::byte* buffer, int64_t count, std::byte* at) const;
};

/// What RowArguments::constants has to hold for `op`: its attributes in order (attribute_numbers), but for functions
/// that share a loop.
std::vector<double> elementwise_constants(const Op& op, const Attributes&);

/// The inner loop of any elementwise op, by the computed dtype of its last operand; null: there is none.
RowFunction find_elementwise_row(std::string_view op, DType dtype);

}  // namespace engine::cpu
