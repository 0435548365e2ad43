// SPDX-License-Identifier: Apache-2.0
// Conversion of whole tensors between dtypes, prepared ahead: the body of cast, and the way in and out of kernels that
// compute in another type than their operands have.
#pragma once

#include "engine/kernels/core/casting_simd.h"
#include "engine/kernels/core/loop_nest.h"
#include "engine/kernels/core/row_blocks.h"

namespace engine::cpu {

/// Neighbours to neighbours, by vectors where there are such, else by a plain loop; null: pairs that convert_element()
/// alone takes.
ConvertRow any_convert_row(DType from, DType to);

/// Converts `from` to `to` (equal shapes with elements, any layouts; `to` repeats none) as convert_element() would each
/// element.
class CastLoops {
 public:
  CastLoops(const Tensor& from, const Tensor& to, int threads);
  void run() const;
  /// Whether whole vectors are converted.
  bool vectorized() const { return vectorized_ && convert_ != nullptr; }
  /// Whether rows are converted by one call.
  bool has_row() const { return convert_ != nullptr; }

 private:
  void run_blocks() const;

  DType from_, to_;
  LoopNest loops_;
  ConvertRow convert_ = nullptr;
  bool vectorized_ = false;
  bool by_blocks_ = false;  ///< elements do not lie side by side, or in short rows: they are gathered first
  NestOperand result_, operand_;
  int threads_;
  Addresses base_{};
};

}  // namespace engine::cpu
