// SPDX-License-Identifier: Apache-2.0
// Convolutions by Winograd's minimal filtering: that they give the direct ones' results up to rounding, where they
// apply, and that the arithmetic they spare is what the tiles say.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/kernels/convolution/winograd.h"
#include "engine/ops/fusion.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

struct Case {
  int64_t batch = 2, channels = 32, image = 56, kernel = 3, stride = 1;
  bool infinite = false;  ///< the first image has one
};

Graph normalized(const Case& c) {
  const auto vector = [&](Fill::Kind kind, double low, double high) {
    return std::pair(TensorType::contiguous(DType::float32, {c.channels}), Fill{kind, low, high});
  };
  GraphBuilder builder;
  const ValueId x =
      builder.input("x", TensorType::channels_last(DType::float32, {c.batch, c.channels, c.image, c.image}),
                    {Fill::Kind::uniform, -1, 1});
  const ValueId w =
      builder.parameter("w", TensorType::contiguous(DType::float32, {c.channels, c.channels, c.kernel, c.kernel}),
                        {Fill::Kind::uniform, -1, 1});
  const auto state = [&](const char* name, double low, double high) {
    const auto [type, fill] = vector(Fill::Kind::uniform, low, high);
    return builder.state(name, type, fill);
  };
  ops::Conv2dOptions options;
  options.padding.fill(c.kernel / 2);
  options.stride.fill(c.stride);
  const ValueId y = ops::conv2d(builder, x, w, kNoValue, options);
  builder.mark_output(
      ops::relu(builder, ops::batch_norm_inference(builder, y, state("scale", -1, 1), state("bias", -1, 1),
                                                   state("mean", -1, 1), state("variance", 0.5, 2), 1e-5)));
  Result<Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << (graph ? "" : graph.error().message);
  return fuse(*graph);
}

struct Computed {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Plan> plan;
  const float* y = nullptr;
  int64_t count = 0;

  bool by_winograd() const { return plan->facts(0).winograd_tile != 0; }
};

Computed compute(const Case& c, bool winograd, int threads, int steps = 2) {
  Computed done{*cpu::make_backend(cpu::BackendOptions{
                    .threads = threads, .winograd = winograd ? WinogradUse::always : WinogradUse::never}),
                nullptr};
  const auto graph = std::make_shared<const Graph>(normalized(c));
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

/// Whether oneDNN has these primitives for this processor at all: it needs AVX-512.
bool available() { return compute({}, true, 1, 0).by_winograd(); }

TEST(Winograd, AgreesWithTheDirectConvolution) {
  if (!available()) GTEST_SKIP() << "oneDNN has no Winograd convolution for this processor (it needs AVX-512)";
  for (const Case& c :
       {Case{}, Case{.batch = 3, .channels = 64, .image = 33}, Case{.batch = 4, .channels = 128, .image = 14}}) {
    for (const int threads : {1, 2}) {
      if (c.batch % threads != 0) continue;  // one thread would wait: not image by image
      const Computed direct = compute(c, false, threads), fast = compute(c, true, threads);
      EXPECT_FALSE(direct.by_winograd());
      ASSERT_TRUE(fast.by_winograd()) << fast.plan->kernel_name(0);
      double largest = 0, difference = 0;
      for (int64_t i = 0; i < direct.count; ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(direct.y[i])));
        difference = std::max(difference, std::abs(static_cast<double>(direct.y[i]) - static_cast<double>(fast.y[i])));
      }
      // F(4x4, 3x3) multiplies by up to 8 before it sums: some ten times a direct sum's rounding.
      EXPECT_LE(difference, 200 * std::numeric_limits<float>::epsilon() * largest) << fast.plan->kernel_name(0);
      EXPECT_GT(largest, 1);
    }
  }
}

TEST(Winograd, IsTakenWhereItWasMeasuredToBeFaster) {
  const std::vector<WinogradTiming> timings{
      {64, 56, 100, 80}, {512, 7, 100, 97}, {16, 16, 100, std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_TRUE(winograd_is_faster(timings, 64, 64, 56, 56));
  EXPECT_TRUE(winograd_is_faster(timings, 64, 128, 56, 60)) << "nearest to 64 channels of 56 x 56";
  EXPECT_FALSE(winograd_is_faster(timings, 512, 512, 7, 7)) << "3 % are less than runs differ by";
  EXPECT_FALSE(winograd_is_faster(timings, 16, 16, 16, 16)) << "this processor has none";
  EXPECT_FALSE(winograd_is_faster({}, 64, 64, 56, 56)) << "nothing was measured";
  if (!available()) GTEST_SKIP() << "oneDNN has no Winograd convolution for this processor (it needs AVX-512)";
  const auto graph = std::make_shared<const Graph>(normalized({.channels = 64}));
  for (const bool faster : {true, false}) {
    const auto backend = *cpu::make_backend({.threads = 1, .winograd_timings = {{64, 56, 100, faster ? 80.0 : 120.0}}});
    const auto plan = *Plan::make(graph, *backend);
    EXPECT_EQ(plan->facts(0).winograd_tile != 0, faster) << plan->kernel_name(0);
    // What is told without operands is what is done.
    const Node& node = graph->nodes()[0];
    const auto inputs = graph->input_types(node), outputs = graph->output_types(node);
    const Shortcut shortcut = backend->shortcut(node, {node.attributes, inputs, outputs});
    EXPECT_EQ(shortcut.spared_flops, plan->spared_flops(0));
    EXPECT_TRUE(plan->kernel_name(0).starts_with(shortcut.facts.name)) << shortcut.facts.name;
    EXPECT_EQ(shortcut.facts.name.empty(), !faster);
    EXPECT_EQ(shortcut.facts.code, faster ? CodeKind::fast : CodeKind::unknown);
    EXPECT_EQ(shortcut.facts.winograd_tile != 0, faster);
    EXPECT_EQ(plan->facts(0).winograd_tile, shortcut.facts.winograd_tile);
  }
}

TEST(Winograd, IsMeasuredAtShapesOfNetworks) {
  int left_out = 0;  // on a busy machine perhaps all
  const std::vector<WinogradTiming> timings = cpu::measure_winograd(&left_out);
  EXPECT_EQ(timings.size() + static_cast<size_t>(left_out), 7);
  for (const WinogradTiming& t : timings) {
    EXPECT_GT(t.direct_ns, 0);
    EXPECT_EQ(std::isnan(t.winograd_ns), !available()) << t.channels << " channels of " << t.extent;
  }
}

TEST(Winograd, SparesWhatItsTilesSay) {
  // 30 is no multiple of 4: the last tiles stick out.
  const double defined = 2 * 2.0 * 9 * 64 * 32 * 30 * 30;
  EXPECT_EQ(cpu::winograd_spared_flops(2, 2, 30, 30, 64, 32), defined - 2 * 2.0 * 15 * 15 * 16 * 64 * 32);
  EXPECT_EQ(cpu::winograd_spared_flops(4, 2, 30, 30, 64, 32), defined - 2 * 2.0 * 8 * 8 * 36 * 64 * 32);
  EXPECT_EQ(cpu::winograd_spared_flops(4, 1, 4, 4, 1, 1), 2.0 * (144 - 36));
  if (!available()) GTEST_SKIP() << "oneDNN has no Winograd convolution for this processor (it needs AVX-512)";
  const Case c{.channels = 64, .image = 30};
  EXPECT_EQ(compute(c, false, 1, 0).plan->spared_flops(0), 0);
  const Computed fast = compute(c, true, 1, 0);
  const int tile = fast.plan->facts(0).winograd_tile;
  EXPECT_EQ(fast.plan->spared_flops(0), cpu::winograd_spared_flops(tile, 2, 30, 30, 64, 64));
}

TEST(Winograd, LeavesOtherConvolutionsAlone) {
  for (const Case& c : {Case{.channels = 64, .image = 64, .stride = 2}, Case{.channels = 256, .kernel = 1},
                        Case{.batch = 1}, Case{.channels = 16, .image = 16}}) {
    const Computed computed = compute(c, true, 1, 1);
    EXPECT_FALSE(computed.by_winograd()) << computed.plan->kernel_name(0);
    EXPECT_EQ(computed.plan->spared_flops(0), 0);
  }
}

/// A tile's sums are mixed: what is not finite reaches all of its tile, and nothing beyond the tiles that read it.
TEST(Winograd, WhatIsNotFiniteStaysVisible) {
  if (!available()) GTEST_SKIP() << "oneDNN has no Winograd convolution for this processor (it needs AVX-512)";
  const Case c{.infinite = true};
  const Computed direct = compute(c, false, 1, 1), fast = compute(c, true, 1, 1);
  ASSERT_TRUE(fast.by_winograd());
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
