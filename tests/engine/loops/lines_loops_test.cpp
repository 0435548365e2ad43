// SPDX-License-Identifier: Apache-2.0
// Ops that go line by line do what is said of them: the loops of their vectors, compiled over a memory that notes each access. What
// engine/cpu/softmax.cpp and norms.cpp do between them is written out again here.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/loops/cross_entropy.h"
#include "engine/loops/lines.h"
#include "tests/engine/loops/described.h"

namespace engine {
namespace {

using test::expect_described, test::fidelity, test::numbers, test::operand;

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

void note(const void* at, int64_t bytes, bool store) { test::noted().push_back({reinterpret_cast<uint64_t>(at), bytes, store}); }

/// The visitor of engine/cpu/norms.cpp over kernels that note.
struct NormLine {
  const test::NotedKernels& own;
  const float* x;
  int64_t length;
  const float *scale, *bias;
  float *y, *kept_mean, *kept_inverse;
  float mean = 0, inverse = 0;
  void sum() { mean = static_cast<float>(own.lines.sum(x, length) / static_cast<double>(length)); }
  void squares() { inverse = static_cast<float>(1 / std::sqrt(own.norms.squares(x, length, mean) / static_cast<double>(length) + 1e-5)); }
  void normalize() const { own.norms.normalize(x, length, mean, inverse, scale, bias, y); }
  void keep() const {
    if (kept_mean != nullptr) note(kept_mean, 4, true), *kept_mean = mean;
    note(kept_inverse, 4, true), *kept_inverse = inverse;
  }
};

TEST(LinesLoops, NormsGoThroughTheirLinesAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const int64_t length : kLengths) {
      for (const bool rms : {false, true}) {
        constexpr int64_t kLines = 3;
        SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << length << (rms ? ", rms" : ""));
        const std::vector<float> x = numbers(kLines * length, 7), scale = numbers(length, 3), bias = numbers(length, 5);
        std::vector<float> y(x.size()), mean(kLines), inverse(kLines);
        test::noted().clear();
        for (int64_t line = 0; line < kLines; ++line) {
          NormLine parts{own, x.data() + line * length, length, scale.data(), rms ? nullptr : bias.data(), y.data() + line * length, rms ? nullptr : &mean[static_cast<size_t>(line)],
                         &inverse[static_cast<size_t>(line)]};
          loops::norm_line(!rms, parts);
        }
        const access::Operand of_x = operand(x, {kLines, length}), of_y = operand(y, {kLines, length}), of_scale = operand(scale, {length}), of_inverse = operand(inverse, {kLines, 1});
        if (rms) expect_described(own, "rms_norm", {of_x, of_scale}, {of_y, of_inverse});
        else expect_described(own, "layer_norm", {of_x, of_scale, operand(bias, {length})}, {of_y, operand(mean, {kLines, 1}), of_inverse});
        double squares = 0;
        for (int64_t i = 0; i < length; ++i) squares += std::pow(static_cast<double>(x[static_cast<size_t>(i)]) - (rms ? 0 : mean[0]), 2);
        ASSERT_NEAR(inverse[0], 1 / std::sqrt(squares / static_cast<double>(length) + 1e-5), 1e-3 * std::abs(inverse[0]));
      }
    }
  }
}

/// The visitor of engine/cpu/norms.cpp over kernels that note.
struct NormGradient {
  static constexpr bool stopped() { return false; }
  const test::NotedKernels& own;
  const std::vector<float> &dy, &x, &mean, &inverse, &scale;
  std::vector<float>& dx;
  int64_t length;
  float* near;
  double* far;
  double sums[2] = {0, 0};

  void gradient_sums(int64_t line) {
    const auto l = static_cast<size_t>(line);
    note(&mean[l], 4, false), note(&inverse[l], 4, false);
    own.norms.gradient_sums(dy.data() + line * length, x.data() + line * length, length, mean[l], inverse[l], scale.data(), near, near + length, sums);
  }
  void gradient(int64_t line) {
    const auto l = static_cast<size_t>(line);
    const auto count = static_cast<double>(length);
    note(&mean[l], 4, false), note(&inverse[l], 4, false);
    own.norms.gradient(dy.data() + line * length, x.data() + line * length, length, mean[l], inverse[l], scale.data(), static_cast<float>(sums[0] / count),
                       static_cast<float>(sums[1] / count), dx.data() + line * length);
  }
  void flush() {
    for (int64_t i = 0; i < 2 * length; ++i) {
      note(far + i, 8, false), note(near + i, 4, false), note(far + i, 8, true), note(near + i, 4, true);
      far[i] += static_cast<double>(near[i]);
      near[i] = 0;
    }
  }
};

TEST(LinesLoops, NormGradientsGoThroughTheirLinesAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const int64_t length : {int64_t{1}, int64_t{40}, int64_t{333}}) {
      constexpr int64_t kLines = loops::kLinesPerFlush + 3, kCacheLine = 64;
      SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << length);
      const std::vector<float> dy = numbers(kLines * length, 11), x = numbers(kLines * length, 7), scale = numbers(length, 3), mean = numbers(kLines, 5), inverse = numbers(kLines, 2);
      std::vector<float> dx(x.size()), dscale(static_cast<size_t>(length)), dbias(dscale.size()), room(static_cast<size_t>(8 * length) + 64);
      float* const near = room.data() + (kCacheLine - reinterpret_cast<int64_t>(room.data()) % kCacheLine) % kCacheLine / 4;
      const int64_t of_near = (2 * length * 4 + kCacheLine - 1) / kCacheLine, of_far = (2 * length * 8 + kCacheLine - 1) / kCacheLine;
      auto* const far = reinterpret_cast<double*>(near + of_near * kCacheLine / 4);
      test::noted().clear();
      for (int64_t line = 0; line < of_near + of_far; ++line) note(near + line * kCacheLine / 4, kCacheLine, true);
      NormGradient parts{own, dy, x, mean, inverse, scale, dx, length, near, far};
      loops::norm_gradient_lines({0, kLines}, parts);
      for (size_t i = 0; i < dscale.size(); ++i) {
        note(far + i, 8, false), note(far + dscale.size() + i, 8, false), note(&dscale[i], 4, true), note(&dbias[i], 4, true);
        double sum = 0;
        for (size_t at = i; at < dy.size(); at += dscale.size()) sum += dy[at];
        ASSERT_NEAR(far[dscale.size() + i], sum, 1e-3);
      }
      const Shape shape{kLines, length}, short_one{length};
      expect_described(own, "layer_norm_grad", {operand(dy, shape), operand(x, shape), operand(mean, {kLines, 1}), operand(inverse, {kLines, 1}), operand(scale, short_one)},
                       {operand(dx, shape), operand(dscale, short_one), operand(dbias, short_one)}, near);
    }
  }
}

/// The visitors of engine/cpu/softmax.cpp over kernels that note; every label names the first class.
struct CrossEntropy {
  const test::NotedKernels& own;
  int64_t classes;
  const std::vector<float>&x, &labels;
  std::vector<float>& y;
  std::vector<double>& losses;
  double chosen = 0, sum = 0;

  void label(int64_t line) {
    test::note_load(&labels[static_cast<size_t>(line)]), test::note_load(x.data() + line * classes);
    chosen = static_cast<double>(x[static_cast<size_t>(line * classes)]);
  }
  void softmax(int64_t line) { sum = own.lines.softmax(x.data() + line * classes, classes, y.data() + line * classes); }
  void keep(int64_t line) const {
    double& loss = losses[static_cast<size_t>(line)];
    test::note_store(&loss), loss = sum - chosen;
  }
};
struct CrossEntropyGradient {
  const test::NotedKernels& own;
  int64_t classes;
  const std::vector<float>&p, &labels;
  std::vector<float>& dx;
  float factor;

  void label(int64_t line) const { test::note_load(&labels[static_cast<size_t>(line)]); }
  void scale(int64_t line) const { own.lines.scaled(p.data() + line * classes, classes, factor, dx.data() + line * classes); }
  void subtract(int64_t line) const {
    const auto at = static_cast<size_t>(line * classes);
    test::note_load(&p[at]), test::note_store(&dx[at]);
    dx[at] = (p[at] - 1) * factor;
  }
};

TEST(LinesLoops, CrossEntropyGoesThroughItsLinesAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const int64_t length : kLengths) {
      constexpr int64_t kLines = 3;
      SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << length);
      const std::vector<float> x = numbers(kLines * length, 7), labels(kLines);
      std::vector<float> p(x.size()), dx(x.size()), loss(1), dloss(1, 1.0f);
      std::vector<double> losses(kLines);
      const TensorType of_labels = TensorType::contiguous(DType::int32, {kLines});
      test::noted().clear();
      CrossEntropy parts{own, length, x, labels, p, losses};
      for (int64_t line = 0; line < kLines; ++line) loops::cross_entropy_line(line, parts);
      for (const double& of_line : losses) test::note_load(&of_line), loss[0] += static_cast<float>(of_line) / kLines;
      test::note_store(loss.data());
      const Shape shape{kLines, length};
      expect_described(own, "softmax_cross_entropy", {operand(x, shape), operand(labels, of_labels)}, {operand(loss, Shape{}), operand(p, shape)}, losses.data());
      double expected = 0;
      for (int64_t line = 0; line < kLines; ++line) expected -= std::log(static_cast<double>(p[static_cast<size_t>(line * length)])) / kLines;
      ASSERT_NEAR(loss[0], expected, 1e-4);

      test::noted().clear();
      CrossEntropyGradient gradient{own, length, p, labels, dx, dloss[0] / kLines};
      test::note_load(dloss.data());
      for (int64_t line = 0; line < kLines; ++line) loops::cross_entropy_gradient_line(line, gradient);
      expect_described(own, "softmax_cross_entropy_grad", {operand(dloss, Shape{}), operand(p, shape), operand(labels, of_labels)}, {operand(dx, shape)});
    }
  }
  const TensorType lines = TensorType::contiguous(DType::float32, {4, 8}), columns{DType::float32, {4, 8}, {1, 4}}, labels = TensorType::contiguous(DType::int32, {4}),
                   number = TensorType::contiguous(DType::float32, {});
  EXPECT_EQ(fidelity("softmax_cross_entropy", {lines, labels}, {number, lines}), access::Fidelity::loops);
  EXPECT_EQ(fidelity("softmax_cross_entropy", {columns, labels}, {number, lines}), access::Fidelity::assumed) << "the reference computes it";
  EXPECT_EQ(fidelity("softmax_cross_entropy_grad", {number, columns, labels}, {lines}), access::Fidelity::assumed);
}

TEST(LinesLoops, LinesOf16BitsAreComputedByCopiesInF32) {
  constexpr uint64_t kFrom = 0x1000, kTo = 0x2000, kWorkspace = 0x10000, kCopy = 128;  // 2 x 16 elements of f32
  const TensorType half = TensorType::contiguous(DType::bfloat16, {2, 16}), whole = TensorType::contiguous(DType::float32, {2, 16});
  Node node;
  node.op = find_op("softmax");
  test::Said said, copies;
  EXPECT_EQ(access::describe({.node = node, .inputs = {{half, kFrom}}, .outputs = {{half, kTo}}, .workspace_address = kWorkspace}, said), access::Fidelity::loops);
  EXPECT_EQ(access::describe({.node = node, .inputs = {{whole, kWorkspace}}, .outputs = {{whole, kWorkspace + kCopy}}, .workspace_address = kWorkspace + 2 * kCopy}, copies), access::Fidelity::loops);
  std::vector<test::Access> expected;
  for (uint64_t i = 0; i < 32; ++i) expected.push_back({kFrom + 2 * i, 2, false}), expected.push_back({kWorkspace + 4 * i, 4, true});
  expected.insert(expected.end(), copies.accesses.begin(), copies.accesses.end());
  for (uint64_t i = 0; i < 32; ++i) expected.push_back({kWorkspace + kCopy + 4 * i, 4, false}), expected.push_back({kTo + 2 * i, 2, true});
  test::expect_same(said.accesses, expected);
  const TensorType line = TensorType::contiguous(DType::bfloat16, {16}), number = TensorType::contiguous(DType::bfloat16, {}), kept = TensorType::contiguous(DType::bfloat16, {2, 1}),
                   labels = TensorType::contiguous(DType::int32, {2});
  EXPECT_EQ(fidelity("layer_norm", {half, line, line}, {half, kept, kept}), access::Fidelity::loops);
  EXPECT_EQ(fidelity("softmax_cross_entropy", {half, labels}, {number, half}), access::Fidelity::loops);
  const TensorType image = TensorType::channels_last(DType::bfloat16, {1, 8, 4, 4}), smaller = TensorType::channels_last(DType::bfloat16, {1, 8, 2, 2});
  EXPECT_EQ(fidelity("average_pool2d", {image}, {smaller}, {{"kernel", std::vector<int64_t>{2, 2}}, {"stride", std::vector<int64_t>{2, 2}}}), access::Fidelity::loops);
}

TEST(LinesLoops, NoLineLiesBeyondTheWorkspace) {
  constexpr auto kRoom = static_cast<int64_t>(access::kWorkspaceBytes);
  const auto together = [](int64_t length) { return TensorType::contiguous(DType::float32, {1, length}); };
  const auto apart = [](int64_t length, int64_t stride) { return TensorType{DType::float32, {1, length}, {0, stride}}; };
  using access::Fidelity;
  const int64_t one = kRoom / 4, two = one / 2, three = one / 3 / 16 * 16;
  EXPECT_EQ(fidelity("softmax", {apart(one, 0)}, {together(one)}), Fidelity::loops);
  EXPECT_EQ(fidelity("softmax", {apart(one + 1, 0)}, {together(one + 1)}), Fidelity::assumed);
  EXPECT_EQ(fidelity("softmax", {together(4 * one)}, {together(4 * one)}), Fidelity::loops) << "needs no workspace";
  EXPECT_EQ(fidelity("log_softmax", {apart(two, 2)}, {apart(two, 2)}), Fidelity::loops);
  EXPECT_EQ(fidelity("log_softmax", {apart(two + 1, 2)}, {apart(two + 1, 2)}), Fidelity::assumed);
  EXPECT_EQ(fidelity("softmax_grad", {apart(three, 2), apart(three, 3)}, {apart(three, 2)}), Fidelity::loops);
  EXPECT_EQ(fidelity("softmax_grad", {apart(three + 17, 2), apart(three + 17, 3)}, {apart(three + 17, 2)}), Fidelity::assumed);
  const auto narrow = [](int64_t lines) { return TensorType::contiguous(DType::bfloat16, {lines, 1024}); };
  const int64_t copies = kRoom / 4 / 1024;  // in place: one copy
  EXPECT_EQ(fidelity("softmax", {narrow(copies)}, {narrow(copies)}), Fidelity::loops);
  EXPECT_EQ(fidelity("softmax", {narrow(copies + 1)}, {narrow(copies + 1)}), Fidelity::assumed) << "no room for the copy";
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
