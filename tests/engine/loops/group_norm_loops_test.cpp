// SPDX-License-Identifier: Apache-2.0
// Group norm does what is said of it: the loops of its vectors, compiled over a memory that notes each access. What engine/cpu/group_norm.cpp
// does between them, channel by channel, is written out again here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/loops/group_norm.h"
#include "tests/engine/loops/described.h"

namespace engine {
namespace {

using loops::GroupLayout;
using test::expect_described, test::fidelity, test::note_load, test::note_store, test::numbers, test::operand;

constexpr double kEpsilon = 1e-5;

/// Operands, and what the visitors of engine/cpu/group_norm.cpp keep.
struct Case {
  const test::NotedKernels& own;
  GroupLayout l;
  std::vector<float> x = numbers(l.batch * l.plane(), 7), dy = numbers(l.batch * l.plane(), 11), scale = numbers(l.channels, 3), bias = numbers(l.channels, 5);
  std::vector<float> y = std::vector<float>(x.size()), dx = y, mean = std::vector<float>(static_cast<size_t>(l.batch * l.groups)), inv_std = mean, dscale = scale, dbias = scale;
  std::vector<double> workspace = std::vector<double>(static_cast<size_t>((2 * l.batch + 10) * l.channels));

  double values() const { return static_cast<double>(l.per_group() * l.pixels); }
  double inverse_of(double squares) const { return 1 / std::sqrt(squares / values() + kEpsilon); }
  /// The vector by channel behind so many doubles for each.
  float* kept(int64_t doubles, int64_t number) { return reinterpret_cast<float*>(workspace.data() + doubles * l.channels) + number * l.channels; }
  TensorType type() const {
    const Shape shape{l.batch, l.channels, 1, l.pixels};
    return l.channels_last ? TensorType::channels_last(DType::float32, shape) : TensorType::contiguous(DType::float32, shape);
  }
  /// Of a pixel's channel, wherever it lies.
  size_t at(int64_t n, int64_t c, int64_t pixel) const {
    return static_cast<size_t>(n * l.plane() + (l.channels_last ? pixel * l.channels + c : c * l.pixels + pixel));
  }
};

void clear(auto* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) note_store(from + i), from[i] = 0;
}

struct Lines {
  Case& of;
  int64_t group;
  float mean = 0;
  double inverse = 0;

  int64_t length() const { return of.l.per_group() * of.l.pixels; }
  const float* x() const { return of.x.data() + group * length(); }
  void sum() { mean = static_cast<float>(of.own.lines.sum(x(), length()) / of.values()); }
  void squares() { inverse = of.inverse_of(of.own.norms.squares(x(), length(), mean)); }
  void normalize(int64_t c) const {
    const auto channel = static_cast<size_t>(group % of.l.groups * of.l.per_group() + c);
    note_load(&of.scale[channel]), note_load(&of.bias[channel]);
    of.own.norms.affine(x() + c * of.l.pixels, of.l.pixels, mean, static_cast<float>(inverse * static_cast<double>(of.scale[channel])), of.bias[channel],
                        of.y.data() + group * length() + c * of.l.pixels);
  }
  void keep() const {
    const auto g = static_cast<size_t>(group);
    note_store(&of.mean[g]), note_store(&of.inv_std[g]);
    of.mean[g] = mean, of.inv_std[g] = static_cast<float>(inverse);
  }
};

struct Sample {
  Case& of;
  int64_t n;
  double *sums = of.workspace.data(), *sums_of_squares = sums + 2 * of.l.channels;
  float *mean = of.kept(4, 0), *factor = of.kept(4, 1), *offset = of.kept(4, 2), *scratch = of.kept(4, 3);

  const float* x() const { return of.x.data() + n * of.l.plane(); }
  void clear() const { engine::clear(mean, 5 * of.l.channels), engine::clear(sums, 4 * of.l.channels); }
  void sum() const { of.own.batch_norm.moments(x(), of.l.pixels, of.l.channels, mean, scratch, sums); }
  void means() const {
    for (int64_t g = 0; g < of.l.groups; ++g) {
      const int64_t begin = g * of.l.per_group(), end = begin + of.l.per_group();
      double total = 0;
      for (int64_t c = begin; c < end; ++c) note_load(sums + c), total += sums[c];
      float& own = of.mean[static_cast<size_t>(n * of.l.groups + g)];
      for (int64_t c = begin; c < end; ++c) note_store(mean + c), mean[c] = static_cast<float>(total / of.values());
      note_store(&own), own = mean[begin];
    }
  }
  void squares() const { of.own.batch_norm.moments(x(), of.l.pixels, of.l.channels, mean, scratch, sums_of_squares); }
  void factors() const {
    for (int64_t g = 0; g < of.l.groups; ++g) {
      const int64_t begin = g * of.l.per_group(), end = begin + of.l.per_group();
      double total = 0;
      for (int64_t c = of.l.channels + begin; c < of.l.channels + end; ++c) note_load(sums_of_squares + c), total += sums_of_squares[c];
      float& own = of.inv_std[static_cast<size_t>(n * of.l.groups + g)];
      note_store(&own), own = static_cast<float>(of.inverse_of(total));
      for (int64_t c = begin; c < end; ++c) {
        const auto i = static_cast<size_t>(c);
        note_load(&of.scale[i]), note_store(factor + c), note_load(&of.bias[i]), note_store(offset + c);
        factor[c] = own * of.scale[i], offset[c] = of.bias[i];
      }
    }
  }
  void normalize() const { of.own.batch_norm.normalize(x(), of.l.pixels, of.l.channels, mean, factor, offset, of.y.data() + n * of.l.plane()); }
};

struct Gradient {
  Case& of;
  double slope = 0, shift = 0, inverse = 0;

  double* sums(int64_t n) const { return of.workspace.data() + n * 2 * of.l.channels; }
  void join(int64_t n, int64_t g) {
    double sum = 0, product = 0;
    const double *s = sums(n), *p = s + of.l.channels;
    for (int64_t c = g * of.l.per_group(); c < (g + 1) * of.l.per_group(); ++c) {
      const auto scale = static_cast<double>(of.scale[static_cast<size_t>(c)]);
      note_load(&of.scale[static_cast<size_t>(c)]), note_load(s + c), note_load(p + c);
      sum += scale * s[c], product += scale * p[c];
    }
    const auto own = static_cast<size_t>(n * of.l.groups + g);
    note_load(&of.inv_std[own]);
    inverse = static_cast<double>(of.inv_std[own]), shift = inverse * sum / of.values(), slope = inverse * inverse * inverse * product / of.values();
  }
  void finish() {
    for (int64_t c = 0; c < of.l.channels; ++c) {
      double scale = 0, bias = 0;
      for (int64_t n = 0; n < of.l.batch; ++n) {
        const float& own = of.inv_std[static_cast<size_t>(n * of.l.groups + c / of.l.per_group())];
        note_load(sums(n) + c), note_load(sums(n) + of.l.channels + c), note_load(&own);
        bias += sums(n)[c], scale += sums(n)[of.l.channels + c] * static_cast<double>(own);
      }
      const auto i = static_cast<size_t>(c);
      note_store(&of.dscale[i]), note_store(&of.dbias[i]);
      of.dscale[i] = static_cast<float>(scale), of.dbias[i] = static_cast<float>(bias);
    }
  }
};

struct GradientLines : Gradient {
  int64_t group;
  float mean = of.mean[static_cast<size_t>(group)];

  int64_t n() const { return group / of.l.groups; }
  int64_t channel(int64_t c) const { return group % of.l.groups * of.l.per_group() + c; }
  int64_t line(int64_t c) const { return (group * of.l.per_group() + c) * of.l.pixels; }
  void sum(int64_t c) const {
    if (c == 0) note_load(&of.mean[static_cast<size_t>(group)]);
    double two[2], *s = sums(n()) + channel(c), *p = s + of.l.channels;
    of.own.norms.channel_sums(of.dy.data() + line(c), of.x.data() + line(c), of.l.pixels, mean, two);
    note_store(s), note_store(p);
    *s = two[0], *p = two[1];
  }
  void join() { Gradient::join(n(), group % of.l.groups); }
  void gradient(int64_t c) const {
    const float& scale = of.scale[static_cast<size_t>(channel(c))];
    note_load(&scale);
    of.own.norms.channel_gradient(of.dy.data() + line(c), of.x.data() + line(c), of.l.pixels, mean, static_cast<float>(inverse) * scale, static_cast<float>(shift),
                                  static_cast<float>(slope), of.dx.data() + line(c));
  }
};

struct GradientSample : Gradient {
  int64_t n;
  float *mean = of.kept(2 * of.l.batch, 0), *factor = of.kept(2 * of.l.batch, 1), *shifts = of.kept(2 * of.l.batch, 2), *slopes = of.kept(2 * of.l.batch, 3),
        *scratch = of.kept(2 * of.l.batch, 4);

  static constexpr bool stopped() { return false; }
  void clear() const {
    engine::clear(mean, 6 * of.l.channels);
    for (int64_t c = 0; c < of.l.channels; ++c) {
      const float& own = of.mean[static_cast<size_t>(n * of.l.groups + c / of.l.per_group())];
      note_load(&own), note_store(mean + c), mean[c] = own;
    }
    engine::clear(sums(n), 2 * of.l.channels);
  }
  void sum() const {
    const int64_t at = n * of.l.plane();
    of.own.batch_norm.gradient_sums(of.dy.data() + at, of.x.data() + at, of.l.pixels, of.l.channels, mean, scratch, sums(n));
  }
  void factors(int64_t g) {
    join(n, g);
    for (int64_t c = g * of.l.per_group(); c < (g + 1) * of.l.per_group(); ++c) {
      const float& scale = of.scale[static_cast<size_t>(c)];
      note_load(&scale), note_store(factor + c), note_store(shifts + c), note_store(slopes + c);
      factor[c] = static_cast<float>(inverse) * scale, shifts[c] = static_cast<float>(shift), slopes[c] = static_cast<float>(slope);
    }
  }
  void gradient(int64_t pixel) const {
    const int64_t at = n * of.l.plane() + pixel * of.l.channels;
    of.own.norms.channels_gradient(of.dy.data() + at, of.x.data() + at, of.l.channels, mean, factor, shifts, slopes, of.dx.data() + at);
  }
};

/// Few channels of many pixels, and many of few; lines with and without whole vectors.
std::vector<GroupLayout> layouts() {
  std::vector<GroupLayout> all;
  for (const bool last : {false, true}) {
    all.push_back({.batch = 2, .channels = 6, .pixels = 4096 + 83, .groups = 2, .channels_last = last});
    all.push_back({.batch = 3, .channels = 83, .pixels = 3, .groups = 1, .channels_last = last});
    all.push_back({.batch = 2, .channels = 64, .pixels = 40, .groups = 16, .channels_last = last});
  }
  return all;
}

TEST(GroupNormLoops, GoThroughTheirGroupsAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const GroupLayout& l : layouts()) {
      SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << l.batch << " x " << l.channels << " x " << l.pixels << (l.channels_last ? ", channels last" : ""));
      Case of{own, l};
      const Shape vector{l.channels}, statistics{l.batch, l.groups};
      const Attributes attributes{{"groups", l.groups}};
      const access::Operand x = operand(of.x, of.type()), scale = operand(of.scale, vector), mean = operand(of.mean, statistics), inverse = operand(of.inv_std, statistics);

      test::noted().clear();
      for (int64_t i = 0; i < (l.channels_last ? l.batch : l.batch * l.groups); ++i) {
        if (l.channels_last) {
          Sample parts{of, i};
          loops::group_norm_sample(parts);
        } else {
          Lines parts{of, i};
          loops::group_norm_lines(l, parts);
        }
      }
      expect_described(own, "group_norm", {x, scale, operand(of.bias, vector)}, {operand(of.y, of.type()), mean, inverse}, of.workspace.data(), attributes);

      test::noted().clear();
      for (int64_t i = 0; i < (l.channels_last ? l.batch : l.batch * l.groups); ++i) {
        if (l.channels_last) {
          GradientSample parts{{of}, i};
          loops::group_norm_gradient_sample(l, parts);
        } else {
          GradientLines parts{{of}, i};
          loops::group_norm_gradient_lines(l, parts);
        }
      }
      Gradient{of}.finish();
      expect_described(own, "group_norm_grad", {operand(of.dy, of.type()), x, mean, inverse, scale}, {operand(of.dx, of.type()), operand(of.dscale, vector), operand(of.dbias, vector)},
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
      const size_t last = of.at(n, c, l.pixels - 1);
      ASSERT_NEAR(of.y[last], (of.x[last] - of.mean.back()) * of.inv_std.back() * of.scale.back() + of.bias.back(), 1e-3);
    }
  }
}

TEST(GroupNormLoops, WhatOwnKernelsDoNotTakeIsNotSaidToBeTheirs) {
  using access::Fidelity;
  const Shape image{2, 8, 4, 4};
  const TensorType last = TensorType::channels_last(DType::float32, image), first = TensorType::contiguous(DType::float32, image), vector = TensorType::contiguous(DType::float32, {8}),
                   statistics = TensorType::contiguous(DType::float32, {2, 4}), half = TensorType::contiguous(DType::float16, image), whole = TensorType::contiguous(DType::int32, image);
  const Attributes four{{"groups", int64_t{4}}};
  EXPECT_EQ(fidelity("group_norm", {last, vector}, {last, statistics, statistics}, four), Fidelity::loops);
  EXPECT_EQ(fidelity("group_norm", {first, vector}, {first, statistics, statistics}, four), Fidelity::loops);
  EXPECT_EQ(fidelity("group_norm", {last, vector}, {first, statistics, statistics}, four), Fidelity::modelled);
  EXPECT_EQ(fidelity("group_norm", {half, vector}, {half, statistics, statistics}, four), Fidelity::loops) << "by copies in f32";
  EXPECT_EQ(fidelity("group_norm", {whole, vector}, {whole, statistics, statistics}, four), Fidelity::modelled);
  EXPECT_EQ(fidelity("group_norm_grad", {last, last, statistics, statistics, vector}, {last, vector, vector}, four), Fidelity::loops);
  EXPECT_EQ(fidelity("group_norm_grad", {last, first, statistics, statistics, vector}, {last, vector, vector}, four), Fidelity::modelled);
  const auto wide = [](int64_t channels) {
    const TensorType x = TensorType::channels_last(DType::float32, {1, channels, 1, 2}), of_channels = TensorType::contiguous(DType::float32, {channels}),
                     one = TensorType::contiguous(DType::float32, {1, 1});
    return fidelity("group_norm", {x, of_channels}, {x, one, one});
  };
  constexpr auto kMost = static_cast<int64_t>(access::kWorkspaceBytes) / (4 * 8 + 5 * 4);
  EXPECT_EQ(wide(kMost), Fidelity::loops);
  EXPECT_EQ(wide(kMost + 1), Fidelity::modelled) << "what is kept by channel would lie beyond the workspace";
}

}  // namespace
}  // namespace engine
