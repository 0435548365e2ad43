// SPDX-License-Identifier: Apache-2.0
// Conversion of whole tensors between dtypes, prepared ahead: the body of cast, and the way in and out of kernels that compute
// in another type than their operands have.
#pragma once

#include "engine/cpu/casting_simd.h"
#include "engine/cpu/loops.h"

namespace engine::cpu {

/// Converts `from` to `to` (equal shapes with elements, any layouts; `to` repeats none) as convert_element() would each element.
class CastLoops {
 public:
  CastLoops(const Tensor& from, const Tensor& to, int threads);
  void run() const;
  /// Whether whole vectors are converted.
  bool vectorized() const { return convert_ != nullptr; }

 private:
  DType from_, to_;
  LoopNest loops_;
  ConvertRow convert_ = nullptr;
  int threads_;
  Addresses base_{};
};

}  // namespace engine::cpu
