// SPDX-License-Identifier: Apache-2.0
// Group norm does what is said of it: its own code, compiled over a memory that notes each access.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/kernels/norms/group_norm-inl.h"
#include "tests/engine/kernels/core/described.h"

namespace engine {
namespace {

using loops::GroupLayout;
using test::expect_described, test::fidelity, test::numbers, test::operand;

constexpr double kEpsilon = 1e-5;

/// Operands, and room for what the parts keep.
struct Case {
  const test::NotedKernels& own;
  GroupLayout l;
  std::vector<float> x = numbers(l.batch * l.plane(), 7), dy = numbers(l.batch * l.plane(), 11),
                     scale = numbers(l.channels, 3), bias = numbers(l.channels, 5);
  std::vector<float> y = std::vector<float>(x.size()), dx = y,
                     mean = std::vector<float>(static_cast<size_t>(l.batch * l.groups)), inv_std = mean, dscale = scale,
                     dbias = scale;
  std::vector<double> workspace =
      std::vector<double>(static_cast<size_t>((2 * l.batch + 2 * l.sample().blocks() + 8) * l.channels));

  double values() const { return static_cast<double>(l.per_group() * l.pixels); }
  double inverse_of(double squares) const { return 1 / std::sqrt(squares / values() + kEpsilon); }
  TensorType type() const {
    const Shape shape{l.batch, l.channels, 1, l.pixels};
    return l.channels_last ? TensorType::channels_last(DType::float32, shape)
                           : TensorType::contiguous(DType::float32, shape);
  }
  /// Of a pixel's channel, wherever it lies.
  size_t at(int64_t n, int64_t c, int64_t pixel) const {
    return static_cast<size_t>(n * l.plane() + (l.channels_last ? pixel * l.channels + c : c * l.pixels + pixel));
  }
};

/// Few channels of many pixels, and many of few; lines with and without whole vectors.
std::vector<GroupLayout> layouts() {
  std::vector<GroupLayout> all;
  for (const bool last : {false, true}) {
    all.push_back({.batch = 2, .channels = 6, .pixels = 4096 + 83, .groups = 2, .channels_last = last});
    all.push_back({.batch = 3, .channels = 83, .pixels = 3, .groups = 1, .channels_last = last});
    all.push_back({.batch = 2, .channels = 64, .pixels = 40, .groups = 16, .channels_last = last});
    all.push_back({.batch = 1, .channels = 40, .pixels = 5000, .groups = 4, .channels_last = last});
  }
  return all;
}

TEST(GroupNormLoops, GoThroughTheirGroupsAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const GroupLayout& l : layouts()) {
      SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << l.batch << " x " << l.channels
                                      << " x " << l.pixels << (l.channels_last ? ", channels last" : ""));
      Case of{own, l};
      const Shape vector{l.channels}, statistics{l.batch, l.groups};
      const Attributes attributes{{"groups", l.groups}};
      const access::Operand x = operand(of.x, of.type()), scale = operand(of.scale, vector),
                            mean = operand(of.mean, statistics), inverse = operand(of.inv_std, statistics);

      const cpu::GroupNormLoops<float> kernels{own.lines, own.norms, own.batch_norm};
      for (const bool has_bias : {false, true}) {
        SCOPED_TRACE(has_bias ? "with bias" : "without bias");
        const cpu::GroupNormArguments<float> arguments{
            of.x.data(),       of.scale.data(), has_bias ? of.bias.data() : nullptr, of.y.data(), of.mean.data(),
            of.inv_std.data(), kEpsilon};
        test::noted().clear();
        cpu::GroupNormForward<float, test::NotedScalars>(l, kernels, 1, arguments).run([&](int64_t) {
          return of.workspace.data();
        });
        std::vector<access::Operand> inputs{x, scale};
        if (has_bias) inputs.push_back(operand(of.bias, vector));
        expect_described(own, "group_norm", inputs, {operand(of.y, of.type()), mean, inverse}, of.workspace.data(),
                         attributes);
        const size_t end = of.at(l.batch - 1, l.channels - 1, l.pixels - 1);
        ASSERT_NEAR(
            of.y[end],
            (of.x[end] - of.mean.back()) * of.inv_std.back() * of.scale.back() + (has_bias ? of.bias.back() : 0), 1e-3);
      }

      const cpu::GroupNormGradientArguments<float> arguments{of.dy.data(),      of.x.data(),     of.mean.data(),
                                                             of.inv_std.data(), of.scale.data(), of.dx.data(),
                                                             of.dscale.data(),  of.dbias.data(), of.workspace.data()};
      test::noted().clear();
      cpu::GroupNormGradient<float, test::NotedScalars>(l, kernels, 1, arguments).run([&](int64_t) {
        return reinterpret_cast<float*>(of.workspace.data() + 2 * l.batch * l.channels);
      });
      expect_described(own, "group_norm_grad", {operand(of.dy, of.type()), x, mean, inverse, scale},
                       {operand(of.dx, of.type()), operand(of.dscale, vector), operand(of.dbias, vector)},
                       of.workspace.data(), attributes);

      // The last group of the last sample, and its last channel.
      const int64_t n = l.batch - 1, g = l.groups - 1, c = l.channels - 1;
      double sum = 0, squares = 0, dbias = 0;
      const auto each = [&](const auto& take) {
        for (int64_t k = g * l.per_group(); k < l.channels; ++k)
          for (int64_t pixel = 0; pixel < l.pixels; ++pixel) take(static_cast<double>(of.x[of.at(n, k, pixel)]));
      };
      each([&](double value) { sum += value; });
      each([&](double value) { squares += (value - sum / of.values()) * (value - sum / of.values()); });
      ASSERT_NEAR(of.mean.back(), sum / of.values(), 1e-4);
      ASSERT_NEAR(of.inv_std.back(), of.inverse_of(squares), 1e-3 * of.inverse_of(squares));
      for (int64_t k = 0; k < l.batch; ++k)
        for (int64_t pixel = 0; pixel < l.pixels; ++pixel) dbias += static_cast<double>(of.dy[of.at(k, c, pixel)]);
      ASSERT_NEAR(of.dbias.back(), dbias, 1e-3);
    }
  }
}

TEST(GroupNormLoops, WhatOwnKernelsDoNotTakeIsNotSaidToBeTheirs) {
  using access::Fidelity;
  const Shape image{2, 8, 4, 4};
  const TensorType last = TensorType::channels_last(DType::float32, image),
                   first = TensorType::contiguous(DType::float32, image),
                   vector = TensorType::contiguous(DType::float32, {8}),
                   statistics = TensorType::contiguous(DType::float32, {2, 4}),
                   half = TensorType::contiguous(DType::float16, image),
                   whole = TensorType::contiguous(DType::int32, image);
  const Attributes four{{"groups", int64_t{4}}};
  EXPECT_EQ(fidelity("group_norm", {last, vector}, {last, statistics, statistics}, four), Fidelity::loops);
  EXPECT_EQ(fidelity("group_norm", {first, vector}, {first, statistics, statistics}, four), Fidelity::loops);
  EXPECT_EQ(fidelity("group_norm", {last, vector}, {first, statistics, statistics}, four), Fidelity::modelled);
  EXPECT_EQ(fidelity("group_norm", {half, vector}, {half, statistics, statistics}, four), Fidelity::loops)
      << "by copies in f32";
  EXPECT_EQ(fidelity("group_norm", {whole, vector}, {whole, statistics, statistics}, four), Fidelity::modelled);
  EXPECT_EQ(fidelity("group_norm_grad", {last, last, statistics, statistics, vector}, {last, vector, vector}, four),
            Fidelity::loops);
  EXPECT_EQ(fidelity("group_norm_grad", {last, first, statistics, statistics, vector}, {last, vector, vector}, four),
            Fidelity::modelled);
  const auto wide = [](int64_t channels) {
    const TensorType x = TensorType::channels_last(DType::float32, {1, channels, 1, 2}),
                     of_channels = TensorType::contiguous(DType::float32, {channels}),
                     one = TensorType::contiguous(DType::float32, {1, 1});
    return fidelity("group_norm", {x, of_channels}, {x, one, one});
  };
  constexpr auto kMost = static_cast<int64_t>(access::kWorkspaceBytes) / (2 * 2 * 8 + 5 * 4);
  EXPECT_EQ(wide(kMost), Fidelity::loops);
  EXPECT_EQ(wide(kMost + 1), Fidelity::modelled) << "what is kept by channel would lie beyond the workspace";
}

}  // namespace
}  // namespace engine
