// SPDX-License-Identifier: Apache-2.0
// The backward walk: which nodes it appends, where, and what it refuses. Each op's own gradient is
// held in tests/conformance.
#include "engine/ops/autograd.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/ops/ops.h"
#include "tests/support/host_interpreter.h"
#include "tests/support/test_ops.h"

namespace engine {
namespace {

const TensorType kVector = TensorType::contiguous(DType::float64, {3});
const Fill kNormal{Fill::Kind::normal, 0, 1};

ValueId sum_all(GraphBuilder& builder, ValueId x) { return ops::sum(builder, x, {0}); }

int count_of(const Graph& graph, std::string_view op, Phase phase) {
  return static_cast<int>(std::ranges::count_if(
      graph.nodes(), [&](const Node& node) { return node.op->name == op && node.phase == phase; }));
}

TEST(Differentiate, AddsGradientsThatMeet) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", kVector, kNormal);
  // loss = sum(x * x + x): x is read three times, d/dx = 2 x + 1.
  const ValueId loss = sum_all(builder, ops::add(builder, ops::multiply(builder, x, x), x));
  const ValueId dx = differentiate(builder, loss, std::vector<ValueId>{x})[0];
  ASSERT_NE(dx, kNoValue);
  Result<Graph> graph = builder.finish();
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(count_of(*graph, "add", Phase::backward), 2);
  EXPECT_EQ(graph->value(dx).role, Role::gradient);
  test::HostInterpreter host(*std::move(graph));
  host.run();
  for (int64_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(host.tensor(dx).get_flat(i), 2 * host.tensor(x).get_flat(i) + 1);
}

TEST(Differentiate, WorksThroughViewsByAnyValue) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", TensorType::contiguous(DType::float64, {2, 3}), kNormal);
  const ValueId hidden = ops::sigmoid(builder, ops::transpose(builder, w, 0, 1));
  const ValueId loss = ops::sum(builder, ops::multiply(builder, hidden, hidden), {0, 1});
  const std::vector<ValueId> gradients = differentiate(builder, loss, std::vector<ValueId>{w, hidden, loss});
  Result<Graph> graph = builder.finish();
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  test::HostInterpreter host(*std::move(graph));
  host.run();
  EXPECT_EQ(host.tensor(gradients[2]).get_flat(0), 1);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t k = 0; k < 3; ++k) {
      const double h = host.tensor(hidden).get(std::vector<int64_t>{k, i});
      EXPECT_DOUBLE_EQ(host.tensor(gradients[1]).get(std::vector<int64_t>{k, i}), 2 * h);
      EXPECT_NEAR(host.tensor(gradients[0]).get(std::vector<int64_t>{i, k}), 2 * h * h * (1 - h), 1e-14);
    }
  }
}

TEST(Differentiate, AppendsOnlyWhatIsWanted) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", kVector, kNormal);
  const ValueId w = builder.parameter("w", kVector, kNormal), unused = builder.parameter("unused", kVector, kNormal);
  ops::relu(builder, unused);  // leads nowhere
  const ValueId first = ops::sigmoid(builder, x);
  const ValueId loss = sum_all(builder, ops::multiply(builder, first, w));
  const std::vector<ValueId> gradients = differentiate(builder, loss, std::vector<ValueId>{w, unused, w});
  EXPECT_NE(gradients[0], kNoValue);
  EXPECT_EQ(gradients[1], kNoValue);
  EXPECT_EQ(gradients[2], gradients[0]);
  const Graph graph = *builder.finish();
  EXPECT_EQ(count_of(graph, "sigmoid_grad", Phase::backward),
            0);  // only x, which nobody asked for, lies behind it
  EXPECT_EQ(count_of(graph, "relu_grad", Phase::backward), 0);
}

TEST(Differentiate, KeepsLayersAndPutsTheBuilderBack) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", kVector, kNormal);
  ValueId hidden = kNoValue;
  {
    const LayerScope scope(builder, "block");
    hidden = ops::sigmoid(builder, w);
  }
  builder.set_layer("head");
  const ValueId loss = sum_all(builder, hidden);
  differentiate(builder, loss, std::vector<ValueId>{w});
  EXPECT_EQ(builder.layer(), "head");
  EXPECT_EQ(builder.phase(), Phase::forward);
  const Graph graph = *builder.finish();
  const auto gradient =
      std::ranges::find_if(graph.nodes(), [](const Node& node) { return node.op->name == "sigmoid_grad"; });
  ASSERT_NE(gradient, graph.nodes().end());
  EXPECT_EQ(gradient->layer, "block");
  EXPECT_EQ(gradient->phase, Phase::backward);
}

TEST(Differentiate, NamesTheOpWithoutGradient) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", kVector, kNormal);
  builder.set_layer("stem");
  const ValueId loss = sum_all(builder, builder.append1(test::kMix, {w}));
  EXPECT_EQ(differentiate(builder, loss, std::vector<ValueId>{w})[0], kNoValue);
  const Result<Graph> graph = builder.finish();
  ASSERT_FALSE(graph.ok());
  EXPECT_NE(graph.error().message.find("mix"), std::string::npos) << graph.error().message;
  EXPECT_NE(graph.error().message.find("stem"), std::string::npos) << graph.error().message;
}

TEST(Differentiate, RefusesALossThatIsNoNumber) {
  for (const DType dtype : {DType::float64, DType::int32}) {
    GraphBuilder builder;
    const ValueId w =
        builder.parameter("w", TensorType::contiguous(dtype, dtype == DType::int32 ? Shape{} : Shape{3}), {});
    differentiate(builder, w, std::vector<ValueId>{w});
    const Result<Graph> graph = builder.finish();
    ASSERT_FALSE(graph.ok());
    EXPECT_NE(graph.error().message.find("\"w\" is"), std::string::npos) << graph.error().message;
  }
}

TEST(Differentiate, StaysQuietAfterAnError) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", kVector, kNormal);
  const ValueId loss = sum_all(builder, w);
  builder.fail(usage_error("first"));
  EXPECT_EQ(differentiate(builder, loss, std::vector<ValueId>{w}), std::vector<ValueId>{kNoValue});
  append_sgd_step(builder, loss, {});
  EXPECT_EQ(builder.finish().error().message, "first");
}

TEST(AppendSgdStep, UpdatesEachParameterOnce) {
  GraphBuilder builder;
  builder.set_layer("fc");
  const ValueId x = builder.input("x", kVector, kNormal);
  const ValueId w = builder.parameter("fc.weight", kVector, kNormal);
  builder.parameter("unused", kVector, kNormal);
  const ValueId loss = sum_all(builder, ops::multiply(builder, x, w));
  append_sgd_step(builder, loss, {.learning_rate = 0.5, .momentum = 0.25, .weight_decay = 0.125});
  Result<Graph> graph = builder.finish();
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(count_of(*graph, "sgd_momentum", Phase::update), 1);
  const auto momentum = graph->find("fc.weight.momentum");
  ASSERT_TRUE(momentum.has_value());
  EXPECT_EQ(graph->value(*momentum).role, Role::optimizer_state);
  EXPECT_FALSE(graph->find("unused.momentum").has_value());
  EXPECT_EQ(graph->nodes().back().layer, "fc");

  test::HostInterpreter host(*std::move(graph));
  double weight[3], buffer[3] = {};
  for (int64_t i = 0; i < 3; ++i) weight[i] = host.tensor(w).get_flat(i);
  for (int step = 0; step < 3; ++step) {
    host.run();
    for (int64_t i = 0; i < 3; ++i) {
      buffer[i] = 0.25 * buffer[i] + host.tensor(x).get_flat(i) + 0.125 * weight[i];
      weight[i] -= 0.5 * buffer[i];
      EXPECT_DOUBLE_EQ(host.tensor(w).get_flat(i), weight[i]) << step;
    }
  }
}

TEST(AppendSgdStep, WithoutMomentumKeepsNoState) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", kVector, kNormal);
  append_sgd_step(builder, sum_all(builder, w), {.momentum = 0});
  const Graph graph = *builder.finish();
  EXPECT_EQ(count_of(graph, "sgd", Phase::update), 1);
  EXPECT_TRUE(std::ranges::none_of(graph.values(), [](const Value& value) { return value.kind == ValueKind::state; }));
}

}  // namespace
}  // namespace engine
