// SPDX-License-Identifier: Apache-2.0
// A small perceptron learning digits it has never seen before: every step draws new ones, so each loss is that of unseen data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace test {

/// "f32" "bf16" "f16" "i8 weights": 16-bit training keeps f32 weights, f16 scales its loss dynamically; "i8 weights" multiplies by
/// weights rounded to 8 bits at every step and updates the f32 weights by the gradients of the rounded ones (the straight-through
/// estimator of Bengio et al., 2013).
std::span<const std::string_view> digit_precisions();

struct DigitCurve {
  std::vector<double> losses;  ///< one per step, before its update
  double accuracy = 0;         ///< over the last quarter of the steps, before their updates
};
/// 784-128-64-10 with ReLU, batch 64, SGD with momentum on `threads` of the CPU.
engine::Result<DigitCurve> train_on_digits(std::string_view precision, uint64_t seed, int steps, int threads);

}  // namespace test
