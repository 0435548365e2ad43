// SPDX-License-Identifier: Apache-2.0
// What computes where a library is left out: every kernel case once more without oneDNN and OpenBLAS, by our own
// kernels and not by the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/cpu/backend.h"
#include "engine/ops/attention.h"
#include "engine/ops/ops.h"
#include "engine/ops/recurrent.h"
#include "engine/runtime/plan.h"
#include "tests/engine/kernels/core/kernel_case.h"
#include "tests/engine/kernels/core/kernel_case_words.h"

namespace engine {
namespace {

/// Twice, for what is packed once and kept; in place that would be another result.
int times(const KernelCase& c) { return find_op(c.op)->in_place.empty() ? 2 : 1; }

bool names(const std::string& kernel, const char* library) { return kernel.find(library) != std::string::npos; }

/// Convolutions beyond those of the list, whose layouts and sizes take every way through our own.
std::vector<KernelCase> convolutions() {
  struct Shape4 {
    const char* name;
    TensorType x;
    Shape weight;
    Attributes attributes;
    TensorType y;
  };
  std::vector<Shape4> shapes;
  for (const DType t : {f32, f64}) {
    const std::vector<Shape4> own{
        {"both row-major",
         row_major({2, 8, 12, 11}, t),
         {10, 8, 3, 3},
         conv({1, 1}, {1, 1, 1, 1}),
         row_major({2, 10, 12, 11}, t)},
        {"row-major to channels last",
         row_major({2, 8, 5, 5}, t),
         {8, 8, 3, 3},
         conv({1, 1}, {1, 1, 1, 1}),
         nhwc({2, 8, 5, 5}, t)},
        {"1x1 row-major",
         row_major({3, 20, 6, 5}, t),
         {9, 20, 1, 1},
         conv({1, 1}, {0, 0, 0, 0}),
         row_major({3, 9, 6, 5}, t)},
        {"1x1 channels last", nhwc({3, 20, 6, 5}, t), {9, 20, 1, 1}, conv({1, 1}, {0, 0, 0, 0}), nhwc({3, 9, 6, 5}, t)},
        {"1x1 with stride", nhwc({3, 20, 7, 6}, t), {9, 20, 1, 1}, conv({2, 3}, {0, 0, 0, 0}), nhwc({3, 9, 4, 2}, t)},
        {"depthwise, plain",
         nhwc({2, 40, 9, 9}, t),
         {40, 1, 3, 3},
         conv({1, 1}, {1, 1, 1, 1}, {1, 1}, 40),
         nhwc({2, 40, 9, 9}, t)},
        {"row-major depthwise",
         row_major({2, 12, 9, 9}, t),
         {12, 1, 3, 3},
         conv({2, 2}, {1, 1, 1, 1}, {1, 1}, 12),
         row_major({2, 12, 5, 5}, t)},
        {"depthwise, stride 2, uneven padding",
         nhwc({2, 35, 8, 7}, t),
         {35, 1, 3, 5},
         conv({2, 2}, {1, 2, 0, 3}, {1, 1}, 35),
         nhwc({2, 35, 4, 4}, t)},
        {"depthwise, dilated, rows no tap meets",
         nhwc({1, 20, 9, 9}, t),
         {20, 1, 2, 2},
         conv({3, 3}, {0, 0, 0, 0}, {2, 1}, 20),
         nhwc({1, 20, 3, 3}, t)},
        {"groups, dilated, uneven padding",
         nhwc({2, 12, 11, 9}, t),
         {8, 3, 3, 2},
         conv({2, 1}, {2, 0, 1, 3}, {2, 3}, 4),
         nhwc({2, 8, 5, 9}, t)},
        {"dy of a wider tensor",
         nhwc({2, 12, 7, 7}, t),
         {16, 12, 3, 3},
         conv({1, 1}, {1, 1, 1, 1}),
         {t, {2, 16, 7, 7}, nhwc({2, 40, 7, 7}).strides}},
        {"dy of larger images",
         nhwc({2, 12, 7, 7}, t),
         {16, 12, 3, 3},
         conv({1, 1}, {1, 1, 1, 1}),
         {t, {2, 16, 7, 7}, nhwc({2, 16, 9, 9}).strides}},
        {"x backwards",
         {t, {1, 4, 6, 6}, {144, -36, 6, 1}},
         {5, 4, 3, 3},
         conv({1, 1}, {1, 1, 1, 1}),
         row_major({1, 5, 6, 6}, t)},
        {"many tiles of pixels",
         nhwc({2, 70, 33, 31}, t),
         {65, 70, 3, 3},
         conv({1, 1}, {1, 1, 1, 1}),
         nhwc({2, 65, 33, 31}, t)},
        {"padding wider than the image",
         nhwc({1, 3, 2, 2}, t),
         {4, 3, 3, 3},
         conv({1, 1}, {4, 4, 4, 4}),
         nhwc({1, 4, 8, 8}, t)},
    };
    shapes.insert(shapes.end(), own.begin(), own.end());
  }
  std::vector<KernelCase> cases;
  for (const Shape4& s : shapes) {
    const TensorType weight = row_major(s.weight, s.x.dtype), bias = row_major({s.weight[0]}, s.x.dtype);
    const std::string name = fmt::format("{}, {}", s.name, engine::name(s.x.dtype));
    cases.push_back({name, "conv2d", s.attributes, {{s.x}, {weight}, {bias}}, ""});
    // Gradients of what lies backwards or with gaps lie densely.
    const TensorType dx = is_dense(s.x.shape, s.x.strides) ? s.x : nhwc(s.x.shape, s.x.dtype);
    cases.push_back({name, "conv2d_grad_input", with_result(s.attributes, "input", dx), {{s.y}, {weight}}, ""});
    cases.push_back({name, "conv2d_grad_weight", with_result(s.attributes, "weight", weight), {{s.y}, {s.x}}, ""});
  }
  return cases;
}

std::vector<KernelCase> all_cases() {
  std::vector<KernelCase> cases = kernel_cases();
  for (KernelCase& more : convolutions()) cases.push_back(std::move(more));
  return cases;
}

TEST(CpuWithoutLibraries, OwnKernelsComputeWhatTheLibrariesWouldHave) {
  // All that a library may compute; the rest is our own anyway.
  const std::set<std::string> ops{"conv2d",
                                  "conv2d_grad_input",
                                  "conv2d_grad_weight",
                                  "conv3d",
                                  "conv3d_grad_input",
                                  "conv3d_grad_weight",
                                  "matmul",
                                  "linear",
                                  "attention",
                                  "attention_grad",
                                  "conv_integer",
                                  "qlinear_conv",
                                  "lstm",
                                  "lstm_grad",
                                  "gru",
                                  "gru_grad",
                                  "rnn",
                                  "rnn_grad",
                                  "contiguous",
                                  "relayout",
                                  "fused"};
  std::set<std::string> own;
  for (const KernelCase& c : all_cases()) {
    if (!ops.contains(c.op)) continue;
    const CaseResult wanted = run_reference(c);
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(fmt::format("{} ({}), {} threads", c.name, c.op, threads));
      const auto backend =
          cpu::make_backend(cpu::BackendOptions{.threads = threads, .onednn = false, .openblas = false});
      ASSERT_TRUE(backend.ok()) << backend.error().message;
      const CaseResult got = run_kernel(c, **backend, times(c));
      EXPECT_FALSE(names(got.kernel, "oneDNN") || names(got.kernel, "OpenBLAS")) << got.kernel;
      EXPECT_EQ(got.kernel == "reference", c.kernel == "reference") << got.kernel;
      expect_agrees(got, wanted);
      if (c.op.starts_with("conv2d")) {
        EXPECT_EQ(names(got.kernel, "own depthwise loops"), c.name.find("depthwise") != std::string::npos)
            << got.kernel;
      }
      if (names(got.kernel, "own")) own.insert(c.op);
    }
  }
  for (const std::string& op : ops)
    EXPECT_TRUE(own.contains(op) || op == "fused") << op << " has no case that our own kernels compute";
}

TEST(CpuWithoutLibraries, ConvolutionsAgreeWithOneDnns) {
  if (!cpu::has_onednn()) GTEST_SKIP() << "built without oneDNN";
  const auto with = *cpu::make_backend(2);
  for (const KernelCase& c : convolutions()) {
    SCOPED_TRACE(fmt::format("{} ({})", c.name, c.op));
    expect_agrees(run_kernel(c, *with, times(c)), run_reference(c));
  }
}

/// Products inside of other kernels pack into the plan's workspace, each thread into its own part: nothing is allocated
/// while a step runs.
TEST(CpuWithoutLibraries, ScratchOfProductsIsThePlans) {
  const auto bytes = [](int threads, auto&& add) {
    GraphBuilder builder;
    add(builder);
    auto graph = builder.finish();
    EXPECT_TRUE(graph.ok()) << graph.error().message;
    const auto backend =
        *cpu::make_backend(cpu::BackendOptions{.threads = threads, .onednn = false, .openblas = false});
    const auto plan = Plan::make(std::make_shared<const Graph>(*std::move(graph)), *backend);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    return (*plan)->workspace_bytes();
  };
  constexpr int64_t kSteps = 16, kBatch = 4, kInputs = 40, kHidden = 32, kHeads = 2, kFeatures = 16, kKeys = 50;
  const auto input = [](GraphBuilder& b, const char* name, const Shape& shape) {
    return b.input(name, TensorType::contiguous(DType::float32, shape), {});
  };
  const auto lstm = [&](GraphBuilder& b) {
    b.mark_output(ops::lstm(b, input(b, "x", {kSteps, kBatch, kInputs}), input(b, "w", {1, 4 * kHidden, kInputs}),
                            input(b, "r", {1, 4 * kHidden, kHidden}), input(b, "bias", {1, 4 * kHidden}), kNoValue,
                            kNoValue)
                      .y);
  };
  // At least the weights of x, which several rows of gates are packed against, once more for the second thread.
  EXPECT_GE(bytes(2, lstm) - bytes(1, lstm), 4 * kHidden * kInputs * 4);
  const auto attention = [&](int64_t keys) {
    return [&, keys](GraphBuilder& b) {  // too few queries for keys that are packed once
      b.mark_output(ops::attention(b, input(b, "q", {1, kHeads, 4, kFeatures}),
                                   input(b, "k", {1, kHeads, keys, kFeatures}),
                                   input(b, "v", {1, kHeads, keys, kFeatures}), kNoValue));
    };
  };
  EXPECT_GE(bytes(1, attention(8 * kKeys)) - bytes(1, attention(kKeys)), 7 * kKeys * kFeatures * 4)
      << "scores have the same room for any number of keys";
}

}  // namespace
}  // namespace engine
