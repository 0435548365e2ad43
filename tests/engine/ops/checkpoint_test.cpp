// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing: the same gradients to the last bit, in the memory and for the arithmetic that shapes
// predict.
#include "engine/ops/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "engine/ops/training_step.h"
#include "engine/runtime/plan.h"
#include "tests/support/host_interpreter.h"

namespace engine {
namespace {

const Fill kNormal{Fill::Kind::normal, 0, 0.5};
constexpr int64_t kBatch = 32, kWidth = 8, kLayerBytes = kBatch * kWidth * 8;

/// `layers` times sigmoid(x w + b), the gradient of their sum by x.
struct Chain {
  Graph graph;
  ValueId gradient;
};

Chain chain(int layers, int64_t interval) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", TensorType::contiguous(DType::float64, {kBatch, kWidth}), kNormal);
  std::vector<ValueId> outputs;
  ValueId y = x;
  for (int i = 0; i < layers; ++i) {
    const LayerScope layer(builder, "fc" + std::to_string(i));
    const ValueId w =
        builder.parameter("w" + std::to_string(i), TensorType::contiguous(DType::float64, {kWidth, kWidth}), kNormal);
    const ValueId b =
        builder.parameter("b" + std::to_string(i), TensorType::contiguous(DType::float64, {kWidth}), kNormal);
    y = ops::sigmoid(builder, ops::linear(builder, y, w, b));
    outputs.push_back(y);
  }
  const ValueId loss = ops::sum(builder, y, {});
  const ValueId gradient = differentiate(builder, loss, {&x, 1})[0];
  if (interval > 0) recompute_in_backward(builder, every_nth(outputs, interval));
  builder.mark_output(gradient);
  Result<Graph> graph = builder.finish();
  CHECK(graph.ok());
  return {std::move(*graph), gradient};
}

std::vector<double> run(const Chain& chain) {
  test::HostInterpreter host(chain.graph);
  host.run();
  std::vector<double> values;
  for (int64_t i = 0; i < kBatch * kWidth; ++i) values.push_back(host.tensor(chain.gradient).get_flat(i));
  return values;
}

TEST(Checkpointing, OfAChainKeepsEveryBitAndSavesWhatShapesSay) {
  constexpr int kLayers = 24;
  const Chain whole = chain(kLayers, 0);
  const int64_t whole_peak = plan_memory(whole.graph)->peak_live_bytes;
  for (const int interval : {2, 4, 6, 8}) {
    SCOPED_TRACE(interval);
    const Chain thrifty = chain(kLayers, interval);
    EXPECT_EQ(run(thrifty), run(whole));
    // All layers' outputs against the kept ones and one stretch of recomputed ones (the last layer's output is both).
    const int64_t saved = (kLayers - (kLayers / interval + interval - 1)) * kLayerBytes;
    const int64_t peak = plan_memory(thrifty.graph)->peak_live_bytes;
    EXPECT_LE(std::abs(whole_peak - peak - saved), kLayerBytes) << whole_peak << " and " << peak;
    // Each stretch computes all its layers but the kept one again.
    const double layer_flops = kBatch * kWidth * (2.0 * kWidth + 4);
    EXPECT_EQ(thrifty.graph.flops() - whole.graph.flops(), kLayers / interval * (interval - 1) * layer_flops);
  }
}

TEST(Checkpointing, ComputesAgainWithinTheLayerAndTheBackwardPhase) {
  const Chain thrifty = chain(4, 2);
  std::vector<std::string> order;
  for (const Node& node : thrifty.graph.nodes()) {
    EXPECT_EQ(&node, &thrifty.graph.node(node.id));
    if (node.phase == Phase::backward && (node.op->name == "sigmoid" || node.op->name == "linear")) {
      order.push_back(node.layer + "." + std::string(node.op->name));
      EXPECT_EQ(thrifty.graph.value(node.outputs[0]).role, Role::activation);
    }
  }
  EXPECT_EQ(order, (std::vector<std::string>{"fc2.linear", "fc2.sigmoid", "fc0.linear", "fc0.sigmoid"}));
}

TEST(Checkpointing, LeavesAGraphAloneWhereNothingIsKept) {
  const Chain whole = chain(3, 0);
  EXPECT_EQ(chain(3, 1).graph.nodes().size(), whole.graph.nodes().size());
  GraphBuilder builder;
  recompute_in_backward(builder, {});
  EXPECT_TRUE(builder.graph().nodes().empty());
}

/// Convolutions with batch norm: running statistics move once per step, not twice.
TEST(Checkpointing, UpdatesRunningStatisticsOnce) {
  const auto train = [](bool thrifty) {
    GraphBuilder builder;
    ValueId x = builder.input("x", TensorType::channels_last(DType::float64, {2, 3, 6, 6}), kNormal);
    const ValueId labels =
        builder.input("labels", TensorType::contiguous(DType::int64, {2}), {Fill::Kind::integers, 0, 3});
    std::vector<ValueId> outputs;
    for (int i = 0; i < 4; ++i) {
      const LayerScope layer(builder, "block" + std::to_string(i));
      const TensorType channels = TensorType::contiguous(DType::float64, {3});
      const std::string name = builder.layer();
      const ValueId w = builder.parameter(name + ".w", TensorType::contiguous(DType::float64, {3, 3, 3, 3}), kNormal);
      const ValueId scale = builder.parameter(name + ".scale", channels, {Fill::Kind::ones});
      const ValueId bias = builder.parameter(name + ".bias", channels, {});
      const ValueId mean = builder.state(name + ".mean", channels, {}, Role::weight);
      const ValueId variance = builder.state(name + ".variance", channels, {Fill::Kind::ones}, Role::weight);
      ops::Conv2dOptions same;
      same.padding = {1, 1, 1, 1};
      const ValueId y =
          ops::batch_norm_training(builder, ops::conv2d(builder, x, w, kNoValue, same), scale, bias, mean, variance);
      x = ops::relu(builder, ops::add(builder, y, x));
      outputs.push_back(x);
    }
    const ValueId loss = ops::softmax_cross_entropy(
        builder, ops::reshape(builder, ops::global_average_pool(builder, x), {2, 3}), labels);
    OptimizerOptions options;
    if (thrifty) options.checkpoints = every_nth(outputs, 2);
    append_optimizer_step(builder, loss, options);
    test::HostInterpreter host(*builder.finish());
    host.run();
    host.run();
    std::map<std::string, std::vector<double>> state;
    for (const Value& value : host.graph().values()) {
      if (value.kind != ValueKind::parameter && value.kind != ValueKind::state) continue;
      for (int64_t i = 0; i < value.type.elements(); ++i)
        state[value.name].push_back(host.tensor(value.id).get_flat(i));
    }
    const auto updates = std::ranges::count_if(
        host.graph().nodes(), [](const Node& node) { return node.op->name == "batch_norm_running_update"; });
    EXPECT_EQ(updates, 4);
    return std::pair(state, host.graph().nodes().size());
  };
  const auto [whole, whole_nodes] = train(false);
  const auto [thrifty, thrifty_nodes] = train(true);
  EXPECT_GT(thrifty_nodes, whole_nodes);
  EXPECT_EQ(thrifty, whole);
}

/// A value computed from what is overwritten in between cannot be computed again: it stays.
TEST(Checkpointing, NeverReadsWhatHasBeenOverwritten) {
  const auto run = [](bool thrifty) {
    GraphBuilder builder;
    const TensorType vector = TensorType::contiguous(DType::float64, {3});
    const ValueId x = builder.parameter("x", vector, kNormal),
                  state = builder.state("state", vector, {Fill::Kind::ones});
    const ValueId before = ops::sigmoid(builder, ops::add(builder, x, state));  // its gradient needs its result alone
    ops::sgd_update(builder, state, x, kNoValue, 0.5, 0, 0);  // overwrites the state within the forward pass
    const ValueId kept = ops::sigmoid(builder, before);
    const ValueId loss = ops::sum(builder, kept, {});
    const ValueId gradient = differentiate(builder, loss, {&x, 1})[0];
    if (thrifty) recompute_in_backward(builder, {&kept, 1});
    test::HostInterpreter host(*builder.finish());
    host.run();
    std::vector<double> values;
    for (int64_t i = 0; i < 3; ++i) values.push_back(host.tensor(gradient).get_flat(i));
    return values;
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(EveryNth, CountsFromTheFirst) {
  const std::vector<ValueId> outputs{10, 11, 12, 13, 14, 15, 16, 17, 18};
  EXPECT_EQ(every_nth(outputs, 4), (std::vector<ValueId>{13, 17}));
  EXPECT_EQ(every_nth(outputs, 0), (std::vector<ValueId>{12, 15, 18}));
  EXPECT_EQ(every_nth(outputs, 1), outputs);
  EXPECT_TRUE(every_nth(outputs, 10).empty());
  EXPECT_TRUE(every_nth(outputs, INT64_MAX).empty());
  EXPECT_TRUE(every_nth({}, 0).empty());
}

}  // namespace
}  // namespace engine
