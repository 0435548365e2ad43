// SPDX-License-Identifier: Apache-2.0
// Matrix products, their lower bound, and that every such op of the engine is known here.
#include "profiler/memory/op_access.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/check.h"
#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "profiler/memory/traffic_bounds.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

TEST(OpAccess, KnowsEveryMatrixProductOfTheEngine) {
  int products = 0;
  for (const engine::Op* op : engine::op_catalog()) {
    // Several products in one op: the bound of one does not hold for them.
    const bool several = op->name.starts_with("attention") || op->name.starts_with("lstm") ||
                         op->name.starts_with("gru") || op->name.starts_with("rnn");
    // The bound takes both operands to have elements of one width.
    const bool of_two_widths = op->name == "mixed_linear" || op->name == "expert_linear";
    EXPECT_EQ(is_matrix_product(op->name), op->matrix_product && !several && !of_two_widths) << op->name;
    products += op->matrix_product ? 1 : 0;
  }
  EXPECT_GE(products, 5);
}

TEST(OpAccess, TwoSweepOpsExistInTheEngine) {
  for (const char* name : {"batch_norm_training", "batch_norm_grad"}) {
    EXPECT_NE(engine::find_op(name), nullptr) << name;
    EXPECT_EQ(sweeps_over_inputs(name), 2);
  }
  EXPECT_EQ(sweeps_over_inputs("relu"), 1);
}

/// What the engine's kernel of `op` on x says of itself.
engine::KernelFacts kernel_of(const char* op, engine::Attributes attributes, engine::TensorType x,
                              engine::TensorType y) {
  engine::Node node;
  node.op = engine::find_op(op);
  node.attributes = std::move(attributes);
  auto backend = engine::cpu::make_backend(2);
  CHECK(backend.ok());
  auto prepared = (*backend)->prepare(
      {node, {&node.attributes, {*engine::Tensor::empty(x)}, {*engine::Tensor::empty(y)}}, nullptr, {}});
  CHECK(prepared.ok());
  return (*prepared)->facts();
}

TEST(OpAccess, KernelsOfTheEngineSayHowTheirBytesGo) {
  using engine::DType, engine::TensorType;
  const engine::KernelFacts chase =
      kernel_of("pointer_chase", {{"accesses", int64_t{7}}}, TensorType::contiguous(DType::int32, {64}),
                TensorType::contiguous(DType::int32, {}));
  EXPECT_TRUE(chase.single_thread) << chase.name;
  EXPECT_FALSE(chase.round_trip) << chase.name;
  for (const int64_t bytes : {int64_t{4096}, int64_t{64} << 20}) {
    const TensorType type = TensorType::contiguous(DType::uint8, {bytes});
    const engine::KernelFacts trip =
        kernel_of("round_trip", {{"memory", std::string("pinned")}, {"overlap", int64_t{0}}}, type, type);
    EXPECT_TRUE(trip.single_thread) << trip.name;
    EXPECT_TRUE(trip.round_trip) << trip.name;
    EXPECT_EQ(trip.streaming_stores, bytes > 4096) << trip.name;
  }
  const TensorType floats = TensorType::contiguous(DType::float32, {4096});
  const engine::KernelFacts relu = kernel_of("relu", {}, floats, floats);
  EXPECT_FALSE(relu.single_thread) << relu.name;
  EXPECT_FALSE(relu.round_trip) << relu.name;
}

TEST(OpAccess, MatmulBoundIsTwoMacsOverRootOfCapacity) {
  tests::OpLab lab;
  const int64_t n = 1024, bytes = n * n * 4;
  const auto a = lab.tensor(bytes, {.role = engine::Role::activation, .shape = {n, n}});
  const auto b = lab.tensor(bytes, {.role = engine::Role::weight, .shape = {n, n}});
  const auto c = lab.tensor(bytes, {.shape = {n, n}});
  const auto id = lab.op("matmul", {a, b}, {c}, 2.0 * n * n * n);
  const auto capture = lab.finish();
  const auto access = matrix_access(*capture, capture->ops()[id]);
  ASSERT_TRUE(access.has_value());
  EXPECT_DOUBLE_EQ(access->multiply_adds, 1024.0 * 1024 * 1024);
  // S = 2^20 bytes = 2^18 elements, root 2^9: 2 * 2^30 / 2^9 elements of 4 bytes
  EXPECT_DOUBLE_EQ(access->lower_bound_bytes(1 << 20), 2.0 * (1 << 30) / 512 * 4);
}

TEST(OpAccess, ConvolutionReusesWindows) {
  // 3x3, stride 2: each pixel lies in 9/4 windows on average; input and weight gradients use the
  // same three tensors.
  const int64_t n = 4, c = 8, o = 16, h = 32, oh = 16;
  const auto check = [&](const char* type, int first, int second, int out) {
    tests::OpLab lab;
    const profiler::TensorId t[] = {lab.tensor(n * c * h * h * 4, {.shape = {n, c, h, h}}),
                                    lab.tensor(o * c * 9 * 4, {.shape = {o, c, 3, 3}}),
                                    lab.tensor(n * o * oh * oh * 4, {.shape = {n, o, oh, oh}})};
    const auto id = lab.op(type, {t[first], t[second]}, {t[out]}, 2.0 * n * o * oh * oh * c * 9);
    const auto capture = lab.finish();
    const auto access = matrix_access(*capture, capture->ops()[id]);
    ASSERT_TRUE(access.has_value()) << type;
    EXPECT_DOUBLE_EQ(access->window_reuse, 9.0 / 4) << type;
  };
  check("conv2d", 0, 1, 2);
  check("conv2d_grad_input", 2, 1, 0);
  check("conv2d_grad_weight", 2, 0, 1);
}

TEST(OpAccess, WinogradsProductsAreThoseThatAreDoneAndBoundNothing) {
  const auto access_of = [](const char* kernel) {
    tests::OpLab lab;
    const int64_t n = 2, c = 64, h = 56;
    const auto x = lab.tensor(n * c * h * h * 4, {.shape = {n, c, h, h}}),
               w = lab.tensor(c * c * 9 * 4, {.shape = {c, c, 3, 3}}),
               y = lab.tensor(n * c * h * h * 4, {.shape = {n, c, h, h}});
    const auto id = lab.op("conv2d", {x, w}, {y}, 1000.0, 1e6, 0, "net", kernel);
    const auto capture = lab.finish();
    const OpRecord& op = capture->ops()[id];
    const double bound = traffic_bounds(*capture, op, 1 << 20).lower_bound;
    return std::pair(*matrix_access(*capture, op), bound);
  };
  const auto [direct, direct_bound] = access_of("oneDNN brgconv:avx512_core");
  const auto [winograd, winograd_bound] =
      access_of("oneDNN jit_wino_4x3:avx512_core by Winograd's F(4x4, 3x3) image by image");
  EXPECT_TRUE(direct.bounds_op);
  EXPECT_FALSE(winograd.bounds_op);
  EXPECT_EQ(winograd.multiply_adds, 500);
  EXPECT_EQ(winograd.window_reuse, 1) << "tiles of V meet each weight once";
  EXPECT_EQ(direct.window_reuse, 9);
  EXPECT_FALSE(std::isnan(direct_bound));
  EXPECT_TRUE(std::isnan(winograd_bound));
}

TEST(OpAccess, WinogradsFilteringMultipliesWithTransformedWeights) {
  constexpr auto* kWinograd = "own gemm by Winograd's F(4x4, 3x3) (AVX3)";
  struct Case {
    const char* op;
    Role role;
    bool learns;
  };
  const int64_t n = 2, in = 64, out = 32, h = 14;
  const double u = 36.0 * 32 * 64 * 4, direct = 2.0 * 9 * 64 * (2 * 32 * 14 * 14);
  for (const Case& c : {Case{"conv2d", Role::weight, false}, Case{"conv2d", Role::weight, true},
                        Case{"conv2d", Role::activation, false}, Case{"conv2d_grad_input", Role::weight, true},
                        Case{"conv2d_grad_weight", Role::weight, true}}) {
    tests::OpLab lab;
    const auto x = lab.tensor(n * in * h * h * 4, {.shape = {n, in, h, h}}),
               w = lab.tensor(in * out * 9 * 4, {.role = c.role, .shape = {out, in, 3, 3}}),
               y = lab.tensor(n * out * h * h * 4, {.shape = {n, out, h, h}});
    const std::string_view type = c.op;
    const OpId id = type == "conv2d"              ? lab.op(c.op, {x, w}, {y}, 1000.0, 1e6, 0, "net", kWinograd)
                    : type == "conv2d_grad_input" ? lab.op(c.op, {y, w}, {x}, 1000.0, 1e6, 0, "net", kWinograd)
                                                  : lab.op(c.op, {y, x}, {w}, 1000.0, 1e6, 0, "net", kWinograd);
    if (c.learns) {
      OpRecord later;
      later.type = later.name = lab.builder().intern("relu_grad");
      later.phase = Phase::backward;
      lab.builder().add_op(later, {});
    }
    const auto capture = lab.finish();
    const auto made = transformed_weights(*capture, capture->ops()[id], prepares_weights(*capture));
    EXPECT_EQ(direct_flops(*capture, capture->ops()[id]), direct) << c.op;
    if (type == "conv2d_grad_weight") {
      EXPECT_FALSE(made) << "it reads no weights";
      continue;
    }
    ASSERT_TRUE(made) << c.op;
    EXPECT_EQ(capture->operands()[made->operand].tensor, w);
    EXPECT_EQ(made->bytes, u) << c.op;
    EXPECT_EQ(made->each_step, c.learns || c.role != Role::weight) << c.op;
  }
  tests::OpLab lab;
  const auto t = lab.tensor(64);
  const OpId direct_sums = lab.op("conv2d", {t, t}, {t});
  const auto capture = lab.finish();
  EXPECT_FALSE(transformed_weights(*capture, capture->ops()[direct_sums], true));
  EXPECT_FALSE(direct_flops(*capture, capture->ops()[direct_sums]));
}

TEST(OpAccess, AttentionAndRecurrentLayersHoldSeveralProductsAndNoBound) {
  tests::OpLab lab;
  const auto x = lab.tensor(32 * 4 * 64 * 4, {.shape = {32, 4, 64}}),
             w = lab.tensor(256 * 64 * 4, {.shape = {1, 256, 64}}),
             r = lab.tensor(256 * 64 * 4, {.shape = {1, 256, 64}}),
             y = lab.tensor(32 * 4 * 64 * 4, {.shape = {32, 4, 64}}),
             q = lab.tensor(64 * 64 * 4, {.shape = {1, 1, 64, 64}}),
             k = lab.tensor(64 * 64 * 4, {.shape = {1, 1, 64, 64}});
  const OpId lstm = lab.op("lstm", {x, w, r}, {y}, 4e6), attention = lab.op("attention", {q, k, k}, {q}, 2e6),
             lone = lab.op("lstm", {x, w}, {y}, 4e6);
  const auto capture = lab.finish();
  const auto access = matrix_access(*capture, capture->ops()[lstm]),
             scores = matrix_access(*capture, capture->ops()[attention]);
  ASSERT_TRUE(access && scores);
  EXPECT_EQ(access->multiply_adds, 2e6);
  EXPECT_EQ(access->passes, 32);
  EXPECT_EQ(scores->passes, 1);
  EXPECT_EQ(capture->operands()[access->operands[0]].tensor, w);
  EXPECT_EQ(capture->operands()[access->operands[1]].tensor, r);
  EXPECT_EQ(capture->operands()[scores->operands[0]].tensor, k);
  EXPECT_TRUE(std::isnan(traffic_bounds(*capture, capture->ops()[lstm], 1 << 20).lower_bound));
  EXPECT_FALSE(matrix_access(*capture, capture->ops()[lone]).has_value()) << "a damaged or foreign capture";
}

TEST(OpAccess, OtherOpsHaveNoMatrixAccess) {
  tests::OpLab lab;
  const auto a = lab.tensor(64), b = lab.tensor(64);
  const auto add = lab.op("add", {a, b}, {lab.tensor(64)}, 16);
  const auto half = lab.op("matmul", {a}, {b}, 16);
  const auto capture = lab.finish();
  EXPECT_FALSE(matrix_access(*capture, capture->ops()[add]).has_value());
  EXPECT_FALSE(matrix_access(*capture, capture->ops()[half]).has_value())
      << "one input only: a damaged or foreign capture";
}

}  // namespace
}  // namespace profiler
