// SPDX-License-Identifier: Apache-2.0
// Well-formed files with wrong graphs: each refusal names node and field.
#include <gtest/gtest.h>

#include <limits>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

constexpr int64_t kHuge = int64_t{1} << 40;

void expect_refusal(const ModelMaker& maker, std::initializer_list<std::string_view> parts,
                    const ImportOptions& options = {}) {
  const std::string message = maker.refusal(options);
  EXPECT_NE(message, "") << "was not refused";
  EXPECT_NE(message.find("made.onnx: "), std::string::npos) << message;
  for (const std::string_view part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
}

/// x [1,2] -> y = Relu(x): what the tests below damage.
ModelMaker relu() { return ModelMaker().input("x", {1, 2}).node("Relu", {"x"}, "y").output("y"); }

/// x [1,2,8,8], w [4,2,3,3] -> y = Conv(x, w).
ModelMaker conv() {
  return ModelMaker()
      .input("x", {1, 2, 8, 8})
      .floats("w", {4, 2, 3, 3}, std::vector<float>(72, 1))
      .node("Conv", {"x", "w"}, "y")
      .output("y");
}

ModelMaker max_pool() { return ModelMaker().input("x", {1, 2, 8, 8}).node("MaxPool", {"x"}, "y").output("y"); }

ModelMaker constant_of_shape(const std::vector<int64_t>& extents) {
  return ModelMaker()
      .input("x", {1, 2})
      .integers("shape", {static_cast<int64_t>(extents.size())}, extents)
      .node("ConstantOfShape", {"shape"}, "c")
      .output("c");
}

TEST(MalformedGraph, WhatTheTestsDamageIsSound) {
  EXPECT_EQ(relu().refusal(), "");
  EXPECT_EQ(conv().refusal(), "");
  EXPECT_EQ(max_pool().attribute("kernel_shape", {2, 2}).refusal(), "");
  EXPECT_EQ(constant_of_shape({2, 3}).refusal(), "");
}

TEST(MalformedGraph, Header) {
  expect_refusal(ModelMaker(), {"graph"});
  expect_refusal(ModelMaker().input("x", {1, 2}).output("x"), {"graph.node", "empty"});
  expect_refusal(ModelMaker(9999).input("x", {1, 2}).node("Relu", {"x"}, "y").output("y"),
                 {"opset_import", "9999", "not between 1 and 1000"});
  expect_refusal(ModelMaker(0).input("x", {1, 2}).node("Relu", {"x"}, "y").output("y"), {"opset_import", "opset 0 "});
  ModelMaker no_opset = relu();
  no_opset.model.clear_opset_import();
  expect_refusal(no_opset, {"opset_import"});
  ModelMaker no_version = relu();
  no_version.model.clear_ir_version();
  expect_refusal(no_version, {"ir_version"});
  ModelMaker no_output = relu();
  no_output.graph().clear_output();
  expect_refusal(no_output, {"graph.output"});
}

TEST(MalformedGraph, UnsupportedOperatorsAreAllNamedAndCounted) {
  ModelMaker maker = relu();
  maker.node("StringNormalizer", {"y"}, "a")
      .node("Gradient", {"a"}, "b")
      .node("StringNormalizer", {"b"}, "c")
      .node("Relu", {"c"}, "d");
  maker.last_node().set_domain("com.acme");
  expect_refusal(maker,
                 {"3 operators are not supported", "StringNormalizer (2x)", "Gradient (1x)", "com.acme.Relu (1x)"});
  // Inside a branch that is never taken as well: what a file needs is said at once.
  ModelMaker inner = relu().floats("c", {}, {1}).node("If", {"c"}, "z");
  for (const char* branch : {"then_branch", "else_branch"}) {
    ::onnx::AttributeProto& attribute = *inner.last_node().add_attribute();
    attribute.set_name(branch);
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    attribute.mutable_g()->add_node()->set_op_type("StringNormalizer");
  }
  expect_refusal(inner, {"StringNormalizer (2x)"});
}

TEST(MalformedGraph, NamesThatMeanNothingOrTwoThings) {
  expect_refusal(ModelMaker().input("x", {1, 2}).node("Relu", {"z"}, "y").output("y"),
                 {"node of y", "Relu", "\"z\"", "undefined"});
  expect_refusal(ModelMaker().input("x", {1, 2}).node("Add", {"x", "b"}, "a").node("Relu", {"a"}, "b").output("b"),
                 {"node of a", "\"b\"", "cycle", "node of b"});
  expect_refusal(ModelMaker().input("x", {1, 2}).node("Add", {"x", "a"}, "a").output("a"), {"node of a", "cycle"});
  expect_refusal(relu().node("Sigmoid", {"x"}, "y"), {"\"y\"", "twice", "Relu"});
  expect_refusal(relu().node("Sigmoid", {"y"}, "x"), {"\"x\"", "twice", "graph input"});
  expect_refusal(relu().input("x", {1, 2}), {"input \"x\"", "twice"});
  expect_refusal(relu().floats("w", {1}, {1}).floats("w", {1}, {1}), {"\"w\"", "twice"});
  expect_refusal(relu().output("z"), {"output \"z\"", "undefined"});
  expect_refusal(relu().node("Relu", {}, "z"), {"node of z", "input 0", "missing"});
  ModelMaker nameless = relu();
  nameless.last_node().set_output(0, "");
  expect_refusal(nameless, {"output 0 is missing"});
}

TEST(MalformedGraph, MissingInitializer) {
  ModelMaker maker = conv();
  maker.graph().clear_initializer();
  expect_refusal(maker, {"node of y", "input 1 \"w\"", "undefined"});
}

TEST(MalformedGraph, SecondOutputsWeDoNotMake) {
  ModelMaker maker = relu();
  maker.last_node().add_output("more");
  EXPECT_EQ(maker.refusal(), "");  // unused: no harm
  expect_refusal(maker.output("more"), {"more", "output 1 of", "Relu"});
}

TEST(MalformedGraph, InputTypes) {
  const auto with_input = [](const std::vector<int64_t>& dims, int32_t type) {
    return ModelMaker().input("x", dims, type).node("Relu", {"x"}, "y").output("y");
  };
  expect_refusal(with_input({1, -2}, 1), {"input \"x\"", "dimension 1 = -2"});
  expect_refusal(with_input({kHuge, kHuge}, 1), {"input \"x\"", "dims", "2^63"});
  expect_refusal(with_input({kHuge, 1 << 22}, 1), {"2^63"});  // the elements fit, their bytes do not
  expect_refusal(with_input(std::vector<int64_t>(40, 1), 1), {"40 axes"});
  expect_refusal(with_input({1, 2}, 8), {"data_type", "STRING"});
  expect_refusal(with_input({1, 2}, 77), {"data_type", "77"});
  ModelMaker no_type = relu();
  no_type.graph().mutable_input(0)->clear_type();
  expect_refusal(no_type, {"input \"x\"", "no tensor"});
  ModelMaker no_shape = relu();
  no_shape.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  expect_refusal(no_shape, {"input \"x\"", "shape"});
}

TEST(MalformedGraph, OpenDimensions) {
  ModelMaker maker = relu();
  auto& shape = *maker.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(0)->set_dim_param("N");
  Result<Model> model = maker.load();
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->graph.value(model->inputs[0]).type.shape, (Shape{1, 2}));
  EXPECT_EQ(model->notes.size(), 1u);
  shape.mutable_dim(1)->set_dim_param("width");
  expect_refusal(maker, {"input \"x\"", "dimension 1", "width"});
}

TEST(MalformedGraph, Initializers) {
  const auto damaged = [](auto damage) {
    ModelMaker maker = conv();
    damage(*maker.graph().mutable_initializer(0));
    return maker;
  };
  using Proto = ::onnx::TensorProto;
  expect_refusal(damaged([](Proto& t) { t.set_dims(0, -4); }), {"node of y", "initializer \"w\"", "dims", "-4"});
  expect_refusal(damaged([](Proto& t) {
                   t.set_dims(0, kHuge);
                   t.set_dims(1, kHuge);
                 }),
                 {"initializer \"w\"", "2^63"});
  expect_refusal(damaged([](Proto& t) { t.set_dims(0, kHuge); }), {"initializer \"w\"", "has 72"});
  expect_refusal(damaged([](Proto& t) { t.set_raw_data(std::string(100, '\0')); }),
                 {"raw_data", "has 100", "need 288"});
  expect_refusal(damaged([](Proto& t) { t.set_raw_data(std::string(289, '\0')); }), {"raw_data", "has 289"});
  expect_refusal(damaged([](Proto& t) { t.clear_float_data(); }), {"initializer \"w\"", "has 0"});
  expect_refusal(damaged([](Proto& t) { t.set_data_type(Proto::STRING); }), {"data_type", "STRING"});
  expect_refusal(damaged([](Proto& t) { t.set_data_location(Proto::EXTERNAL); }), {"external_data", "no location"});
  expect_refusal(damaged([](Proto& t) { t.add_external_data()->set_value("../../etc/passwd"); }), {"external"});
  expect_refusal(damaged([](Proto& t) { t.mutable_segment(); }), {"segment"});
  expect_refusal(damaged([](Proto& t) { t.set_name(""); }), {"graph.initializer", "no name"});
  ModelMaker sparse = conv();
  sparse.graph().add_sparse_initializer();
  expect_refusal(sparse, {"sparse_initializer"});
}

TEST(MalformedGraph, Convolution) {
  expect_refusal(conv().attribute("group", int64_t{0}), {"node of y", "Conv", "attribute group: 0"});
  expect_refusal(conv().attribute("group", int64_t{3}), {"node of y"});
  expect_refusal(conv().attribute("strides", {0, 1}), {"attribute strides: 0"});
  expect_refusal(conv().attribute("strides", {-1, 1}), {"attribute strides: -1"});
  expect_refusal(conv().attribute("strides", {1, 1, 1}), {"attribute strides", "3 entries"});
  expect_refusal(conv().attribute("strides", {std::numeric_limits<int64_t>::max(), 1}), {"attribute strides"});
  expect_refusal(conv().attribute("dilations", {0, 1}), {"attribute dilations: 0"});
  expect_refusal(conv().attribute("dilations", {4, 4}), {"kernel_shape", "9 pixels", "has 8"});
  expect_refusal(conv().attribute("pads", {-1, 0, 0, 0}), {"attribute pads: -1"});
  expect_refusal(conv().attribute("kernel_shape", {5, 5}), {"kernel_shape", "differs"});
  expect_refusal(conv().attribute("auto_pad", std::string("SAME")), {"auto_pad"});
  expect_refusal(conv().attribute("strides", 2.0F), {"attribute strides", "FLOAT", "INTS"});
  expect_refusal(conv().attribute("group", int64_t{1}).attribute("group", int64_t{2}), {"\"group\"", "twice"});
  expect_refusal(conv().attribute("colour", int64_t{1}), {"\"colour\"", "not supported"});
  ModelMaker four_axes =
      ModelMaker().input("x", {1, 2, 8, 8, 8, 8}).floats("w", {4, 2, 3, 3}, std::vector<float>(72, 1));
  expect_refusal(four_axes.node("Conv", {"x", "w"}, "y").output("y"), {"1x2x8x8x8x8", "one to three spatial axes"});
  ModelMaker channels = ModelMaker().input("x", {1, 3, 8, 8}).floats("w", {4, 2, 3, 3}, std::vector<float>(72, 1));
  expect_refusal(channels.node("Conv", {"x", "w"}, "y").output("y"), {"node of y", "Conv"});
}

TEST(MalformedGraph, Pooling) {
  expect_refusal(max_pool(), {"MaxPool", "kernel_shape", "missing"});
  expect_refusal(max_pool().attribute("kernel_shape", {9, 9}), {"kernel_shape", "9 pixels", "has 8"});
  expect_refusal(max_pool().attribute("kernel_shape", {2, 0}), {"attribute kernel_shape: 0"});
  expect_refusal(max_pool().attribute("kernel_shape", {2, 2}).attribute("strides", {0, 0}), {"attribute strides: 0"});
  expect_refusal(max_pool().attribute("kernel_shape", {2, 2}).attribute("pads", {2, 0, 0, 0}),
                 {"attribute pads", "smaller than the kernel"});
  // Where windows have holes each tap is an op, too.
  ModelMaker average = ModelMaker(19).input("x", {1, 2, 1, 4096}).node("AveragePool", {"x"}, "y").output("y");
  expect_refusal(average.attribute("kernel_shape", {1, 1025}).attribute("dilations", {1, 2}), {"kernel_shape", "1024"});
  // Each tap of a maximum of integers is an op: not as many as a file likes.
  expect_refusal(ModelMaker()
                     .input("x", {1, 1, 2000, 2000}, ::onnx::TensorProto::UINT8)
                     .node("MaxPool", {"x"}, "y")
                     .attribute("kernel_shape", {600, 600})
                     .output("y"),
                 {"1024 taps"});
}

TEST(MalformedGraph, AbsurdConstantsAreRefusedBeforeTheyAreMade) {
  expect_refusal(constant_of_shape({kHuge}), {"ConstantOfShape", "shape", "this machine has"});  // 4 TiB
  expect_refusal(constant_of_shape({kHuge, kHuge}), {"ConstantOfShape", "dims", "2^63"});
  expect_refusal(constant_of_shape({-1}), {"ConstantOfShape", "-1", "negative"});
  expect_refusal(constant_of_shape(std::vector<int64_t>(40, 1)), {"ConstantOfShape", "40 axes"});
  expect_refusal(constant_of_shape(std::vector<int64_t>(1000, 1)), {"ConstantOfShape", "1000"});
}

TEST(MalformedGraph, ShapesThatDoNotFit) {
  const auto reshape = [](const std::vector<int64_t>& target) {
    return ModelMaker()
        .input("x", {2, 6})
        .integers("s", {static_cast<int64_t>(target.size())}, target)
        .node("Reshape", {"x", "s"}, "y")
        .output("y");
  };
  EXPECT_EQ(reshape({3, -1}).refusal(), "");
  expect_refusal(reshape({5, -1}), {"node of y", "Reshape"});
  expect_refusal(reshape({-1, -1}), {"Reshape"});
  expect_refusal(reshape({-2, 6}), {"Reshape"});
  expect_refusal(reshape({kHuge, kHuge}), {"Reshape"});
  expect_refusal(reshape({1, 12, 0}), {"Reshape", "axis 2"});
  expect_refusal(ModelMaker().input("x", {2, 6}).input("s", {2}, 7).node("Reshape", {"x", "s"}, "y").output("y"),
                 {"input 1", "must be a constant"});
  expect_refusal(ModelMaker().input("x", {2, 6}).floats("s", {2}, {3, 4}).node("Reshape", {"x", "s"}, "y").output("y"),
                 {"vector of i64"});
  expect_refusal(ModelMaker().input("x", {2, 6}).input("z", {5, 6}).node("Add", {"x", "z"}, "y").output("y"),
                 {"node of y", "Add"});
  expect_refusal(ModelMaker().input("x", {2, 6}).input("z", {2, 6}, 11).node("Add", {"x", "z"}, "y").output("y"),
                 {"node of y", "Add"});
  expect_refusal(ModelMaker().input("x", {2, 6}).input("z", {5, 6}).node("MatMul", {"x", "z"}, "y").output("y"),
                 {"node of y", "MatMul"});
  expect_refusal(ModelMaker().input("x", {2, 6}).input("z", {5, 6, 1}).node("Gemm", {"x", "z"}, "y").output("y"),
                 {"node of y", "matrices"});
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1, 2, 2}, {3, 1}, {2, 5}}) {
    expect_refusal(ModelMaker()
                       .input("x", {2, 6})
                       .input("w", {6, 2})
                       .input("c", shape)
                       .node("Gemm", {"x", "w", "c"}, "y")
                       .output("y"),
                   {"node of y", "input C", "does not broadcast to the product, 2x2"});
  }
  expect_refusal(ModelMaker().input("x", {2, 6}).node("Transpose", {"x"}, "y").attribute("perm", {0, 0}).output("y"),
                 {"perm"});
  expect_refusal(ModelMaker().input("x", {2, 6}).node("Softmax", {"x"}, "y").attribute("axis", int64_t{2}).output("y"),
                 {"axis: 2"});
  expect_refusal(ModelMaker().input("x", {2, 6}).node("Flatten", {"x"}, "y").attribute("axis", int64_t{9}).output("y"),
                 {"axis: 9"});
  expect_refusal(ModelMaker().input("x", {2, 6}).integers("a", {1}, {0}).node("Squeeze", {"x", "a"}, "y").output("y"),
                 {"Squeeze"});
  expect_refusal(ModelMaker().input("x", {2, 6}).integers("a", {1}, {7}).node("Unsqueeze", {"x", "a"}, "y").output("y"),
                 {"axis 7"});
  expect_refusal(
      ModelMaker().input("x", {2, 6}).integers("a", {2}, {0, 0}).node("Unsqueeze", {"x", "a"}, "y").output("y"),
      {"twice"});
  expect_refusal(ModelMaker().input("x", {2, 6}).integers("a", {1}, {2}).node("ReduceSum", {"x", "a"}, "y").output("y"),
                 {"ReduceSum"});
}

TEST(MalformedGraph, RandomDropoutIsRefused) {
  ModelMaker maker = ModelMaker().input("x", {1, 2}).floats("ratio", {}, {0.5}).floats("training", {}, {1});
  maker.node("Dropout", {"x", "ratio", "training"}, "y").output("y");
  expect_refusal(maker, {"training_mode"});
  maker.graph().mutable_initializer(0)->set_float_data(0, 0);  // drops nothing
  EXPECT_EQ(maker.refusal(), "");
}

// A name may be looked up, a layer named and a value added for each of many nodes without the work
// growing with its square.
TEST(MalformedGraph, ManyNodesAreReadInReasonableTime) {
  ModelMaker maker = ModelMaker().input("x", {1, 2});
  std::string last = "x";
  for (int i = 0; i < 20'000; ++i) {
    const std::string next = "v" + std::to_string(i);
    maker.node("Relu", {last}, next);
    last = next;
  }
  maker.output(last);
  const Result<Model> model = maker.load();
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->graph.nodes().size(), 20'000u);
}

}  // namespace
}  // namespace engine::onnx
