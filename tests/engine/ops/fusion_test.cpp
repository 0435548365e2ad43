// SPDX-License-Identifier: Apache-2.0
// Fusion: which ops become one and which do not, and why; that what comes out is what the ops alone compute: bit for
// bit, but where a batch norm is folded into weights.
#include "engine/ops/fusion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>

#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/ops/autograd.h"
#include "engine/ops/fused.h"
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
    names.emplace_back(node.op->program != nullptr ? fused_name(node.op->program(node.attributes))
                                                   : std::string(node.op->name));
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
  std::vector<std::span<const std::byte>> values;  ///< outputs first
};
using Change = std::function<void(Plan&)>;

/// `change`: of values, before the first step.
Ran run(const Graph& graph, int threads = 1, uint32_t steps = 2, const Change& change = {}) {
  // Direct sums throughout: Winograd's filtering rounds otherwise where a batch norm is folded in.
  auto backend = cpu::make_backend({.threads = threads, .winograd = WinogradUse::never});
  CHECK(backend.ok());
  auto plan = Plan::make(std::make_shared<const Graph>(graph), **backend);
  EXPECT_TRUE(plan.ok()) << (plan ? "" : plan.error().message);
  CHECK(plan.ok());
  Ran ran{*std::move(backend), *std::move(plan), {}};
  if (change) change(*ran.plan);
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
    EXPECT_EQ(std::memcmp(a.values[k].data(), b.values[k].data(), a.values[k].size()), 0)
        << "value " << k << " of " << a.values[k].size() << " bytes";
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

/// conv2d, batch norm with given statistics, and behind it `tail`.
template <class Tail>
Graph normalized_convolution(int64_t groups, bool biased, const Tail& tail, const Fill& scale = kDraw,
                             DType dtype = DType::float32,
                             const TensorType& images = TensorType::channels_last(DType::float32, {2, 8, 9, 9})) {
  GraphBuilder builder;
  TensorType x_type = images;
  x_type.dtype = dtype;
  const ValueId x = builder.input("x", x_type, kDraw);
  const ValueId w = builder.parameter("w", TensorType::contiguous(dtype, {16, images.shape[1] / groups, 3, 3}), kDraw);
  const ValueId b = biased ? builder.parameter("b", f32({16}), kDraw) : kNoValue;
  ops::Conv2dOptions options;
  options.padding.fill(1);
  options.groups = groups;
  const Fill positive{Fill::Kind::uniform, 0.5, 2};
  const ValueId y = ops::conv2d(builder, x, w, b, options);
  const ValueId normal = ops::batch_norm_inference(
      builder, y, builder.parameter("scale", f32({16}), scale), builder.parameter("bias", f32({16}), kDraw),
      builder.state("mean", f32({16}), kDraw), builder.state("variance", f32({16}), positive), 1e-5);
  builder.mark_output(tail(builder, normal));
  return finish(builder);
}

/// Outputs in f32 equal but for rounding, NaN where the other has it; parameters and states equal in bits. A batch norm
/// that is folded rounds each weight once more and sums its convolution's products in another order: up to 4.3 units
/// (epsilon times the largest result) were seen for one convolution. Roundings of several in a row are independent and
/// each is normalised: they add like a random walk, up to 2.2 sqrt(folds) units seen. Allowed are 16 sqrt(folds), for
/// other instruction sets' orders; what is wrong is off by far more.
void expect_near(const Graph& graph, const Ran& a, const Ran& b, size_t folds = 1) {
  ASSERT_EQ(a.values.size(), b.values.size());
  const auto elements = [](std::span<const std::byte> bytes) {
    return std::span(reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float));
  };
  for (size_t k = 0; k < a.values.size(); ++k) {
    ASSERT_EQ(a.values[k].size(), b.values[k].size());
    if (k >= graph.outputs().size() || graph.value(graph.outputs()[k]).type.dtype != DType::float32) {
      EXPECT_EQ(std::memcmp(a.values[k].data(), b.values[k].data(), a.values[k].size()), 0) << "value " << k;
      continue;
    }
    const auto x = elements(a.values[k]), y = elements(b.values[k]);
    double largest = 0, difference = 0;
    size_t elsewhere = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
        elsewhere += x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])) ? 0 : 1;
        continue;
      }
      largest = std::max(largest, std::abs(static_cast<double>(x[i])));
      difference = std::max(difference, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
    }
    EXPECT_EQ(elsewhere, 0u) << "NaN or infinite in one of the two, output " << k;
    const double unit = std::numeric_limits<float>::epsilon() * largest;
    EXPECT_LE(difference, 16 * std::sqrt(static_cast<double>(folds)) * unit)
        << "output " << k << ", largest " << largest;
  }
}

size_t folds_of(const Graph& fused) {
  const Names names = names_of(fused);
  return static_cast<size_t>(std::ranges::count_if(
      names, [](const std::string& name) { return name.starts_with("conv2d+batch_norm_inference"); }));
}

/// How many elements of an output are NaN, zero, above zero.
struct Kinds {
  size_t nan = 0, zero = 0, above = 0;
};
Kinds kinds_of(const Ran& ran) {
  Kinds kinds;
  for (const float v :
       std::span(reinterpret_cast<const float*>(ran.values[0].data()), ran.values[0].size() / sizeof(float))) {
    ++(std::isnan(v) ? kinds.nan : v > 0 ? kinds.above : kinds.zero);
  }
  return kinds;
}

Change nan_in(const Graph& graph, std::string_view name, int64_t element) {
  return [id = *graph.find(name), element](Plan& plan) {
    plan.tensor(id).data_as<float>()[element] = std::numeric_limits<float>::quiet_NaN();
  };
}

TEST(Fusion, ConvolutionsTakeTheBatchNormOfAnInferenceAndWhatFollows) {
  const auto none = [](GraphBuilder&, ValueId v) { return v; };
  const auto relu = [](GraphBuilder& b, ValueId v) { return ops::relu(b, v); };
  const auto clip = [](GraphBuilder& b, ValueId v) { return ops::clip(b, v, 0, 6); };
  const auto added = [](GraphBuilder& b, ValueId v) {
    return ops::relu(b, ops::add(b, v, b.input("z", TensorType::channels_last(DType::float32, {2, 16, 9, 9}), kDraw)));
  };
  const auto check = [](const char* name, bool loop, const Graph& graph) {
    const Graph fused = fuse(graph);
    EXPECT_EQ(names_of(fused), Names{name});
    EXPECT_EQ(graph.flops(), fused.flops());
    EXPECT_EQ(outcomes(graph).at({"conv2d", "batch_norm_inference"}), FusionOutcome::possible);
    const Ran alone = run(graph), joined = run(fused);
    EXPECT_NE(joined.plan->kernel_name(0).find("batch norm folded in"), std::string::npos)
        << joined.plan->kernel_name(0);
    EXPECT_EQ(joined.plan->kernel_name(0).find("own loop") != std::string::npos, loop) << joined.plan->kernel_name(0);
    expect_near(graph, alone, joined);
  };
  for (const int64_t groups : {1, 2, 8}) {
    for (const bool biased : {false, true}) {
      check("conv2d+batch_norm_inference", false, normalized_convolution(groups, biased, none));
      check("conv2d+batch_norm_inference+relu", true, normalized_convolution(groups, biased, relu));
      check("conv2d+batch_norm_inference+clip", true, normalized_convolution(groups, biased, clip));
      check("conv2d+batch_norm_inference+add+relu", true, normalized_convolution(groups, biased, added));
    }
  }
}

/// The norm takes the place of what the convolution made: whoever else reads that keeps the two apart.
TEST(Fusion, AConvolutionWhoseResultIsReadBesideItsNormKeepsItsPlace) {
  const auto check = [](const Names& names, const auto& tail) {
    GraphBuilder builder;
    const ValueId x = builder.input("x", TensorType::channels_last(DType::float32, {2, 3, 7, 7}), kDraw),
                  w = builder.parameter("w", f32({8, 3, 3, 3}), kDraw);
    const ValueId y = ops::conv2d(builder, x, w, kNoValue, {});
    const auto vector = [&](const char* name, Fill fill) { return builder.state(name, f32({8}), fill); };
    const ValueId normal = ops::batch_norm_inference(
        builder, y, vector("scale", {Fill::Kind::constant, 0, 0}), vector("bias", {Fill::Kind::constant, 0, 0}),
        vector("mean", kDraw), vector("variance", {Fill::Kind::uniform, 0.5, 2}), 1e-5);
    builder.mark_output(tail(builder, y, normal));
    const Graph graph = finish(builder), fused = fuse(graph);
    EXPECT_EQ(names_of(fused), names);
    EXPECT_EQ(outcomes(graph).at({"conv2d", "batch_norm_inference"}), FusionOutcome::second_consumer);
    const Ran alone = run(graph), joined = run(fused);
    expect_same(alone, joined);
  };
  check({"conv2d", "batch_norm_inference+add+reciprocal"},
        [](GraphBuilder& b, ValueId y, ValueId n) { return ops::reciprocal(b, ops::add(b, n, y)); });
  check({"conv2d", "batch_norm_inference+relu+multiply"},
        [](GraphBuilder& b, ValueId y, ValueId n) { return ops::multiply(b, y, ops::relu(b, n)); });
  check({"conv2d", "batch_norm_inference+tanh+add"},
        [](GraphBuilder& b, ValueId y, ValueId n) { return ops::add(b, n, ops::tanh(b, y)); });
}

TEST(Fusion, StatisticsThatAreSetBetweenStepsAreFoldedAnew) {
  const Graph graph = normalized_convolution(1, false, [](GraphBuilder&b, ValueId v) { return ops::relu(b, v); }),
              fused = fuse(graph);
  Ran alone = run(graph), joined = run(fused);
  for (Ran* ran : {&alone, &joined}) {
    float* mean = ran->plan->tensor(*graph.find("mean")).data_as<float>();
    for (int c = 0; c < 16; ++c) mean[c] += 0.25f * static_cast<float>(c);
    ran->plan->run_step(2, nullptr);
  }
  expect_near(graph, alone, joined);
}

TEST(Fusion, ANegativeScaleTurnsTheSignsThatReluSees) {
  const auto relu = [](GraphBuilder& b, ValueId v) { return ops::relu(b, v); };
  const Graph graph = normalized_convolution(1, true, relu, {Fill::Kind::uniform, -2, -0.5});
  const Ran alone = run(graph), joined = run(fuse(graph));
  const Kinds kinds = kinds_of(joined);
  EXPECT_GT(kinds.zero, 100u);
  EXPECT_GT(kinds.above, 100u);
  expect_near(graph, alone, joined);
}

TEST(Fusion, LargeImagesAreConvolvedOneByOne) {
  const auto added = [](GraphBuilder& b, ValueId v) {
    const TensorType type = b.type(v);
    return ops::relu(b, ops::add(b, v, b.input("z", type, kDraw)));
  };
  const auto images = [](int64_t batch) {
    return TensorType::channels_last(DType::float32, {batch, 64, 34, 34});
  };  // 10.7 million multiply-adds each
  for (const int64_t batch : {1, 2, 3, 16}) {
    const Graph graph = normalized_convolution(1, true, added, kDraw, DType::float32, images(batch));
    for (const int threads : {1, 2}) {
      const Ran alone = run(graph, threads, 1), joined = run(fuse(graph), threads, 1);
      const std::string name = joined.plan->kernel_name(0);
      const bool by_images = batch > 1 && !(batch == 3 && threads == 2);  // three images on two threads: one would wait
      EXPECT_EQ(name.find("image by image") != std::string::npos, by_images)
          << name << ", batch " << batch << ", threads " << threads;
      EXPECT_EQ(name.find("own loop in its cache") != std::string::npos, by_images) << name;
      expect_near(graph, alone, joined);
    }
  }
  const auto none = [](GraphBuilder&, ValueId v) { return v; };  // nothing goes over the result: nothing to gain
  const Ran ran = run(fuse(normalized_convolution(1, true, none, kDraw, DType::float32, images(2))), 1, 1);
  EXPECT_FALSE(ran.plan->facts(0).per_image) << ran.plan->kernel_name(0);
}

TEST(Fusion, ANormIsNotFoldedIntoWeightsOf16Bits) {
  const auto relu = [](GraphBuilder& b, ValueId v) { return ops::relu(b, v); };
  const Graph graph = normalized_convolution(1, false, relu, kDraw, DType::bfloat16), fused = fuse(graph);
  EXPECT_EQ(names_of(fused), Names{"conv2d+batch_norm_inference+relu"});
  const Ran alone = run(graph), joined = run(fused);
  EXPECT_EQ(joined.plan->kernel_name(0).find("folded"), std::string::npos) << joined.plan->kernel_name(0);
  expect_same(alone, joined);
}

/// One NaN among the weights makes a channel NaN; relu and clip behind the convolution must not make numbers of it.
TEST(Fusion, NanStaysNanBehindAConvolution) {
  const auto relu = [](GraphBuilder& b, ValueId v) { return ops::relu(b, v); };
  const auto clip = [](GraphBuilder& b, ValueId v) { return ops::clip(b, v, 0, 6); };
  const auto plain = [](const auto& tail) {
    GraphBuilder builder;
    const ValueId x = builder.input("x", TensorType::channels_last(DType::float32, {2, 3, 16, 16}), kDraw),
                  w = builder.parameter("w", f32({8, 3, 3, 3}), kDraw);
    builder.mark_output(tail(builder, ops::conv2d(builder, x, w, kNoValue, {})));
    return finish(builder);
  };
  for (const Graph& graph :
       {plain(relu), plain(clip), normalized_convolution(1, true, relu), normalized_convolution(1, true, clip)}) {
    const Graph fused = fuse(graph);
    ASSERT_EQ(fused.nodes().size(), 1u);
    for (const char* name : {"x", "w", "b", "scale", "bias", "mean", "variance"}) {
      if (!graph.find(name)) continue;
      const Ran alone = run(graph, 1, 2, nan_in(graph, name, 5)), joined = run(fused, 1, 2, nan_in(graph, name, 5));
      const Kinds kinds = kinds_of(alone);
      EXPECT_GT(kinds.nan, 0u) << name;
      EXPECT_GT(kinds.above, 0u) << name;
      folds_of(fused) > 0 ? expect_near(graph, alone, joined) : expect_same(alone, joined);
    }
  }
}

/// Training too: the loss of what diverges is NaN, fused or not.
TEST(Fusion, NanStaysNanInTraining) {
  const Workload& vgg = **find_workload("vgg");
  Arguments given = vgg.small;
  given["mode"] = "training";
  const Graph graph = *build_graph(vgg, *resolve(vgg, given)), fused = fuse(graph);
  const Names names = names_of(fused);
  EXPECT_TRUE(std::ranges::any_of(names, [](const std::string& name) { return name.starts_with("conv2d+relu"); }));
  const auto first = std::ranges::find_if(graph.nodes(), [](const Node& node) { return node.op->name == "conv2d"; });
  ASSERT_NE(first, graph.nodes().end());
  const Change change = [id = first->inputs[1]](Plan& plan) {
    plan.tensor(id).data_as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  };
  const Ran alone = run(graph, 1, 1, change), joined = run(fused, 1, 1, change);
  EXPECT_GT(kinds_of(alone).nan, 0u);
  EXPECT_GT(kinds_of(joined).nan, 0u);
}

/// A program that fuse() does not make, but a file may hold.
TEST(Fusion, AProgramThatReadsAConvolutionAfterItsNormIsComputedRight) {
  const auto graph_of = [](bool as_one) {
    GraphBuilder builder;
    const ValueId x = builder.input("x", TensorType::channels_last(DType::float32, {2, 3, 7, 7}), kDraw),
                  w = builder.parameter("w", f32({8, 3, 3, 3}), kDraw);
    const ValueId scale = builder.state("scale", f32({8}), kDraw), bias = builder.state("bias", f32({8}), kDraw),
                  mean = builder.state("mean", f32({8}), kDraw);
    const ValueId variance = builder.state("variance", f32({8}), {Fill::Kind::uniform, 0.5, 2});
    const ValueId y = ops::conv2d(builder, x, w, kNoValue, {});
    const ValueId sum = ops::add(builder, ops::batch_norm_inference(builder, y, scale, bias, mean, variance, 1e-5), y);
    if (!as_one) {
      builder.mark_output(sum);
      return finish(builder);
    }
    const Graph apart = finish(builder);
    FusedProgram program;
    const std::vector<std::vector<int>> operands{{0, 1}, {~0, 2, 3, 4, 5}, {~1, ~0}};
    for (const Node& node : apart.nodes()) {
      program.members.push_back({.op = node.op,
                                 .attributes = node.attributes,
                                 .operands = operands[node.id],
                                 .layer = "",
                                 .outputs = node.outputs});
    }
    program.results = {2};
    EXPECT_FALSE(normalizes_convolution(program));
    GraphBuilder joined(apart);
    Node node{.op = &ops::kFused,
              .attributes = ops::fused_attributes(program),
              .inputs = {x, w, scale, bias, mean, variance},
              .outputs = {sum},
              .layer = "",
              .phase = Phase::forward};
    joined.replace_nodes({node});
    joined.mark_output(sum);
    return finish(joined);
  };
  const Graph apart = graph_of(false), joined = graph_of(true);
  ASSERT_EQ(joined.nodes().size(), 1u);
  expect_near(apart, run(apart), run(joined));
}

TEST(Fusion, AConvolutionWhoseResultIsReadTwiceKeepsItsOwnRelu) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", TensorType::channels_last(DType::float32, {1, 4, 6, 6}), kDraw),
                w = builder.parameter("w", f32({8, 4, 3, 3}), kDraw);
  const ValueId y = ops::conv2d(builder, x, w, kNoValue, {});
  builder.mark_output(ops::multiply(builder, y, ops::relu(builder, y)));
  const Graph graph = finish(builder), fused = fuse(graph);
  EXPECT_EQ(names_of(fused), Names{"conv2d+relu+multiply"});
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
  std::vector<std::byte> alone;
  for (const bool fused : {false, true}) {
    auto plan = Plan::make(std::make_shared<const Graph>(fused ? fuse(graph) : graph), **backend);
    ASSERT_TRUE(plan.ok());
    (*plan)->run_step(0, nullptr);
    EXPECT_TRUE((*plan)->facts(0).streaming_stores) << (*plan)->kernel_name(0);
    const Tensor& y = (*plan)->tensor(graph.outputs()[0]);
    const auto bytes = static_cast<size_t>(y.type().span_bytes());
    if (!fused) alone.assign(y.data(), y.data() + bytes);
    EXPECT_EQ(std::memcmp(alone.data(), y.data(), bytes), 0);
  }
}

/// Every op that has a step on registers, as either operand, with values that a later op reads again and one element
/// for all.
ValueId long_chain(GraphBuilder& b, DType dtype, int64_t n) {
  const auto input = [&](const char* name) { return b.input(name, TensorType::contiguous(dtype, {n}), kDraw); };
  const ValueId x = input("x"), y = input("y"), one = b.parameter("one", TensorType::contiguous(dtype, {}), kDraw);
  const ValueId kept = ops::scale(b, ops::subtract(b, y, ops::tanh(b, ops::multiply(b, x, one))), 1.5, -0.25);
  const ValueId root = ops::sqrt(b, ops::absolute(b, ops::scaled_add(b, x, ops::silu(b, kept), 0.75)));
  return ops::divide(b, ops::negate(b, kept), ops::sigmoid(b, ops::subtract(b, one, ops::relu(b, root))));
}

TEST(Fusion, ChainsOnRegistersComputeWhatTheirOpsDo) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const int64_t n : {1, 63, 64, 127, 128, 129, 1000, 4099}) {  // below, at and beyond whole blocks
      GraphBuilder builder;
      builder.mark_output(long_chain(builder, dtype, n));
      const Graph graph = finish(builder), fused = fuse(graph);
      ASSERT_EQ(fused.nodes().size(), 1U);
      for (const int threads : {1, 2}) {
        const Ran joined = run(fused, threads, 1);
        // Below 8 vectors, 64 f32 and more, there is no block: by tiles.
        const bool in_registers = joined.plan->kernel_name(0).find("in registers") != std::string::npos;
        if (n < 8 || n >= 128) {
          EXPECT_EQ(in_registers, n >= 128) << joined.plan->kernel_name(0) << ", n = " << n;
        }
        expect_same(run(graph, threads, 1), joined);
      }
    }
  }
}

TEST(Fusion, GradientsGoThroughRegistersToo) {
  GraphBuilder b;
  const auto draw = [&](const char* name) { return b.input(name, f32({777}), kDraw); };
  const ValueId x = draw("x"), y = ops::tanh(b, ops::relu(b, ops::sigmoid(b, x))),
                loss = ops::sum(b, ops::multiply(b, y, y), {0});
  const std::vector<ValueId> gradients = differentiate(b, loss, std::vector<ValueId>{x});
  b.mark_output(gradients[0]);
  const Graph graph = finish(b), fused = fuse(graph);
  const Ran joined = run(fused);
  const auto joined_node =
      std::ranges::find_if(fused.nodes(), [](const Node& node) { return node.op->program != nullptr; });
  ASSERT_NE(joined_node, fused.nodes().end());
  std::vector<std::string_view> members;
  for (const FusedMember& member : joined_node->op->program(joined_node->attributes).members)
    members.push_back(member.op->name);
  for (const char* op : {"tanh_grad", "relu_grad", "sigmoid_grad"}) EXPECT_EQ(std::ranges::count(members, op), 1) << op;
  EXPECT_NE(joined.plan->kernel_name(joined_node->id).find("in registers"), std::string::npos)
      << joined.plan->kernel_name(joined_node->id);
  expect_same(run(graph), joined);
}

TEST(Fusion, OtherOpsAndDtypesGoThroughTiles) {
  GraphBuilder a, b;
  a.mark_output(ops::relu(a, ops::exp(a, a.input("x", f32({1000}), kDraw))));
  const TensorType half = TensorType::contiguous(DType::bfloat16, {1000});
  b.mark_output(ops::relu(b, ops::tanh(b, b.input("x", half, kDraw))));
  for (GraphBuilder* builder : {&a, &b}) {
    const Graph graph = finish(*builder);
    const Ran joined = run(fuse(graph));
    EXPECT_EQ(joined.plan->kernel_name(0).find("in registers"), std::string::npos) << joined.plan->kernel_name(0);
    expect_same(run(graph), joined);
  }
}

/// Rows shorter than a block, whole blocks and what is left over, with operands that are one element, a row, a column,
/// whole, or turned.
TEST(Fusion, ShortRowsWithEveryKindOfOperandComputeWhatTheirOpsDo) {
  const std::vector<Shape> results{{360},    {30, 51},   {2, 2, 3, 9}, {15, 15, 3}, {3, 15, 15},
                                   {5, 127}, {7, 1, 13}, {1, 129},     {67, 2},     {4, 33, 2}};
  int fused_ops = 0;
  for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16}) {
    for (const Shape& shape : results) {
      std::vector<Shape> operands{{}, {1}, shape};
      for (size_t kept = 1; kept < size_t{1} << shape.size();
           ++kept) {  // every mix of extents that are there and extents of 1
        Shape mixed = shape;
        for (size_t i = 0; i < shape.size(); ++i) mixed[i] = (kept >> i & 1) != 0 ? shape[i] : 1;
        operands.push_back(mixed);
      }
      for (const Shape& operand : operands) {
        GraphBuilder b;
        const auto input = [&](const char* name, const Shape& s) {
          return b.input(name, TensorType::contiguous(dtype, s), kDraw);
        };
        const ValueId scale = input("scale", {}), x = input("x", shape), y = input("y", operand);
        const ValueId sum = ops::add(b, ops::multiply(b, x, scale), y);
        b.mark_output(ops::multiply(b, ops::subtract(b, ops::relu(b, sum), scale), ops::sigmoid(b, y)));
        const Graph graph = finish(b), fused = fuse(graph);
        fused_ops += fused.nodes().size() < graph.nodes().size();
        for (const int threads : {1, 2}) {
          SCOPED_TRACE(testing::Message() << name(dtype) << " " << to_string(shape) << " with " << to_string(operand)
                                          << ", threads " << threads);
          expect_same(run(graph, threads, 1), run(fused, threads, 1));
        }
      }
    }
  }
  EXPECT_GT(fused_ops, 200);
}

/// Descriptions of fused ops come back from files that others wrote.
TEST(Fusion, ProgramsThatNoPassMakesAreRefused) {
  const Op& op = *find_op("fused");
  const auto program_of = [](std::vector<std::vector<int>> operands) {
    FusedProgram program;
    for (size_t i = 0; i < operands.size(); ++i) {
      program.members.push_back({.op = find_op(operands[i].size() == 1 ? "relu" : "add"),
                                 .attributes = {},
                                 .operands = operands[i],
                                 .layer = "l",
                                 .outputs = {static_cast<uint32_t>(i)}});
    }
    program.results = {static_cast<int>(operands.size()) - 1};
    return ops::fused_attributes(program);
  };
  const std::vector<TensorType> row{f32({8})};
  EXPECT_TRUE(op.infer(row, program_of({{0}, {-1}})).ok());
  // A member that nobody reads goes over more elements than the result has.
  const std::vector<TensorType> larger{f32({4, 8}), f32({8})};
  EXPECT_FALSE(op.infer(larger, program_of({{0}, {1}})).ok());
  const std::vector<TensorType> longer{f32({9}), f32({8})};
  EXPECT_FALSE(op.infer(longer, program_of({{0}, {1}})).ok());
  // More members, and more operands, than a kernel takes.
  std::vector<std::vector<int>> many{{0}};
  for (int i = 1; i < 32; ++i) many.push_back({-i});
  EXPECT_TRUE(op.infer(row, program_of(many)).ok());
  many.push_back({-32});
  EXPECT_FALSE(op.infer(row, program_of(many)).ok());
  std::vector<std::vector<int>> wide{{0, 1}};
  for (int i = 2; i <= 10; ++i) wide.push_back({-(i - 1), i});
  EXPECT_TRUE(op.infer(std::vector<TensorType>(11, f32({8})), program_of(wide)).ok());
  wide.push_back({-10, 11});
  EXPECT_FALSE(op.infer(std::vector<TensorType>(12, f32({8})), program_of(wide)).ok());
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

/// Arguments of the smallest inference; those that have no such mode are refused.
Result<Arguments> small_inference(const Workload& workload) {
  Arguments given = workload.small;
  given["mode"] = "inference";
  return resolve(workload, given);
}

class EveryInference : public testing::TestWithParam<std::string> {};

TEST_P(EveryInference, ComputesTheSameFused) {
  const Workload* workload = *find_workload(GetParam());
  const Result<Graph> graph = build_graph(*workload, *small_inference(*workload));
  ASSERT_TRUE(graph.ok());
  const Graph fused = fuse(*graph);
  const size_t folds = folds_of(fused);
  const Ran alone = run(*graph, 2, 1), joined = run(fused, 2, 1);
  if (folds > 0) {
    expect_near(*graph, alone, joined, folds);
  } else {
    expect_same(alone, joined);
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& instance) {
  std::string name = instance.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Fusion, EveryInference, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Workload& workload : workloads()) {
                             if (small_inference(workload)) names.push_back(workload.name);
                           }
                           return names;
                         }()),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Fusion, EveryWorkload, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Workload& workload : workloads()) names.push_back(workload.name);
                           return names;
                         }()),
                         test_name);

}  // namespace
}  // namespace engine
