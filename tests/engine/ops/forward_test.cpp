// SPDX-License-Identifier: Apache-2.0
// Forward mode: values by hand, where nodes stand, what memory they need, and what is refused.
#include "engine/ops/forward.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "tests/support/host_interpreter.h"
#include "tests/support/test_ops.h"

namespace engine {
namespace {

const TensorType kVector = TensorType::contiguous(DType::float64, {3});
const Fill kNormal{Fill::Kind::normal, 0, 1};

/// y = x * sigmoid(x): dy = (s + x s (1 - s)) dx.
TEST(ForwardDifferentiate, FollowsAChainWithTwoPaths) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", kVector, kNormal), dx = builder.input("dx", kVector, kNormal);
  const ValueId y = ops::multiply(builder, x, ops::sigmoid(builder, x));
  const ValueId dy = forward_differentiate(builder, {&y, 1}, {&x, 1}, {&dx, 1})[0];
  test::HostInterpreter host(*builder.finish());
  host.run();
  for (int64_t i = 0; i < 3; ++i) {
    const double at = host.tensor(x).get_flat(i), s = 1 / (1 + std::exp(-at));
    EXPECT_NEAR(host.tensor(dy).get_flat(i), (s + at * s * (1 - s)) * host.tensor(dx).get_flat(i), 1e-14);
  }
  EXPECT_EQ(host.graph().value(dy).role, Role::gradient);
}

TEST(ForwardDifferentiate, TellsWhatDoesNotMove) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", kVector, kNormal), other = builder.parameter("other", kVector, kNormal);
  const ValueId dx = builder.input("dx", kVector, kNormal);
  const std::vector<ValueId> outputs{ops::relu(builder, other), ops::scale(builder, x, 2, 1), x};
  const std::vector<ValueId> tangents = forward_differentiate(builder, outputs, {&x, 1}, {&dx, 1});
  EXPECT_EQ(tangents[0], kNoValue);
  EXPECT_NE(tangents[1], kNoValue);
  EXPECT_EQ(tangents[2], dx);
  const Graph graph = *builder.finish();
  EXPECT_EQ(graph.nodes().size(), 3u);  // relu, scale, and the tangent of scale
}

struct Network {
  GraphBuilder builder;
  ValueId x, y;
};

/// `layers` linear layers with ReLU between them.
void build_mlp(Network& net, int layers, int64_t width, int64_t batch) {
  net.x = net.builder.input("x", TensorType::contiguous(DType::float64, {batch, width}), kNormal);
  net.y = net.x;
  for (int i = 0; i < layers; ++i) {
    const LayerScope layer(net.builder, "fc" + std::to_string(i));
    const ValueId w =
        net.builder.parameter("w" + std::to_string(i), TensorType::contiguous(DType::float64, {width, width}),
                              {Fill::Kind::normal, 0, 1 / std::sqrt(static_cast<double>(width) / 2)});
    const ValueId b =
        net.builder.parameter("b" + std::to_string(i), TensorType::contiguous(DType::float64, {width}), kNormal);
    net.y = ops::relu(net.builder, ops::linear(net.builder, net.y, w, b));
  }
}

int64_t peak(GraphBuilder builder, std::vector<ValueId> outputs) {
  for (const ValueId id : outputs) builder.mark_output(id);
  const Graph graph = *builder.finish();
  return plan_memory(graph)->peak_live_bytes;
}

/// Inference keeps two layers alive, its tangent two more, whatever the depth; the backward pass needs every layer.
TEST(ForwardDifferentiate, NeedsMemoryForTwoLayersNotForFifty) {
  constexpr int kLayers = 50;
  constexpr int64_t kWidth = 16, kBatch = 64, kLayerBytes = kWidth * kBatch * 8;
  Network inference, forward, reverse;
  build_mlp(inference, kLayers, kWidth, kBatch);
  build_mlp(forward, kLayers, kWidth, kBatch);
  build_mlp(reverse, kLayers, kWidth, kBatch);
  const ValueId dx = forward.builder.input("dx", forward.builder.type(forward.x), kNormal);
  const ValueId dy = forward_differentiate(forward.builder, {&forward.y, 1}, {&forward.x, 1}, {&dx, 1})[0];
  const ValueId loss = ops::sum(reverse.builder, reverse.y, {});
  const ValueId gradient = differentiate(reverse.builder, loss, {&reverse.x, 1})[0];
  const int64_t inference_peak = peak(std::move(inference.builder), {inference.y});
  const int64_t forward_peak = peak(std::move(forward.builder), {forward.y, dy});
  const int64_t reverse_peak = peak(std::move(reverse.builder), {gradient});
  EXPECT_EQ(inference_peak, 2 * kLayerBytes);
  EXPECT_LE(forward_peak, 2 * inference_peak);
  EXPECT_GE(reverse_peak, kLayers * kLayerBytes);
}

TEST(ForwardDifferentiate, PutsTangentsBehindTheirOps) {
  Network net;
  build_mlp(net, 3, 4, 2);
  const ValueId seed = net.builder.input("seed", TensorType::contiguous(DType::float64, {8}), kNormal);
  const ValueId dx = ops::reshape(net.builder, seed, {2, 4});  // appended last, yet it may not hold the tangents up
  forward_differentiate(net.builder, {&net.y, 1}, {&net.x, 1}, {&dx, 1});
  const Graph graph = *net.builder.finish();
  std::vector<std::string> order;
  for (const Node& node : graph.nodes()) {
    EXPECT_EQ(&node, &graph.node(node.id));
    for (const ValueId id : node.outputs) EXPECT_EQ(graph.value(id).producer, node.id);
    if (node.op->view == nullptr) order.push_back(node.layer + "." + std::string(node.op->name));
  }
  const std::vector<std::string> expected{"fc0.linear", "fc0.linear", "fc0.relu", "fc0.relu_grad",
                                          "fc1.linear", "fc1.linear", "fc1.relu", "fc1.relu_grad",
                                          "fc2.linear", "fc2.linear", "fc2.relu", "fc2.relu_grad"};
  EXPECT_EQ(order, expected);
}

TEST(ForwardDifferentiate, NamesTheOpWithoutRule) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", kVector, kNormal), dx = builder.input("dx", kVector, kNormal);
  builder.set_layer("stem");
  const ValueId y = builder.append1(test::kMix, {x});
  EXPECT_EQ(forward_differentiate(builder, {&y, 1}, {&x, 1}, {&dx, 1})[0], kNoValue);
  const Result<Graph> graph = builder.finish();
  ASSERT_FALSE(graph.ok());
  EXPECT_NE(graph.error().message.find("mix"), std::string::npos) << graph.error().message;
  EXPECT_NE(graph.error().message.find("stem"), std::string::npos) << graph.error().message;
}

TEST(ForwardDifferentiate, RefusesATangentOfAnotherType) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", kVector, kNormal);
  const ValueId dx = builder.input("dx", TensorType::contiguous(DType::float32, {3}), kNormal);
  const ValueId y = ops::relu(builder, x);
  forward_differentiate(builder, {&y, 1}, {&x, 1}, {&dx, 1});
  const Result<Graph> graph = builder.finish();
  ASSERT_FALSE(graph.ok());
  EXPECT_NE(graph.error().message.find("\"x\" is f64"), std::string::npos) << graph.error().message;
}

/// y = A x: the Jacobian is A, by columns and by rows.
TEST(Jacobian, OfALinearMapIsItsMatrix) {
  GraphBuilder builder;
  const ValueId a = builder.parameter("a", TensorType::contiguous(DType::float64, {2, 3}), kNormal);
  const ValueId x = builder.input("x", TensorType::contiguous(DType::float64, {3, 1}), kNormal);
  const ValueId y = ops::matmul(builder, a, x);
  const std::vector<ValueId> columns = jacobian_forward(builder, y, x), rows = jacobian_reverse(builder, y, x);
  ASSERT_FALSE(builder.failed()) << builder.finish().error().message;
  ASSERT_EQ(columns.size(), 3u);
  ASSERT_EQ(rows.size(), 2u);
  test::HostInterpreter host(*builder.finish());
  host.run();
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t k = 0; k < 3; ++k) {
      const double wanted = host.tensor(a).get(std::vector<int64_t>{i, k});
      EXPECT_DOUBLE_EQ(host.tensor(columns[static_cast<size_t>(k)]).get_flat(i), wanted);
      EXPECT_DOUBLE_EQ(host.tensor(rows[static_cast<size_t>(i)]).get_flat(k), wanted);
    }
  }
}

TEST(Jacobian, IsRefusedWhereItWouldTakeTooManyPasses) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", TensorType::contiguous(DType::float64, {5000}), kNormal);
  EXPECT_TRUE(jacobian_forward(builder, ops::relu(builder, x), x).empty());
  ASSERT_TRUE(builder.failed());
  EXPECT_NE(builder.finish().error().message.find("5000"), std::string::npos);
}

}  // namespace
}  // namespace engine
