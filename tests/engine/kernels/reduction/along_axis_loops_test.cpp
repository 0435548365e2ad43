// SPDX-License-Identifier: Apache-2.0
// Cumulative sums, clipped gradients and dynamic quantisation do what is said of them: their own code, compiled over a
// memory that notes each access.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engine/kernels/quantized/quantize-inl.h"
#include "engine/kernels/reduction/along_axis-inl.h"
#include "tests/engine/kernels/core/described.h"

namespace engine {
namespace {

using access::Fidelity;

test::NotedKernels any_unit() {
  test::NotedKernels any;
  any.vector_bytes = 64;
  return any;
}

TEST(AlongAxisLoops, CumulativeSumsAccessWhatIsSaidInTheirOrder) {
  struct Case {
    Shape shape;
    int64_t axis;
  };
  for (const Case& c :
       {Case{{7}, 0}, {{3, 40}, -1}, {{3, 40}, 0}, {{2, 5, 2 * loops::kSideBySide + 83}, 1}, {{4, 3, 2, 5}, -3}}) {
    for (const bool exclusive : {false, true}) {
      for (const bool reverse : {false, true}) {
        SCOPED_TRACE(testing::Message() << to_string(c.shape) << " along " << c.axis << (exclusive ? ", exclusive" : "")
                                        << (reverse ? ", reverse" : ""));
        const auto lines = loops::RowsAlong::of(c.shape, c.axis);
        const std::vector<float> x = test::numbers(lines.elements(), 7);
        std::vector<float> y(x.size());
        std::vector<double> sums(loops::kSideBySide);
        const cpu::CumulativeSumParts<float, test::NotedScalars> parts{{}, x.data(), y.data(), sums.data(), exclusive};
        test::noted().clear();
        for (int64_t piece = 0; piece < lines.pieces(); ++piece) loops::cumulative_sum(lines, piece, reverse, parts);
        test::expect_described(any_unit(), "cumulative_sum", {test::operand(x, c.shape)}, {test::operand(y, c.shape)},
                               sums.data(),
                               {{"axis", c.axis}, {"exclusive", int64_t{exclusive}}, {"reverse", int64_t{reverse}}});
        for (int64_t line = 0; line < lines.outer * lines.inner; ++line) {
          double sum = 0;
          for (int64_t k = 0; k < lines.length; ++k) {
            const auto at = static_cast<size_t>(
                (line / lines.inner * lines.length + (reverse ? lines.length - 1 - k : k)) * lines.inner +
                line % lines.inner);
            const double before = sum;
            sum += static_cast<double>(x[at]);
            ASSERT_NEAR(y[at], exclusive ? before : sum, 1e-4);
          }
        }
      }
    }
  }
  const TensorType square = TensorType::contiguous(DType::float32, {8, 8}), turned{DType::float32, {8, 8}, {1, 8}},
                   whole = TensorType::contiguous(DType::int32, {8, 8});
  EXPECT_EQ(test::fidelity("cumulative_sum", {turned}, {square}), Fidelity::modelled) << "the reference computes it";
  EXPECT_EQ(test::fidelity("cumulative_sum", {whole}, {whole}), Fidelity::modelled);
}

TEST(AlongAxisLoops, SumsThatDoNotFitTheWorkspaceAreNotDescribed) {
  const TensorType type = TensorType::contiguous(DType::float32, {3, 40});
  Node node;
  node.op = find_op("cumulative_sum");
  node.attributes = {{"axis", int64_t{0}}};
  access::OpCall call{.node = node, .inputs = {{type}}, .outputs = {{type}}};
  SilentSink nobody;
  for (const uint64_t sums : {0, 39, 40}) {
    call.workspace_bytes = sums * sizeof(double);
    EXPECT_EQ(access::describe_cumulative_sum(call, nobody), sums >= 40) << sums << " of 40 lines side by side";
  }
}

TEST(AlongAxisLoops, DynamicQuantizationGoesThroughItsOperandTwice) {
  const TensorType type = TensorType::contiguous(DType::float32, {5, 67}),
                   bytes = TensorType::contiguous(DType::uint8, {5, 67});
  const std::vector<float> x = test::numbers(type.elements(), 7);
  std::vector<uint8_t> y(x.size()), zero(1);
  std::vector<float> scale(1);
  cpu::DynamicQuantizationParts<test::NotedScalars> parts{
      {}, x.data(), type.elements(), y.data(), scale.data(), zero.data(), 1};
  test::noted().clear();
  loops::dynamic_quantize(parts);
  test::expect_described(any_unit(), "dynamic_quantize_linear", {test::operand(x, type)},
                         {test::operand(y, bytes), test::operand(scale, Shape{}),
                          test::operand(zero, TensorType::contiguous(DType::uint8, {}))});
  ASSERT_EQ(test::noted().size(), 3 * x.size() + 2);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR((y[i] - zero[0]) * scale[0], x[i], 0.51F * scale[0]) << i;
  const TensorType turned{DType::float32, {5, 67}, {1, 5}};
  EXPECT_EQ(
      test::fidelity("dynamic_quantize_linear", {turned},
                     {bytes, TensorType::contiguous(DType::float32, {}), TensorType::contiguous(DType::uint8, {})}),
      Fidelity::modelled);
}

/// What cpu::ClipOp does: the norm, then its loop.
TEST(AlongAxisLoops, AClippedGradientGoesBesideItsResult) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    const TensorType type{DType::float32, {3, 37}, {1, 3}};
    const std::vector<float> x = test::numbers(type.elements(), 7), norm{16};
    std::vector<float> y(x.size());
    test::noted().clear();
    own.lines.scaled(x.data(), type.elements(), test::NotedScalars::load(norm.data()) / 32, y.data());
    test::expect_described(own, "clip_by_norm", {test::operand(x, type), test::operand(norm, Shape{})},
                           {test::operand(y, type)}, nullptr, {{"max_norm", 2.0}});
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] / 2);
  }
  const TensorType gaps{DType::float32, {3, 37}, {80, 2}};
  EXPECT_EQ(test::fidelity("clip_by_norm", {gaps, TensorType::contiguous(DType::float32, {})},
                           {TensorType::contiguous(DType::float32, {3, 37})}, {{"max_norm", 2.0}}),
            Fidelity::modelled);
}

}  // namespace
}  // namespace engine
