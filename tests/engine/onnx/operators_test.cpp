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

/// A group norm as exporters write it, of a convolution's image [2, 6, 3, 5], which lies channels last.
struct WrittenGroupNorm {
  std::vector<int64_t> as = {0, 2, -1}, back = {2, 6, 3, 5};
  std::vector<std::string> outputs = {"y", "image"};

  ModelMaker model() const {
    std::vector<float> weights(6 * 4);
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = 0.1f * static_cast<float>(i % 7) - 0.2f;
    const int64_t groups = as[1];
    std::vector<float> scale(static_cast<size_t>(groups)), bias(scale.size());
    for (size_t g = 0; g < scale.size(); ++g)
      scale[g] = 1 + static_cast<float>(g), bias[g] = 0.5f - static_cast<float>(g);
    ModelMaker maker(17);
    maker.input("x", {2, 4, 3, 5}).floats("w", {6, 4, 1, 1}, weights);
    maker.floats("scale", {groups}, scale).floats("bias", {groups}, bias);
    maker.integers("as", {static_cast<int64_t>(as.size())}, as);
    maker.integers("back", {static_cast<int64_t>(back.size())}, back);
    maker.node("Conv", {"x", "w"}, "image").node("Reshape", {"image", "as"}, "grouped");
    maker.node("InstanceNormalization", {"grouped", "scale", "bias"}, "normal");
    maker.node("Reshape", {"normal", "back"}, "y");
    for (const std::string& name : outputs) maker.output(name);
    return maker;
  }
};

/// It is the op that it means, and nothing is copied for it. Where the reshape means something else, it stays.
TEST(OnnxOperators, GroupNormWrittenAsReshapesIsOneOp) {
  const auto count = [](const WrittenGroupNorm& written, std::string_view op) {  // of ops that put out all elements
    const Model model = loaded(written.model());
    return std::ranges::count_if(model.graph.nodes(), [&](const Node& node) {
      return node.op->name == op && model.graph.value(node.outputs[0]).type.elements() == 180;
    });
  };
  const std::unique_ptr<Backend> backend = cpu_backend();
  for (const int64_t groups : {1, 2, 3, 6}) {
    for (const std::vector<int64_t>& back : {std::vector<int64_t>{2, 6, 3, 5}, {2, -1, 3, 5}, {2, 3, 30}, {12, 15}}) {
      const WrittenGroupNorm written{.as = {0, groups, -1}, .back = back};
      SCOPED_TRACE(testing::Message() << groups << " groups, back to " << to_string(back));
      EXPECT_EQ(count(written, "group_norm"), 1);
      EXPECT_EQ(count(written, "contiguous"), back.size() == 4 ? 0 : 1);
      const auto got = run_model(*backend, loaded(written.model()));
      ASSERT_TRUE(got) << got.error().message;
      const std::vector<double> y = elements((*got)[0]), image = elements((*got)[1]);
      const size_t length = image.size() / static_cast<size_t>(2 * groups);
      std::vector<double> wanted;
      for (size_t i = 0; i < image.size(); i += length) {
        double sum = 0, squares = 0;
        for (size_t k = i; k < i + length; ++k) sum += image[k];
        const double mean = sum / static_cast<double>(length), g = static_cast<double>(i / length % groups);
        for (size_t k = i; k < i + length; ++k) squares += (image[k] - mean) * (image[k] - mean);
        for (size_t k = i; k < i + length; ++k)
          wanted.push_back((image[k] - mean) / std::sqrt(squares / static_cast<double>(length) + 1e-5) * (1 + g) + 0.5 -
                           g);
      }
      ASSERT_EQ(y.size(), wanted.size());
      for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], wanted[i], 2e-4) << i;
    }
  }
  const std::vector<std::string> with_grouped{"y", "grouped"};
  EXPECT_EQ(count({.outputs = with_grouped}, "contiguous"), 1) << "the rows are a result of their own";
  EXPECT_EQ(count({.as = {6, 2, -1}}, "contiguous"), 1) << "its samples are not the image's";
  EXPECT_EQ(count({.as = {2, 15, -1}}, "contiguous"), 1) << "no group holds whole channels";
  const WrittenGroupNorm twice{.back = {-1, -1, 3, 5}};
  EXPECT_NE(twice.model().refusal(), "") << "as where nothing is undone";
  ModelMaker turned = WrittenGroupNorm().model();  // lies neither way: one copy, as it is written
  turned.graph().mutable_node(1)->set_input(0, "turned");
  turned.node("Transpose", {"image"}, "turned").attribute("perm", {0, 1, 3, 2});
  for (int i = 3; i > 0; --i) turned.graph().mutable_node()->SwapElements(i, i + 1);
  const Model model = loaded(turned);
  EXPECT_EQ(std::ranges::count_if(model.graph.nodes(),
                                  [&](const Node& node) {
                                    return node.op->name == "group_norm" &&
                                           model.graph.value(node.inputs[0]).type.rank() == 3;
                                  }),
            1);
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
