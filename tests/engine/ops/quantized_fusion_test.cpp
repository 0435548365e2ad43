// SPDX-License-Identifier: Apache-2.0
// Products between dequantise and quantise: which become quantised products, which must not, and that what comes out is
// the same but for the rounding of f32 next to the middle between two quanta.
#include "engine/ops/quantized_fusion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/ops/cache.h"
#include "engine/ops/fusion.h"
#include "engine/ops/ops.h"
#include "engine/ops/quantized.h"
#include "engine/runtime/plan.h"

namespace engine {
namespace {

struct Network {
  DType bytes = DType::uint8;
  double y_zero = 0;
  bool conv = true, has_bias = true, per_channel = true, relu = false;
  double bias_scale = 1;  ///< times what it should be
  double bias_zero = 0;
  bool shows_product = false;  ///< the f32 product is a result, too
  bool x_per_channel = false;
  bool linear = false;  ///< not conv: the layer, whose weights are the transposed view, with a bias
};

class Builder {
 public:
  explicit Builder(const Network& n) {
    const int64_t channels = 12;
    const Shape w_shape = n.conv ? Shape{channels, 8, 3, 3} : Shape{40, channels}, x_shape = n.conv ? Shape{2, 8, 9, 9}
                                                                                             : n.linear
                                                                                                 ? Shape{14, 40}
                                                                                                 : Shape{2, 7, 40};
    const int64_t scales = n.per_channel ? channels : 1;
    std::vector<double> w_scale, bias_scale;
    for (int64_t i = 0; i < scales; ++i) w_scale.push_back(0.01 + 0.002 * static_cast<double>(i));
    for (const double s : w_scale)
      bias_scale.push_back(static_cast<double>(static_cast<float>(0.05F * static_cast<float>(s))) * n.bias_scale);
    const Shape along = n.per_channel ? Shape{channels} : Shape{};
    const ValueId real =
        builder_.input("x", TensorType::contiguous(DType::float32, x_shape), {Fill::Kind::uniform, -4, 6});
    const bool many = n.x_per_channel;
    const ValueId x_scale = constant("x_scale", many ? Shape{8} : Shape{}, std::vector<double>(many ? 8 : 1, 0.05)),
                  x_zero = constant("x_zero", many ? Shape{8} : Shape{}, std::vector<double>(many ? 8 : 1, 3), n.bytes);
    const ValueId x =
        ops::dequantize_linear(builder_, {ops::quantize_linear(builder_, real, x_scale, x_zero), x_scale, x_zero});
    const ValueId w = ops::dequantize_linear(
        builder_,
        {constant("w", w_shape, drawn(w_shape, 127), DType::int8), constant("w_scale", along, w_scale),
         constant("w_zero", along, std::vector<double>(static_cast<size_t>(scales), 0), DType::int8)},
        n.conv ? 0 : 1);
    ValueId y = kNoValue;
    ValueId bias = kNoValue;
    if (n.has_bias && (n.conv || n.linear)) {
      bias = ops::dequantize_linear(
          builder_,
          {constant("bias", {channels}, drawn({channels}, 2000), DType::int32),
           constant("bias_scale", along, bias_scale),
           constant("bias_zero", along, std::vector<double>(static_cast<size_t>(scales), n.bias_zero), DType::int32)},
          0);
    }
    if (n.conv) y = ops::conv2d(builder_, x, w, bias, {.padding = {1, 1, 1, 1}});
    else if (n.linear) y = ops::linear(builder_, x, ops::transpose(builder_, w, 0, 1), bias);
    else y = ops::matmul(builder_, x, w);
    if (n.shows_product) builder_.mark_output(y);
    if (n.relu) y = ops::relu(builder_, y);
    builder_.mark_output(ops::quantize_linear(builder_, y, constant("y_scale", {}, {0.11}),
                                              constant("y_zero", {}, {n.y_zero}, n.bytes)));
  }
  Graph finish() {
    Result<Graph> graph = builder_.finish();
    EXPECT_TRUE(graph.ok()) << (graph ? "" : graph.error().message);
    CHECK(graph.ok());
    return *std::move(graph);
  }

 private:
  static std::vector<double> drawn(const Shape& shape, int most) {
    std::vector<double> values;
    for (int64_t i = 0; i < *element_count(shape); ++i)
      values.push_back(static_cast<double>(i * 7919 % (2 * most + 1)) - most);
    return values;
  }
  ValueId constant(const char* name, const Shape& shape, const std::vector<double>& values,
                   DType dtype = DType::float32) {
    return builder_.constant(name, *Tensor::from_values(shape, values, dtype));
  }
  GraphBuilder builder_;
};

std::vector<double> results(const Graph& graph) {
  auto backend = *cpu::make_backend(2);
  auto plan = Plan::make(std::make_shared<const Graph>(graph), *backend);
  EXPECT_TRUE(plan.ok()) << (plan ? "" : plan.error().message);
  CHECK(plan.ok());
  (*plan)->run_step(0, nullptr);
  for (const Node& node : graph.nodes()) EXPECT_FALSE(is_reference((*plan)->code(node.id))) << node.op->name;
  const Tensor& y = (*plan)->tensor(graph.outputs().back());
  std::vector<double> values;
  for (int64_t i = 0; i < y.type().elements(); ++i) values.push_back(y.get_flat(i));
  return values;
}

std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.emplace_back(node.op->name);
  return names;
}

TEST(QuantizedFusion, ProductsBetweenDequantiseAndQuantiseBecomeQuantisedOnes) {
  for (const Network& n : {Network{},
                           {.bytes = DType::int8, .y_zero = -5},
                           {.per_channel = false},
                           {.has_bias = false},
                           {.relu = true},
                           {.bytes = DType::int8, .y_zero = -128, .relu = true},
                           {.conv = false},
                           {.bytes = DType::int8, .y_zero = 7, .conv = false, .per_channel = false},
                           {.conv = false, .linear = true},
                           {.conv = false, .has_bias = false, .relu = true, .linear = true}}) {
    SCOPED_TRACE(testing::Message() << name(n.bytes) << ", zero " << n.y_zero << (n.conv ? ", conv" : ", matmul")
                                    << (n.relu ? ", relu" : "") << (n.per_channel ? ", per channel" : ""));
    const Graph graph = Builder(n).finish(), fused = fuse(graph);
    EXPECT_EQ(names_of(fused),
              (std::vector<std::string>{"quantize_linear", n.conv ? "qlinear_conv" : "qlinear_matmul"}));
    EXPECT_EQ(fused.outputs(), graph.outputs());
    const std::vector<double> wanted = results(graph), got = results(fused);
    ASSERT_EQ(got.size(), wanted.size());
    int64_t other = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_LE(std::abs(got[i] - wanted[i]), 1) << i;
      other += got[i] != wanted[i] ? 1 : 0;
    }
    EXPECT_LE(other, static_cast<int64_t>(got.size() / 100));
    EXPECT_GT(*std::ranges::max_element(got) - *std::ranges::min_element(got), 50) << "a test of something";
  }
}

TEST(QuantizedFusion, WhatWouldComputeSomethingElseStays) {
  for (const Network& n : {Network{.bias_scale = 1.01},
                           {.bias_zero = 1},
                           {.y_zero = 3, .relu = true},
                           {.shows_product = true},
                           {.conv = false, .shows_product = true},
                           {.x_per_channel = true},
                           {.conv = false, .bias_scale = 1.01, .linear = true}}) {
    const Graph graph = Builder(n).finish();
    EXPECT_FALSE(fold_quantized(graph).has_value())
        << n.bias_scale << " " << n.bias_zero << " " << n.y_zero << " " << n.shows_product;
  }
}

/// A quantised product reads its operands where the result is quantised: what is written over before that cannot be
/// one.
TEST(QuantizedFusion, OperandsThatAreWrittenOverMeanwhileStay) {
  enum class Write { never, behind, between, between_through_a_view };
  for (const Write write : {Write::never, Write::behind, Write::between, Write::between_through_a_view}) {
    SCOPED_TRACE(static_cast<int>(write));
    GraphBuilder b;
    const auto constant = [&](const char* name, const Shape& shape, double value, DType dtype) {
      return b.constant(
          name,
          *Tensor::from_values(shape, std::vector<double>(static_cast<size_t>(*element_count(shape)), value), dtype));
    };
    const ValueId scale = constant("scale", {}, 0.5, DType::float32), zero = constant("zero", {}, 0, DType::int8);
    const ValueId kept = b.state("kept", TensorType::contiguous(DType::int8, {4, 8}), {Fill::Kind::ones});
    const bool through = write == Write::between_through_a_view;
    const ValueId x = ops::dequantize_linear(b, {through ? ops::reshape(b, kept, {2, 16}) : kept, scale, zero});
    const ValueId w = ops::dequantize_linear(b, {constant("w", {through ? 16 : 8, 6}, 3, DType::int8), scale, zero});
    const ValueId y = ops::matmul(b, x, w);
    const auto overwrite = [&] {
      b.mark_output(ops::write_slice(b, kept, constant("new", {1, 8}, 9, DType::int8), 0, 0));
    };
    if (write == Write::between || through) overwrite();
    const ValueId quantized = ops::quantize_linear(b, y, scale, zero);
    if (write == Write::behind) overwrite();
    b.mark_output(quantized);
    Result<Graph> graph = b.finish();
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    EXPECT_EQ(fold_quantized(*graph).has_value(), write == Write::never || write == Write::behind);
  }
}

}  // namespace
}  // namespace engine
