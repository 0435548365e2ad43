// SPDX-License-Identifier: Apache-2.0
// What the ONNX project's own cases do not show: which of our ops come out, older opsets,
// constants, batch sizes.
#include "engine/onnx/operators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

Model loaded(const ModelMaker& maker, const ImportOptions& options = {}) {
  Result<Model> model = maker.load(options);
  EXPECT_TRUE(model.ok()) << (model ? "" : model.error().message);
  CHECK(model.ok());
  return std::move(*model);
}

std::vector<std::string> op_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.emplace_back(node.op->name);
  return names;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-6) << i;
}

TEST(OnnxOperators, TableIsSortedAndFindsItsOwn) {
  EXPECT_TRUE(std::ranges::is_sorted(operators(), {}, &Operator::name));
  for (const Operator& entry : operators()) EXPECT_EQ(find_operator("", entry.name), &entry);
  EXPECT_EQ(find_operator("com.acme", "Relu"), nullptr);
  EXPECT_EQ(find_operator("ai.onnx", "relu"), nullptr);
}

// As BLAS has it: with beta = 0 what C holds does not matter, not even NaN.
TEST(OnnxOperators, GemmWithoutBetaDoesNotReadC) {
  ModelMaker maker;
  maker.input("x", {2, 2}).floats("w", {2, 1}, {2, 4}).floats("c", {1}, {std::numeric_limits<float>::quiet_NaN()});
  maker.node("Gemm", {"x", "w", "c"}, "y").attribute("beta", 0.0f).output("y");
  expect_near(run(maker), {1, 4});
}

TEST(OnnxOperators, DummyInputIsPositionOverCount) {
  expect_near(run(ModelMaker().input("x", {2, 2}).node("Relu", {"x"}, "y").output("y")), {0, 0.25, 0.5, 0.75});
}

// The dummy input counts in logical order, wherever images lie channels last in memory.
TEST(OnnxOperators, DummyInputCountsInLogicalOrder) {
  const ModelMaker maker = ModelMaker().input("x", {1, 2, 1, 2}).node("Relu", {"x"}, "y").output("y");
  const Model model = loaded(maker);
  const TensorType& type = model.graph.value(model.inputs[0]).type;
  EXPECT_TRUE(is_channels_last(type.shape, type.strides));
  expect_near(run(maker), {0, 0.25, 0.5, 0.75});
}

// Up to opset 12 softmax takes the axes from `axis` on together; from 13 on it is over one axis.
TEST(OnnxOperators, SoftmaxOfOldOpsetsFlattens) {
  const auto softmax = [](int64_t opset) {
    return ModelMaker(opset)
        .input("x", {1, 2, 2})
        .node("Softmax", {"x"}, "y")
        .attribute("axis", int64_t{1})
        .output("y");
  };
  double total = 0;
  for (const double x : {0.0, 0.25, 0.5, 0.75}) total += std::exp(x);
  expect_near(run(softmax(9)),
              {std::exp(0) / total, std::exp(0.25) / total, std::exp(0.5) / total, std::exp(0.75) / total});
  const double lower = 1 / (1 + std::exp(0.5));
  expect_near(run(softmax(13)), {lower, lower, 1 - lower, 1 - lower});
}

TEST(OnnxOperators, GemmOfALinearLayerIsOneOp) {
  ModelMaker maker =
      ModelMaker().input("x", {2, 2}).floats("w", {3, 2}, {1, 2, 3, 4, 5, 6}).floats("b", {3}, {10, 20, 30});
  maker.node("Gemm", {"x", "w", "b"}, "y").attribute("transB", int64_t{1}).output("y");
  EXPECT_EQ(op_names(loaded(maker).graph), (std::vector<std::string>{"linear"}));
  expect_near(run(maker), {10.5, 21, 31.5, 12, 24.5, 37});
}

/// q, k and v of one product are picked by scalar indices; nothing needs to move where indices are known and evenly
/// apart.
TEST(OnnxOperators, GathersOfKnownEvenIndicesAreViews) {
  const auto gather = [](std::vector<int64_t> dims, const std::vector<int64_t>& indices) {
    ModelMaker maker = ModelMaker().input("x", {2, 3, 2}).integers("i", std::move(dims), indices);
    maker.node("Gather", {"x", "i"}, "y").attribute("axis", int64_t{1}).output("y");
    return maker;
  };
  const auto names = [&](const ModelMaker& maker) { return op_names(loaded(maker).graph); };
  using Names = std::vector<std::string>;
  const auto at = [](std::vector<double> places) {  // an input that nobody gives counts up to 1
    for (double& place : places) place /= 12;
    return places;
  };
  EXPECT_EQ(names(gather({}, {-1})).at(0), "slice");
  expect_near(run(gather({}, {-1})), at({4, 5, 10, 11}));
  EXPECT_EQ(names(gather({1}, {1})).at(0), "slice");
  expect_near(run(gather({1}, {1})), at({2, 3, 8, 9}));
  EXPECT_EQ(names(gather({2}, {0, 2})).at(0), "slice");
  expect_near(run(gather({2}, {0, -1})), at({0, 1, 4, 5, 6, 7, 10, 11}));
  EXPECT_EQ(names(gather({2}, {2, 0})), Names{"gather"});
  expect_near(run(gather({2}, {2, 0})), at({4, 5, 0, 1, 10, 11, 6, 7}));
  EXPECT_EQ(names(gather({2}, {1, 1})), Names{"gather"});
}

TEST(OnnxOperators, NodesCarryTheirLayerName) {
  ModelMaker maker = ModelMaker().input("x", {2, 2}).node("Relu", {"x"}, "y").node("Sigmoid", {"y"}, "z").output("z");
  maker.last_node().clear_name();
  const Model model = loaded(maker);
  EXPECT_EQ(model.graph.nodes()[0].layer, "node of y");
  EXPECT_EQ(model.graph.nodes()[1].layer, "z");
}

TEST(OnnxOperators, InitializersListedAsInputsAreNoInputs) {
  ModelMaker maker =
      ModelMaker().input("w", {2}).input("x", {2}).floats("w", {2}, {1, 2}).floats("unused", {2}, {1, 2});
  maker.node("Add", {"x", "w"}, "y").output("y");
  const Model model = loaded(maker);
  ASSERT_EQ(model.inputs.size(), 1u);
  EXPECT_EQ(model.graph.value(model.inputs[0]).name, "x");
  EXPECT_FALSE(model.graph.find("unused").has_value());
  expect_near(run(maker), {1, 2.5});
}

TEST(OnnxOperators, ConstantsFoldIntoShapes) {
  ModelMaker maker = ModelMaker().input("x", {2, 3}).input("like", {3, 2});
  maker.node("Shape", {"like"}, "shape")
      .node("Identity", {"shape"}, "same")
      .node("Reshape", {"x", "same"}, "y")
      .output("y");
  const Model model = loaded(maker);
  EXPECT_EQ(model.graph.value(model.graph.outputs()[0]).type.shape, (Shape{3, 2}));
  EXPECT_EQ(op_names(model.graph), (std::vector<std::string>{"reshape"}));
}

// ConstantOfShape holds no bytes at import; the plan fills the weights.
TEST(OnnxOperators, EqualWeightsStayAFill) {
  ModelMaker maker = ModelMaker().input("x", {1, 4}).integers("shape", {2}, {4, 1000});
  maker.node("ConstantOfShape", {"shape"}, "w").node("MatMul", {"x", "w"}, "y").output("y");
  ::onnx::AttributeProto& value = *maker.graph().mutable_node(0)->add_attribute();
  value.set_name("value");
  value.set_type(::onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(::onnx::TensorProto::FLOAT);
  value.mutable_t()->add_dims(1);
  value.mutable_t()->add_float_data(2);
  const Model model = loaded(maker);
  const Value& weight = model.graph.value(*model.graph.find("w"));
  EXPECT_FALSE(weight.data.defined());
  EXPECT_EQ(weight.role, Role::weight);
  expect_near(run(maker), std::vector<double>(1000, 2 * (0.25 + 0.5 + 0.75)));
}

// 2^63 - 1, "to the end", from a ConstantOfShape.
TEST(OnnxOperators, LargestEndOfASliceMayBeAFill) {
  ModelMaker maker = ModelMaker().input("x", {4}).integers("one", {1}, {1});
  maker.node("ConstantOfShape", {"one"}, "end").node("Slice", {"x", "one", "end"}, "y").output("y");
  ::onnx::AttributeProto& value = *maker.graph().mutable_node(0)->add_attribute();
  value.set_name("value");
  value.set_type(::onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(::onnx::TensorProto::INT64);
  value.mutable_t()->add_dims(1);
  value.mutable_t()->add_int64_data(std::numeric_limits<int64_t>::max());
  expect_near(run(maker), {0.25, 0.5, 0.75});
}

TEST(OnnxOperators, OutputsThatNothingComputesAreCopied) {
  expect_near(run(ModelMaker().input("x", {2}).node("Identity", {"x"}, "y").output("y")), {0, 0.5});
  ModelMaker constant = ModelMaker().input("x", {2}).floats("w", {2}, {3, 4}).node("Relu", {"x"}, "y").output("w");
  expect_near(run(constant), {3, 4});
}

TEST(OnnxOperators, ReshapesMadeForOneBatchFollowTheNewOne) {
  ModelMaker maker =
      ModelMaker().input("x", {1, 2, 3}).integers("s", {2}, {1, 6}).node("Reshape", {"x", "s"}, "y").output("y");
  ImportOptions options;
  options.batch = 5;
  const Model model = loaded(maker, options);
  EXPECT_EQ(model.graph.value(model.graph.outputs()[0]).type.shape, (Shape{5, 6}));
  EXPECT_EQ(model.notes.size(), 2u) << "of the input and of the reshape";
  EXPECT_TRUE(loaded(maker).notes.empty());
}

TEST(OnnxOperators, ConcatLeavesEmptyPiecesOut) {
  const auto joined = [](const std::vector<int64_t>& empty) {
    ModelMaker maker;
    maker.input("x", {1, 2}).floats("none", empty, {}).node("Relu", {"x"}, "r").node("Concat", {"r", "none"}, "y");
    maker.attribute("axis", int64_t{1}).output("y");
    return maker;
  };
  expect_near(run(joined({1, 0})), {0, 0.5});
  const std::vector<std::string> names = op_names(loaded(joined({1, 0})).graph);
  EXPECT_EQ(std::ranges::count(names, "concat"), 0);
  EXPECT_NE(joined({3, 0}).refusal(), "") << "extents that do not fit are refused all the same";
}

}  // namespace
}  // namespace engine::onnx
