// SPDX-License-Identifier: Apache-2.0
// Fusion: which ops become one and which do not, and why; that what comes out is bit for bit what the ops alone compute.
#include "engine/ops/fusion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <span>

#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/ops/math.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"

namespace engine {
namespace {

TensorType f32(Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); }
constexpr Fill kDraw{Fill::Kind::uniform, -1, 1};

Graph finish(GraphBuilder& builder) {
  Result<Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << (graph ? "" : graph.error().message);
  CHECK(graph.ok());
  return *std::move(graph);
}

/// "multiply+add+relu" for fused nodes, the op's name for others.
std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes())
    names.emplace_back(node.op->program != nullptr ? fused_name(node.op->program(node.attributes)) : std::string(node.op->name));
  return names;
}
using Names = std::vector<std::string>;

/// The outcome of the pair of ops of these names.
std::map<std::pair<std::string, std::string>, FusionOutcome> outcomes(const Graph& graph) {
  std::map<std::pair<std::string, std::string>, FusionOutcome> found;
  for (const FusionPair& pair : fusion_pairs(graph)) {
    const Names names = names_of(graph);
    found[{names[pair.producer], names[pair.consumer]}] = pair.outcome;
  }
  return found;
}

ValueId chain(GraphBuilder& builder, ValueId x) {
  const ValueId a = builder.parameter("a", f32({}), kDraw), b = builder.parameter("b", f32({}), kDraw);
  return ops::relu(builder, ops::add(builder, ops::multiply(builder, x, a), b));
}

/// A graph that has run, with all its outputs and persistent values as they are then.
struct Ran {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Plan> plan;
  std::vector<std::span<const std::byte>> values;
};

Ran run(const Graph& graph, int threads = 1, uint32_t steps = 2) {
  auto backend = cpu::make_backend(threads);
  CHECK(backend.ok());
  auto plan = Plan::make(std::make_shared<const Graph>(graph), **backend);
  EXPECT_TRUE(plan.ok()) << (plan ? "" : plan.error().message);
  CHECK(plan.ok());
  Ran ran{*std::move(backend), *std::move(plan), {}};
  for (uint32_t step = 0; step < steps; ++step) ran.plan->run_step(step, nullptr);
  const auto keep = [&](ValueId id) {
    const Tensor& tensor = ran.plan->tensor(id);
    EXPECT_TRUE(is_dense(tensor.shape(), tensor.strides()));
    ran.values.emplace_back(tensor.data(), static_cast<size_t>(tensor.type().span_bytes()));
  };
  for (const ValueId id : graph.outputs()) keep(id);
  for (const Value& value : graph.values()) {
    if (value.kind == ValueKind::parameter || value.kind == ValueKind::state) keep(value.id);
  }
  return ran;
}

/// Equal bits.
void expect_same(const Ran& a, const Ran& b) {
  ASSERT_EQ(a.values.size(), b.values.size());
  for (size_t k = 0; k < a.values.size(); ++k) {
    ASSERT_EQ(a.values[k].size(), b.values[k].size());
    EXPECT_EQ(std::memcmp(a.values[k].data(), b.values[k].data(), a.values[k].size()), 0) << "value " << k << " of " << a.values[k].size() << " bytes";
  }
}

TEST(Fusion, AChainOfThreeOpsMovesTwoNElementsInsteadOfSix) {
  constexpr int64_t n = 1000;
  GraphBuilder builder;
  builder.mark_output(chain(builder, builder.input("x", f32({n}), kDraw)));
  const Graph graph = finish(builder), fused = fuse(graph);
  EXPECT_EQ(names_of(fused), Names{"multiply+add+relu"});
  const auto bytes = [](const Graph& g) {
    int64_t sum = 0;
    for (const Node& node : g.nodes()) {
      const Cost cost = g.cost(node);
      for (const int64_t b : cost.read_bytes) sum += b;
      for (const int64_t b : cost.written_bytes) sum += b;
    }
    return sum;
  };
  EXPECT_EQ(bytes(graph), 6 * n * 4 + 2 * 4);
  EXPECT_EQ(bytes(fused), 2 * n * 4 + 2 * 4);
  EXPECT_EQ(graph.flops(), fused.flops());
  EXPECT_EQ(graph.values().size(), fused.values().size());
  expect_same(run(graph), run(fused));
}

TEST(Fusion, MemoryOfWhatStaysInsideIsNotPlanned) {
  GraphBuilder builder;
  builder.mark_output(chain(builder, builder.input("x", f32({1 << 20}), kDraw)));
  const Graph graph = finish(builder);
  EXPECT_EQ((*plan_memory(fuse(graph))).arena_bytes, int64_t{4} << 20);
  EXPECT_EQ((*plan_memory(graph)).arena_bytes, int64_t{8} << 20);
}

TEST(Fusion, AValueReadTwiceInsideStaysInside) {
  GraphBuilder builder;
  const ValueId x = ops::tanh(builder, builder.input("x", f32({33, 7}), kDraw));
  builder.mark_output(ops::multiply(builder, x, ops::sigmoid(builder, x)));
  const Graph graph = finish(builder), fused = fuse(graph);
  EXPECT_EQ(names_of(fused), Names{"tanh+sigmoid+multiply"});
  expect_same(run(graph), run(fused));
}

TEST(Fusion, SaysWhyPairsAreNotFused) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", f32({8, 8}), kDraw), w = builder.parameter("w", f32({8, 8}), kDraw);
  const ValueId read_twice = ops::tanh(builder, x);
  builder.mark_output(ops::relu(builder, read_twice));
  builder.mark_output(ops::sigmoid(builder, read_twice));
  const ValueId given_out = ops::exp(builder, x);
  builder.mark_output(given_out);
  builder.mark_output(ops::negate(builder, given_out));
  builder.mark_output(ops::matmul(builder, ops::floor(builder, x), w));
  builder.mark_output(ops::softmax(builder, ops::sin(builder, x), 1));
  builder.mark_output(ops::cos(builder, ops::permute(builder, ops::ceil(builder, x), {1, 0})));
  const Graph graph = finish(builder);
  const auto found = outcomes(graph);
  EXPECT_EQ(found.at({"tanh", "relu"}), FusionOutcome::second_consumer);
  EXPECT_EQ(found.at({"exp", "negate"}), FusionOutcome::graph_output);
  EXPECT_EQ(found.at({"floor", "matmul"}), FusionOutcome::library_call);
  EXPECT_EQ(found.at({"sin", "softmax"}), FusionOutcome::reduction);
  EXPECT_EQ(found.at({"ceil", "cos"}), FusionOutcome::layout);
  EXPECT_EQ(names_of(fuse(graph)), names_of(graph));
}

TEST(Fusion, FollowsProductsAndNormalisations) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", f32({6, 10}), kDraw), w = builder.parameter("w", f32({12, 10}), kDraw);
  const ValueId b = builder.parameter("b", f32({12}), kDraw), r = builder.input("r", f32({6, 12}), kDraw);
  builder.mark_output(ops::relu(builder, ops::add(builder, ops::linear(builder, x, w, b), r)));
  const Graph graph = finish(builder), fused = fuse(graph);
  EXPECT_EQ(names_of(fused), Names{"linear+add+relu"});
  EXPECT_EQ(graph.matrix_weight_count(), fused.matrix_weight_count());
  EXPECT_EQ(graph.flops({}, true), fused.flops({}, true));
  expect_same(run(graph), run(fused));
}

TEST(Fusion, AnOpDoesNotMovePastTheUpdateOfWhatItReads) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", f32({16}), kDraw), w = builder.parameter("w", f32({16}), kDraw);
  const ValueId product = ops::multiply(builder, x, w);  // reads w before it is overwritten
  const ValueId updated = builder.append1(ops::kSgd, {w, x}, {{"rate", 0.1}, {"weight_decay", 0.0}});
  builder.mark_output(ops::add(builder, product, ops::tanh(builder, updated)));
  const Graph graph = finish(builder), fused = fuse(graph);
  EXPECT_EQ(outcomes(graph).at({"multiply", "add"}), FusionOutcome::order);
  expect_same(run(graph), run(fused));
}

TEST(Fusion, AFusedGraphComesBackAsItIs) {
  GraphBuilder builder;
  builder.mark_output(chain(builder, builder.input("x", f32({5}), kDraw)));
  const Graph once = fuse(finish(builder)), twice = fuse(once);
  EXPECT_EQ(names_of(once), names_of(twice));
  const auto pairs = fusion_pairs(once);
  ASSERT_EQ(pairs.size(), 2u);
  for (const FusionPair& pair : pairs) {
    EXPECT_EQ(pair.outcome, FusionOutcome::fused);
    EXPECT_EQ(pair.written_bytes, 20);
    EXPECT_EQ(pair.read_bytes, 20);
  }
}

TEST(Fusion, StreamsLongResultsPastTheCachesUnchanged) {
  GraphBuilder builder;
  builder.mark_output(chain(builder, builder.input("x", f32({(int64_t{16} << 20) + 7}), kDraw)));
  const Graph graph = finish(builder);
  auto backend = cpu::make_backend(2);
  ASSERT_TRUE(backend.ok());
  std::map<bool, double> sum;
  for (const bool fused : {false, true}) {
    auto plan = Plan::make(std::make_shared<const Graph>(fused ? fuse(graph) : graph), **backend);
    ASSERT_TRUE(plan.ok());
    (*plan)->run_step(0, nullptr);
    EXPECT_NE((*plan)->kernel_name(0).find("non-temporal stores"), std::string::npos) << (*plan)->kernel_name(0);
    const Tensor& y = (*plan)->tensor(graph.outputs()[0]);
    for (int64_t i = 0; i < y.type().elements(); i += 101) sum[fused] += y.get_flat(i) * static_cast<double>(i % 13 + 1);
  }
  EXPECT_EQ(sum[false], sum[true]);
}

class EveryWorkload : public testing::TestWithParam<std::string> {};

TEST_P(EveryWorkload, ComputesTheSameFused) {
  const Workload* workload = *find_workload(GetParam());
  const Result<Arguments> arguments = resolve(*workload, workload->small);
  ASSERT_TRUE(arguments.ok());
  const Result<Graph> graph = build_graph(*workload, *arguments);
  ASSERT_TRUE(graph.ok());
  const Graph fused = fuse(*graph);
  EXPECT_EQ(graph->flops(), fused.flops());
  EXPECT_EQ(graph->matrix_weight_count(), fused.matrix_weight_count());
  expect_same(run(*graph, 2, 1), run(fused, 2, 1));
}

INSTANTIATE_TEST_SUITE_P(Fusion, EveryWorkload, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Workload& workload : workloads()) names.push_back(workload.name);
                           return names;
                         }()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace engine
