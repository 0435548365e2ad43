// SPDX-License-Identifier: Apache-2.0
// Ops that go line by line do what is said of them: their own code, compiled over a memory that notes each access.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/kernels/norms/norms-inl.h"
#include "engine/kernels/softmax/cross_entropy-inl.h"
#include "engine/kernels/softmax/row_nest_loops.h"
#include "engine/kernels/softmax/softmax-inl.h"
#include "tests/engine/kernels/core/described.h"

namespace engine {
namespace {

using test::expect_described, test::fidelity, test::numbers, test::operand;

constexpr double kEpsilon = 1e-5;
constexpr int64_t kLengths[] = {1, 15, 64, 333, 4096 + 83};

TEST(LinesLoops, SoftmaxGoesThroughItsLinesAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const int64_t length : kLengths) {
      constexpr int64_t kLines = 3;
      SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << length);
      const std::vector<float> x = numbers(kLines * length, 7), dy = numbers(kLines * length, 11);
      std::vector<float> y = numbers(kLines * length, 5), dx = y;
      const Shape shape{kLines, length};
      const auto each = [&](const auto& run) {
        test::noted().clear();
        for (int64_t at = 0; at < kLines * length; at += length) run(at);
      };
      each([&](int64_t at) { own.lines.softmax_gradient(dy.data() + at, y.data() + at, length, dx.data() + at); });
      expect_described(own, "softmax_grad", {operand(dy, shape), operand(y, shape)}, {operand(dx, shape)});
      each([&](int64_t at) { own.lines.log_softmax_gradient(dy.data() + at, y.data() + at, length, dx.data() + at); });
      expect_described(own, "log_softmax_grad", {operand(dy, shape), operand(y, shape)}, {operand(dx, shape)});
      each([&](int64_t at) { own.lines.log_softmax(x.data() + at, length, y.data() + at); });
      expect_described(own, "log_softmax", {operand(x, shape)}, {operand(y, shape)});
      const std::vector<float> logarithms = y;
      each([&](int64_t at) { own.lines.softmax(x.data() + at, length, y.data() + at); });
      expect_described(own, "softmax", {operand(x, shape)}, {operand(y, shape)});
      for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(std::exp(logarithms[i]), y[i], 1e-5);
    }
  }
}

/// Operands of softmax along `axis`, each with strides of its own.
struct Apart {
  Shape shape;
  int64_t axis;
  Strides y, first, second;
};

/// The lines' copies lie one after the other in whole lines of a cache: those of the result, then of what it is made
/// of.
void check_apart(const test::NotedKernels& own, const char* op, const Apart& c) {
  SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << op << " of " << to_string(c.shape)
                                  << " along " << c.axis << ", strides " << testing::PrintToString(c.y));
  constexpr int64_t kCacheLine = 64, kBytes = sizeof(float);
  const bool gradient = std::string_view(op).ends_with("_grad"), logarithmic = std::string_view(op).starts_with("log_");
  const auto type = [&](const Strides& strides) { return TensorType{DType::float32, c.shape, strides}; };
  const std::vector<TensorType> types =
      gradient ? std::vector{type(c.y), type(c.first), type(c.second)} : std::vector{type(c.y), type(c.first)};
  std::vector<std::vector<float>> arrays;
  for (const TensorType& t : types)
    arrays.push_back(numbers(t.span_bytes() / kBytes, 7 + 2 * static_cast<int64_t>(arrays.size())));
  const auto a = static_cast<size_t>(c.axis);
  const int64_t length = c.shape[a];

  cpu::SoftmaxParts<float, test::NotedScalars> parts{own.lines, {}, length, gradient, logarithmic};
  cpu::Addresses base{};
  std::vector<TensorType> others = types;
  for (size_t i = 0; i < types.size(); ++i) {
    parts.steps[i] = types[i].strides[a] * kBytes;
    base[i] = reinterpret_cast<std::byte*>(arrays[i].data());
    others[i].shape.erase(others[i].shape.begin() + c.axis);
    others[i].strides.erase(others[i].strides.begin() + c.axis);
  }
  const int64_t copy = (length * kBytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  std::vector<std::byte> room(static_cast<size_t>(3 * copy));
  std::array<float*, 3> gathered{};
  std::byte* next = room.data();
  for (size_t i = 0; i < types.size(); ++i) {
    if (!parts.apart(i)) continue;
    gathered[i] = reinterpret_cast<float*>(next);
    next += copy;
  }
  const cpu::LoopNest lines = loops::row_by_row(cpu::make_loops(others[0].shape, others, 0));
  test::noted().clear();
  for (int64_t line = 0; line < lines.rows(); ++line) parts.line(lines.row(base, line), gathered);
  std::vector<access::Operand> inputs;
  for (size_t i = 1; i < types.size(); ++i) inputs.push_back(operand(arrays[i], types[i]));
  expect_described(own, op, inputs, {operand(arrays[0], types[0])}, room.data(), {{"axis", c.axis}});
  if (gradient) return;  // its results are held against the reference's where kernels are

  for (int64_t line = 0; line < lines.rows(); ++line) {
    const cpu::Addresses at = lines.row(base, line);
    double sum = 0;
    for (int64_t i = 0; i < length; ++i) {
      const double y = static_cast<double>(*reinterpret_cast<const float*>(at[0] + i * parts.steps[0]));
      sum += logarithmic ? std::exp(y) : y;
    }
    ASSERT_NEAR(sum, 1, 1e-5);
  }
}

TEST(LinesLoops, SoftmaxOfLinesWithGapsCopiesThemAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const char* op : {"softmax", "log_softmax", "softmax_grad", "log_softmax_grad"}) {
      check_apart(own, op, {{3, 83}, 1, {1, 3}, {1, 3}, {1, 3}});     // all apart
      check_apart(own, op, {{3, 83}, 1, {83, 1}, {1, 3}, {200, 2}});  // the result lies together
      check_apart(own, op, {{3, 83}, 1, {1, 3}, {83, 1}, {83, 1}});   // the operands do
      check_apart(own, op,
                  {{2, 21, 3, 5},
                   1,
                   {315, 15, 5, 1},
                   {315, 15, 5, 1},
                   {315, 1, 105, 21}});  // channels of images, not the last axis
      check_apart(own, op, {{2, 21, 3, 5}, 1, {315, 1, 105, 21}, {315, 15, 5, 1}, {315, 1, 105, 21}});
      check_apart(
          own, op,
          {{2, 3, 40}, 2, {40, 80, 1}, {120, 40, 1}, {40, 80, 1}});  // lines in the order of the result's memory
      check_apart(own, op, {{4, 1}, 1, {2, 7}, {1, 1}, {3, 5}});     // lines of one element have no gaps
      check_apart(own, op, {{17}, 0, {3}, {1}, {2}});
    }
  }
}

/// A layer norm, perhaps without a bias, or one by the root mean square.
struct Norm {
  const char* op;
  bool has_mean, has_bias;
};

TEST(LinesLoops, NormsGoThroughTheirLinesAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const int64_t length : kLengths) {
      for (const Norm& norm :
           {Norm{"layer_norm", true, true}, Norm{"layer_norm", true, false}, Norm{"rms_norm", false, false}}) {
        constexpr int64_t kLines = 3;
        SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << length << ", " << norm.op
                                        << (norm.has_bias ? " with bias" : ""));
        const std::vector<float> x = numbers(kLines * length, 7), scale = numbers(length, 3), bias = numbers(length, 5);
        std::vector<float> y(x.size()), mean(kLines), inverse(kLines);
        const cpu::NormArguments<float> arguments{kLines,
                                                  length,
                                                  x.data(),
                                                  scale.data(),
                                                  norm.has_bias ? bias.data() : nullptr,
                                                  y.data(),
                                                  norm.has_mean ? mean.data() : nullptr,
                                                  inverse.data(),
                                                  kEpsilon};
        test::noted().clear();
        cpu::NormParts<float, test::NotedScalars>(arguments, own.lines, own.norms, 1).run();
        std::vector<access::Operand> inputs{operand(x, {kLines, length}), operand(scale, {length})},
            outputs{operand(y, {kLines, length})};
        if (norm.has_bias) inputs.push_back(operand(bias, {length}));
        if (norm.has_mean) outputs.push_back(operand(mean, {kLines, 1}));
        outputs.push_back(operand(inverse, {kLines, 1}));
        expect_described(own, norm.op, inputs, outputs);
        double squares = 0;
        for (int64_t i = 0; i < length; ++i)
          squares += std::pow(static_cast<double>(x[static_cast<size_t>(i)]) - (norm.has_mean ? mean[0] : 0), 2);
        ASSERT_NEAR(inverse[0], 1 / std::sqrt(squares / static_cast<double>(length) + kEpsilon),
                    1e-3 * std::abs(inverse[0]));
      }
    }
  }
}

TEST(LinesLoops, NormGradientsGoThroughTheirLinesAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const int64_t length : {int64_t{1}, int64_t{40}, int64_t{333}}) {
      for (const bool rms : {false, true}) {
        constexpr int64_t kLines = loops::kLinesPerFlush + 3, kCacheLine = 64;
        SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << length << (rms ? ", rms" : ""));
        const std::vector<float> dy = numbers(kLines * length, 11), x = numbers(kLines * length, 7),
                                 scale = numbers(length, 3), mean = numbers(kLines, 5), inverse = numbers(kLines, 2);
        std::vector<float> dx(x.size()), dscale(static_cast<size_t>(length)), dbias(dscale.size());
        std::vector<std::byte> room(static_cast<size_t>(cpu::norm_sums_bytes<float>(length) + kCacheLine));
        std::byte* const workspace =
            room.data() + (kCacheLine - reinterpret_cast<int64_t>(room.data()) % kCacheLine) % kCacheLine;
        const cpu::NormGradientArguments<float> arguments{
            kLines,         length,       dy.data(), x.data(),      rms ? nullptr : mean.data(),
            inverse.data(), scale.data(), dx.data(), dscale.data(), rms ? nullptr : dbias.data(),
            workspace};
        test::noted().clear();
        cpu::NormGradientParts<float, test::NotedScalars>(arguments, own.norms, 1).run();
        const Shape shape{kLines, length}, short_one{length};
        std::vector<access::Operand> inputs{operand(dy, shape), operand(x, shape)},
            outputs{operand(dx, shape), operand(dscale, short_one)};
        if (!rms) inputs.push_back(operand(mean, {kLines, 1})), outputs.push_back(operand(dbias, short_one));
        inputs.push_back(operand(inverse, {kLines, 1}));
        inputs.push_back(operand(scale, short_one));
        expect_described(own, rms ? "rms_norm_grad" : "layer_norm_grad", inputs, outputs, workspace);
        for (size_t i = 0; i < dscale.size(); ++i) {
          double of_scale = 0, of_bias = 0;
          for (size_t line = 0; line < kLines; ++line) {
            const size_t at = line * dscale.size() + i;
            of_bias += static_cast<double>(dy[at]);
            of_scale +=
                static_cast<double>(dy[at]) * static_cast<double>((x[at] - (rms ? 0 : mean[line])) * inverse[line]);
          }
          ASSERT_NEAR(dscale[i], of_scale, 1e-3 * std::max(1.0, std::abs(of_scale)));
          ASSERT_NEAR(dbias[i], rms ? 0 : of_bias, 1e-3);
        }
      }
    }
  }
}

/// Labels name the first class, as descriptions have it.
template <class Label>
void check_cross_entropy(const test::NotedKernels& own, int64_t length) {
  constexpr int64_t kLines = 3;
  const std::vector<float> x = numbers(kLines * length, 7);
  const std::vector<Label> labels(2 * kLines);
  std::vector<float> p(x.size()), dx(x.size()), loss(1), dloss(1, 1.5f);
  std::vector<double> losses(kLines);
  const Shape shape{kLines, length};
  const bool wide = sizeof(Label) == sizeof(int64_t);
  const access::Operand of_labels{TensorType{wide ? DType::int64 : DType::int32, {kLines}, {2}},
                                  reinterpret_cast<uint64_t>(labels.data()), 0};
  const cpu::Labels at{labels.data(), 2, wide};

  const cpu::CrossEntropyArguments<float> arguments{
      kLines, length, {x.data(), length}, at, loss.data(), {p.data(), length}, losses.data()};
  test::noted().clear();
  cpu::CrossEntropyParts<float, test::NotedScalars>(arguments, own.lines, 1).run();
  expect_described(own, "softmax_cross_entropy", {operand(x, shape), of_labels},
                   {operand(loss, Shape{}), operand(p, shape)}, losses.data());
  double expected = 0;
  for (int64_t line = 0; line < kLines; ++line)
    expected -= std::log(static_cast<double>(p[static_cast<size_t>(line * length)])) / kLines;
  ASSERT_NEAR(loss[0], expected, 1e-4);

  const cpu::CrossEntropyGradientArguments<float> gradient{
      kLines, length, dloss.data(), {p.data(), length}, at, {dx.data(), length}};
  test::noted().clear();
  cpu::CrossEntropyGradientParts<float, test::NotedScalars>(gradient, own.lines, 1).run();
  expect_described(own, "softmax_cross_entropy_grad", {operand(dloss, Shape{}), operand(p, shape), of_labels},
                   {operand(dx, shape)});
  for (size_t i = 0; i < dx.size(); ++i)
    ASSERT_NEAR(dx[i], (p[i] - (i % static_cast<size_t>(length) == 0 ? 1 : 0)) * dloss[0] / kLines, 1e-6);
}

TEST(LinesLoops, CrossEntropyGoesThroughItsLinesAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const int64_t length : kLengths) {
      SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << length);
      check_cross_entropy<int32_t>(own, length);
      check_cross_entropy<int64_t>(own, length);
      if (HasFatalFailure()) return;
    }
  }
  const TensorType lines = TensorType::contiguous(DType::float32, {4, 8}), columns{DType::float32, {4, 8}, {1, 4}},
                   labels = TensorType::contiguous(DType::int32, {4}),
                   number = TensorType::contiguous(DType::float32, {});
  EXPECT_EQ(fidelity("softmax_cross_entropy", {lines, labels}, {number, lines}), access::Fidelity::loops);
  EXPECT_EQ(fidelity("softmax_cross_entropy", {columns, labels}, {number, lines}), access::Fidelity::assumed)
      << "the reference computes it";
  EXPECT_EQ(fidelity("softmax_cross_entropy_grad", {number, columns, labels}, {lines}), access::Fidelity::assumed);
}

TEST(LinesLoops, LinesOf16BitsAreComputedByCopiesInF32) {
  constexpr uint64_t kFrom = 0x1000, kTo = 0x2000, kWorkspace = 0x10000, kCopy = 128;  // 2 x 16 elements of f32
  const TensorType half = TensorType::contiguous(DType::bfloat16, {2, 16}),
                   whole = TensorType::contiguous(DType::float32, {2, 16});
  Node node;
  node.op = find_op("softmax");
  test::Said said, copies;
  EXPECT_EQ(
      access::describe(
          {.node = node, .inputs = {{half, kFrom}}, .outputs = {{half, kTo}}, .workspace_address = kWorkspace}, said),
      access::Fidelity::loops);
  EXPECT_EQ(access::describe({.node = node,
                              .inputs = {{whole, kWorkspace}},
                              .outputs = {{whole, kWorkspace + kCopy}},
                              .workspace_address = kWorkspace + 2 * kCopy},
                             copies),
            access::Fidelity::loops);
  std::vector<test::Access> expected;
  for (uint64_t i = 0; i < 32; ++i)
    expected.push_back({kFrom + 2 * i, 2, false}), expected.push_back({kWorkspace + 4 * i, 4, true});
  expected.insert(expected.end(), copies.accesses.begin(), copies.accesses.end());
  for (uint64_t i = 0; i < 32; ++i)
    expected.push_back({kWorkspace + kCopy + 4 * i, 4, false}), expected.push_back({kTo + 2 * i, 2, true});
  test::expect_same(said.accesses, expected);
  test::Said named;
  access::describe({.node = node,
                    .inputs = {{half, kFrom}},
                    .outputs = {{half, kTo}},
                    .workspace_address = kWorkspace,
                    .copies = {.widens = true}},
                   named);
  test::expect_same(named.accesses, expected);  // once, where a kernel's name says so, too
  const TensorType line = TensorType::contiguous(DType::bfloat16, {16}),
                   number = TensorType::contiguous(DType::bfloat16, {}),
                   kept = TensorType::contiguous(DType::bfloat16, {2, 1}),
                   labels = TensorType::contiguous(DType::int32, {2});
  EXPECT_EQ(fidelity("layer_norm", {half, line, line}, {half, kept, kept}), access::Fidelity::loops);
  EXPECT_EQ(fidelity("softmax_cross_entropy", {half, labels}, {number, half}), access::Fidelity::loops);
  const TensorType image = TensorType::channels_last(DType::bfloat16, {1, 8, 4, 4}),
                   smaller = TensorType::channels_last(DType::bfloat16, {1, 8, 2, 2});
  EXPECT_EQ(fidelity("average_pool2d", {image}, {smaller},
                     {{"kernel", std::vector<int64_t>{2, 2}}, {"stride", std::vector<int64_t>{2, 2}}}),
            access::Fidelity::loops);
}

TEST(LinesLoops, NoLineLiesBeyondTheWorkspace) {
  constexpr auto kRoom = static_cast<int64_t>(access::kWorkspaceBytes);
  const auto together = [](int64_t length) { return TensorType::contiguous(DType::float32, {1, length}); };
  const auto apart = [](int64_t length, int64_t stride) {
    return TensorType{DType::float32, {1, length}, {0, stride}};
  };
  using access::Fidelity;
  const int64_t one = kRoom / 4, two = one / 2, three = one / 3 / 16 * 16;
  EXPECT_EQ(fidelity("softmax", {apart(one, 0)}, {together(one)}), Fidelity::loops);
  EXPECT_EQ(fidelity("softmax", {apart(one + 1, 0)}, {together(one + 1)}), Fidelity::assumed);
  EXPECT_EQ(fidelity("softmax", {together(4 * one)}, {together(4 * one)}), Fidelity::loops) << "needs no workspace";
  EXPECT_EQ(fidelity("log_softmax", {apart(two, 2)}, {apart(two, 2)}), Fidelity::loops);
  EXPECT_EQ(fidelity("log_softmax", {apart(two + 1, 2)}, {apart(two + 1, 2)}), Fidelity::assumed);
  EXPECT_EQ(fidelity("softmax_grad", {apart(three, 2), apart(three, 3)}, {apart(three, 2)}), Fidelity::loops);
  EXPECT_EQ(fidelity("softmax_grad", {apart(three + 17, 2), apart(three + 17, 3)}, {apart(three + 17, 2)}),
            Fidelity::assumed);
  const auto narrow = [](int64_t lines) { return TensorType::contiguous(DType::bfloat16, {lines, 1024}); };
  const int64_t copies = kRoom / 4 / 1024;  // in place: one copy
  EXPECT_EQ(fidelity("softmax", {narrow(copies)}, {narrow(copies)}), Fidelity::loops);
  EXPECT_EQ(fidelity("softmax", {narrow(copies + 1)}, {narrow(copies + 1)}), Fidelity::assumed)
      << "no room for the copy";
  const auto norm_gradient = [&](int64_t length) {
    const TensorType x = together(length), kept = together(1), scale = TensorType::contiguous(DType::float32, {length});
    return fidelity("layer_norm_grad", {x, x, kept, kept, scale}, {x, scale, scale});
  };
  const int64_t sums = kRoom / (2 * (4 + 8)) / 16 * 16;
  EXPECT_EQ(norm_gradient(sums), Fidelity::loops);
  EXPECT_EQ(norm_gradient(sums + 16), Fidelity::assumed);
}

}  // namespace
}  // namespace engine
