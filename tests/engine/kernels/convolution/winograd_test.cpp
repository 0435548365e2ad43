// SPDX-License-Identifier: Apache-2.0
// Convolutions by Winograd's minimal filtering: that they give the direct ones' results up to rounding, with what is
// fused behind them and as gradients, where they apply, and that the arithmetic they spare is what the tiles say.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/kernels/convolution/winograd_choice.h"
#include "engine/kernels/convolution/winograd_expectation.h"
#include "engine/kernels/convolution/winograd_rule.h"
#include "engine/ops/autograd.h"
#include "engine/ops/fusion.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

enum class Behind : uint8_t { nothing, normalized, added, gradient, trained };
struct Case {
  int64_t batch = 2, channels = 32, image = 56, kernel = 3, stride = 1, groups = 1;
  Behind behind = Behind::normalized;
  bool infinite = false;              ///< the first image has one
  bool rows = false;                  ///< images lie channels first
  bool sliced = false;                ///< x has twice the channels, of which the latter are convolved
  std::vector<int64_t> padding = {};  ///< another than half the kernel
};

/// normalized: batch norm with given statistics and relu; added: bias, another image and relu; gradient: by the input;
/// trained: after steps of SGD on the weights.
Graph graph_of(const Case& c) {
  GraphBuilder builder;
  const Shape images{c.batch, c.channels, c.image, c.image};
  const auto layout = c.rows ? TensorType::contiguous : TensorType::channels_last;
  Shape given = images;
  if (c.sliced) given[1] *= 2;
  ValueId x = builder.input("x", layout(DType::float32, given), {Fill::Kind::uniform, -1, 1});
  if (c.sliced) x = ops::slice(builder, x, 1, c.channels, 2 * c.channels);
  const ValueId w = builder.parameter(
      "w", TensorType::contiguous(DType::float32, {c.channels, c.channels / c.groups, c.kernel, c.kernel}),
      {Fill::Kind::uniform, -1, 1});
  const auto state = [&](const char* name, double low, double high) {
    return builder.state(name, TensorType::contiguous(DType::float32, {c.channels}), {Fill::Kind::uniform, low, high});
  };
  ops::Conv2dOptions options;
  options.padding.fill(c.kernel / 2);
  if (!c.padding.empty()) std::ranges::copy(c.padding, options.padding.begin());
  options.stride.fill(c.stride);
  options.groups = c.groups;
  const ValueId bias = c.behind == Behind::added ? state("b", -1, 1) : kNoValue;
  ValueId y = ops::conv2d(builder, x, w, bias, options);
  if (c.behind == Behind::normalized)
    y = ops::relu(builder, ops::batch_norm_inference(builder, y, state("scale", -1, 1), state("bias", -1, 1),
                                                     state("mean", -1, 1), state("variance", 0.5, 2), 1e-5));
  if (c.behind == Behind::added) {
    const ValueId other = builder.input("other", layout(DType::float32, images), {Fill::Kind::uniform, -1, 1});
    y = ops::relu(builder, ops::add(builder, y, other));
  }
  if (c.behind == Behind::gradient) {
    const ValueId loss = ops::sum(builder, ops::multiply(builder, y, y), {});
    y = differentiate(builder, loss, std::vector<ValueId>{x})[0];
  }
  if (c.behind == Behind::trained) {
    const ValueId loss = ops::sum(builder, ops::multiply(builder, y, y), {});
    const ValueId gradient = differentiate(builder, loss, std::vector<ValueId>{w})[0];
    builder.mark_output(y);
    ops::sgd_update(builder, w, gradient, kNoValue, 1e-7, 0, 0);
  } else {
    builder.mark_output(y);
  }
  Result<Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << (graph ? "" : graph.error().message);
  return fuse(*graph);
}

struct Computed {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Plan> plan;
  const float* y = nullptr;
  int64_t count = 0;

  /// Ops.
  int by_winograd() const {
    int count = 0;
    for (const Node& node : plan->graph().nodes()) count += plan->facts(node.id).winograd_tile != 0 ? 1 : 0;
    return count;
  }
};

Computed compute(const Case& c, bool winograd, int threads, int steps = 2) {
  Computed done{*cpu::make_backend(cpu::BackendOptions{
                    .threads = threads, .winograd = winograd ? WinogradUse::always : WinogradUse::never}),
                nullptr};
  const auto graph = std::make_shared<const Graph>(graph_of(c));
  done.plan = *Plan::make(graph, *done.backend);
  if (c.infinite)
    done.plan->tensor(graph->nodes()[0].inputs[0]).data_as<float>()[c.channels * (20 * c.image + 20)] =
        std::numeric_limits<float>::infinity();
  for (int step = 0; step < steps; ++step) done.plan->run_step(static_cast<uint32_t>(step), nullptr);
  const Tensor& y = done.plan->tensor(graph->outputs()[0]);
  done.y = y.data_as<float>();
  done.count = y.type().elements();
  return done;
}

void expect_close(const Computed& direct, const Computed& fast) {
  double largest = 0, difference = 0;
  for (int64_t i = 0; i < direct.count; ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(direct.y[i])));
    difference = std::max(difference, std::abs(static_cast<double>(direct.y[i]) - static_cast<double>(fast.y[i])));
  }
  // F(4x4, 3x3) multiplies by up to 8 before it sums: some ten times a direct sum's rounding.
  EXPECT_LE(difference, 200 * std::numeric_limits<float>::epsilon() * largest) << fast.plan->kernel_name(0);
  EXPECT_GT(largest, 1);
}

TEST(Winograd, AgreesWithTheDirectConvolution) {
  for (const Case& c :
       {Case{}, Case{.batch = 3, .channels = 64, .image = 33}, Case{.batch = 4, .channels = 128, .image = 14},
        Case{.batch = 1, .channels = 37, .image = 21}, Case{.channels = 64, .image = 28, .behind = Behind::added},
        Case{.channels = 64, .image = 28, .behind = Behind::nothing, .rows = true},
        Case{.batch = 1, .channels = 64, .image = 12, .behind = Behind::added},
        Case{.channels = 32, .image = 24, .behind = Behind::added, .sliced = true},
        Case{.channels = 32, .image = 24, .sliced = true},
        Case{.channels = 32, .image = 40, .behind = Behind::nothing, .padding = {0, 2, 1, 0}},
        Case{.batch = 3, .channels = 64, .image = 17, .behind = Behind::gradient}}) {
    SCOPED_TRACE(testing::Message() << c.channels << " channels of " << c.image << ", " << static_cast<int>(c.behind));
    for (const int threads : {1, 2}) {
      const Computed direct = compute(c, false, threads), fast = compute(c, true, threads);
      EXPECT_EQ(direct.by_winograd(), 0);
      EXPECT_EQ(fast.by_winograd(), c.behind == Behind::gradient ? 2 : 1) << fast.plan->kernel_name(0);
      expect_close(direct, fast);
    }
  }
}

/// Weights that change between steps are transformed in each of them, and statistics that somebody sets are folded
/// anew.
TEST(Winograd, SeesNewStatistics) {
  const Case c{.channels = 32, .image = 24};
  Computed direct = compute(c, false, 1, 1), fast = compute(c, true, 1, 1);
  ASSERT_EQ(fast.by_winograd(), 1);
  for (Computed* computed : {&direct, &fast}) {
    for (const Value& value : computed->plan->graph().values()) {
      if (value.name == "scale") computed->plan->tensor(value.id).data_as<float>()[3] = 7;
    }
    computed->plan->run_step(1, nullptr);
  }
  expect_close(direct, fast);
}

/// Weights that change between steps are transformed in each of them; those that somebody sets before the first step
/// are those it takes.
TEST(Winograd, SeesNewWeights) {
  for (const Behind behind : {Behind::trained, Behind::added}) {
    const Case c{.channels = 32, .image = 24, .behind = behind};
    for (const int threads : {1, 2}) {
      Computed direct = compute(c, false, threads, 0), fast = compute(c, true, threads, 0);
      ASSERT_EQ(fast.by_winograd(), behind == Behind::trained ? 2 : 1) << "and the gradient by the weights";
      for (Computed* computed : {&direct, &fast}) {
        for (const Value& value : computed->plan->graph().values()) {
          if (value.name == "w") computed->plan->tensor(value.id).data_as<float>()[100] = 3;
        }
        for (uint32_t step = 0; step < 4; ++step) computed->plan->run_step(step, nullptr);
      }
      expect_close(direct, fast);
    }
  }
}

TEST(Winograd, IsTakenWhereItIsExpectedToBeFaster) {
  const auto taken = [](const Case& c, std::vector<WinogradTiming> timings = {}) {
    const auto backend = *cpu::make_backend({.threads = 1, .winograd_timings = std::move(timings)});
    const auto graph = std::make_shared<const Graph>(graph_of(c));
    const auto plan = *Plan::make(graph, *backend);
    const bool is_taken = plan->facts(0).winograd_tile != 0;
    // What is told without operands is what is done.
    const Node& node = graph->nodes()[0];
    const auto inputs = graph->input_types(node), outputs = graph->output_types(node);
    const Shortcut shortcut = backend->shortcut(node, {node.attributes, inputs, outputs}, true);
    EXPECT_EQ(shortcut.spared_flops, plan->spared_flops(0));
    EXPECT_TRUE(plan->kernel_name(0).starts_with(shortcut.facts.name)) << shortcut.facts.name;
    EXPECT_EQ(shortcut.facts.name.empty(), !is_taken);
    EXPECT_EQ(shortcut.facts.code, is_taken ? CodeKind::fast : CodeKind::unknown);
    EXPECT_EQ(plan->facts(0).winograd_tile, shortcut.facts.winograd_tile);
    return is_taken;
  };
  for (const Behind behind : {Behind::nothing, Behind::normalized, Behind::added}) {
    EXPECT_TRUE(taken({.batch = 1, .channels = 64, .behind = behind}));
    EXPECT_FALSE(taken({.batch = 1, .channels = 512, .image = 7, .behind = behind}))
        << "four tiles do not pay for reading 36 elements per pair of channels";
  }
  // A machine where it is slower than elsewhere, and one where it is not known.
  EXPECT_FALSE(taken({.channels = 64}, {{64, 56, 100, 130}, {128, 28, 100, 130}}));
  EXPECT_TRUE(taken({.channels = 64}, {{64, 56, 100, std::numeric_limits<double>::quiet_NaN()}}));
}

TEST(Winograd, IsMeasuredAtShapesOfNetworks) {
  int left_out = 0;  // on a busy machine perhaps all
  const std::vector<WinogradTiming> timings = cpu::measure_winograd(&left_out);
  EXPECT_EQ(timings.size() + static_cast<size_t>(left_out), 7);
  for (const WinogradTiming& t : timings) {
    EXPECT_GT(t.direct_ns, 0);
    EXPECT_GT(t.winograd_ns, 0);
    EXPECT_NE(t.direct_ns, t.winograd_ns);
  }
}

TEST(Winograd, ExpectsWhatWasMeasured) {
  const loops::WinogradShape s{
      .images = 1, .inputs = 64, .outputs = 64, .x_height = 56, .x_width = 56, .height = 56, .width = 56};
  const double expected = cpu::winograd_ratio(s, 16, 1, true);
  EXPECT_EQ(cpu::winograd_correction({}, 16), 1);
  const std::vector<WinogradTiming> slower{{64, 56, 100, 200 * expected}};
  EXPECT_NEAR(cpu::winograd_correction(slower, 16), 2, 1e-9);
  EXPECT_EQ(cpu::winograd_correction(std::vector<WinogradTiming>{{0, 56, 1, 1}, {int64_t{1} << 59, 56, 1, 1}}, 16), 1)
      << "an edited file";
  EXPECT_GT(cpu::winograd_ratio(s, 16, 1, false), expected) << "weights are transformed in each step";
  const loops::WinogradShape few{
      .images = 1, .inputs = 512, .outputs = 512, .x_height = 7, .x_width = 7, .height = 7, .width = 7};
  EXPECT_GT(cpu::winograd_ratio(few, 16, 1, true), 1);
}

TEST(Winograd, SparesWhatItsTilesSay) {
  // 30 is no multiple of 4: the last tiles stick out.
  const double defined = 2 * 2.0 * 9 * 64 * 32 * 30 * 30;
  EXPECT_EQ(winograd_rule::spared_flops(2, 2, 30, 30, 64, 32), defined - 2 * 2.0 * 15 * 15 * 16 * 64 * 32);
  EXPECT_EQ(winograd_rule::spared_flops(4, 2, 30, 30, 64, 32), defined - 2 * 2.0 * 8 * 8 * 36 * 64 * 32);
  EXPECT_EQ(winograd_rule::spared_flops(4, 1, 4, 4, 1, 1), 2.0 * (144 - 36));
  const Case c{.channels = 64, .image = 30};
  EXPECT_EQ(compute(c, false, 1, 0).plan->spared_flops(0), 0);
  EXPECT_EQ(compute(c, true, 1, 0).plan->spared_flops(0), winograd_rule::spared_flops(4, 2, 30, 30, 64, 64));
}

/// The gradient by the input has dx's tiles, and the definition's products are dy's: without padding dx is larger.
TEST(Winograd, FlopsOfGradientsAreThoseOfTheirTiles) {
  for (const int64_t image : {7, 16, 30}) {
    Case c{.batch = 2, .channels = 64, .image = image, .behind = Behind::gradient};
    c.padding = {0, 0, 0, 0};
    const Computed direct = compute(c, false, 1, 0), fast = compute(c, true, 1, 0);
    ASSERT_EQ(fast.by_winograd(), 2);
    const Graph& graph = fast.plan->graph();
    for (const Node& node : graph.nodes()) {
      if (fast.plan->facts(node.id).winograd_tile == 0) continue;
      const auto inputs = graph.input_types(node), outputs = graph.output_types(node);
      const Shape& written = outputs[0].shape;
      const auto tiles = static_cast<double>(2 * ((written[2] + 3) / 4) * ((written[3] + 3) / 4));
      const double defined = node.op->cost({node.attributes, inputs, outputs}).flops;
      EXPECT_EQ(defined - fast.plan->spared_flops(node.id), 2 * 36 * tiles * 64 * 64) << node.op->name << image;
    }
  }
}

TEST(Winograd, LeavesOtherConvolutionsAlone) {
  for (const Case& c : {Case{.channels = 64, .image = 64, .stride = 2}, Case{.channels = 256, .kernel = 1},
                        Case{.channels = 64, .kernel = 5}, Case{.channels = 64, .groups = 2},
                        Case{.batch = 1, .channels = 16, .image = 8}}) {
    const Computed computed = compute(c, true, 1, 1);
    EXPECT_EQ(computed.by_winograd(), 0) << computed.plan->kernel_name(0);
    EXPECT_EQ(computed.plan->spared_flops(0), 0);
  }
}

/// A tile's sums are mixed: what is not finite reaches all of its tile, and nothing beyond the tiles that read it.
TEST(Winograd, WhatIsNotFiniteStaysVisible) {
  const Case c{.infinite = true};
  const Computed direct = compute(c, false, 1, 1), fast = compute(c, true, 1, 1);
  ASSERT_EQ(fast.by_winograd(), 1);
  int64_t lost = 0, beyond = 0, seen = 0;
  for (int64_t i = 0; i < direct.count; ++i) {
    const int64_t pixel = i / c.channels % (c.image * c.image), row = pixel / c.image, column = pixel % c.image;
    const bool near = i / c.channels < c.image * c.image && std::abs(row - 20) <= 5 && std::abs(column - 20) <= 5;
    const bool finite = std::isfinite(fast.y[i]);
    seen += finite ? 0 : 1;
    beyond += !near && !finite ? 1 : 0;
    // An infinity of the direct sum may be one of the other sign here, of which relu makes 0; NaN stays NaN.
    lost += !std::isfinite(direct.y[i]) && finite && fast.y[i] != 0 ? 1 : 0;
  }
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(beyond, 0);
  EXPECT_GT(seen, 100) << "of the 9 pixels with 32 channels each that read it";
}

}  // namespace
