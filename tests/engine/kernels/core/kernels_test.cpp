// SPDX-License-Identifier: Apache-2.0
// Every CPU kernel against its op's reference, on shapes that fit vectors and shapes that do not,
// on one thread and on two.
#include "engine/kernels/core/kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/ops/fusion.h"
#include "engine/ops/ops.h"
#include "engine/runtime/nothing_op.h"
#include "engine/runtime/plan.h"
#include "engine/tensor/random.h"
#include "tests/engine/kernels/core/kernel_case.h"
#include "tests/engine/kernels/core/kernel_case_words.h"

namespace engine {
namespace {

void expect_same_bits(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(a[i], b[i], {}, std::bit_cast<uint64_t, double>, std::bit_cast<uint64_t, double>))
        << "output " << i;
  }
}

class CpuKernel : public testing::TestWithParam<KernelCase> {};

TEST_P(CpuKernel, AgreesWithReferenceOnOneThreadAndOnTwo) {
  const KernelCase& c = GetParam();
  const CaseResult wanted = run_reference(c);
  for (const int threads : {1, 2}) {
    SCOPED_TRACE(threads);
    auto backend = cpu::make_backend(threads);
    ASSERT_TRUE(backend.ok());
    const CaseResult got = run_kernel(c, **backend);
    const bool left_out =
        !cpu::has_onednn() && (c.kernel.find("oneDNN") != std::string::npos ||
                               c.kernel == "own gemm over plain weights");  // which knows oneDNN's words
    if (!left_out) {
      EXPECT_EQ(got.kernel.substr(0, c.kernel.size()), c.kernel) << got.kernel;
    }
    EXPECT_EQ(got.kernel == "reference", c.kernel == "reference") << got.kernel;
    EXPECT_EQ(is_reference(got.code), c.kernel == "reference") << got.kernel;
    expect_agrees(got, wanted);
  }
}

/// Who takes an op writes no further than the workspace it asked for, whoever would have been asked before it.
TEST(CpuKernels, EachKernelAloneStaysInTheWorkspaceItAskedFor) {
  for (const int threads : {1, 2}) {
    cpu::Context context(cpu::BackendOptions{.threads = threads});
    int64_t ran = 0;
    for (const KernelCase& c : kernel_cases()) {
      for (const cpu::Kernel& kernel : cpu::kernels_of(context, *find_op(c.op))) {
        BoundCase bound = bind_case(c);
        bound.arguments.attributes = &bound.node.attributes;
        const Call call{bound.node.attributes, bound.inputs, bound.outputs};
        if (!kernel.takes_empty && (any_empty(bound.inputs) || any_empty(bound.outputs))) continue;
        const GuardedWorkspace workspace(
            kernel.workspace_bytes == nullptr ? 0 : kernel.workspace_bytes(context, bound.node, call));
        const auto op = kernel.prepare(context, {bound.node, bound.arguments, workspace.data(), {}});
        if (op == nullptr) continue;
        op->run();
        ++ran;
        EXPECT_EQ(workspace.bytes_written_behind(), 0)
            << c.name << " by " << op->kernel_name() << ", threads " << threads;
      }
    }
    EXPECT_GT(ran, 1000);
  }
}

/// Our own convolutions have a workspace where oneDNN does not convolve, and run nowhere else.
TEST(CpuKernels, OwnConvolutionsTakeNothingWithoutTheirWorkspace) {
  if (!cpu::has_onednn()) GTEST_SKIP() << "built without oneDNN";
  cpu::Context context(cpu::BackendOptions{.threads = 2});
  int64_t left = 0, taken = 0;
  for (const KernelCase& c : kernel_cases()) {
    for (const cpu::Kernel& kernel : cpu::own_convolution_kernels()) {
      if (kernel.op != c.op) continue;
      BoundCase bound = bind_case(c);
      bound.arguments.attributes = &bound.node.attributes;
      const bool asked =
          kernel.workspace_bytes(context, bound.node, {bound.node.attributes, bound.inputs, bound.outputs}) > 0;
      const GuardedWorkspace workspace(1 << 24);
      const bool takes = kernel.prepare(context, {bound.node, bound.arguments, workspace.data(), {}}) != nullptr;
      EXPECT_TRUE(asked || !takes) << c.name;
      ++(takes ? taken : left);
    }
  }
  EXPECT_GT(left, 50);
  EXPECT_GT(taken, 5);
}

/// Steps that end beyond the row (every other of 5): oneDNN has no word for such views, whichever side they are on.
TEST(CpuKernels, ViewsOfOddExtentsAreCopiedFromAndTo) {
  auto backend = cpu::make_backend(2);
  ASSERT_TRUE(backend.ok());
  Node node;
  node.op = find_op("contiguous");
  const auto every = [](int64_t extent, int64_t step) { return (extent + step - 1) / step; };
  for (const DType t : {DType::uint8, DType::int8, DType::float16, DType::bfloat16, DType::float32, DType::int32,
                        DType::float64, DType::int64}) {
    for (const auto& [extent, step] : {std::pair<int64_t, int64_t>{5, 2}, {7, 2}, {4, 3}, {11, 4}, {6, 2}}) {
      const Shape shape{3, 4, every(extent, step)};
      const TensorType views[] = {strided(shape, {4 * extent, extent, step}, t),
                                  strided(shape, {extent, 3 * extent, step}, t),
                                  strided(shape, {1, 3 * extent * step, 3 * step}, t), row_major(shape, t)};
      for (const TensorType& from : views) {
        for (const TensorType& to : views) {
          SCOPED_TRACE(testing::Message() << to_string(from) << " to " << to_string(to));
          const auto of = [](const TensorType& type) {
            return Tensor(*Storage::allocate_host(type.span_bytes()), type, 0);
          };
          const Tensor x = of(from), y = of(to);
          std::fill_n(y.data(), to.span_bytes(), std::byte{0x5A});
          for (int64_t i = 0; i < from.elements(); ++i) x.set_flat(i, static_cast<double>(i % 100));
          const auto op = (*backend)->prepare({node, {&node.attributes, {x}, {y}}, nullptr, {}});
          ASSERT_TRUE(op.ok());
          EXPECT_NE((*op)->kernel_name(), "reference");
          (*op)->run();
          for (int64_t i = 0; i < from.elements(); ++i) ASSERT_EQ(y.get_flat(i), i % 100) << (*op)->kernel_name();
        }
      }
    }
  }
}

/// A convolution and its batch norm fold into one call whatever view of an image they read.
TEST(CpuKernels, ConvolutionsOfViewsOfOddExtentsFoldTheirBatchNorm) {
  const auto build = [](const TensorType& whole, int64_t axis, int64_t step, int64_t channels) {
    constexpr Fill draw{Fill::Kind::uniform, -1, 1}, positive{Fill::Kind::uniform, 0.5, 2};
    GraphBuilder builder;
    const ValueId x =
        ops::slice(builder, builder.input("x", whole, draw), axis, 0, whole.shape[static_cast<size_t>(axis)], step);
    const ValueId w = builder.parameter("w", row_major({channels, whole.shape[1], 3, 3}), draw);
    ops::Conv2dOptions options;
    options.padding.fill(1);
    const ValueId y = ops::conv2d(builder, x, w, kNoValue, options);
    const auto vector = [&](const char* name, Fill fill) { return builder.state(name, row_major({channels}), fill); };
    builder.mark_output(
        ops::relu(builder, ops::batch_norm_inference(builder, y, vector("scale", draw), vector("bias", draw),
                                                     vector("mean", draw), vector("variance", positive), 1e-5)));
    auto graph = builder.finish();
    EXPECT_TRUE(graph.ok());
    return *std::move(graph);
  };
  struct View {
    TensorType whole;
    int64_t axis, step, channels;
  };
  const View views[] = {{row_major({2, 8, 9, 5}), 3, 2, 16},
                        {row_major({1, 8, 9, 7}), 3, 2, 16},
                        {nhwc({2, 8, 9, 5}), 3, 2, 16},
                        {nhwc({2, 8, 7, 5}), 2, 2, 16},
                        {nhwc({2, 3, 6, 4}), 3, 3, 8},
                        {nhwc({2, 64, 34, 67}), 3, 2, 16}};  // the last ones' images are large enough to go one by one
  for (const View& view : views) {
    const Graph graph = build(view.whole, view.axis, view.step, view.channels), fused = fuse(graph);
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(testing::Message() << to_string(view.whole) << ", every " << view.step << " along axis " << view.axis
                                      << ", threads " << threads);
      auto backend = cpu::make_backend(threads);
      ASSERT_TRUE(backend.ok());
      std::vector<std::vector<double>> results;
      for (const Graph* each : {&graph, &fused}) {
        auto plan = Plan::make(std::make_shared<const Graph>(*each), **backend);
        ASSERT_TRUE(plan.ok());
        (*plan)->run_step(0, nullptr);
        const Tensor& y = (*plan)->tensor(each->outputs()[0]);
        auto& values = results.emplace_back();
        for (int64_t i = 0; i < y.type().elements(); ++i) values.push_back(y.get_flat(i));
        bool folds = false;
        for (size_t op = 0; op < each->nodes().size(); ++op) {
          if (each->nodes()[op].op->view != nullptr) continue;
          const std::string name = (*plan)->kernel_name(static_cast<NodeId>(op));
          EXPECT_EQ(name.find("reference"), std::string::npos) << name;
          folds |= name.find("batch norm folded in") != std::string::npos;
        }
        EXPECT_EQ(folds, each == &fused && cpu::has_onednn());
      }
      ASSERT_EQ(results[0].size(), results[1].size());
      for (size_t i = 0; i < results[0].size(); ++i) ASSERT_NEAR(results[0][i], results[1][i], 2e-3) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, CpuKernel, testing::ValuesIn(kernel_cases()),
                         [](const testing::TestParamInfo<KernelCase>& test) { return test.param.name; });

/// Sums are cut into the same blocks whatever the thread count, so not one bit differs.
TEST(CpuKernels, StatisticsAreBitIdenticalForEveryThreadCount) {
  const TensorType x = nhwc({4, 24, 40, 40}), c = row_major({24});
  const KernelCase cases[] = {{"", "batch_norm_training", {{"epsilon", 1e-5}}, {{x}, {c}, {c}}, "own"},
                              {"", "batch_norm_grad", {}, {{x}, {x}, {c}, {c, Draw::positive}, {c}}, "own"},
                              {"", "sum", {{"axes", std::vector<int64_t>{0, 2, 3}}}, {{x}}, "own"}};
  for (const KernelCase& kernel_case : cases) {
    const auto one = cpu::make_backend(1), two = cpu::make_backend(2), three = cpu::make_backend(3);
    const CaseResult first = run_kernel(kernel_case, **one);
    EXPECT_EQ(first.outputs, run_kernel(kernel_case, **two).outputs) << kernel_case.op;
    EXPECT_EQ(first.outputs, run_kernel(kernel_case, **three).outputs) << kernel_case.op;
  }
}

/// What is multiplied out is told by the exponent alone: rows that lie dense, with gaps, or across the exponents give
/// the same bits.
TEST(CpuKernels, PowersAreBitIdenticalInEveryLayout) {
  const auto backend = cpu::make_backend(2);
  ASSERT_TRUE(backend.ok());
  for (const DType t : {DType::float32, DType::float64}) {
    const Operand exponents{TensorType::contiguous(t, {37, 1}), Draw::classes};
    const CaseResult dense =
        run_kernel({"", "power", {}, {{TensorType::contiguous(t, {37, 91})}, exponents}, ""}, **backend);
    const std::string by_logarithms =
        std::string("own power (") + cpu::vector_unit() + ", multiplied out, or by logarithms in f64)";
    EXPECT_EQ(dense.kernel, t == DType::float32 ? by_logarithms : "own power (multiplied out, or libm)");
    for (const std::vector<int64_t>& strides : {std::vector<int64_t>{200, 2}, {1, 37}}) {
      EXPECT_EQ(run_kernel({"", "power", {}, {{{t, {37, 91}, strides}}, exponents}, ""}, **backend).outputs,
                dense.outputs)
          << name(t) << ", stride " << strides[1];
    }
  }
}

/// A mean far from zero must not swallow the variance: x is 1000 +- 0.5, so its standard deviation
/// is 0.5.
TEST(CpuKernels, VarianceSurvivesALargeMean) {
  const TensorType type = nhwc({2, 3, 8, 8}), c = row_major({3});
  auto backend = cpu::make_backend(2);
  ASSERT_TRUE(backend.ok());
  Tensor x = *Tensor::empty(type), scale = *Tensor::empty(c), bias = *Tensor::empty(c);
  for (int64_t i = 0; i < type.elements(); ++i) x.set_flat(i, i % 2 == 0 ? 1000.5 : 999.5);
  for (int64_t i = 0; i < 3; ++i) scale.set_flat(i, 1), bias.set_flat(i, 0);
  Tensor y = *Tensor::empty(type), mean = *Tensor::empty(c), inv_std = *Tensor::empty(c);
  Node node;
  node.op = find_op("batch_norm_training");
  node.attributes = {{"epsilon", 0.0}};
  const std::vector<TensorType> inputs = {type, c, c}, outputs = {type, c, c};
  auto workspace = Storage::allocate_host((*backend)->workspace_bytes(node, {node.attributes, inputs, outputs}));
  auto op =
      (*backend)->prepare({node, {&node.attributes, {x, scale, bias}, {y, mean, inv_std}}, (*workspace)->data(), {}});
  ASSERT_TRUE(op.ok());
  (*op)->run();
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_FLOAT_EQ(static_cast<float>(mean.get_flat(i)), 1000.0f);
    EXPECT_FLOAT_EQ(static_cast<float>(inv_std.get_flat(i)), 2.0f);
  }
  EXPECT_FLOAT_EQ(static_cast<float>(y.get_flat(0)), 1.0f);
  EXPECT_FLOAT_EQ(static_cast<float>(y.get_flat(1)), -1.0f);
}

/// x / scale is rounded to f32 before it is rounded to an integer, as ONNX has it: halves of steps go to the even one,
/// and not where doubles would see a little less than a half.
TEST(CpuKernels, HalvesOfStepsAreQuantisedAsTheReferenceDoes) {
  const TensorType type = row_major({515}), bytes = row_major({515}, DType::uint8), number = row_major({});
  const Tensor x = *Tensor::empty(type), scale = *Tensor::empty(number),
               zero = *Tensor::empty(row_major({}, DType::uint8));
  const double step = static_cast<double>(0.0196078438F);
  for (int64_t i = 0; i < 515; ++i) x.set_flat(i, static_cast<double>(static_cast<float>(i) / 2.0F * 0.0196078438F));
  scale.set_flat(0, step);
  zero.set_flat(0, 0);
  Node node;
  node.op = find_op("quantize_linear");
  const Tensor wanted = *Tensor::empty(bytes), got = *Tensor::empty(bytes);
  KernelArguments arguments{&node.attributes, {x, scale, zero}, {wanted}};
  node.op->reference(arguments);
  const auto backend = cpu::make_backend(2);
  ASSERT_TRUE(backend.ok());
  const auto op = (*backend)->prepare({node, {&node.attributes, {x, scale, zero}, {got}}, nullptr, {}});
  ASSERT_TRUE(op.ok());
  ASSERT_EQ((*op)->kernel_name(), "own quantize_linear");
  (*op)->run();
  for (int64_t i = 0; i < 515; ++i) EXPECT_EQ(got.get_flat(i), wanted.get_flat(i)) << i << " halves";
}

/// Bytes that fill no word, in caches and past them.
TEST(CpuKernels, RoundTripBringsEveryByteBack) {
  auto backend = cpu::make_backend(2);
  ASSERT_TRUE(backend.ok());
  for (const int64_t bytes : {int64_t{1}, int64_t{999}, (int64_t{64} << 20) + 3}) {
    const TensorType type = TensorType::contiguous(DType::uint8, {bytes});
    Tensor x = *Tensor::empty(type), y = *Tensor::empty(type);
    std::byte *from = x.data_as<std::byte>(), *to = y.data_as<std::byte>();
    for (int64_t i = 0; i < bytes; ++i) from[i] = static_cast<std::byte>(i * 7 % 251), to[i] = std::byte{255};
    Node node;
    node.op = find_op("round_trip");
    node.attributes = {{"memory", std::string("pinned")}, {"overlap", int64_t{0}}};
    auto op = (*backend)->prepare({node, {&node.attributes, {x}, {y}}, nullptr, {}});
    ASSERT_TRUE(op.ok());
    EXPECT_EQ((*op)->facts().streaming_stores, bytes > 999) << (*op)->kernel_name();
    (*op)->run();
    EXPECT_TRUE(std::equal(from, from + bytes, to)) << bytes;
  }
}

struct Statistics {
  Tensor x, scale, bias, y, mean, inv_std;
};

/// Batch normalisation in training of x [rows, 16] with these first elements of rows; the others
/// alternate -1, 1.
Statistics normalized(Backend& backend, int64_t rows, const std::vector<std::pair<int64_t, double>>& set) {
  const TensorType type = row_major({rows, 16}), c = row_major({16});
  Statistics s{*Tensor::empty(type), *Tensor::empty(c), *Tensor::empty(c),
               *Tensor::empty(type), *Tensor::empty(c), *Tensor::empty(c)};
  auto* x = s.x.data_as<float>();
  for (int64_t i = 0; i < rows * 16; ++i) x[i] = i / 16 % 2 == 0 ? -1.0f : 1.0f;
  for (const auto& [row, value] : set) s.x.set_flat(row * 16, value);
  fill(s.scale, {Fill::Kind::ones}, 1, 0);
  fill(s.bias, {Fill::Kind::zeros}, 1, 0);
  Node node;
  node.op = find_op("batch_norm_training");
  node.attributes = {{"epsilon", 1e-5}};
  const std::vector<TensorType> inputs = {type, c, c}, outputs = {type, c, c};
  auto workspace = Storage::allocate_host(backend.workspace_bytes(node, {node.attributes, inputs, outputs}));
  auto op = backend.prepare(
      {node, {&node.attributes, {s.x, s.scale, s.bias}, {s.y, s.mean, s.inv_std}}, (*workspace)->data(), {}});
  EXPECT_TRUE(op.ok());
  (*op)->run();
  return s;
}

/// One pixel far from all others must not swallow the variance, wherever it stands.
TEST(CpuKernels, VarianceSurvivesAnOutlier) {
  constexpr int64_t kRows = 1 << 18;
  auto backend = cpu::make_backend(2);
  for (const int64_t row : {int64_t{0}, int64_t{1}, kRows / 2, kRows - 1}) {
    const double outlier = 333.3, around = row % 2 == 0 ? -1 : 1;
    const double mean = (outlier - around) / static_cast<double>(kRows);
    const double square = 1 + (outlier * outlier - 1) / static_cast<double>(kRows);
    const Statistics s = normalized(**backend, kRows, {{row, outlier}});
    const double wanted = 1 / std::sqrt(square - mean * mean + 1e-5);
    EXPECT_NEAR(s.inv_std.get_flat(0) / wanted, 1, 1e-5) << row;
    EXPECT_NEAR(s.mean.get_flat(0), mean, 1e-6) << row;
  }
}

/// Statistics of a channel with a NaN, and what is learned from them, are NaN; its neighbours' not.
TEST(CpuKernels, StatisticsOfNanAreNan) {
  auto backend = cpu::make_backend(1);
  for (const int64_t row : {0, 5, 99}) {
    const Statistics s = normalized(**backend, 100, {{row, std::nan("")}});
    EXPECT_TRUE(std::isnan(s.mean.get_flat(0)) && std::isnan(s.inv_std.get_flat(0))) << row;
    EXPECT_TRUE(std::isfinite(s.inv_std.get_flat(1))) << row;
    Tensor running_mean = *Tensor::empty(row_major({16})), running_variance = *Tensor::empty(row_major({16}));
    fill(running_mean, {Fill::Kind::zeros}, 1, 0);
    fill(running_variance, {Fill::Kind::ones}, 1, 0);
    Node node;
    node.op = find_op("batch_norm_running_update");
    node.attributes = {{"count", int64_t{100}}};
    auto op = (*backend)->prepare(
        {node,
         {&node.attributes, {running_mean, running_variance, s.mean, s.inv_std}, {running_mean, running_variance}},
         nullptr,
         {}});
    (*op)->run();
    EXPECT_TRUE(std::isnan(running_variance.get_flat(0))) << row;
    EXPECT_TRUE(std::isfinite(running_variance.get_flat(1))) << row;
  }
}

/// 2^25 ones: a sum in f32 that adds them one by one stops at 2^24.
TEST(CpuKernels, AverageOfALargePlane) {
  auto backend = cpu::make_backend(1);
  const Tensor x = *Tensor::empty(nhwc({1, 1, 8192, 4096})), y = *Tensor::empty(nhwc({1, 1, 1, 1}));
  fill(x, {Fill::Kind::ones}, 1, 0);
  Node node;
  node.op = find_op("global_average_pool");
  auto op = (*backend)->prepare({node, {&node.attributes, {x}, {y}}, nullptr, {}});
  ASSERT_TRUE(op.ok());
  (*op)->run();
  EXPECT_FLOAT_EQ(y.data_as<float>()[0], 1.0f);
}

/// NaN is never hidden by a kernel.
TEST(CpuKernels, NanStaysNan) {
  auto backend = cpu::make_backend(1);
  ASSERT_TRUE(backend.ok());
  const TensorType type = row_major({2, 40});
  for (const char* name : {"relu", "sigmoid", "softmax", "scale"}) {
    Tensor x = *Tensor::empty(type), y = *Tensor::empty(type);
    for (int64_t i = 0; i < 80; ++i) x.set_flat(i, i == 5 ? std::nan("") : 0.25);
    Node node;
    node.op = find_op(name);
    node.attributes = {{"axis", int64_t{1}}};
    auto op = (*backend)->prepare({node, {&node.attributes, {x}, {y}}, nullptr, {}});
    ASSERT_TRUE(op.ok());
    (*op)->run();
    EXPECT_TRUE(std::isnan(y.get_flat(5))) << name << " by " << (*op)->kernel_name();
    EXPECT_FALSE(std::isnan(y.get_flat(45))) << name;
  }
}

/// A gradient that is not finite meets padding under some taps: these add nothing, as in the reference.
TEST(CpuKernels, PaddingHidesNoInfinityAndMakesNoNan) {
  const TensorType x = nhwc({1, 32, 7, 7}), dy = nhwc({1, 64, 7, 7}), dw = row_major({64, 32, 3, 3});
  Node node;
  node.op = find_op("conv2d_grad_weight");
  node.attributes = with_result({{"stride", Ints{1, 1}}, {"padding", Ints{1, 1, 1, 1}}}, "weight", dw);
  const Tensor image = *Tensor::empty(x), gradient = *Tensor::empty(dy), result = *Tensor::empty(dw);
  fill(image, {Fill::Kind::uniform, -1, 1}, 1, 0);
  fill(gradient, {Fill::Kind::uniform, -1, 1}, 2, 0);
  const auto corner = [&](int64_t o) { return gradient.data_as<float>() + o; };  // pixel (0, 0)
  *corner(3) = INFINITY;
  *corner(6) = NAN;
  for (const bool onednn : {true, false}) {
    auto backend = cpu::make_backend(cpu::BackendOptions{.threads = 1, .onednn = onednn});
    ASSERT_TRUE(backend.ok());
    const std::vector<TensorType> inputs{dy, x}, outputs{dw};
    const auto workspace = Storage::allocate_host(
        std::max<int64_t>(64, (*backend)->workspace_bytes(node, {node.attributes, inputs, outputs})));
    ASSERT_TRUE(workspace.ok());
    auto op = (*backend)->prepare({node, {&node.attributes, {gradient, image}, {result}}, (*workspace)->data(), {}});
    ASSERT_TRUE(op.ok());
    const std::string kernel =
        onednn && cpu::has_onednn() ? "own gemm over plain weights" : "own gemm over columns of the image";
    EXPECT_EQ((*op)->kernel_name().substr(0, kernel.size()), kernel);
    (*op)->run();
    for (int64_t c = 0; c < 32; ++c) {
      for (int64_t tap = 0; tap < 9; ++tap) {
        const bool reads = tap / 3 > 0 && tap % 3 > 0;  // from pixel (0, 0) on: row and column of the tap at least 1
        EXPECT_EQ(std::isfinite(result.data_as<float>()[(3 * 32 + c) * 9 + tap]), !reads) << c << " " << tap;
        EXPECT_EQ(std::isnan(result.data_as<float>()[(6 * 32 + c) * 9 + tap]), reads) << c << " " << tap;
        EXPECT_TRUE(std::isfinite(result.data_as<float>()[(5 * 32 + c) * 9 + tap]));
      }
    }
  }
}

/// Likewise forwards: weights that are not finite add nothing where their tap lies beside the image.
TEST(CpuKernels, PaddingMakesNoNanOfInfiniteWeights) {
  struct Layer {
    const char* name;
    TensorType x, weight;
    Ints stride, padding;
    int64_t groups;
    bool bias;
  };
  const Layer layers[] = {
      {"3x3", nhwc({2, 5, 7, 6}), row_major({9, 5, 3, 3}), {1, 1}, {1, 1, 1, 1}, 1, true},
      {"channels first, stride", row_major({2, 6, 7, 7}), row_major({4, 3, 3, 3}), {2, 2}, {1, 1, 1, 1}, 2, true},
      {"1x1 beside the image", nhwc({1, 8, 4, 4}), row_major({7, 8, 1, 1}), {1, 1}, {1, 1, 1, 1}, 1, false},
      {"padding behind alone", nhwc({1, 4, 6, 6}), row_major({2, 4, 3, 3}), {2, 2}, {0, 0, 1, 1}, 1, false},
      {"volumes", row_major({1, 3, 4, 5, 4}), row_major({6, 3, 3, 3, 3}), {1, 1, 1}, {1, 1, 1, 1, 1, 1}, 1, true},
      {"depthwise", nhwc({2, 37, 6, 6}), row_major({37, 1, 3, 3}), {1, 1}, {1, 1, 1, 1}, 37, true}};
  for (const Layer& layer : layers) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      SCOPED_TRACE(testing::Message() << layer.name << " " << name(dtype));
      Node node;
      node.op = find_op(layer.x.rank() == 5 ? "conv3d" : "conv2d");
      node.attributes = {{"stride", layer.stride}, {"padding", layer.padding}, {"groups", layer.groups}};
      std::vector<TensorType> inputs{layer.x, layer.weight};
      if (layer.bias) inputs.push_back(row_major({layer.weight.shape[0]}));
      std::vector<Tensor> operands;
      for (TensorType& type : inputs) {
        type.dtype = dtype;
        operands.push_back(*Tensor::empty(type));
        for (int64_t i = 0; i < type.elements(); ++i)
          operands.back().set_flat(i, static_cast<double>(i * 7 % 11) - 5.5);
      }
      const int64_t last = layer.weight.elements() - 1;
      const std::vector<TensorType> outputs = *node.op->infer(inputs, node.attributes);
      const Tensor wanted = *Tensor::empty(outputs[0]), y = *Tensor::empty(outputs[0]);
      const double first_weight = operands[1].get_flat(0), last_weight = operands[1].get_flat(last);
      for (const int threads : {1, 2}) {
        auto backend = cpu::make_backend(cpu::BackendOptions{.threads = threads, .onednn = false});
        ASSERT_TRUE(backend.ok());
        for (const bool constant : {false, true}) {
          const auto workspace = Storage::allocate_host(
              std::max<int64_t>(64, (*backend)->workspace_bytes(node, {node.attributes, inputs, outputs})));
          ASSERT_TRUE(workspace.ok());
          auto op = (*backend)->prepare({node,
                                         {&node.attributes, operands, {y}},
                                         (*workspace)->data(),
                                         std::vector<bool>(inputs.size(), constant)});
          ASSERT_TRUE(op.ok());
          EXPECT_TRUE((*op)->kernel_name().starts_with("own ")) << (*op)->kernel_name();
          for (const bool infinite : {true, false}) {  // one op: what it found of its weights does not stay
            if (constant && !infinite) continue;
            operands[1].set_flat(
                0, infinite ? INFINITY : first_weight);  // the first tap of the first output, the last one of the last
            operands[1].set_flat(last, infinite ? NAN : last_weight);
            KernelArguments arguments{&node.attributes, operands, {wanted}};
            node.op->reference(arguments);
            for (int times = 0; times < 2; ++times) (*op)->run();
            int64_t finite = 0;
            for (int64_t i = 0; i < outputs[0].elements(); ++i) {
              const double is = y.get_flat(i), should = wanted.get_flat(i);
              ASSERT_EQ(std::isnan(is), std::isnan(should)) << i;
              if (!std::isnan(should)) {
                ASSERT_EQ(is, should) << i;  // halves: no sum is rounded
              }
              finite += std::isfinite(should) ? 1 : 0;
            }
            EXPECT_GT(finite, 0);
            EXPECT_EQ(finite < outputs[0].elements(), infinite);
          }
        }
      }
    }
  }
}

/// The loops for older vector units live in the same binary; every one this machine can run is held
/// against the references. In parts, so that no test takes long.
constexpr size_t kParts = 4;
class OlderVectorUnits : public testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Part, OlderVectorUnits, testing::Range(size_t{0}, kParts));

TEST_P(OlderVectorUnits, AgreeToo) {
  auto backend = cpu::make_backend(2);
  ASSERT_TRUE(backend.ok());
  std::set<std::string> units;
  size_t own = 0;
  for (const KernelCase& c : kernel_cases()) {
    const bool is_own = c.kernel == "own" || std::string_view(c.kernel).starts_with("own gemm");
    if (!is_own || own++ % kParts != GetParam()) continue;
    SCOPED_TRACE(c.name);
    const CaseResult wanted = run_reference(c);
    for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
      const std::string unit = hwy::TargetName(rest & -rest);
      hwy::DisableTargets(~(rest & -rest));
      if (cpu::vector_unit() == unit) {  // else the compiler left it out
        units.insert(unit);
        const CaseResult got = run_kernel(c, **backend);
        const bool names_unit = got.kernel.find('(') != std::string::npos;
        if (names_unit) {
          EXPECT_NE(got.kernel.find(unit), std::string::npos) << got.kernel;
        }
        expect_agrees(got, wanted);
      }
      hwy::DisableTargets(0);
    }
  }
  EXPECT_GE(units.size(), 2u);  // at least this machine's own and plain scalar code
}

TEST(CpuKernels, EveryListedKernelHasACase) {
  const std::vector<KernelCase> cases = kernel_cases();
  for (const cpu::Kernel& kernel : cpu::kernels()) {
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const KernelCase& c) {
      return c.op == kernel.op && c.kernel != "reference";
    })) << kernel.op;
    EXPECT_NE(find_op(kernel.op), nullptr) << kernel.op;
  }
}

/// Those that the list does not name: an op says itself that it is elementwise.
TEST(CpuKernels, EveryElementwiseOpHasALoop) {
  const std::vector<KernelCase> cases = kernel_cases();
  int elementwise = 0;
  for (const Op* op : op_catalog()) {
    if (!op->elementwise) continue;
    ++elementwise;
    EXPECT_TRUE(std::ranges::any_of(cases, [&](const KernelCase& c) {
      return c.op == op->name && c.kernel != "reference";
    })) << op->name;
  }
  EXPECT_GT(elementwise, 100);
}

/// Kernels read a missing attribute as Op::attributes says.
TEST(CpuKernels, ADefaultLeftOutIsADefaultSaid) {
  auto backend = cpu::make_backend(1);
  ASSERT_TRUE(backend.ok());
  std::set<std::pair<std::string, std::string_view>> tried;
  for (const KernelCase& c : kernel_cases()) {
    for (const AttributeSpec& spec : find_op(c.op)->attributes) {
      if (!spec.fallback || c.attributes.has(spec.key) || !tried.insert({c.op, spec.key}).second) continue;
      KernelCase said = c;
      said.attributes.set(std::string(spec.key), *spec.fallback);
      const CaseResult left_out = run_kernel(c, **backend), got = run_kernel(said, **backend);
      EXPECT_EQ(got.kernel, left_out.kernel) << c.name << ", " << spec.key;
      expect_same_bits(got.outputs, left_out.outputs);
    }
  }
  EXPECT_GT(tried.size(), 25u);
}

/// From 2048 on f32 products go to OpenBLAS in parts; sampled elements against sums in double.
TEST(CpuKernels, LargeProductsAreSplitOverThreads) {
  const TensorType type = row_major({2048, 2048});
  auto backend = cpu::make_backend(2);
  ASSERT_TRUE(backend.ok());
  const Tensor a = *Tensor::empty(type), b = *Tensor::empty(type), c = *Tensor::empty(type);
  fill(a, {Fill::Kind::uniform, -1, 1}, 1, 0);
  fill(b, {Fill::Kind::uniform, -1, 1}, 1, 1);
  Node node;
  node.op = find_op("matmul");
  const std::vector<TensorType> inputs = {type, type}, outputs = {type};
  auto workspace = (*backend)->allocate((*backend)->workspace_bytes(node, {node.attributes, inputs, outputs}));
  ASSERT_TRUE(workspace.ok());
  auto op = (*backend)->prepare({node, {&node.attributes, {a, b}, {c}}, (*workspace)->data(), {}});
  ASSERT_TRUE(op.ok());
  const std::string kernel = (*op)->kernel_name();  // OpenBLAS where it has kernels as wide as the CPU's vectors
  const bool own =
      !cpu::has_onednn() && kernel.starts_with("own gemm") && kernel.find("split over threads") != std::string::npos;
  EXPECT_TRUE(kernel == "OpenBLAS sgemm, split over threads" || kernel.rfind("oneDNN", 0) == 0 || own) << kernel;
  (*op)->run();
  for (const int64_t i : {0, 1, 777, 1023, 1024, 2047}) {
    for (const int64_t j : {0, 5, 1024, 2047}) {
      double wanted = 0;
      for (int64_t k = 0; k < 2048; ++k)
        wanted += static_cast<double>(a.data_as<float>()[i * 2048 + k]) *
                  static_cast<double>(b.data_as<float>()[k * 2048 + j]);
      EXPECT_NEAR(c.data_as<float>()[i * 2048 + j], wanted, 1e-3) << i << ", " << j;
    }
  }
}

}  // namespace
}  // namespace engine
