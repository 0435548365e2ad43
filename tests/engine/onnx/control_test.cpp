// SPDX-License-Identifier: Apache-2.0
// Branches, loops and recurrent layers: what comes out, and how much a file may ask for.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

/// x doubled `trips` times.
ModelMaker doubling(int64_t trips) {
  ModelMaker maker =
      ModelMaker().input("x", {2}).integers("trips", {}, {trips}).node("Loop", {"trips", "", "x"}, "y").output("y");
  ::onnx::GraphProto& body = inner_graph(maker, "body");
  for (const char* name : {"pass", "going", "before"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"before", "before"}, "after");
  add_node(body, "Identity", {"going"}, "still_going");
  for (const char* name : {"still_going", "after"}) body.add_output()->set_name(name);
  return maker;
}

TEST(OnnxControl, LoopsAreWrittenPassByPass) {
  EXPECT_EQ(run(doubling(3)), (std::vector<double>{0, 4}));
  EXPECT_EQ(run(doubling(0)), (std::vector<double>{0, 0.5}));
  const Result<Model> model = doubling(3).load();
  EXPECT_EQ(model->graph.nodes()[2].layer, "node of y.2.after");
}

TEST(OnnxControl, LoopsHaveABound) {
  EXPECT_NE(doubling(std::numeric_limits<int64_t>::max()).refusal().find("loops more than"), std::string::npos);
}

TEST(OnnxControl, ConditionsMustBeKnown) {
  ModelMaker maker =
      ModelMaker().input("x", {2}).input("c", {1}, ::onnx::TensorProto::BOOL).node("If", {"c"}, "y").output("y");
  for (const char* branch : {"then_branch", "else_branch"}) {
    ::onnx::GraphProto& graph = inner_graph(maker, branch);
    add_node(graph, "Relu", {"x"}, "r");
    graph.add_output()->set_name("r");
  }
  EXPECT_NE(maker.refusal().find("computed at run time"), std::string::npos) << maker.refusal();
}

// Each branch holds the next: refused in words, long before the stack ends.
TEST(OnnxControl, GraphsInGraphsHaveADepth) {
  ::onnx::GraphProto deepest;
  add_node(deepest, "Relu", {"x"}, "r");
  deepest.add_output()->set_name("r");
  for (int depth = 0; depth < 20; ++depth) {
    ::onnx::GraphProto outer;
    add_node(outer, "If", {"c"}, "r");
    for (const char* branch : {"then_branch", "else_branch"}) {
      if (std::string(branch) == "else_branch" && depth > 0) continue;  // or the file would double with each level
      ::onnx::AttributeProto& attribute = *outer.mutable_node(0)->add_attribute();
      attribute.set_name(branch);
      attribute.set_type(::onnx::AttributeProto::GRAPH);
      *attribute.mutable_g() = deepest;
    }
    outer.add_output()->set_name("r");
    deepest = outer;
  }
  ModelMaker maker = ModelMaker().input("x", {2}).floats("c", {}, {1});
  *maker.graph().add_node() = deepest.node(0);
  maker.output("r");
  EXPECT_NE(maker.refusal().find("more than 16 deep"), std::string::npos) << maker.refusal();
  size_t named = 0;
  for (size_t at = maker.refusal().find("node \""); at != std::string::npos;
       at = maker.refusal().find("node \"", at + 1))
    ++named;
  EXPECT_EQ(named, 2u) << maker.refusal();  // the outermost and the innermost
}

// A terabyte asked for by a few bytes: described, never made; the plan refuses it.
TEST(OnnxControl, AbsurdExtentsAreNotComputedAtImport) {
  for (const char* type : {"Expand", "ConstantOfShape", "Tile"}) {
    ModelMaker maker = ModelMaker().floats("one", {1}, {1}).integers("huge", {1}, {int64_t{1} << 40});
    std::vector<std::string> inputs{"one", "huge"};
    if (std::string(type) == "ConstantOfShape") inputs = {"huge"};
    maker.node(type, inputs, "y").node("Relu", {"y"}, "z").output("z");
    Result<Model> model = maker.load();
    if (!model) continue;  // more than this machine has
    EXPECT_FALSE(run_model(*cpu_backend(), std::move(*model)).ok()) << type;
  }
}

/// An LSTM [steps, 1 sample, 2 inputs] of 2 units; `clip` makes it one that our op has not.
ModelMaker lstm(float clip) {
  std::vector<float> w, r, b;
  for (int i = 0; i < 16; ++i) w.push_back(0.1F * static_cast<float>(i % 7) - 0.25F);
  for (int i = 0; i < 16; ++i) r.push_back(0.05F * static_cast<float>(i % 5) - 0.1F);
  for (int i = 0; i < 16; ++i) b.push_back(0.03F * static_cast<float>(i));
  ModelMaker maker =
      ModelMaker(14).input("x", {5, 1, 2}).floats("w", {1, 8, 2}, w).floats("r", {1, 8, 2}, r).floats("b", {1, 16}, b);
  maker.node("LSTM", {"x", "w", "r", "b"}, "y").attribute("hidden_size", int64_t{2}).output("y");
  if (clip > 0) maker.attribute("clip", clip);
  return maker;
}

TEST(OnnxControl, APlainLstmIsOneOpAndEqualsItsSteps) {
  const std::vector<double> plain = run(lstm(0)), steps = run(lstm(1e6F));
  ASSERT_EQ(plain.size(), steps.size());
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(plain[i], steps[i], 1e-6) << i;
  const auto count = [](const ModelMaker& maker) {
    const Result<Model> model = maker.load();
    return std::ranges::count_if(model->graph.nodes(), [](const Node& node) { return node.op->name == "lstm"; });
  };
  EXPECT_EQ(count(lstm(0)), 1);
  EXPECT_EQ(count(lstm(1e6F)), 0);
}

/// A function of the model, "acme.Leaky": y = LeakyRelu(x, alpha) + b, b optional.
::onnx::FunctionProto& leaky(ModelMaker& maker) {
  ::onnx::FunctionProto& function = *maker.model.add_functions();
  function.set_domain("acme"), function.set_name("Leaky");
  for (const char* name : {"x", "b"}) function.add_input(name);
  function.add_output("y");
  ::onnx::AttributeProto& fallback = *function.add_attribute_proto();
  fallback.set_name("slope"), fallback.set_type(::onnx::AttributeProto::FLOAT), fallback.set_f(0.5F);
  ::onnx::NodeProto& node = *function.add_node();
  node.set_op_type("LeakyRelu"), node.add_input("x"), node.add_output("y");
  ::onnx::AttributeProto& alpha = *node.add_attribute();
  alpha.set_name("alpha"), alpha.set_type(::onnx::AttributeProto::FLOAT), alpha.set_ref_attr_name("slope");
  ::onnx::OperatorSetIdProto& opset = *function.add_opset_import();
  opset.set_domain(""), opset.set_version(17);
  return function;
}

TEST(OnnxControl, AFunctionOfTheModelIsItsNodes) {
  ModelMaker maker(17);
  maker.floats("w", {2}, {-2, 4}).input("x", {2}).node("Mul", {"x", "w"}, "p").node("Leaky", {"p"}, "q");
  maker.last_node().set_domain("acme");
  maker.node("Sub", {"q", "w"}, "r").node("Leaky", {"r"}, "y");  // x = {0, 0.5}: p = {0, 2}, r = {2, -2}
  maker.last_node().set_domain("acme");
  maker.attribute("slope", 0.25F).output("y");
  leaky(maker);
  EXPECT_EQ(run(maker), (std::vector<double>{2, -0.5}));
}

TEST(OnnxControl, AFunctionThatIsWrongIsRefused) {
  const auto called = [](const std::vector<std::string>& inputs) {
    ModelMaker maker(17);
    maker.input("x", {2}).node("Leaky", inputs, "y").output("y");
    maker.last_node().set_domain("acme");
    return maker;
  };
  ModelMaker many = called({"x", "x", "x"});
  leaky(many);
  EXPECT_NE(many.refusal().find("has 2 inputs"), std::string::npos) << many.refusal();
  ModelMaker unsupported = called({"x"});
  leaky(unsupported).mutable_node(0)->set_op_type("Nonesuch");
  EXPECT_NE(unsupported.refusal().find("Nonesuch (1x)"), std::string::npos) << unsupported.refusal();
  ModelMaker endless = called({"x"});
  ::onnx::FunctionProto& function = leaky(endless);
  function.mutable_node(0)->set_op_type("Leaky"), function.mutable_node(0)->set_domain("acme");
  EXPECT_NE(endless.refusal().find("nested more than"), std::string::npos) << endless.refusal();
}

}  // namespace
}  // namespace engine::onnx
