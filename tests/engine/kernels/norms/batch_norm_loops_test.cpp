// SPDX-License-Identifier: Apache-2.0
// Batch norm does what is said of it: its own code, compiled over a memory that notes each access.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/kernels/norms/batch_norm-inl.h"
#include "tests/engine/kernels/core/described.h"

namespace engine {
namespace {

using loops::ChannelRows;
using test::expect_described, test::fidelity, test::numbers, test::operand;

constexpr double kEpsilon = 1e-5;

/// On one thread; what parts keep lies behind the sums.
struct Plan : cpu::BatchNormPlan<float> {
  Plan(const test::NotedKernels& own, const ChannelRows& of, int64_t vectors)
      : cpu::BatchNormPlan<float>{.rows = of, .loops = own.batch_norm, .epsilon = kEpsilon} {
    const int64_t doubles = cpu::batch_norm_sums_bytes(of) / static_cast<int64_t>(sizeof(double));
    workspace.resize(static_cast<size_t>(doubles + vectors * of.channels));
    sums = workspace.data();
    kept = reinterpret_cast<float*>(sums + doubles);
  }
  std::vector<double> workspace;
};

using Training = cpu::BatchNormTraining<float, test::NotedScalars>;
using Inference = cpu::BatchNormInference<float, test::NotedScalars>;
using Gradient = cpu::BatchNormGradient<float, test::NotedScalars>;

/// Rows of one pass and of several flushes; the last of several blocks.
constexpr ChannelRows kRows[] = {
    {2, 1}, {7, 15}, {21, 64}, {loops::kRowsPerFlush + 11, 83}, {2 * ChannelRows::kBlockElements / 64 + 5, 64}};

double mean_of(const std::vector<float>& x, int64_t channels, int64_t c, const auto& each) {
  double sum = 0;
  for (size_t i = static_cast<size_t>(c); i < x.size(); i += static_cast<size_t>(channels)) sum += each(i);
  return sum * static_cast<double>(channels) / static_cast<double>(x.size());
}

TEST(BatchNormLoops, GoThroughTheirRowsAsIsSaid) {
  ASSERT_GT(std::end(kRows)[-1].blocks(), 1);
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const ChannelRows& rows : kRows) {
      SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << rows.rows << " x "
                                      << rows.channels);
      const int64_t channels = rows.channels, last = channels - 1;
      const std::vector<float> x = numbers(rows.rows * channels, 7), dy = numbers(rows.rows * channels, 11),
                               scale = numbers(channels, 3), bias = numbers(channels, 5);
      std::vector<float> y(x.size()), dx(x.size()), mean(scale.size()), inv_std(scale.size()), dscale(scale.size()),
          dbias(scale.size());
      // As images, and as rows where there is one pixel.
      const Shape image{rows.rows % 7 == 0 ? rows.rows / 7 : rows.rows, channels, 1, rows.rows % 7 == 0 ? 7 : 1},
          vector{channels};
      const TensorType whole = rows.rows % 7 == 0 ? TensorType::channels_last(DType::float32, image)
                                                  : TensorType::contiguous(DType::float32, {rows.rows, channels});
      const access::Operand of_x = operand(x, whole), of_y = operand(y, whole), of_scale = operand(scale, vector),
                            of_mean = operand(mean, vector), of_inv = operand(inv_std, vector);

      test::noted().clear();
      Plan training_plan(own, rows, Training::kKept);
      Training training(training_plan, {x.data(), scale.data(), bias.data(), y.data(), mean.data(), inv_std.data()});
      loops::batch_norm_training(rows, training);
      expect_described(own, "batch_norm_training", {of_x, of_scale, operand(bias, vector)}, {of_y, of_mean, of_inv},
                       training_plan.sums);
      const auto at = static_cast<size_t>(last);
      const double middle = mean_of(x, channels, last, [&](size_t i) { return static_cast<double>(x[i]); });
      const double variance =
          mean_of(x, channels, last, [&](size_t i) { return std::pow(static_cast<double>(x[i]) - middle, 2); });
      ASSERT_NEAR(mean[at], middle, 1e-4);
      ASSERT_NEAR(inv_std[at], 1 / std::sqrt(variance + kEpsilon), 1e-3 * static_cast<double>(inv_std[at]));

      test::noted().clear();
      Plan gradient_plan(own, rows, Gradient::kKept);
      Gradient gradient(gradient_plan, {dy.data(), x.data(), mean.data(), inv_std.data(), scale.data(), dx.data(),
                                        dscale.data(), dbias.data()});
      loops::batch_norm_gradient(rows, gradient);
      expect_described(own, "batch_norm_grad", {operand(dy, whole), of_x, of_mean, of_inv, of_scale},
                       {operand(dx, whole), operand(dscale, vector), operand(dbias, vector)}, gradient_plan.sums);
      ASSERT_NEAR(dbias[at] / static_cast<double>(rows.rows),
                  mean_of(dy, channels, last, [&](size_t i) { return static_cast<double>(dy[i]); }), 1e-4);

      const std::vector<float> trained = y, squares(scale.size(), static_cast<float>(variance));
      test::noted().clear();
      Plan inference_plan(own, rows, Inference::kKept);
      Inference inference(inference_plan, {x.data(), scale.data(), bias.data(), mean.data(), squares.data(), y.data()});
      loops::batch_norm_inference(inference);
      expect_described(own, "batch_norm_inference",
                       {of_x, of_scale, operand(bias, vector), of_mean, operand(squares, vector)}, {of_y},
                       inference_plan.sums);
      for (size_t i = at; i < y.size(); i += scale.size()) ASSERT_NEAR(trained[i], y[i], 1e-3);
    }
  }
}

TEST(BatchNormLoops, WhatOwnKernelsDoNotTakeIsNotSaidToBeTheirs) {
  using access::Fidelity;
  const Shape image{2, 8, 4, 4};
  const TensorType last = TensorType::channels_last(DType::float32, image),
                   first = TensorType::contiguous(DType::float32, image),
                   vector = TensorType::contiguous(DType::float32, {8});
  const TensorType half = TensorType::channels_last(DType::bfloat16, image);
  EXPECT_EQ(fidelity("batch_norm_training", {last, vector, vector}, {last, vector, vector}), Fidelity::loops);
  EXPECT_EQ(fidelity("batch_norm_training", {first, vector, vector}, {last, vector, vector}), Fidelity::modelled);
  EXPECT_EQ(fidelity("batch_norm_training", {half, vector, vector}, {half, vector, vector}), Fidelity::loops)
      << "by copies in f32";
  EXPECT_EQ(fidelity("batch_norm_training", {last, vector, vector}, {last}), Fidelity::modelled)
      << "as in a fused op that keeps no statistics";
  EXPECT_EQ(fidelity("batch_norm_inference", {last, vector, vector, vector, vector}, {last}), Fidelity::loops);
  EXPECT_EQ(fidelity("batch_norm_inference", {first, vector, vector, vector, vector}, {last}), Fidelity::modelled);
  EXPECT_EQ(fidelity("batch_norm_grad", {last, last, vector, vector, vector}, {last, vector, vector}), Fidelity::loops);
  EXPECT_EQ(fidelity("batch_norm_grad", {last, first, vector, vector, vector}, {first, vector, vector}),
            Fidelity::modelled);
  EXPECT_EQ(fidelity("batch_norm_inference_grad", {last, last, vector, vector, vector},
                     {last, vector, vector, vector, vector}),
            Fidelity::modelled)
      << "the reference computes it";
  const auto wide = [](int64_t channels) {
    const TensorType x = TensorType::contiguous(DType::float32, {1, channels}),
                     of_channels = TensorType::contiguous(DType::float32, {channels});
    return fidelity("batch_norm_inference", {x, of_channels, of_channels, of_channels, of_channels}, {x});
  };
  constexpr auto kMost = static_cast<int64_t>(access::kWorkspaceBytes) / 8 / 5;
  EXPECT_EQ(wide(kMost), Fidelity::loops);
  EXPECT_EQ(wide(kMost + 1), Fidelity::modelled) << "its sums would lie beyond the workspace";
}

}  // namespace
}  // namespace engine
