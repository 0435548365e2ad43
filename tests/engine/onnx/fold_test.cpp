// SPDX-License-Identifier: Apache-2.0
// What a model computes of its constants alone is computed once; the step has what is left, with the same results.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/ops/fusion.h"
#include "engine/runtime/fold_constants.h"
#include "engine/runtime/plan.h"
#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

constexpr int64_t kSide = 288;  // more elements than import computes with

std::vector<float> weights() {
  std::vector<float> values(kSide * kSide);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17) / 8 - 1;
  return values;
}

int64_t count(const Graph& graph, std::string_view op) {
  return std::ranges::count_if(graph.nodes(), [&](const Node& node) { return node.op->name == op; });
}

std::vector<double> result_of(const Graph& graph, ValueId output) {
  const std::unique_ptr<Backend> backend = cpu_backend();
  auto plan = Plan::make(std::make_shared<const Graph>(graph), *backend);
  EXPECT_TRUE(plan.ok()) << (plan ? "" : plan.error().message);
  (*plan)->run_step(0, nullptr);
  return elements((*plan)->tensor(output));
}

/// y = x standardised(w)', as normaliser-free networks have their weights.
Model standardised() {
  Result<Model> model = ModelMaker(17)
                            .input("x", {2, kSide})
                            .floats("w", {kSide, kSide}, weights())
                            .floats("gain", {kSide, 1}, std::vector<float>(kSide, 0.5F))
                            .node("ReduceMean", {"w"}, "mean")
                            .attribute("axes", {int64_t{1}})
                            .node("Sub", {"w", "mean"}, "centred")
                            .node("Mul", {"centred", "gain"}, "scaled")
                            .node("Transpose", {"scaled"}, "t")
                            .node("MatMul", {"x", "t"}, "y")
                            .output("y")
                            .load();
  EXPECT_TRUE(model.ok()) << (model ? "" : model.error().message);
  return *std::move(model);
}

TEST(FoldConstants, WeightsThatAreComputedOfWeightsAreComputedOnce) {
  const Model model = standardised();
  const ValueId y = model.outputs[0].values[0];
  const std::vector<double> wanted = result_of(model.graph, y);
  for (const bool fuses : {false, true}) {
    const std::unique_ptr<Backend> backend = cpu_backend();
    const Result<FoldedConstants> folded = fold_constants(model.graph, *backend);
    ASSERT_TRUE(folded.ok()) << folded.error().message;
    EXPECT_EQ(folded->nodes, 3);
    EXPECT_EQ(count(folded->graph, "matmul"), 1);
    EXPECT_EQ(count(folded->graph, "subtract") + count(folded->graph, "multiply") + count(folded->graph, "mean"), 0);
    const Graph graph = fuses ? fuse(folded->graph) : folded->graph;
    const std::vector<double> got = result_of(graph, y);
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-5) << i;
    const Result<MemoryPlan> before = plan_memory(model.graph), after = plan_memory(folded->graph);
    EXPECT_LT(after->arena_bytes, before->arena_bytes);
    EXPECT_LE(after->persistent_bytes, before->persistent_bytes) << "what nobody reads any more takes no memory";
    for (const Value& value : folded->graph.values()) {
      if (value.kind != ValueKind::constant) continue;
      EXPECT_EQ(value.role, Role::weight) << value.name;
    }
  }
}

TEST(FoldConstants, AGraphWithoutSuchNodesStaysAsItIs) {
  const Result<Model> model = ModelMaker(17)
                                  .input("x", {2, kSide})
                                  .floats("w", {kSide, kSide}, weights())
                                  .node("MatMul", {"x", "w"}, "h")
                                  .node("Relu", {"h"}, "y")
                                  .output("y")
                                  .load();
  ASSERT_TRUE(model.ok());
  const std::unique_ptr<Backend> backend = cpu_backend();
  const Result<FoldedConstants> folded = fold_constants(model->graph, *backend);
  ASSERT_TRUE(folded.ok());
  EXPECT_EQ(folded->nodes, 0);
  EXPECT_EQ(folded->graph.nodes().size(), model->graph.nodes().size());
}

TEST(FoldConstants, AnOutputMayBeFolded) {
  const Result<Model> model = ModelMaker(17)
                                  .input("x", {1, kSide})
                                  .floats("w", {kSide, kSide}, weights())
                                  .node("Abs", {"w"}, "y")
                                  .node("MatMul", {"x", "y"}, "z")
                                  .output("y")
                                  .output("z")
                                  .load();
  ASSERT_TRUE(model.ok());
  const std::unique_ptr<Backend> backend = cpu_backend();
  const Result<FoldedConstants> folded = fold_constants(model->graph, *backend);
  ASSERT_TRUE(folded.ok()) << folded.error().message;
  for (const ModelOutput& output : model->outputs)
    EXPECT_EQ(result_of(folded->graph, output.values[0]), result_of(model->graph, output.values[0])) << output.name;
}

TEST(FoldConstants, DequantisedWeightsStayWhereFusionMakesIntegersOfThem) {
  ModelMaker maker(17);
  maker.input("x", {2, kSide}).floats("scale", {}, {0.1F});
  ::onnx::TensorProto& q = *maker.graph().add_initializer();
  q.set_name("q"), q.set_data_type(::onnx::TensorProto::INT8), q.add_dims(kSide), q.add_dims(kSide);
  std::string raw(kSide * kSide, '\0');
  for (size_t i = 0; i < raw.size(); ++i) raw[i] = static_cast<char>(i % 23);
  q.set_raw_data(raw);
  const Result<Model> model =
      maker.node("DequantizeLinear", {"q", "scale"}, "w").node("MatMul", {"x", "w"}, "y").output("y").load();
  ASSERT_TRUE(model.ok()) << model.error().message;
  const std::unique_ptr<Backend> backend = cpu_backend();
  EXPECT_EQ(fold_constants(model->graph, *backend, {.keep_dequantized = true})->nodes, 0);
  const Result<FoldedConstants> folded = fold_constants(model->graph, *backend);
  ASSERT_TRUE(folded.ok());
  EXPECT_EQ(folded->nodes, 1);
  const ValueId y = model->outputs[0].values[0];
  const std::vector<double> got = result_of(folded->graph, y), wanted = result_of(model->graph, y);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-4);
}

// Sequences with the batch in between: [sequence, 1, features] of torch's attention.
TEST(FoldConstants, ProductsOfOneRowEachAreOneProduct) {
  const Result<Model> model = ModelMaker(17)
                                  .input("x", {37, 1, kSide})
                                  .floats("w", {kSide, kSide}, weights())
                                  .node("MatMul", {"x", "w"}, "y")
                                  .output("y")
                                  .load();
  ASSERT_TRUE(model.ok());
  const std::unique_ptr<Backend> backend = cpu_backend();
  auto plan = Plan::make(std::make_shared<const Graph>(model->graph), *backend);
  ASSERT_TRUE(plan.ok());
  (*plan)->run_step(0, nullptr);
  const Node& product = model->graph.nodes().front();
  EXPECT_EQ((*plan)->kernel_name(product.id).find("gemv"), std::string::npos) << (*plan)->kernel_name(product.id);
  const std::vector<double> x = elements((*plan)->tensor(model->inputs[0])),
                            w = elements((*plan)->tensor(product.inputs[1])),
                            y = elements((*plan)->tensor(model->outputs[0].values[0]));
  for (int64_t i = 0; i < 37; i += 6) {
    for (int64_t j = 0; j < kSide; j += 7) {
      double sum = 0;
      for (int64_t k = 0; k < kSide; ++k)
        sum += x[static_cast<size_t>(i * kSide + k)] * w[static_cast<size_t>(k * kSide + j)];
      EXPECT_NEAR(y[static_cast<size_t>(i * kSide + j)], sum, 1e-4);
    }
  }
}

}  // namespace
}  // namespace engine::onnx
