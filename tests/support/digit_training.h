// SPDX-License-Identifier: Apache-2.0
// A perceptron learning digits it has never seen before: every step draws new ones, so each loss is that of unseen
// data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace test {

/// How a network is trained, and in what it is evaluated.
struct DigitRecipe {
  enum class Kind { f32, bf16, f16, i8_weights, i8_after };
  std::string_view name;
  Kind kind;
  bool scales_loss = false;  ///< dynamic loss scaling
  double loss_weight = 1;    ///< of the loss that is differentiated; the learning rate is divided by it
  bool learns = true;        ///< false: its gradients are known to vanish
};
/// 16-bit training keeps f32 weights. The f16 recipes: with loss scaling and without; both again with a loss of weight
/// 1e-6, whose gradients lie below the smallest f16 number. "i8 weights" multiplies by weights rounded to 8 bits at
/// every step and updates the f32 weights by the gradients of the rounded ones (the straight-through estimator of
/// Bengio et al., 2013). "i8 after f32" trains in f32; its losses are those of the network quantised as it stands at
/// each step: 8-bit activations times 8-bit weights, i32 sums.
std::span<const DigitRecipe> digit_recipes();

/// A perceptron from the pixels of a digit to its class.
struct DigitNet {
  std::vector<int64_t> hidden;  ///< units of each layer but the last
  bool sigmoid = false;         ///< after each of these, else ReLU
  int64_t batch = 64;
};
/// FCN-R of Shi et al. 2016 (engine/workloads/mlp.cpp).
DigitNet fcn_r();

struct DigitCurve {
  std::vector<double> losses;  ///< one per step, before its update; NaN where it overflowed
  double accuracy = 0;         ///< over the last quarter of the steps, before their updates
};
/// SGD 0.05 with momentum 0.9 on `threads` of the CPU. Weights start uniform within 1 / sqrt(inputs), before sigmoids
/// within 4 sqrt(6 / (inputs + outputs)) (Glorot and Bengio, "Understanding the difficulty of training deep feedforward
/// neural networks", 2010, and for sigmoids the tutorial of Theano): smaller ones leave a network of three such layers
/// where it starts for hundreds of steps.
engine::Result<DigitCurve> train_on_digits(const DigitRecipe& recipe, const DigitNet& net, uint64_t seed, int steps,
                                           int threads);

}  // namespace test
