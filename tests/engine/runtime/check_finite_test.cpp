// SPDX-License-Identifier: Apache-2.0
// A NaN planted in one layer's weight is found at that layer, in a multi-layer perceptron and in a residual network.
#include "engine/runtime/check_finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "engine/workloads/workload.h"

namespace engine {
namespace {

struct Prepared {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Plan> plan;

  const Graph& graph() const { return plan->graph(); }
  const Tensor& value(std::string_view name) const { return plan->tensor(*graph().find(name)); }
};

Prepared prepared(Graph graph) {
  Prepared run;
  run.backend = *cpu::make_backend(1);
  Result<std::unique_ptr<Plan>> plan = Plan::make(std::make_shared<const Graph>(std::move(graph)), *run.backend);
  CHECK(plan.ok());
  run.plan = std::move(*plan);
  return run;
}

Prepared workload(std::string_view name, const Arguments& given) {
  const Workload* found = *find_workload(name);
  return prepared(*build_graph(*found, *resolve(*found, given)));
}

std::optional<NonFinite> check(const Prepared& run) {
  Result<std::optional<NonFinite>> found = run_step_checking_finite(*run.plan, 0);
  CHECK(found.ok());
  return *found;
}

TEST(CheckFinite, FindsTheLayerOfAPlantedNanInAnMlp) {
  const Arguments arguments{{"input", "12"}, {"hidden", "10,9,8,7"}, {"batch", "4"}};
  EXPECT_FALSE(check(workload("mlp", arguments)).has_value());
  for (const std::string layer : {"fc1", "fc3", "fc5"}) {
    const Prepared run = workload("mlp", arguments);
    run.value(layer + ".weight").set_flat(3, std::nan(""));
    const auto found = check(run);
    ASSERT_TRUE(found.has_value()) << layer;
    EXPECT_EQ(run.graph().node(found->node).layer, layer);
    EXPECT_EQ(run.graph().node(found->node).op->name, "linear");
    EXPECT_EQ(found->nans, 4);  // one output feature of each sample
    ASSERT_EQ(found->bad_inputs.size(), 1u);
    EXPECT_EQ(run.graph().value(found->bad_inputs[0]).name, layer + ".weight");
    const std::string text = describe(run.graph(), *found);
    EXPECT_NE(text.find("first NaN: layer " + layer + ", op linear"), std::string::npos) << text;
    EXPECT_NE(text.find(layer + ".weight held"), std::string::npos) << text;
  }
}

TEST(CheckFinite, FindsTheLayerOfAPlantedNanInAResNet) {
  const Prepared run = workload("resnet50", {{"image_size", "32"}, {"classes", "3"}, {"batch", "2"}});
  const std::string layer = "layer3.2.conv1";
  run.value(layer + ".weight").set_flat(0, std::nan(""));
  const auto found = check(run);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(run.graph().node(found->node).layer, layer);
  EXPECT_EQ(run.graph().node(found->node).op->name, "conv2d");
}

/// exp would be the usual suspect; here a product of large finite numbers leaves the range of f32.
TEST(CheckFinite, FindsTheOpThatOverflows) {
  GraphBuilder builder;
  const TensorType type = TensorType::contiguous(DType::float32, {5});
  const ValueId x = builder.input("x", type, {Fill::Kind::ones});
  builder.set_layer("a");
  const ValueId large = ops::scale(builder, x, 1e30);
  builder.set_layer("b");
  builder.mark_output(ops::relu(builder, ops::multiply(builder, large, large)));
  const Prepared run = prepared(*builder.finish());
  const auto found = check(run);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->infinities, 5);
  EXPECT_TRUE(found->bad_inputs.empty());
  const std::string text = describe(run.graph(), *found);
  EXPECT_NE(text.find("first infinity: layer b, op multiply"), std::string::npos) << text;
}

/// An optimiser's output is its weight: the update is found, the operand it overwrites is not taken for the cause.
TEST(CheckFinite, SeesWhatIsWrittenInPlace) {
  GraphBuilder builder;
  const TensorType type = TensorType::contiguous(DType::float64, {2, 3});
  const ValueId w = builder.parameter("w", type, {Fill::Kind::ones}), g = builder.input("g", type, {Fill::Kind::ones});
  ops::sgd_update(builder, w, g, kNoValue, std::numeric_limits<double>::infinity(), 0, 0);
  const Prepared run = prepared(*builder.finish());
  const auto found = check(run);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->infinities, 6);
  EXPECT_TRUE(found->bad_inputs.empty());
}

}  // namespace
}  // namespace engine
