// SPDX-License-Identifier: Apache-2.0
// Open dimensions, inputs that decide about extents, and what stands in inputs of integers.
#include <gtest/gtest.h>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

using Proto = ::onnx::TensorProto;

/// Gives dimension `axis` of input `index` a name instead of an extent.
void open_dimension(ModelMaker& maker, int index, int axis, const std::string& name) {
  auto& shape = *maker.graph().mutable_input(index)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(axis)->set_dim_param(name);
}

/// Tokens [batch, length] picked from a table of 5 rows, and a mask [batch, length].
ModelMaker language_model() {
  ModelMaker maker = ModelMaker()
                         .input("tokens", {1, 1}, Proto::INT64)
                         .input("mask", {1, 1}, Proto::INT64)
                         .floats("table", {5, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
                         .node("Gather", {"table", "tokens"}, "y")
                         .node("Add", {"mask", "mask"}, "twice")
                         .output("y")
                         .output("twice");
  for (const int input : {0, 1}) {
    open_dimension(maker, input, 0, "batch_size");
    open_dimension(maker, input, 1, "sequence");
  }
  return maker;
}

TEST(OnnxInputs, NamedDimensionsAreAskedForAllAtOnce) {
  ModelMaker maker = language_model();
  open_dimension(maker, 1, 1, "mask_length");
  const std::string message = maker.refusal();
  for (const char* part :
       {"\"sequence\" (dimension 1 of input \"tokens\")", "\"mask_length\" (dimension 1 of input \"mask\")", "=128"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(OnnxInputs, NamedDimensionsTakeTheirExtent) {
  ImportOptions options;
  options.batch = 3;
  options.numbers["sequence"] = {7};
  const Result<Model> model = language_model().load(options);
  ASSERT_TRUE(model.ok()) << model.error().message;
  for (const ValueId input : model->inputs) EXPECT_EQ(model->graph.value(input).type.shape, (Shape{3, 7}));
  EXPECT_EQ(model->graph.value(model->outputs[0].values[0]).type.shape, (Shape{3, 7, 2}));
  options.numbers["colour"] = {1};
  const Result<Model> unknown = language_model().load(options);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().kind, ErrorKind::usage);
  EXPECT_NE(unknown.error().message.find("colour"), std::string::npos);
}

TEST(OnnxInputs, NumbersMustFitTheirType) {
  ModelMaker maker = ModelMaker().input("x", {2}, Proto::UINT8).node("Identity", {"x"}, "y").output("y");
  ImportOptions options;
  options.numbers["x"] = {7, 300};
  const Result<Model> model = maker.load(options);
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message.find("u8, which does not hold 300"), std::string::npos) << model.error().message;
  options.numbers["x"] = {7, 255};
  EXPECT_EQ(maker.refusal(options), "");
}

// The name of the leading dimension means the same wherever it stands.
TEST(OnnxInputs, TheBatchHasItsNameEverywhere) {
  ModelMaker maker = ModelMaker().input("t", {4, 1}).input("x", {1, 4}).node("MatMul", {"x", "t"}, "y").output("y");
  open_dimension(maker, 0, 1, "N");
  open_dimension(maker, 1, 0, "N");
  const Result<Model> one = maker.load();
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_EQ(one->graph.value(one->outputs[0].values[0]).type.shape, (Shape{1, 1}));
  ImportOptions options;
  options.numbers["N"] = {6};
  const Result<Model> six = maker.load(options);
  ASSERT_TRUE(six.ok()) << six.error().message;
  EXPECT_EQ(six->graph.value(six->outputs[0].values[0]).type.shape, (Shape{6, 6}));
}

TEST(OnnxInputs, BadExtentsAreRefused) {
  for (const int64_t extent : {int64_t{0}, int64_t{-4}, int64_t{1} << 62}) {
    ImportOptions options;
    options.numbers["sequence"] = {extent};
    EXPECT_NE(language_model().refusal(options), "") << extent;
  }
}

TEST(OnnxInputs, TokensAreAnyThatThereAreAndMasksAreOnes) {
  ImportOptions options;
  options.numbers["sequence"] = {64};
  Result<Model> model = language_model().load(options);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const Fill& tokens = model->graph.value(model->inputs[0]).fill;
  EXPECT_EQ(tokens.kind, Fill::Kind::integers);
  EXPECT_EQ(tokens.b, 5);
  const Result<std::vector<Tensor>> outputs = run_model(*cpu_backend(), std::move(*model));
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  for (const double value : elements((*outputs)[0])) EXPECT_TRUE(value >= 0 && value <= 9) << value;
  for (const double value : elements((*outputs)[1])) EXPECT_EQ(value, 2);
}

TEST(OnnxInputs, InputsThatDecideAboutExtentsAreNamedAndTaken) {
  const ModelMaker maker = ModelMaker()
                               .input("x", {2, 6})
                               .input("shape", {2}, Proto::INT64)
                               .node("Reshape", {"x", "shape"}, "y")
                               .output("y");
  EXPECT_NE(maker.refusal().find("give its elements (as in shape=2,3)"), std::string::npos) << maker.refusal();
  ImportOptions options;
  options.numbers["shape"] = {3, 4};
  const Result<Model> model = maker.load(options);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->inputs.size(), 1u);
  EXPECT_EQ(model->graph.value(model->outputs[0].values[0]).type.shape, (Shape{3, 4}));
  options.numbers = {{"x", {1}}};
  const Result<Model> floats = maker.load(options);
  ASSERT_FALSE(floats.ok());
  EXPECT_NE(floats.error().message.find("only inputs of integers"), std::string::npos) << floats.error().message;
}

// Shape arithmetic as exporters write it: batch and heads from Shape, Gather, Concat; nothing of it runs.
TEST(OnnxInputs, ShapeArithmeticFolds) {
  ModelMaker maker = ModelMaker()
                         .input("x", {2, 6, 4})
                         .integers("zero", {1}, {0})
                         .integers("rest", {1}, {-1})
                         .node("Shape", {"x"}, "shape")
                         .node("Gather", {"shape", "zero"}, "batch")
                         .node("Concat", {"batch", "rest"}, "target");
  maker.attribute("axis", int64_t{0}).node("Reshape", {"x", "target"}, "y").output("y");
  const Result<Model> model = maker.load();
  ASSERT_TRUE(model.ok()) << model.error().message;
  ASSERT_EQ(model->graph.nodes().size(), 1u);
  EXPECT_EQ(model->graph.nodes()[0].op->name, "reshape");
  EXPECT_EQ(model->graph.value(model->outputs[0].values[0]).type.shape, (Shape{2, 24}));
}

}  // namespace
}  // namespace engine::onnx
