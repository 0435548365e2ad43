// SPDX-License-Identifier: Apache-2.0
// Models whose shapes depend on data: read with a first pass, run by a plan, checked in each step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/ops/data_dependent.h"
#include "engine/runtime/lazy_values.h"
#include "engine/runtime/plan.h"
#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

/// A model read with a first pass, on one thread.
class ByData {
 public:
  explicit ByData(const ModelMaker& maker) : backend_(cpu_backend()), values_(*backend_, 1) {
    ImportOptions options;
    options.evaluate = [this](const Graph& graph, ValueId id) { return values_.value(graph, id); };
    Result<Model> model = maker.load(options);
    if (!model) {
      error_ = model.error().message;
      return;
    }
    counts_ = model->data_dependent;
    inputs_ = model->inputs;
    for (const ModelOutput& output : model->outputs)
      outputs_.insert(outputs_.end(), output.values.begin(), output.values.end());
    graph_ = std::make_shared<const Graph>(std::move(model->graph));
    Result<std::unique_ptr<Plan>> plan = Plan::make(graph_, *backend_);
    if (!plan) error_ = plan.error().message;
    else plan_ = std::move(*plan);
  }
  const std::string& error() const { return error_; }
  const std::map<std::string, int64_t>& counts() const { return counts_; }
  const Graph& graph() const { return *graph_; }
  /// All outputs, one behind the other. Empty, and the test fails: the model was refused.
  std::vector<double> run() {
    EXPECT_EQ(error_, "");
    if (plan_ == nullptr) return {};
    plan_->run_step(0, nullptr);
    EXPECT_EQ(misfit(), "");
    std::vector<double> all;
    for (const ValueId id : outputs_) {
      const std::vector<double> values = elements(plan_->tensor(id));
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
  /// Why a step with these elements of the first input does not fit; empty: it does.
  std::string misfit(const std::vector<double>& values) {
    const Tensor& input = plan_->tensor(inputs_[0]);
    for (size_t i = 0; i < values.size(); ++i) input.set_flat(static_cast<int64_t>(i), values[i]);
    plan_->run_step(0, nullptr);
    return misfit();
  }

 private:
  std::string misfit() const {
    for (const ops::SizeCheck& check : ops::size_checks(*graph_)) {
      const auto found = static_cast<int64_t>(plan_->tensor(check.found).get_flat(0));
      if (const Result<void> fits = ops::check_size(*graph_, check, found); !fits) return fits.error().message;
    }
    return "";
  }

  std::unique_ptr<Backend> backend_;
  LazyValues values_;
  std::string error_;
  std::map<std::string, int64_t> counts_;
  std::vector<ValueId> inputs_, outputs_;
  std::shared_ptr<const Graph> graph_;
  std::unique_ptr<Plan> plan_;
};

/// x = 0, 0.25, 0.5, 0.75; `large` says where it is above 0.3.
ModelMaker flags() {
  return ModelMaker().input("x", {4}).floats("limit", {}, {0.3F}).node("Greater", {"x", "limit"}, "large");
}

/// `count` (i64 scalar): how many are.
ModelMaker counted() {
  ModelMaker maker = flags();
  maker.node("Cast", {"large"}, "ones").attribute("to", int64_t{::onnx::TensorProto::INT64});
  maker.node("ReduceSum", {"ones"}, "count").attribute("keepdims", int64_t{0});
  return maker;
}

/// The same as a vector of one.
ModelMaker counted_vector() {
  ModelMaker maker = counted();
  maker.integers("front", {1}, {0}).node("Unsqueeze", {"count", "front"}, "counts");
  return maker;
}

using Values = std::vector<double>;

TEST(OnnxDataShapes, NonZeroOfComputedElements) {
  ModelMaker maker = flags().node("NonZero", {"large"}, "places").node("Shape", {"places"}, "shape");
  ByData model(maker.output("places").output("shape"));
  EXPECT_EQ(model.run(), (Values{2, 3, 1, 2}));
  EXPECT_EQ(model.counts(), (std::map<std::string, int64_t>{{"NonZero", 1}}));
}

TEST(OnnxDataShapes, WhatReadsTheResultHasItsSize) {
  ModelMaker maker = flags().node("NonZero", {"large"}, "places").integers("turn", {1}, {-1});
  maker.node("Reshape", {"places", "turn"}, "flat").node("Gather", {"x", "flat"}, "y").output("y");
  EXPECT_EQ(ByData(maker).run(), (Values{0.5, 0.75}));
}

TEST(OnnxDataShapes, NothingFoundIsATensorWithoutElements) {
  ModelMaker maker = ModelMaker().input("x", {4}).floats("limit", {}, {9}).node("Greater", {"x", "limit"}, "large");
  maker.node("NonZero", {"large"}, "places").node("Shape", {"places"}, "shape");
  EXPECT_EQ(ByData(maker.output("places").output("shape")).run(), (Values{1, 0}));
}

TEST(OnnxDataShapes, CompressAlongAnAxisAndOfALine) {
  ModelMaker line = flags().node("Compress", {"x", "large"}, "y").output("y");
  EXPECT_EQ(ByData(line).run(), (Values{0.5, 0.75}));
  ModelMaker columns = flags().input("m", {2, 4}).node("Compress", {"m", "large"}, "y").attribute("axis", int64_t{-1});
  EXPECT_EQ(ByData(columns.output("y")).run(), (Values{0.25, 0.375, 0.75, 0.875}));
}

TEST(OnnxDataShapes, UniqueGivesAllFourResults) {
  ModelMaker maker = flags().node("Cast", {"large"}, "ones").attribute("to", int64_t{::onnx::TensorProto::INT64});
  maker.node("Unique", {"ones"}, "y");
  for (const char* name : {"first", "inverse", "counts"}) maker.last_node().add_output(name);
  ByData model(maker.output("y").output("first").output("inverse").output("counts"));
  EXPECT_EQ(model.run(), (Values{0, 1, 0, 2, 0, 0, 1, 1, 2, 2}));
}

TEST(OnnxDataShapes, BoxesAreSuppressed) {
  ModelMaker maker = ModelMaker()
                         .input("x", {1, 3, 4})
                         .floats("corners", {1, 3, 4}, {0, 0, 1, 1, 0, 0, 1, 1.1F, 5, 5, 6, 6})
                         .floats("none", {}, {0})
                         .floats("scores", {1, 1, 3}, {0.5F, 0.9F, 0.7F})
                         .integers("most", {1}, {10})
                         .floats("iou", {1}, {0.5F});
  maker.node("Mul", {"x", "none"}, "zero").node("Add", {"zero", "corners"}, "boxes");
  maker.node("NonMaxSuppression", {"boxes", "scores", "most", "iou"}, "y").output("y");
  ByData model(maker);
  EXPECT_EQ(model.run(), (Values{0, 0, 1, 0, 0, 2}));
}

TEST(OnnxDataShapes, SettingsThatAreComputed) {
  struct Case {
    const char* what;
    std::function<void(ModelMaker&)> add;
    Values wanted;
  };
  const Case cases[] = {
      {"TopK",
       [](ModelMaker& m) {
         m.node("TopK", {"x", "counts"}, "y").last_node().add_output("i");
       },
       {0.75, 0.5}},
      {"Slice",
       [](ModelMaker& m) {
         m.integers("0", {1}, {0}).node("Slice", {"x", "0", "counts"}, "y");
       },
       {0, 0.25}},
      {"Expand",
       [](ModelMaker& m) {
         m.floats("1", {}, {1}).node("Expand", {"1", "counts"}, "y");
       },
       {1, 1}},
      {"Tile",
       [](ModelMaker& m) {
         m.floats("1", {1}, {1}).node("Tile", {"1", "counts"}, "y");
       },
       {1, 1}},
      {"Range",
       [](ModelMaker& m) {
         m.integers("0", {}, {0}).integers("1", {}, {1}).node("Range", {"0", "count", "1"}, "y");
       },
       {0, 1}},
      {"ConstantOfShape", [](ModelMaker& m) { m.node("ConstantOfShape", {"counts"}, "y"); }, {0, 0}},
      {"Reshape",
       [](ModelMaker& m) {
         m.node("Concat", {"counts", "counts"}, "shape").attribute("axis", int64_t{0});
         m.node("Reshape", {"x", "shape"}, "r").integers("1", {1}, {1}).node("ReduceSum", {"r", "1"}, "y");
         m.attribute("keepdims", int64_t{0});
       },
       {0.25, 1.25}},
      {"Split",
       [](ModelMaker& m) {
         m.node("Concat", {"counts", "counts"}, "sizes").attribute("axis", int64_t{0});
         m.node("Split", {"x", "sizes"}, "y").last_node().add_output("z");
       },
       {0, 0.25}},
      {"Pad",
       [](ModelMaker& m) {
         m.integers("0", {1}, {0}).node("Concat", {"0", "counts"}, "pads").attribute("axis", int64_t{0});
         m.node("Pad", {"x", "pads"}, "y");
       },
       {0, 0.25, 0.5, 0.75, 0, 0}},
      {"SequenceAt",
       [](ModelMaker& m) {
         m.node("SequenceConstruct", {"x", "x", "limit"}, "s").node("SequenceAt", {"s", "count"}, "y");
       },
       {0.30000001192092896}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    ModelMaker maker = counted_vector();
    each.add(maker);
    ByData model(maker.output("y"));
    EXPECT_EQ(model.run(), each.wanted);
    EXPECT_EQ(model.counts().size(), 1u);
    EXPECT_TRUE(model.counts().contains(each.what));
    EXPECT_EQ(model.misfit({0, 0, 0, 0}).find("node of"), 0u) << "three fewer are above the limit";
    const std::string refusal = maker.refusal();
    EXPECT_NE(refusal.find("computed at run time"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find(fmt::format("({})", each.what)), std::string::npos) << refusal;
  }
}

TEST(OnnxDataShapes, BranchesAndLoopsFollowTheData) {
  ModelMaker branch = counted().integers("one", {}, {1}).node("Greater", {"count", "one"}, "many");
  branch.node("If", {"many"}, "y");
  for (const auto& [name, op] : {std::pair{"then_branch", "Neg"}, std::pair{"else_branch", "Relu"}}) {
    ::onnx::GraphProto& graph = inner_graph(branch, name);
    add_node(graph, op, {"x"}, "r");
    graph.add_output()->set_name("r");
  }
  EXPECT_EQ(ByData(branch.output("y")).run(), (Values{0, -0.25, -0.5, -0.75}));

  // Doubles x while its largest element is below 5: 0.75, 1.5, 3, 6.
  ModelMaker loop = ModelMaker().input("x", {4}).integers("most", {}, {100}).floats("five", {}, {5});
  loop.node("Loop", {"most", "", "x"}, "y");
  ::onnx::GraphProto& body = inner_graph(loop, "body");
  for (const char* name : {"pass", "going", "before"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"before", "before"}, "after");
  add_node(body, "ReduceMax", {"after"}, "largest");
  add_node(body, "Less", {"largest", "five"}, "still");
  for (const char* name : {"still", "after"}) body.add_output()->set_name(name);
  ByData model(loop.output("y"));
  EXPECT_EQ(model.run(), (Values{0, 2, 4, 6}));
  EXPECT_EQ(model.counts(), (std::map<std::string, int64_t>{{"Loop", 3}}));
  EXPECT_NE(model.misfit({0, 0, 0, 9}).find("[known_values]"), std::string::npos);
}

TEST(OnnxDataShapes, AStepWithOtherDataIsRefusedByName) {
  ByData model(flags().node("NonZero", {"large"}, "places").output("places"));
  EXPECT_EQ(model.misfit({1, 0, 1, 0}), "") << "two elsewhere";
  const std::string why = model.misfit({1, 1, 1, 0});
  EXPECT_NE(why.find("node of places: [non_zero] the data give 3 results, but gave 2"), std::string::npos) << why;
}

TEST(OnnxDataShapes, InputsOfIntegersDecideOnlyWhereTheyAreGiven) {
  ModelMaker maker = ModelMaker().input("n", {1}, ::onnx::TensorProto::INT64).floats("one", {}, {1});
  maker.node("Mul", {"n", "n"}, "square").node("Expand", {"one", "square"}, "y").output("y");
  const std::string why = ByData(maker).error();
  EXPECT_NE(why.find("node of y\" (Expand)"), std::string::npos) << why;
  EXPECT_NE(why.find("the graph input n decides about extents"), std::string::npos) << why;
}

TEST(OnnxDataShapes, WhatCannotBeRunNamesNodeOperatorAndReason) {
  ModelMaker maker = counted_vector().integers("axis", {1}, {0}).floats("m", {1, 2}, {1, 2});
  maker.node("Reshape", {"m", "counts"}, "fits").node("TopK", {"limit", "counts"}, "y").output("y");
  const std::string why = ByData(maker).error();
  EXPECT_NE(why.find("\"node of y\" (TopK)"), std::string::npos) << why;
}

}  // namespace
}  // namespace engine::onnx
