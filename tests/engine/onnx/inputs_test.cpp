// SPDX-License-Identifier: Apache-2.0
// Open dimensions, inputs that decide about extents, and what stands in inputs of integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/ops/quantized_fusion.h"
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
  for (const int64_t extent : {int64_t{-1}, int64_t{-4}, int64_t{1} << 62}) {
    ImportOptions options;
    options.numbers["sequence"] = {extent};
    const std::string message = language_model().refusal(options);
    for (const std::string& part : {std::string("input \"tokens\""), std::to_string(extent)}) {
      EXPECT_NE(message.find(part), std::string::npos) << extent << ": " << message;
    }
    EXPECT_EQ(extent > 0, message.find("dimension 1 (\"sequence\")") == std::string::npos) << message;
  }
}

/// x of these extents beside 2 rows of [.., 3].
ModelMaker joined(const std::vector<int64_t>& dims) {
  return ModelMaker()
      .input("x", dims)
      .floats("w", {2, 3}, {1, 2, 3, 4, 5, 6})
      .node("Concat", {"x", "w"}, "y")
      .attribute("axis", int64_t{0})
      .output("y");
}

TEST(OnnxInputs, ABatchThatNoInputHasIsRefused) {
  ImportOptions eight;
  eight.batch = 8;
  const std::string scalar = ModelMaker().input("x", {}).node("Relu", {"x"}, "y").output("y").refusal(eight);
  EXPECT_NE(scalar.find("no input has a leading extent that 8 could be"), std::string::npos) << scalar;
  const std::string none = ModelMaker().floats("w", {2}, {1, 2}).node("Relu", {"w"}, "y").output("y").refusal(eight);
  EXPECT_NE(none.find("no input has a leading extent"), std::string::npos) << none;
}

TEST(OnnxInputs, AnExtentOfZeroIsThatOfAnEmptyTensor) {
  Result<Model> model = joined({0, 3}).load();
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->graph.value(model->inputs[0]).type.shape, (Shape{0, 3}));
  EXPECT_EQ(model->batch, 0) << "nothing that a batch could be";
  EXPECT_TRUE(model->notes.empty());
  const Result<std::vector<Tensor>> outputs = run_model(*cpu_backend(), std::move(*model));
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(elements((*outputs)[0]), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  ImportOptions four;
  four.batch = 4;
  EXPECT_NE(joined({0, 3}).refusal(four).find("input \"x\" has a fixed leading extent of 0, so 4 cannot be its batch"),
            std::string::npos)
      << joined({0, 3}).refusal(four);

  // Of other axes, and of what is taken of it: of no elements the sum is 0 and the product's sums are as well.
  ModelMaker sums = ModelMaker().input("x", {2, 0}).floats("w", {0, 3}, {}).node("MatMul", {"x", "w"}, "y").output("y");
  Result<Model> product = sums.load();
  ASSERT_TRUE(product.ok()) << product.error().message;
  const Result<std::vector<Tensor>> zeros = run_model(*cpu_backend(), std::move(*product));
  ASSERT_TRUE(zeros.ok()) << zeros.error().message;
  EXPECT_EQ(elements((*zeros)[0]), (std::vector<double>(6, 0)));

  ImportOptions none;
  none.numbers["sequence"] = {0};
  Result<Model> tokens = language_model().load(none);
  ASSERT_TRUE(tokens.ok()) << tokens.error().message;
  EXPECT_EQ(tokens->graph.value(tokens->outputs[0].values[0]).type.shape, (Shape{1, 0, 2}));
  const Result<std::vector<Tensor>> nothing = run_model(*cpu_backend(), std::move(*tokens));
  ASSERT_TRUE(nothing.ok()) << nothing.error().message;
  EXPECT_TRUE(elements((*nothing)[0]).empty());
}

// Some exporters write -1 for what they leave open; only a leading dimension can do without a name.
TEST(OnnxInputs, NegativeExtentsAreOpenOrRefused) {
  const Result<Model> open = joined({-1, 3}).load();
  ASSERT_TRUE(open.ok()) << open.error().message;
  EXPECT_EQ(open->graph.value(open->inputs[0]).type.shape, (Shape{1, 3}));
  EXPECT_EQ(open->batch, 1);
  ASSERT_EQ(open->notes.size(), 1u);
  EXPECT_EQ(open->notes[0], "input \"x\": its leading dimension is -1, which leaves it open; 1 is taken");
  const std::string second = joined({2, -1}).refusal(), seventh = joined({-7, 3}).refusal(),
                    large = joined({int64_t{1} << 40, int64_t{1} << 40}).refusal();
  EXPECT_NE(second.find("input \"x\": dimension 1 is -1, which leaves it open, and has no name"), std::string::npos)
      << second;
  EXPECT_NE(seventh.find("input \"x\": dimension 0 = -7 is negative"), std::string::npos) << seventh;
  EXPECT_NE(large.find("input \"x\": field dims: f32 1099511627776x1099511627776 has more bytes than 2^63 - 1"),
            std::string::npos)
      << large;
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

Shape input_shape(const Model& model, size_t i) { return model.graph.value(model.inputs[i]).type.shape; }

TEST(OnnxInputs, ABatchLeavesFixedExtentsAsTheyAre) {
  // x [batch, 6], a mask [1, 6] and a table [4, 6] that are no samples.
  ModelMaker maker = ModelMaker()
                         .input("x", {1, 6})
                         .input("mask", {1, 6})
                         .input("table", {4, 6})
                         .node("Add", {"x", "mask"}, "y")
                         .node("Add", {"table", "mask"}, "z")
                         .output("y")
                         .output("z");
  open_dimension(maker, 0, 0, "samples");
  ImportOptions options;
  options.batch = 5;
  const Result<Model> model = maker.load(options);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(input_shape(*model, 0), (Shape{5, 6}));
  EXPECT_EQ(input_shape(*model, 1), (Shape{1, 6}));
  EXPECT_EQ(input_shape(*model, 2), (Shape{4, 6}));
  EXPECT_EQ(model->batch, 5);
  const auto notes = std::ranges::count_if(
      model->notes, [](const std::string& note) { return note.find("is fixed at") != note.npos; });
  EXPECT_EQ(notes, 2) << "of the mask and of the table";
}

TEST(OnnxInputs, AFixedLeadingExtentIsRefusedWhereNothingIsOpen) {
  ImportOptions options;
  options.batch = 5;
  const std::string message = ModelMaker().input("x", {8, 6}).node("Relu", {"x"}, "y").output("y").refusal(options);
  EXPECT_NE(message.find("input \"x\" has a fixed leading extent of 8, so 5 cannot be its batch"), std::string::npos)
      << message;
  options.batch = 8;
  EXPECT_EQ(ModelMaker().input("x", {8, 6}).node("Relu", {"x"}, "y").output("y").refusal(options), "")
      << "it is so already";
}

TEST(OnnxInputs, OneSampleBecomesABatchIfTheOutputsFollow) {
  const auto model = [](const char* type) {
    ModelMaker maker = ModelMaker().input("x", {1, 6}).node(type, {"x"}, "y").output("y");
    auto& shape = *maker.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.clear_dim();
    for (const int64_t extent :
         std::string(type) == "Transpose" ? std::vector<int64_t>{6, 1} : std::vector<int64_t>{1, 6})
      shape.add_dim()->set_dim_value(extent);
    return maker;
  };
  ImportOptions options;
  options.batch = 3;
  const Result<Model> relu = model("Relu").load(options);
  ASSERT_TRUE(relu.ok()) << relu.error().message;
  EXPECT_EQ(input_shape(*relu, 0), (Shape{3, 6}));
  EXPECT_TRUE(std::ranges::any_of(
      relu->notes, [](const std::string& note) { return note.find("taken as the batch, it becomes 3") != note.npos; }));
  const std::string message = model("Transpose").refusal(options);
  EXPECT_NE(message.find("output \"y\" becomes 6x3 with a batch of 3"), std::string::npos) << message;
  EXPECT_EQ(model("Transpose").refusal(), "") << "without --batch";
}

TEST(OnnxInputs, TheDimensionCalledBatchIsTheBatchWhereverItStands) {
  // Steps first, as recurrent networks have it.
  ModelMaker maker = ModelMaker().input("x", {1, 1, 6}).node("Relu", {"x"}, "y").output("y");
  open_dimension(maker, 0, 0, "steps");
  open_dimension(maker, 0, 1, "batch_size");
  ImportOptions options;
  options.batch = 4;
  options.numbers["steps"] = {7};
  const Result<Model> model = maker.load(options);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(input_shape(*model, 0), (Shape{7, 4, 6}));
  options.numbers["batch_size"] = {9};
  EXPECT_NE(maker.refusal(options).find("two extents"), std::string::npos) << maker.refusal(options);
}

int64_t parameters(const ModelMaker& maker) {
  const Result<Model> model = maker.load();
  EXPECT_TRUE(model.ok()) << (model ? "" : model.error().message);
  return model ? model->graph.parameter_count() : -1;
}

TEST(OnnxInputs, ParametersAreTheFilesWeightsNotWhatFoldingMadeOfThem) {
  const std::vector<float> six{1, 2, 3, 4, 5, 6};
  // A weight that is transposed before use (folded) counts once, and not again where it is used as it is.
  EXPECT_EQ(parameters(ModelMaker()
                           .input("x", {2, 3})
                           .floats("w", {2, 3}, six)
                           .node("Transpose", {"w"}, "t")
                           .node("MatMul", {"x", "t"}, "y")
                           .output("y")),
            6);
  EXPECT_EQ(parameters(ModelMaker()
                           .input("x", {2, 3})
                           .floats("w", {2, 3}, six)
                           .node("Transpose", {"w"}, "t")
                           .node("MatMul", {"x", "t"}, "y")
                           .node("Add", {"w", "x"}, "z")
                           .output("y")
                           .output("z")),
            6);
  // A mask that is computed of shapes, a scale and a limit are no parameters.
  EXPECT_EQ(parameters(ModelMaker()
                           .input("x", {2, 3})
                           .floats("w", {3}, {1, 2, 3})
                           .floats("scale", {}, {0.5F})
                           .integers("shape", {2}, {2, 3})
                           .node("ConstantOfShape", {"shape"}, "mask")
                           .floats("w2", {3, 2}, six)
                           .node("Add", {"x", "mask"}, "masked")
                           .node("Mul", {"masked", "scale"}, "scaled")
                           .node("Add", {"scaled", "w"}, "sum")
                           .node("MatMul", {"sum", "w2"}, "y")
                           .output("y")),
            9);
}

TEST(OnnxInputs, ParametersOfQuantisedModelsAreTheirIntegers) {
  ModelMaker maker = ModelMaker()
                         .input("x", {2, 3})
                         .floats("s", {3}, {0.1F, 0.2F, 0.3F})
                         .node("DequantizeLinear", {"w", "s", "z"}, "wf")
                         .attribute("axis", int64_t{0});
  maker.node("MatMul", {"x", "wf"}, "y").output("y");
  for (const auto& [name, dims, bytes] :
       {std::tuple{"w", std::vector<int64_t>{3, 2}, "123456"}, {"z", {3}, "\0\0\0"}}) {
    Proto& tensor = *maker.graph().add_initializer();
    tensor.set_name(name);
    for (const int64_t extent : dims) tensor.add_dims(extent);
    tensor.set_data_type(Proto::INT8);
    tensor.set_raw_data(std::string(bytes, dims.size() == 2 ? 6 : 3));
  }
  EXPECT_EQ(parameters(maker), 6) << "neither scales nor zero points";
}

/// As onnxruntime quantises: weights however small are not computed at import, but become part of a quantised
/// convolution.
TEST(OnnxInputs, QuantisedConvolutionsAreFoundInModels) {
  ModelMaker maker = ModelMaker()
                         .input("x", {1, 2, 4, 4})
                         .floats("xs", {}, {0.1F})
                         .floats("ws", {3}, {0.1F, 0.2F, 0.3F})
                         .floats("ys", {}, {0.5F})
                         .floats("bs", {3}, {0.01F, 0.02F, 0.03F});
  maker.node("QuantizeLinear", {"x", "xs", "xz"}, "xq").node("DequantizeLinear", {"xq", "xs", "xz"}, "xd");
  maker.node("DequantizeLinear", {"w", "ws"}, "wd")
      .attribute("axis", int64_t{0})
      .node("DequantizeLinear", {"b", "bs"}, "bd")
      .attribute("axis", int64_t{0});
  maker.node("Conv", {"xd", "wd", "bd"}, "c").node("QuantizeLinear", {"c", "ys", "xz"}, "y").output("y");
  const auto whole = [&](const char* name, const std::vector<int64_t>& dims, auto dtype, const std::string& bytes) {
    Proto& tensor = *maker.graph().add_initializer();
    tensor.set_name(name);
    for (const int64_t extent : dims) tensor.add_dims(extent);
    tensor.set_data_type(dtype);
    tensor.set_raw_data(bytes);
  };
  whole("w", {3, 2, 1, 1}, Proto::INT8, "123456");
  whole("b", {3}, Proto::INT32, std::string(12, '\1'));
  whole("xz", {}, Proto::UINT8, std::string(1, '\3'));
  const Result<Model> model = maker.load();
  ASSERT_TRUE(model.ok()) << model.error().message;
  const std::optional<Graph> folded = fold_quantized(model->graph);
  ASSERT_TRUE(folded.has_value());
  for (const Node& node : folded->nodes()) EXPECT_NE(node.op->name, "dequantize_linear");
  EXPECT_EQ(folded->nodes().back().op->name, "qlinear_conv");
  EXPECT_EQ(folded->nodes().back().inputs.size(), 9u) << "with the bias";
  EXPECT_EQ(folded->parameter_count(), model->graph.parameter_count());
}

}  // namespace
}  // namespace engine::onnx
