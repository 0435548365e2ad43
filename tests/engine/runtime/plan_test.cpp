// SPDX-License-Identifier: Apache-2.0
// Plans on a backend that writes a mark into each output and checks the marks of each input.
#include "engine/runtime/plan.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/base/clock.h"
#include "engine/graph/builder.h"
#include "engine/null/backend.h"
#include "engine/ops/indexing.h"
#include "tests/support/test_ops.h"

namespace engine {
namespace {

using test::kMix, test::kOverwrite, test::kReversed;

/// The mark that each address was last given, by root storage address.
using Marks = std::map<std::byte*, double>;

class MarkingOp final : public PreparedOp {
 public:
  MarkingOp(NodeId node, KernelArguments arguments, Marks& marks, int& wrong)
      : node_(node), arguments_(std::move(arguments)), marks_(marks), wrong_(wrong) {}

  void run() override {
    for (const Tensor& input : arguments_.inputs) {
      const auto mark = marks_.find(input.data());
      if (mark == marks_.end()) continue;  // written by no op: an input or a parameter
      for (int64_t i = 0; i < input.type().elements(); ++i) wrong_ += input.get_flat(i) != mark->second ? 1 : 0;
    }
    for (size_t j = 0; j < arguments_.outputs.size(); ++j) {
      const Tensor& output = arguments_.outputs[j];
      const double mark = 1 + node_ * 10.0 + static_cast<double>(j);
      for (int64_t i = 0; i < output.type().elements(); ++i) output.set_flat(i, mark);
      if (output.type().elements() > 0) marks_[output.data()] = mark;
    }
  }
  KernelFacts facts() const override { return {.name = "marking"}; }

 private:
  NodeId node_;
  KernelArguments arguments_;
  Marks& marks_;
  int& wrong_;
};

class MarkingBackend final : public Backend {
 public:
  MarkingBackend() { info_.device = {"marking", 0}; }
  const DeviceInfo& info() const override { return info_; }
  int threads() const override { return 1; }
  Result<std::shared_ptr<Storage>> allocate(int64_t bytes) override {
    allocated.push_back(bytes);
    return Storage::allocate_host(bytes);
  }
  Result<void> copy(const Tensor& from, const Tensor& to) override {
    copy_elements(from, to);
    return {};
  }
  Result<void> supports(const Node& node, const Call&) const override {
    if (node.op->name == unsupported) return usage_error("[mix] f32 is not supported on device marking");
    return {};
  }
  int64_t workspace_bytes(const Node& node, const Call&) const override { return node.id == 1 ? 1000 : 10; }
  Result<std::unique_ptr<PreparedOp>> prepare(const PrepareRequest& request) override {
    constant_inputs[request.node.id] = request.inputs_constant;
    workspaces.insert(request.workspace);
    return std::unique_ptr<PreparedOp>(std::make_unique<MarkingOp>(request.node.id, request.arguments, marks, wrong));
  }
  void synchronize() override { ++synchronized; }

  DeviceInfo info_;
  std::string unsupported;
  std::vector<int64_t> allocated;
  std::map<NodeId, std::vector<bool>> constant_inputs;
  std::set<std::byte*> workspaces;
  Marks marks;
  int wrong = 0, synchronized = 0;
};

class RandomSteps : public testing::TestWithParam<int> {};

TEST_P(RandomSteps, EachOpFindsWhatItsInputsWereGiven) {
  auto graph = std::make_shared<const Graph>(test::random_graph(static_cast<uint64_t>(GetParam()), 150, 200));
  MarkingBackend backend;
  const auto plan = *Plan::make(graph, backend);
  plan->run_step(0, nullptr);
  backend.marks.clear();
  plan->run_step(1, nullptr);
  EXPECT_EQ(backend.wrong, 0);
  EXPECT_EQ(backend.synchronized, 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSteps, testing::Range(0, 25));

TensorType vector_of(int64_t elements) { return TensorType::contiguous(DType::float32, {elements}); }

struct Recording final : Observer {
  void step_begin(uint32_t step, int64_t ticks) override {
    steps.push_back(step);
    begin = ticks;
  }
  void step_end(uint32_t step, int64_t ticks) override {
    steps.push_back(step);
    end = ticks;
  }
  void op_done(uint32_t op, int64_t begin_ticks, int64_t end_ticks) override {
    ops.push_back({op, begin_ticks, end_ticks});
  }
  struct Op {
    uint32_t id;
    int64_t begin, end;
  };
  std::vector<uint32_t> steps;
  std::vector<Op> ops;
  int64_t begin = 0, end = 0;
};

TEST(Plan, TellsItsObserverOneStampPerBoundary) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", vector_of(100), {});
  const ValueId a = builder.append1(kMix, {x});
  const ValueId view = builder.append1(kReversed, {a});
  builder.append1(kMix, {view});
  builder.append1(kMix, {a});
  MarkingBackend backend;
  const auto plan = *Plan::make(std::make_shared<const Graph>(*builder.finish()), backend);
  Recording recording;
  plan->run_step(7, &recording);
  EXPECT_EQ(recording.steps, (std::vector<uint32_t>{7, 7}));
  ASSERT_EQ(recording.ops.size(), 3u);  // the view runs nothing
  EXPECT_EQ(recording.ops[0].id, 0u);
  EXPECT_EQ(recording.ops[1].id, 2u);
  EXPECT_EQ(recording.ops[2].id, 3u);
  EXPECT_LE(recording.begin, recording.ops[0].begin);
  EXPECT_LE(recording.ops[2].end, recording.end);
  for (size_t i = 0; i < 3; ++i) EXPECT_LT(recording.ops[i].begin, recording.ops[i].end);
  for (size_t i = 1; i < 3; ++i) EXPECT_EQ(recording.ops[i].begin, recording.ops[i - 1].end);
  EXPECT_EQ(plan->kernel_name(0), "marking");
  EXPECT_EQ(plan->kernel_name(1), "view");
}

TEST(Plan, SaysWhichInputsNeverChange) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", vector_of(8), {});
  const ValueId frozen = builder.parameter("frozen", vector_of(8), {});
  const ValueId learned = builder.parameter("learned", vector_of(8), {});
  const ValueId table = builder.constant("table", *Tensor::from_values({8}, std::vector<double>(8, 2), DType::float32));
  const ValueId view = builder.append1(kReversed, {frozen});
  const ValueId y = builder.append1(kMix, {x, frozen, learned, table, view});
  builder.append1(kOverwrite, {learned, y});
  MarkingBackend backend;
  const auto plan = *Plan::make(std::make_shared<const Graph>(*builder.finish()), backend);
  EXPECT_EQ(backend.constant_inputs[1], (std::vector<bool>{false, true, false, true, true}));
  EXPECT_EQ(backend.constant_inputs[2], (std::vector<bool>{false, false}));
  EXPECT_EQ(plan->tensor(table).get_flat(3), 2);
}

TEST(Plan, SharesOneWorkspaceOfTheLargestWish) {
  auto graph = std::make_shared<const Graph>(test::random_graph(3, 20, 50));
  MarkingBackend backend;
  const auto plan = *Plan::make(graph, backend);
  const bool node_1_runs = graph->node(1).op->view == nullptr;
  EXPECT_EQ(plan->workspace_bytes(), node_1_runs ? 1000 : 10);
  EXPECT_EQ(backend.workspaces.size(), 1u);
  EXPECT_NE(*backend.workspaces.begin(), nullptr);
  const MemoryPlan& memory = plan->memory();
  EXPECT_EQ(backend.allocated,
            (std::vector<int64_t>{memory.arena_bytes, memory.persistent_bytes, plan->workspace_bytes()}));
  EXPECT_EQ(memory.total_bytes,
            static_cast<double>(memory.arena_bytes + memory.persistent_bytes + plan->workspace_bytes()));
}

TEST(Plan, FillsFromTheSeedAlikeOnEveryDevice) {
  GraphBuilder builder;
  const ValueId x =
      builder.input("x", TensorType::channels_last(DType::float32, {2, 3, 4, 5}), {Fill::Kind::normal, 0, 1});
  const ValueId w = builder.parameter("w", vector_of(50), {Fill::Kind::uniform, -1, 1});
  auto graph = std::make_shared<const Graph>(*builder.finish());
  MarkingBackend host;
  const auto null = null::make_backend();
  const auto a = *Plan::make(graph, host, {.seed = 5}), b = *Plan::make(graph, *null, {.seed = 5}),
             c = *Plan::make(graph, *null, {.seed = 6});
  const Tensor expected = *Tensor::empty(graph->value(x).type);
  fill(expected, graph->value(x).fill, 5,
       0xaf63f54c86021707);  // FNV-1a of "x": the name decides, not the graph around it
  int differ = 0;
  for (int64_t i = 0; i < 120; ++i) {
    ASSERT_EQ(a->tensor(x).get_flat(i), expected.get_flat(i));
    ASSERT_EQ(b->tensor(x).get_flat(i), expected.get_flat(i));
    differ += c->tensor(x).get_flat(i) != expected.get_flat(i) ? 1 : 0;
  }
  EXPECT_GT(differ, 100);
  EXPECT_NE(a->tensor(w).get_flat(0), a->tensor(w).get_flat(1));
}

TEST(Plan, ViewsLieInsideWhatTheyView) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", TensorType::contiguous(DType::float32, {3, 4}), {Fill::Kind::arange});
  const ValueId view = builder.append1(kReversed, {x});
  MarkingBackend backend;
  const auto plan = *Plan::make(std::make_shared<const Graph>(*builder.finish()), backend);
  EXPECT_EQ(plan->tensor(view).data(), plan->tensor(x).data());
  EXPECT_EQ(plan->tensor(view).get(std::vector<int64_t>{3, 1}), 7);
}

std::string refusal(const std::shared_ptr<const Graph>& graph, Backend& backend) {
  const auto plan = Plan::make(graph, backend);
  return plan.ok() ? "" : plan.error().message;
}

TEST(Plan, RefusesWhatTheDeviceCannotHold) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", vector_of(int64_t{1} << 20), {});
  builder.append1(kMix, {x});
  const auto graph = std::make_shared<const Graph>(*builder.finish());
  MarkingBackend backend;
  backend.info_.memory_bytes = int64_t{6} << 20;
  backend.info_.memory_available_bytes = int64_t{5} << 20;
  const std::string message = refusal(graph, backend);
  for (const char* part :
       {"8.0 MiB", "4.0 MiB", "5.0 MiB available of 6.0 MiB", "device marking", "; the largest is x ("}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_TRUE(backend.allocated.empty());
  backend.info_.memory_available_bytes = (int64_t{8} << 20) + 9;  // one byte short of the workspace
  EXPECT_NE(refusal(graph, backend).find("workspace"), std::string::npos);
  backend.info_.memory_available_bytes = (int64_t{8} << 20) + 10;
  EXPECT_EQ(refusal(graph, backend), "");
}

TEST(Plan, RefusesAbsurdSizesWithBothFigures) {
  for (const int64_t elements : {int64_t{1} << 40, int64_t{1} << 55, int64_t{1} << 60}) {
    GraphBuilder builder;
    ValueId x = builder.input("x", vector_of(elements), {});
    for (int i = 0; i < 3; ++i) x = builder.append1(kMix, {x});
    const auto null = null::make_backend();
    const auto plan = Plan::make(std::make_shared<const Graph>(*builder.finish()), *null);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().kind, ErrorKind::refused);
    const std::string& message = plan.error().message;
    EXPECT_NE(message.find(elements == int64_t{1} << 40   ? "12.0 TiB"
                           : elements == int64_t{1} << 55 ? "384 PiB"
                                                          : "12.0 EiB"),
              std::string::npos)
        << message;
    EXPECT_NE(message.find("GiB available of"), std::string::npos) << message;
    EXPECT_NE(message.find("; the largest is "), std::string::npos) << message;
  }
}

TEST(Plan, RefusalsNameWhoMakesTheLargestValue) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {4}), {});
  const LayerScope scope(builder, "widen");
  ops::tile(builder, x, {int64_t{1} << 42});
  const auto null = null::make_backend();
  const auto plan = Plan::make(std::make_shared<const Graph>(*builder.finish()), *null);
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().message.find("64.0 TiB, made by tile in widen)"), std::string::npos) << plan.error().message;
}

TEST(Plan, NamesLayerAndOpThatNoKernelRuns) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", vector_of(8), {});
  const LayerScope scope(builder, "stem");
  builder.append1(kMix, {x});
  MarkingBackend backend;
  backend.unsupported = "mix";
  EXPECT_EQ(refusal(std::make_shared<const Graph>(*builder.finish()), backend),
            "stem: [mix] f32 is not supported on device marking");
  EXPECT_TRUE(backend.allocated.empty());
}

}  // namespace
}  // namespace engine
