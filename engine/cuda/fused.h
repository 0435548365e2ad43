// SPDX-License-Identifier: Apache-2.0
// The elementwise part of fused ops on the GPU: one kernel that goes through a list of steps for each element.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/elementwise.h"
#include "engine/cuda/launch.h"

namespace engine::cuda {

inline constexpr int kMostFusedOperands = 16, kMostFusedSteps = 32;

/// Where a step finds an operand: an operand of the loop (0 and up), the step before (kLast), or a value that was kept
/// (kKept - slot).
inline constexpr int8_t kLast = -1, kKept = -2;

/// One member. Its value is rounded to `dtype`, as if it had been stored.
struct FusedStep {
  Code code = Code::any;
  DType dtype = DType::float32;
  int8_t operands = 1;
  int8_t from[3] = {};
  int8_t keep = -1;  ///< slot that its value is kept in for later steps; -1: the next one alone reads it
  double p[2] = {};
};

/// y = the last step's value. Everything is float32 or float64.
struct FusedLoop {
  Arithmetic arithmetic = Arithmetic::float32;
  bool vectors = false;  ///< dense operands (or one number), four elements at a time
  int8_t operands = 0, steps = 0;
  Data y, x[kMostFusedOperands];
  Walk<kMostFusedOperands + 1> walk;  ///< [0] = y, then the operands
  FusedStep step[kMostFusedSteps];
};
cudaError_t launch(const Launcher&, const FusedLoop&);

}  // namespace engine::cuda
