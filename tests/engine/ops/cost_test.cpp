// SPDX-License-Identifier: Apache-2.0
// FLOPs and compulsory bytes of known cases, counted by hand; the arithmetic of windows against plain loops.
#include <gtest/gtest.h>

#include <set>

#include "engine/ops/ops.h"
#include "engine/ops/window.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using Bytes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;

TensorType f32(Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); }
TensorType nhwc(Shape shape) { return TensorType::channels_last(DType::float32, std::move(shape)); }

Cost cost_of(std::string_view op, const std::vector<TensorType>& inputs, const Attributes& attributes = {}) {
  const auto outputs = find_op(op)->infer(inputs, attributes);
  EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  return find_op(op)->cost({attributes, inputs, *outputs});
}

Attributes conv(int64_t stride, int64_t padding) {
  return {{"stride", Ints{stride, stride}}, {"padding", Ints{padding, padding, padding, padding}}};
}

TEST(Cost, OfTheFirstLayerOfResNet50) {
  const Cost cost = cost_of("conv2d", {nhwc({16, 3, 224, 224}), f32({64, 3, 7, 7})}, conv(2, 3));
  EXPECT_EQ(cost.flops, 2.0 * 16 * 64 * 112 * 112 * 3 * 49);
  EXPECT_EQ(cost.read_bytes, (Bytes{16 * 3 * 224 * 224 * 4, 64 * 3 * 49 * 4}));
  EXPECT_EQ(cost.written_bytes, (Bytes{16 * 64 * 112 * 112 * 4}));
}

TEST(Cost, OfAStridedOneByOneConvolutionReadsAQuarterOfItsInput) {
  const Cost cost = cost_of("conv2d", {nhwc({2, 256, 56, 56}), f32({512, 256, 1, 1})}, conv(2, 0));
  EXPECT_EQ(cost.flops, 2.0 * 2 * 512 * 28 * 28 * 256);
  EXPECT_EQ(cost.read_bytes, (Bytes{2 * 256 * 28 * 28 * 4, 512 * 256 * 4}));
  Attributes gradient = conv(2, 0);
  gradient.set("weight_shape", Ints{512, 256, 1, 1});
  gradient.set("weight_strides", Ints{256, 1, 1, 1});
  EXPECT_EQ(cost_of("conv2d_grad_weight", {nhwc({2, 512, 28, 28}), nhwc({2, 256, 56, 56})}, gradient).read_bytes,
            (Bytes{2 * 512 * 28 * 28 * 4, 2 * 256 * 28 * 28 * 4}));
}

TEST(Cost, LeavesOutTapsThatOnlyMeetPadding) {
  const Cost cost = cost_of("conv2d", {nhwc({1, 8, 1, 1}), f32({4, 8, 3, 3})}, conv(1, 1));
  EXPECT_EQ(cost.read_bytes, (Bytes{8 * 4, 4 * 8 * 4}));
}

TEST(Cost, OfGroupedConvolutionAndItsGradients) {
  Attributes attributes = conv(1, 1);
  attributes.set("groups", int64_t{32});
  const double flops = 2.0 * 128 * 14 * 14 * 4 * 9;
  EXPECT_EQ(cost_of("conv2d", {nhwc({1, 128, 14, 14}), f32({128, 4, 3, 3}), f32({128})}, attributes).flops, flops);
  attributes.set("input_shape", Ints{1, 128, 14, 14});
  attributes.set("input_strides", channels_last_strides({1, 128, 14, 14}));
  const Cost cost = cost_of("conv2d_grad_input", {nhwc({1, 128, 14, 14}), f32({128, 4, 3, 3})}, attributes);
  EXPECT_EQ(cost.flops, flops);
  EXPECT_EQ(cost.read_bytes, (Bytes{128 * 196 * 4, 128 * 4 * 9 * 4}));
  EXPECT_EQ(cost.written_bytes, (Bytes{128 * 196 * 4}));
}

TEST(Cost, OfMatrixProducts) {
  const Cost square = cost_of("matmul", {f32({512, 256}), f32({256, 128})});
  EXPECT_EQ(square.flops, 2.0 * 512 * 256 * 128);
  EXPECT_EQ(square.read_bytes, (Bytes{512 * 256 * 4, 256 * 128 * 4}));
  EXPECT_EQ(square.written_bytes, (Bytes{512 * 128 * 4}));
  const Cost batched = cost_of("matmul", {f32({7, 3, 4}), f32({4, 5})});
  EXPECT_EQ(batched.flops, 2.0 * 7 * 3 * 4 * 5);
  EXPECT_EQ(batched.read_bytes, (Bytes{7 * 3 * 4 * 4, 4 * 5 * 4}));
  const Cost linear = cost_of("linear", {f32({64, 4096}), f32({1000, 4096}), f32({1000})});
  EXPECT_EQ(linear.flops, 2.0 * 64 * 4096 * 1000);
  EXPECT_EQ(linear.read_bytes, (Bytes{64 * 4096 * 4, 1000 * 4096 * 4, 4000}));
  const Cost empty = cost_of("matmul", {f32({0, 256}), f32({256, 128})});
  EXPECT_EQ(empty.flops, 0);
  EXPECT_EQ(empty.read_bytes, (Bytes{0, 0}));
}

/// The bytes of a value that comes twice, or again as a view, are distinct once.
TEST(Cost, OfANodeReadsAValueThatComesTwiceOnce) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", f32({6, 6}), {});
  ops::multiply(builder, x, x);
  ops::matmul(builder, x, ops::transpose(builder, x, 0, 1));
  ops::add(builder, ops::slice(builder, x, 0, 0, 3), ops::slice(builder, x, 0, 3, 6));
  const Graph graph = *builder.finish();
  EXPECT_EQ(graph.cost(graph.node(0)).read_bytes, (Bytes{144, 0}));
  EXPECT_EQ(graph.cost(graph.node(2)).read_bytes, (Bytes{144, 0}));
  EXPECT_EQ(graph.cost(graph.node(5)).read_bytes, (Bytes{72, 72}));
}

TEST(Cost, CountsBroadcastAndRepeatedOperandsOnce) {
  const Cost bias = cost_of("add", {nhwc({2, 64, 8, 8}), f32({64, 1, 1})});
  EXPECT_EQ(bias.flops, 2.0 * 64 * 8 * 8);
  EXPECT_EQ(bias.read_bytes, (Bytes{2 * 64 * 64 * 4, 64 * 4}));
  const TensorType repeated{DType::float32, {100, 8}, {0, 1}};
  EXPECT_EQ(cost_of("add", {repeated, f32({100, 8})}).read_bytes, (Bytes{8 * 4, 800 * 4}));
}

TEST(Cost, OfStreamKernels) {
  const TensorType array = TensorType::contiguous(DType::float64, {1000});
  EXPECT_EQ(cost_of("copy", {array}).flops, 0);
  EXPECT_EQ(cost_of("scale", {array}, {{"factor", 3.0}, {"shift", 0.0}}).flops, 1000);
  EXPECT_EQ(cost_of("scale", {array}, {{"factor", 3.0}, {"shift", 1.0}}).flops, 2000);
  EXPECT_EQ(cost_of("add", {array, array}).flops, 1000);
  const Cost triad = cost_of("scaled_add", {array, array}, {{"factor", 3.0}});
  EXPECT_EQ(triad.flops, 2000);
  EXPECT_EQ(triad.read_bytes, (Bytes{8000, 8000}));
  EXPECT_EQ(triad.written_bytes, (Bytes{8000}));
}

TEST(Cost, OfPooling) {
  const Attributes attributes{{"kernel", Ints{3, 3}}, {"stride", Ints{2, 2}}, {"padding", Ints{1, 1, 1, 1}}};
  const Cost max = cost_of("max_pool2d", {nhwc({1, 64, 112, 112})}, attributes);
  EXPECT_EQ(max.flops, 8.0 * 64 * 56 * 56);
  EXPECT_EQ(max.read_bytes, (Bytes{64 * 112 * 112 * 4}));
  EXPECT_EQ(max.written_bytes, (Bytes{64 * 56 * 56 * 4, 64 * 56 * 56 * 4}));
  Attributes gradient = attributes;
  gradient.set("input_shape", Ints{1, 64, 112, 112});
  gradient.set("input_strides", channels_last_strides({1, 64, 112, 112}));
  const TensorType indices = TensorType::channels_last(DType::int32, {1, 64, 56, 56});
  const Cost back = cost_of("max_pool2d_grad", {nhwc({1, 64, 56, 56}), indices}, gradient);
  EXPECT_EQ(back.read_bytes, (Bytes{64 * 56 * 56 * 4, 64 * 56 * 56 * 4}));
  EXPECT_EQ(back.written_bytes, (Bytes{64 * 112 * 112 * 4}));
  const Attributes gaps{{"kernel", Ints{2, 2}}, {"stride", Ints{4, 4}}, {"padding", Ints{0, 0, 0, 0}}};
  EXPECT_EQ(cost_of("average_pool2d", {nhwc({1, 2, 7, 7})}, gaps).read_bytes, (Bytes{2 * 4 * 4 * 4}));
}

TEST(Cost, OfViewsIsNothingAndOfCopiesTheirBytes) {
  for (const char* op : {"permute", "slice", "expand", "squeeze", "unsqueeze", "reshape"})
    EXPECT_NE(find_op(op)->view, nullptr) << op;
  const Cost view = cost_of("permute", {f32({8, 4})}, {{"axes", Ints{1, 0}}});
  EXPECT_EQ(view.read_bytes, (Bytes{0}));
  EXPECT_EQ(view.written_bytes, (Bytes{0}));
  const Cost copy = cost_of("contiguous", {nhwc({2, 3, 4, 4})});
  EXPECT_EQ(copy.read_bytes, (Bytes{384}));
  EXPECT_EQ(copy.written_bytes, (Bytes{384}));
}

TEST(Cost, OfInPlaceUpdatesReadsAndWrites) {
  const Cost cost = cost_of("sgd_momentum", {f32({100}), f32({100}), f32({100})},
                            {{"rate", 0.1}, {"momentum", 0.9}, {"weight_decay", 0.0}});
  EXPECT_EQ(cost.flops, 400);
  EXPECT_EQ(cost.read_bytes, (Bytes{400, 400, 400}));
  EXPECT_EQ(cost.written_bytes, (Bytes{400, 400}));
  EXPECT_EQ(cost_of("sgd", {f32({100}), f32({100})}, {{"rate", 0.1}, {"weight_decay", 0.1}}).flops, 400);
}

TEST(Cost, OfNormalisationAndLoss) {
  const Cost norm = cost_of("batch_norm_training", {nhwc({2, 8, 4, 4}), f32({8}), f32({8})}, {{"epsilon", 1e-5}});
  EXPECT_EQ(norm.flops, 6.0 * 256 + 6 * 8);
  EXPECT_EQ(norm.read_bytes, (Bytes{1024, 32, 32}));
  EXPECT_EQ(norm.written_bytes, (Bytes{1024, 32, 32}));
  const Cost loss = cost_of("softmax_cross_entropy", {f32({4, 10}), TensorType::contiguous(DType::int64, {4})});
  EXPECT_EQ(loss.flops, 5.0 * 40 + 4 * 4);
  EXPECT_EQ(loss.read_bytes, (Bytes{160, 32}));
  EXPECT_EQ(loss.written_bytes, (Bytes{4, 160}));
  EXPECT_EQ(cost_of("sum", {f32({8, 3})}, {{"axes", Ints{0}}}).flops, 21);
}

/// Counts by walking every output and tap.
TEST(Window, AgreesWithPlainLoops) {
  int64_t cases = 0;
  for (int64_t input = 1; input <= 9; ++input) {
    for (int64_t kernel = 1; kernel <= 4; ++kernel) {
      for (int64_t stride = 1; stride <= 5; ++stride) {
        for (int64_t dilation = 1; dilation <= 4; ++dilation) {
          for (int64_t padding = 0; padding <= 4; ++padding) {
            ops::OperandCheck check("window", {}, {});
            ops::WindowAxis axis;
            if (!ops::make_window(check, {"height", input, kernel, stride, dilation, padding, padding}, axis)) continue;
            ++cases;
            SCOPED_TRACE(fmt::format("input {} kernel {} stride {} dilation {} padding {}", input, kernel, stride,
                                     dilation, padding));
            std::set<int64_t> inputs, taps;
            std::vector<int64_t> outputs_of_tap(static_cast<size_t>(kernel)),
                taps_of_output(static_cast<size_t>(axis.output));
            for (int64_t i = 0; i < axis.output; ++i) {
              for (int64_t u = 0; u < kernel; ++u) {
                const int64_t position = i * stride + u * dilation - padding;
                if (position < 0 || position >= input) continue;
                inputs.insert(position);
                taps.insert(u);
                ++outputs_of_tap[static_cast<size_t>(u)];
                ++taps_of_output[static_cast<size_t>(i)];
              }
            }
            ASSERT_EQ(axis.inputs_read(), static_cast<int64_t>(inputs.size()));
            ASSERT_EQ(axis.taps_used(), static_cast<int64_t>(taps.size()));
            for (int64_t u = 0; u < kernel; ++u)
              ASSERT_EQ(axis.outputs_with(u).size(), outputs_of_tap[static_cast<size_t>(u)]);
            for (int64_t i = 0; i < axis.output; ++i)
              ASSERT_EQ(axis.taps_inside(i).size(), taps_of_output[static_cast<size_t>(i)]);
          }
        }
      }
    }
  }
  EXPECT_GT(cases, 2000);
}

}  // namespace
