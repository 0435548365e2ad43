// SPDX-License-Identifier: Apache-2.0
// Every library computes every matrix product rightly, and the timings decide which of them does.
#include <gtest/gtest.h>

#include <hwy/targets.h>

#include <cmath>
#include <limits>

#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

/// Timings by which `library` is the only one.
std::vector<MatmulTiming> only(MatmulLibrary library) {
  std::vector<MatmulTiming> timings;
  for (const DType dtype : {DType::float32, DType::float64})
    for (const int threads : {1, 2}) {
      MatmulTiming t{dtype, 64, 64, 64, threads, kNever, kNever, kNever};
      (library == MatmulLibrary::onednn     ? t.onednn_ns
       : library == MatmulLibrary::openblas ? t.openblas_ns
                                            : t.own_ns) = 1;
      timings.push_back(t);
    }
  return timings;
}

struct Case {
  std::string label;
  Shape a, b;
  bool b_transposed = false;  ///< b lies as [n, k]
  bool a_transposed = false;
};

std::vector<Case> cases() {
  return {{"square", {64, 64}, {64, 64}},
          {"ragged", {61, 77}, {77, 45}},
          {"more rows than a block", {353, 40}, {40, 35}},
          {"longer sums than a panel", {29, 600}, {600, 37}},
          {"large enough to pack", {203, 211}, {211, 217}},
          {"large, more rows than a block", {301, 170}, {170, 150}},
          {"large, few rows", {50, 301}, {301, 500}},
          {"large in each of two parts", {400, 300}, {300, 400}},
          {"large, few rows and two blocks of columns", {8, 300}, {300, 3200}},
          {"large, rows too many to be read where they lie", {280, 500}, {500, 70}},
          {"large, a row more than a tile", {7, 1200}, {1200, 900}},
          {"large, fewer rows than a tile", {3, 1000}, {1000, 2400}},
          {"large, few rows of transposed matrices", {50, 301}, {301, 500}, true, true},
          {"both transposed", {45, 33}, {33, 50}, true, true},
          {"row times matrix", {1, 300}, {300, 131}},
          {"row times transposed matrix", {1, 301}, {301, 130}, true},
          {"matrix times column", {150, 67}, {67, 1}},
          {"transposed matrix times column", {150, 67}, {67, 1}, false, true},
          {"row times column", {1, 500}, {500, 1}},
          {"one step", {17, 1}, {1, 40}},
          {"batch", {3, 2, 20, 30}, {3, 2, 30, 25}},
          {"one matrix for all", {4, 20, 30}, {30, 25}},
          {"batches broadcast", {3, 1, 9, 8}, {2, 8, 7}}};
}

Shape swapped(Shape s) {
  std::swap(s[s.size() - 1], s[s.size() - 2]);
  return s;
}

struct Outcome {
  std::string kernel;
  std::vector<double> values, expected;
};

std::vector<double> elements(const Tensor& t) {
  std::vector<double> values;
  for (int64_t i = 0; i < t.type().elements(); ++i) values.push_back(t.get_flat(i));
  return values;
}

/// All products in row-major order, summed in double; leading axes broadcast.
std::vector<double> expected_product(const Tensor& a, const Tensor& b, const Shape& c) {
  const int64_t m = c[c.size() - 2], n = c.back(), k = a.shape().back();
  const std::vector<double> left = elements(a), right = elements(b);
  /// Which matrix of `t` is used for product q of c.
  const auto matrix_of = [&](const Tensor& t, int64_t q) {
    const size_t missing = c.size() - t.shape().size();
    int64_t index = 0, scale = 1;
    for (size_t axis = c.size() - 2; axis-- > 0; q /= c[axis]) {
      if (axis < missing) continue;
      index += scale * (t.shape()[axis - missing] == 1 ? 0 : q % c[axis]);
      scale *= t.shape()[axis - missing];
    }
    return index;
  };
  std::vector<double> out;
  for (int64_t q = 0; q < *element_count(c) / (m * n); ++q) {
    const double* x = left.data() + matrix_of(a, q) * m * k;
    const double* y = right.data() + matrix_of(b, q) * k * n;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l) sum += x[i * k + l] * y[l * n + j];
        out.push_back(sum);
      }
  }
  return out;
}

Outcome run(const Case& c, DType dtype, int threads, std::vector<MatmulTiming> timings) {
  GraphBuilder builder;
  const Fill fill{Fill::Kind::uniform, -1, 1};
  ValueId a = builder.input("a", TensorType::contiguous(dtype, c.a_transposed ? swapped(c.a) : c.a), fill);
  ValueId b = builder.input("b", TensorType::contiguous(dtype, c.b_transposed ? swapped(c.b) : c.b), fill);
  if (c.a_transposed) a = ops::transpose(builder, a, 0, 1);
  if (c.b_transposed) b = ops::transpose(builder, b, 0, 1);
  const ValueId y = ops::matmul(builder, a, b);
  builder.mark_output(y);
  auto graph = std::make_shared<const Graph>(*builder.finish());
  const auto backend = cpu::make_backend(cpu::BackendOptions{.threads = threads, .matmul_timings = std::move(timings)});
  const auto plan = Plan::make(graph, **backend);
  EXPECT_TRUE(plan.ok());
  (*plan)->run_step(0, nullptr);
  Outcome outcome;
  outcome.kernel = (*plan)->kernel_name(graph->value(y).producer);
  const Tensor& result = (*plan)->tensor(y);
  outcome.values = elements(result);
  outcome.expected = expected_product((*plan)->tensor(a), (*plan)->tensor(b), result.shape());
  return outcome;
}

TEST(MatmulChoice, EveryLibraryComputesTheSame) {
  for (const MatmulLibrary library : kMatmulLibraryList)
    for (const DType dtype : {DType::float32, DType::float64})
      for (const int threads : {1, 2})
        for (const Case& c : cases()) {
          SCOPED_TRACE(testing::Message()
                       << name(library) << " " << name(dtype) << " " << threads << " threads, " << c.label);
          const Outcome outcome = run(c, dtype, threads, only(library));
          const double rounding = dtype == DType::float32 ? 6e-8 : 1.2e-16;
          const double bound = 4 * rounding * static_cast<double>(c.a.back());  // sums of products in [-1, 1]
          double worst = 0;
          for (size_t i = 0; i < outcome.values.size(); ++i)
            worst = std::max(worst, std::abs(outcome.values[i] - outcome.expected[i]));
          EXPECT_LE(worst, bound) << outcome.kernel;
        }
}

/// The own loops as a CPU without this one's widest vectors runs them.
TEST(MatmulChoice, OwnLoopsAreRightOnEveryVectorUnit) {
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    const int64_t target = rest & -rest;
    hwy::DisableTargets(~target);
    for (const DType dtype : {DType::float32, DType::float64})
      for (const Case& c : cases()) {
        SCOPED_TRACE(testing::Message() << hwy::TargetName(target) << " " << name(dtype) << ", " << c.label);
        const Outcome outcome = run(c, dtype, 1, only(MatmulLibrary::own));
        const double bound = 4 * (dtype == DType::float32 ? 6e-8 : 1.2e-16) * static_cast<double>(c.a.back());
        double worst = 0;
        for (size_t i = 0; i < outcome.values.size(); ++i)
          worst = std::max(worst, std::abs(outcome.values[i] - outcome.expected[i]));
        EXPECT_LE(worst, bound) << outcome.kernel;
      }
  }
  hwy::DisableTargets(0);
}

TEST(MatmulChoice, TheFastestOfTheNearestShapeIsTaken) {
  const Case square{"", {64, 64}, {64, 64}};
  EXPECT_EQ(run(square, DType::float32, 1, only(MatmulLibrary::own)).kernel.substr(0, 8), "own gemm");
  EXPECT_EQ(run(square, DType::float32, 1, only(MatmulLibrary::openblas)).kernel, "OpenBLAS sgemm");
  if (cpu::has_onednn()) {
    EXPECT_EQ(run(square, DType::float32, 1, only(MatmulLibrary::onednn)).kernel.substr(0, 6), "oneDNN");
  }
  const std::vector<MatmulTiming> both{{DType::float32, 32, 32, 32, 1, 9, 9, 1},
                                       {DType::float32, 512, 512, 512, 1, 1, 9, 9}};
  EXPECT_EQ(cpu::matmul_order(both, {DType::float32, 40, 40, 40, 1})[0], MatmulLibrary::own);
  EXPECT_EQ(cpu::matmul_order(both, {DType::float32, 400, 400, 400, 1})[0], MatmulLibrary::onednn);
}

TEST(MatmulChoice, WhatIsFastestOnOneRowSaysNothingOfTwo) {
  const std::vector<MatmulTiming> thin{{DType::float32, 1, 4096, 1024, 1, 9, 9, 1},
                                       {DType::float32, 8, 4096, 1024, 1, 1, 9, 9}};
  EXPECT_EQ(cpu::matmul_order(thin, {DType::float32, 1, 4096, 4096, 1})[0], MatmulLibrary::own);
  EXPECT_EQ(cpu::matmul_order(thin, {DType::float32, 2, 4096, 4096, 1})[0], MatmulLibrary::onednn);
}

TEST(MatmulChoice, ATimingWithinTheNoiseChangesNothing) {
  const cpu::MatmulShape shape{DType::float32, 512, 512, 512, 1};
  const MatmulLibrary rule = cpu::matmul_order({}, shape)[0];
  ASSERT_EQ(rule, MatmulLibrary::onednn);
  const std::vector<MatmulTiming> near{{DType::float32, 512, 512, 512, 1, 104, 500, 100}};
  EXPECT_EQ(cpu::matmul_order(near, shape)[0], rule);
  const std::vector<MatmulTiming> other{{DType::float32, 512, 512, 512, 1, 120, 500, 100}};
  EXPECT_EQ(cpu::matmul_order(other, shape)[0], MatmulLibrary::own);
  EXPECT_EQ(cpu::matmul_order(other, {DType::float32, 512, 512, 512, 2})[0], rule)
      << "measured on another thread count";
}

TEST(MatmulChoice, AmongVendorsOwnLoopsComeLastHoweverFast) {
  const std::vector<MatmulTiming> timings{
      {DType::float32, 32, 32, 32, 1, 9, 5, 1},
      {DType::float32, 512, 512, 512, 1, 5, 9, 1},
      {DType::float32, 1, 4096, 1024, 1, 9, 5, 1},
      {DType::float64, 64, 64, 64, 1, std::numeric_limits<double>::quiet_NaN(), 9, 1}};
  const auto first = [](const std::vector<MatmulTiming>& known, const cpu::MatmulShape& shape) {
    const auto order = cpu::matmul_order(known, shape, true);
    EXPECT_EQ(order.back(), MatmulLibrary::own);
    EXPECT_NE(order[0], order[1]);
    return order[0];
  };
  EXPECT_EQ(first(timings, {DType::float32, 40, 40, 40, 1}), MatmulLibrary::openblas);
  EXPECT_EQ(first(timings, {DType::float32, 400, 400, 400, 1}), MatmulLibrary::onednn);
  EXPECT_EQ(first(timings, {DType::float32, 1, 4096, 4096, 1}), MatmulLibrary::openblas);
  EXPECT_EQ(first(timings, {DType::float64, 64, 64, 64, 1}), MatmulLibrary::openblas);
  EXPECT_EQ(first({}, {DType::float32, 1, 4096, 4096, 1}), MatmulLibrary::onednn);
  EXPECT_EQ(first({}, {DType::float64, 64, 64, 64, 1}), MatmulLibrary::openblas);
}

TEST(MatmulChoice, WithoutOneDnnTheFastestOfTheOthersIsFirst) {
  const std::vector<MatmulTiming> timings{{DType::float32, 64, 64, 64, 1, 1, 9, 5},
                                          {DType::float32, 512, 512, 512, 1, 1, 5, 9}};
  const auto first = [](const std::vector<MatmulTiming>& known, int64_t n) {
    return cpu::matmul_order(known, {DType::float32, n, n, n, 1}, false, /*onednn=*/false)[0];
  };
  EXPECT_EQ(first(timings, 64), MatmulLibrary::own);
  EXPECT_EQ(first(timings, 512), MatmulLibrary::openblas);
  EXPECT_EQ(cpu::matmul_order({}, {DType::float32, 512, 512, 512, 1})[0], MatmulLibrary::onednn);
  EXPECT_NE(first({}, 512), MatmulLibrary::onednn);
}

TEST(MatmulChoice, InfinitiesStayWhereTheyBelong) {
  for (const bool transposed : {false, true}) {
    GraphBuilder builder;
    const ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {1, 6}), {Fill::Kind::constant, 1, 0});
    ValueId b = builder.input("b", TensorType::contiguous(DType::float32, transposed ? Shape{40, 6} : Shape{6, 40}),
                              {Fill::Kind::constant, 1, 0});
    const ValueId stored = b;
    if (transposed) b = ops::transpose(builder, b, 0, 1);
    const ValueId y = ops::matmul(builder, x, b);
    builder.mark_output(y);
    auto graph = std::make_shared<const Graph>(*builder.finish());
    const auto backend =
        cpu::make_backend(cpu::BackendOptions{.threads = 1, .matmul_timings = only(MatmulLibrary::own)});
    const auto plan = Plan::make(graph, **backend);
    ASSERT_TRUE(plan.ok());
    (*plan)->tensor(stored).set_flat(transposed ? 5 : 5 * 40, std::numeric_limits<double>::infinity());  // b[5, 0]
    (*plan)->run_step(0, nullptr);
    EXPECT_TRUE(std::isinf((*plan)->tensor(y).get_flat(0)));
    for (int64_t j = 1; j < 40; ++j) EXPECT_EQ((*plan)->tensor(y).get_flat(j), 6) << j;
  }
}

}  // namespace
