// SPDX-License-Identifier: Apache-2.0
// Graphs go through an ONNX file and compute the same: every workload, every op with every example.
#include "engine/onnx/save.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/onnx/node_writer.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"
#include "tests/engine/onnx/model_maker.h"
#include "tests/support/op_examples.h"

namespace engine::onnx {
namespace {

using Outputs = std::vector<std::vector<double>>;

/// Outputs after one step; empty: this graph does not run on one device.
Outputs outputs_of(const Graph& graph, Backend& backend) {
  const auto shared = std::make_shared<const Graph>(graph);
  const auto plan = Plan::make(shared, backend);
  if (!plan) return {};
  (*plan)->run_step(0, nullptr);
  Outputs all;
  for (const ValueId id : graph.outputs()) all.push_back(test::values((*plan)->tensor(id)));
  return all;
}

/// The largest difference, in units of the largest element; infinity where one is NaN and the other is not.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double scale = 0, most = 0;
  for (const double x : a) scale = std::isfinite(x) ? std::max(scale, std::abs(x)) : scale;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double difference = std::abs(a[i] - b[i]) / std::max(scale, 1e-30);
    most = std::isnan(difference) ? INFINITY : std::max(most, difference);
  }
  return most;
}

double distance(const Outputs& a, const Outputs& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, distance(a[i], b[i]));
  return most;
}

Result<Model> loaded(const SavedModel& saved) {
  const ScratchFolder folder;
  return load_model(folder.write("saved.onnx", saved.bytes));
}

Graph built(const Workload& workload, const Arguments& more) {
  Arguments settings = workload.small;
  for (const auto& [key, value] : more) {
    const bool known = std::ranges::any_of(workload.parameters, [&](const Parameter& p) {
      return p.name == key && std::ranges::find(p.choices, value) != p.choices.end();
    });
    if (known) settings[key] = value;
  }
  return *build_graph(workload, *resolve(workload, settings));
}

/// Training: every op, attribute, layer and role comes back, and the bits of the results.
TEST(SaveOnnx, TrainingGraphsComeBackAsTheyWere) {
  const auto backend = *cpu::make_backend(1);
  int computed = 0;
  for (const Workload& workload : workloads()) {
    const Graph graph = built(workload, {});
    const bool trains =
        std::ranges::any_of(graph.nodes(), [](const Node& node) { return node.phase != Phase::forward; });
    const Result<SavedModel> saved = save_model(graph, workload.title, 1);
    if (!trains) continue;
    SCOPED_TRACE(workload.name);
    ASSERT_TRUE(saved.ok()) << saved.error().message;
    const Result<Model> model = loaded(*saved);
    ASSERT_TRUE(model.ok()) << model.error().message;
    const Graph& again = model->graph;
    ASSERT_EQ(again.nodes().size(), graph.nodes().size());
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      const Node &was = graph.nodes()[i], &is = again.nodes()[i];
      ASSERT_EQ(is.op, was.op) << i;
      ASSERT_EQ(is.attributes, was.attributes) << i;
      ASSERT_EQ(is.layer, was.layer) << i;
      ASSERT_EQ(is.phase, was.phase) << i;
      for (size_t k = 0; k < was.outputs.size(); ++k) {
        ASSERT_EQ(again.value(is.outputs[k]).role, graph.value(was.outputs[k]).role) << i;
        ASSERT_EQ(again.value(is.outputs[k]).type, graph.value(was.outputs[k]).type) << i;
      }
    }
    EXPECT_TRUE(saved->whole);
    EXPECT_EQ(again.parameter_count(), graph.parameter_count());
    const Outputs before = outputs_of(graph, *backend), after = outputs_of(again, *backend);
    EXPECT_EQ(distance(before, after), 0);
    computed += before.empty() ? 0 : 1;
  }
  EXPECT_GE(computed, 12);
}

/// Forward alone: standard operators but for what ONNX has not, and the same results.
TEST(SaveOnnx, ForwardGraphsComputeTheSame) {
  const auto backend = *cpu::make_backend(1);
  int computed = 0, standard = 0;
  for (const Workload& workload : workloads()) {
    SCOPED_TRACE(workload.name);
    const Graph graph = built(workload, {{"mode", "inference"}});
    const Result<SavedModel> saved = save_model(graph, workload.title, 1);
    ASSERT_TRUE(saved.ok()) << saved.error().message;
    const Result<Model> model = loaded(*saved);
    ASSERT_TRUE(model.ok()) << model.error().message;
    const Outputs before = outputs_of(graph, *backend);
    if (before.empty()) continue;
    EXPECT_LT(distance(before, outputs_of(model->graph, *backend)), 2e-5);
    ++computed;
    standard += saved->own.empty() ? 1 : 0;
  }
  EXPECT_GE(computed, 25);
  EXPECT_GE(standard, 18);
}

/// One op over leaves: inputs, or but for the first constants; what it overwrites is a state.
Graph graph_of(const Op& op, const test::OpExample& example, bool constants) {
  GraphBuilder builder;
  const std::vector<Tensor> operands = test::make_operands(example, DType::float32);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string name = "operand" + std::to_string(i);
    const TensorType type = TensorType::contiguous(operands[i].dtype(), operands[i].shape());
    const bool overwritten = std::ranges::find(op.in_place, static_cast<int>(i)) != op.in_place.end();
    const ValueId id = overwritten ? builder.state(name, type, example.inputs[i].fill)
                       : constants && i > 0
                           ? builder.constant(name, test::copy_as(operands[i], type))
                           : builder.input(name, type, example.inputs[i].fill, test::copy_as(operands[i], type));
    inputs.push_back(id);
  }
  builder.set_layer("only");
  const std::vector<ValueId> outputs = builder.append(op, inputs, example.attributes);
  if (builder.failed()) return *builder.finish();
  builder.mark_output(outputs[0]);
  Result<Graph> graph = builder.finish();
  return graph ? *std::move(graph) : Graph{};
}

/// Every rule writes something that reads back as the same function; no rule is dead.
TEST(SaveOnnx, EveryOpComputesTheSameAfterwards) {
  const auto backend = *cpu::make_backend(1);
  std::set<std::string_view> standard, computed;
  for (const Op* op : op_catalog()) {
    for (const test::OpExample& example : test::examples_of(op->name)) {
      for (const bool constants : {false, true}) {
        SCOPED_TRACE(std::string(op->name) + ", " + example.label + (constants ? ", constants" : ""));
        const Graph graph = graph_of(*op, example, constants);
        if (graph.nodes().empty() || op->name == "fused") continue;
        const Result<SavedModel> saved = save_model(graph, "one op", 1);
        ASSERT_TRUE(saved.ok()) << saved.error().message;
        if (saved->own.empty()) standard.insert(op->name);
        Outputs before = outputs_of(graph, *backend);
        if (before.empty()) continue;
        const Result<Model> model = loaded(*saved);
        EXPECT_TRUE(model.ok()) << model.error().message;
        if (!model) continue;
        Graph again = model->graph;
        GraphBuilder given(std::move(again));  // inputs are open in the file
        for (const Value& value : graph.values()) {
          const std::optional<ValueId> id = given.graph().find(value.name);
          if (value.kind == ValueKind::input && id) given.give(*id, value.data);
        }
        const Outputs after = outputs_of(*given.finish(), *backend);
        EXPECT_LT(distance(before, after), 2e-5);
        computed.insert(op->name);
      }
    }
  }
  EXPECT_GT(computed.size(), 150u);
  EXPECT_GE(standard.size(), 130u);  // of those that have one somewhere
  for (const Op* op : op_catalog())
    EXPECT_TRUE(find_standard(op->name) == nullptr || standard.contains(op->name)) << op->name << " has a dead rule";
}

/// Names, layouts and fills of inputs, names of outputs, layers.
TEST(SaveOnnx, NamesOfInputsAndOutputsStay) {
  GraphBuilder builder;
  const ValueId x =
      builder.input("images", TensorType::channels_last(DType::float32, {2, 3, 4, 4}), Fill{Fill::Kind::normal, 0, 1});
  builder.set_layer("net.relu");
  builder.mark_output(ops::relu(builder, x));
  const Result<SavedModel> saved = save_model(*builder.finish(), "tiny", 1);
  ASSERT_TRUE(saved.ok());
  EXPECT_EQ(saved->opset, 18);
  EXPECT_TRUE(saved->own.empty() && !saved->whole);
  const Result<Model> model = loaded(*saved);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const Value& input = model->graph.value(model->inputs.at(0));
  EXPECT_EQ(input.name, "images");
  EXPECT_EQ(input.type, TensorType::channels_last(DType::float32, {2, 3, 4, 4}));
  EXPECT_EQ(input.fill.kind, Fill::Kind::normal);
  EXPECT_EQ(model->graph.nodes().at(0).layer, "net.relu");
  EXPECT_EQ(model->outputs.at(0).name, "net.relu.relu");
  ImportOptions larger;
  larger.batch = 5;
  const ScratchFolder folder;
  const Result<Model> five = load_model(folder.write("saved.onnx", saved->bytes), larger);
  ASSERT_FALSE(five.ok());
  EXPECT_NE(five.error().message.find("fixed leading extent of 2"), std::string::npos) << five.error().message;
}

TensorType floats(Shape shape, DType dtype = DType::float32) { return TensorType::contiguous(dtype, std::move(shape)); }

/// What is overwritten and put out as it is afterwards, and a view that repeats: no op is added.
TEST(SaveOnnx, LeavesAndViewsAreOutputsOfTrainingGraphs) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", floats({2}), Fill{Fill::Kind::ones});
  const ValueId x = builder.input("x", floats({2}), Fill{Fill::Kind::ones});
  const ValueId repeated = ops::expand(builder, ops::unsqueeze(builder, x, 0), {3, 2});
  builder.append1(*find_op("sgd"), {w, x}, {{"rate", 0.1}, {"weight_decay", 0.0}});
  builder.mark_output(w);
  builder.mark_output(repeated);
  const Graph graph = *builder.finish();
  const Result<SavedModel> saved = save_model(graph, "step", 1);
  ASSERT_TRUE(saved.ok()) << saved.error().message;
  const Result<Model> model = loaded(*saved);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->graph.nodes().size(), graph.nodes().size());
  EXPECT_EQ(model->graph.value(model->graph.outputs().at(0)).name, "w");
}

std::string written_with(const std::function<ValueId(GraphBuilder&)>& build, int64_t* opset = nullptr) {
  GraphBuilder builder;
  builder.mark_output(build(builder));
  const Result<Graph> graph = builder.finish();
  if (!graph) return "no graph: " + graph.error().message;
  const Result<SavedModel> saved = save_model(*graph, "one", 1);
  if (!saved) return saved.error().message;
  if (opset != nullptr) *opset = saved->opset;
  return saved->own.empty() ? "standard" : "own";
}

/// The opset follows from dtypes; what ONNX has not in a dtype, or cannot hold in it, stays an op of ours.
TEST(SaveOnnx, DtypesDecideAboutTheOpset) {
  const auto of = [](DType dtype, const auto& op) {
    return [dtype, op](GraphBuilder& b) { return op(b, b.input("x", floats({1, 1, 4, 4}, dtype), Fill{})); };
  };
  const auto pool = [](GraphBuilder& b, ValueId x) { return ops::global_average_pool(b, x); };
  int64_t opset = 0;
  EXPECT_EQ(written_with(of(DType::float32, pool), &opset), "standard");
  EXPECT_EQ(opset, 18);
  EXPECT_EQ(written_with(of(DType::bfloat16, pool), &opset), "standard");
  EXPECT_EQ(opset, 22);
  const auto scaled = [](double factor, double shift) {
    return [=](GraphBuilder& b, ValueId x) { return ops::scale(b, x, factor, shift); };
  };
  EXPECT_EQ(written_with(of(DType::float32, scaled(0.1, 3))), "standard");
  EXPECT_EQ(written_with(of(DType::bfloat16, scaled(0.5, 0))), "standard");
  EXPECT_EQ(written_with(of(DType::bfloat16, scaled(0.1, 0))), "own");  // bf16 does not hold 0.1
  EXPECT_EQ(written_with(of(DType::float16, scaled(100, -1e5))), "own");
  EXPECT_EQ(written_with(of(DType::float64, [](GraphBuilder& b, ValueId x) { return ops::leaky_relu(b, x, 0.1); })),
            "own");
  EXPECT_EQ(written_with(of(DType::float64, [](GraphBuilder& b, ValueId x) { return ops::leaky_relu(b, x, 0.5); })),
            "standard");
}

TEST(SaveOnnx, WhatNoFileCanHoldIsRefused) {
  GraphBuilder builder;
  ops::relu(builder, builder.input("x", floats({2}), Fill{}));
  EXPECT_NE(save_model(*builder.finish(), "none", 1).error().message.find("has no output"), std::string::npos);
  EXPECT_NE(written_with([](GraphBuilder& b) {
              return ops::matmul(b, b.input("x", floats({1, 1 << 15}), Fill{}),
                                 b.parameter("w", floats({1 << 15, 1 << 15}), Fill{}));
            }).find("over 2 GB"),
            std::string::npos);
  static const Op foreign = [] {
    Op op = *find_op("relu");
    op.name = "foreign";
    return op;
  }();
  EXPECT_NE(written_with([](GraphBuilder& b) {
              return b.append1(foreign, {b.input("x", floats({2}), Fill{})});
            }).find("foreign is an op that no file can name"),
            std::string::npos);
}

std::string refusal_of(const std::function<void(::onnx::ModelProto&)>& damage) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", TensorType::contiguous(DType::float32, {2, 2}), Fill{Fill::Kind::ones});
  const ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {2, 2}), Fill{Fill::Kind::ones});
  builder.set_phase(Phase::update);
  builder.mark_output(builder.append1(*find_op("sgd"), {w, x}, {{"rate", 0.1}, {"weight_decay", 0.0}}));
  const Result<SavedModel> saved = save_model(*builder.finish(), "step", 1);
  EXPECT_TRUE(saved.ok());
  ::onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(saved->bytes));
  damage(model);
  SavedModel damaged;
  model.SerializeToString(&damaged.bytes);
  const Result<Model> read = loaded(damaged);
  return read ? "" : read.error().message;
}

/// Files in our own domain come from strangers, too.
TEST(SaveOnnx, DamagedOwnFilesAreRefusedByName) {
  const auto expect = [](const std::function<void(::onnx::ModelProto&)>& damage, const std::string& words) {
    EXPECT_NE(refusal_of(damage).find(words), std::string::npos) << refusal_of(damage);
  };
  EXPECT_EQ(refusal_of([](auto&) {}), "");
  const auto note = [](auto& proto, const std::string& text) { proto.mutable_metadata_props(0)->set_value(text); };
  expect([](auto& m) { m.mutable_graph()->mutable_node(0)->set_op_type("sgdd"); }, "tensortide.sgdd (1x)");
  expect([](auto& m) { m.mutable_opset_import()->RemoveLast(); }, "tensortide.sgd (1x)");
  expect(
      [](auto& m) {
        auto& rate = *m.mutable_graph()->mutable_node(0)->mutable_attribute(0);
        rate.clear_t(), rate.set_type(::onnx::AttributeProto::INT), rate.set_i(3);
      },
      "has type INT, must be TENSOR");
  expect([](auto& m) { *m.mutable_graph()->mutable_node(0)->add_attribute() = m.graph().node(0).attribute(0); },
         "twice");
  expect(
      [&](auto& m) {
        note(*m.mutable_graph()->mutable_input(0), R"({"kind":"state","role":"input","fill":["ones",0,0]})");
      },
      "an input is nothing else");
  expect([](auto& m) { m.mutable_opset_import(1)->set_version(2); }, "domain tensortide has version 2");
  expect([](auto& m) { m.mutable_graph()->mutable_node(0)->add_input("x"); }, "operands");
  expect([](auto& m) { m.mutable_graph()->mutable_node(0)->add_output("more"); }, "roles: has not one role per output");
  expect([](auto& m) { m.mutable_graph()->mutable_node(0)->mutable_attribute(0)->set_name("rat"); },
         "is no attribute of any op");
  expect([](auto& m) { m.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_t()->clear_double_data(); },
         "attribute rate");
  expect([&](auto& m) { note(*m.mutable_graph()->mutable_initializer(0), "{"); }, "no JSON object");
  expect([&](auto& m) { note(*m.mutable_graph()->mutable_initializer(0), R"({"kind":"guest"})"); }, "kind");
  expect(
      [&](auto& m) {
        note(*m.mutable_graph()->mutable_initializer(0), R"({"kind":"state","role":"weight","fill":["odd",0,0]})");
      },
      "fill");
  expect(
      [&](auto& m) {
        note(*m.mutable_graph()->mutable_initializer(0),
             R"({"kind":"parameter","role":"weight","fill":["ones",0,0],"strides":[1,1]})");
      },
      "strides");
  expect([&](auto& m) { note(*m.mutable_graph()->mutable_node(0), R"({"layer":"a","phase":"later"})"); }, "phase");
  expect(
      [&](auto& m) {
        note(*m.mutable_graph()->mutable_node(0), R"({"layer":"a","phase":"update","roles":["guest"]})");
      },
      "roles");
}

}  // namespace
}  // namespace engine::onnx
