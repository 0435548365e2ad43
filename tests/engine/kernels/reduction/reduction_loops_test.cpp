// SPDX-License-Identifier: Apache-2.0
// Reductions do what is said of them: their own code, compiled over a memory that notes each access.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/element_maps.h"
#include "engine/kernels/reduction/reduction-inl.h"
#include "tests/engine/kernels/core/described.h"

namespace engine {
namespace {

using cpu::Gathered;
using test::expect_described, test::fidelity, test::numbers, test::operand;

struct Op {
  const char* name;
  double (*of)(double total, double x);  ///< element by element
  double (*last)(double total, double count) = [](double total, double) { return total; };
};
const Op kOps[] = {
    {"sum", [](double total, double x) { return total + x; }},
    {"mean", [](double total, double x) { return total + x; },
     [](double total, double count) { return total / count; }},
    {"log_sum", [](double total, double x) { return total + x; }, [](double total, double) { return std::log(total); }},
    {"l1_norm", [](double total, double x) { return total + std::abs(x); }},
    {"l2_norm", [](double total, double x) { return total + x * x; },
     [](double total, double) { return std::sqrt(total); }},
    {"sum_of_squares", [](double total, double x) { return total + x * x; }},
    {"reduce_max", [](double total, double x) { return std::max(total, x); }},
    {"reduce_min", [](double total, double x) { return std::min(total, x); }},
    {"product", [](double total, double x) { return total * x; }},
    {"log_sum_exp", [](double total, double x) { return total + std::exp(x); },
     [](double total, double) { return std::log(total); }}};

struct Case {
  Shape x;
  std::vector<int64_t> axes;
  Shape y;
  bool in_blocks = false;
  Strides y_strides{};  ///< none: contiguous
};
const Case kCases[] = {{{1, 1}, {}, {}},
                       {{3, 4096 + 83}, {1}, {3}},
                       {{300, 83}, {0}, {83}},
                       {{5, 7, 33}, {0, 2}, {7}},
                       {{5, 7, 33}, {-1, 0}, {1, 7, 1}},
                       {{4, 3, 21}, {1}, {4, 21}},
                       {{2, 3, 6150}, {1}, {2, 6150}},
                       {{2, 3, 8192}, {1}, {2, 8192}},
                       {{80, 4096}, {0}, {4096}, true},
                       {{3, 6150}, {0}, {6150}, false, {3}},
                       {{3, 4099}, {0}, {4099}},
                       {{150'000}, {0}, {}, true},
                       {{2500, 64}, {0}, {1, 64}, true},
                       {{6000, 3, 24}, {0, 2}, {3}, true},
                       {{3, 5000, 32}, {1, 2}, {3}, true},
                       {{5, 8, 33}, {1}, {5, 33}, false, {1, 5}},
                       {{3, 7, 3}, {1}, {3, 1, 3}, false, {2, 2, 6}}};

TEST(ReductionLoops, GatherAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Case& c : kCases) {
      ASSERT_EQ(std::size(kOps), std::size(cpu::kReductions));
      for (const Op& op : kOps) {
        SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << op.name << " of "
                                        << to_string(c.x));
        const cpu::Reduction& reduction = *std::ranges::find(cpu::kReductions, op.name, &cpu::Reduction::op);
        const TensorType of_x = TensorType::contiguous(DType::float32, c.x),
                         of_y{DType::float32, c.y, c.y_strides.empty() ? contiguous_strides(c.y) : c.y_strides};
        if (!c.y_strides.empty() && std::string_view(op.name) == "log_sum_exp")
          continue;  // reads y as it lies together
        std::vector<float> x = numbers(of_x.elements(), 7), y(static_cast<size_t>(of_y.span_bytes()) / sizeof(float));
        const std::vector<int64_t> places = element_offsets(of_y);
        if (reduction.logarithm) std::ranges::transform(x, x.begin(), [](float a) { return std::abs(a) + 0.5f; });
        const auto nest = loops::reduction_nest(c.axes, of_x.shape, of_x.strides, of_y.shape, of_y.strides, 4);
        ASSERT_TRUE(nest);
        ASSERT_EQ(nest->blocks > 1, c.in_blocks);
        std::vector<double> workspace(static_cast<size_t>(cpu::reduction_workspace_bytes(*nest)) / sizeof(double));
        const cpu::ReductionPlan<float> plan{.reduction = reduction,
                                             .nest = *nest,
                                             .y = reinterpret_cast<std::byte*>(y.data()),
                                             .x = reinterpret_cast<std::byte*>(x.data()),
                                             .partial = workspace.data(),
                                             .loops = own.reduce,
                                             .add = own.lines.add};
        cpu::ReductionParts<float, test::NotedScalars> parts(plan);
        test::noted().clear();
        loops::reduce(reduction.gathered == Gathered::exponentials, parts);
        expect_described(own, op.name, {operand(x, of_x)}, {operand(y, of_y)}, workspace.data(), {{"axes", c.axes}});

        std::vector<double> expected(places.size(), cpu::start_of(reduction.gathered));
        for (size_t i = 0; i < x.size(); ++i) {
          int64_t rest = static_cast<int64_t>(i), at = 0, step = 1;
          for (size_t axis = c.x.size(); axis-- > 0; rest /= c.x[axis]) {
            const bool gone = c.axes.empty() || std::ranges::any_of(c.axes, [&](int64_t a) {
                                return (a + of_x.rank()) % of_x.rank() == static_cast<int64_t>(axis);
                              });
            if (!gone) at += rest % c.x[axis] * step, step *= c.x[axis];
          }
          expected[static_cast<size_t>(at)] = op.of(expected[static_cast<size_t>(at)], static_cast<double>(x[i]));
        }
        for (size_t i = 0; i < places.size(); ++i) {
          const double value = op.last(expected[i], static_cast<double>(x.size() / places.size()));
          ASSERT_NEAR(y[static_cast<size_t>(places[i])], value, 1e-4 * std::max(1.0, std::abs(value))) << i;
        }
      }
    }
  }
}

TEST(ReductionLoops, WhatOwnKernelsDoNotTakeIsNotSaidToBeTheirs) {
  using access::Fidelity;
  const TensorType together = TensorType::contiguous(DType::float32, {8, 6}), apart{DType::float32, {8, 6}, {12, 2}},
                   turned{DType::float32, {8, 6}, {1, 8}}, row = TensorType::contiguous(DType::float32, {6}),
                   gaps{DType::float32, {6}, {2}};
  const Attributes first{{"axes", std::vector<int64_t>{0}}}, second{{"axes", std::vector<int64_t>{1}}};
  EXPECT_EQ(fidelity("mean", {together}, {row}, first), Fidelity::loops);
  EXPECT_EQ(fidelity("mean", {apart}, {row}, first), Fidelity::modelled);
  EXPECT_EQ(fidelity("mean", {turned}, {row}, first), Fidelity::loops)
      << "its lines are those of the axis that is gathered";
  EXPECT_EQ(fidelity("mean", {together}, {gaps}, first), Fidelity::loops) << "its results have gaps";
  EXPECT_EQ(fidelity("log_sum_exp", {together}, {gaps}, first), Fidelity::modelled)
      << "reads its results as they lie together";
  EXPECT_EQ(fidelity("log_sum_exp", {apart}, {TensorType::contiguous(DType::float32, {8})}, second),
            Fidelity::modelled);
  const TensorType half = TensorType::contiguous(DType::bfloat16, {8, 6});
  EXPECT_EQ(fidelity("sum", {half}, {TensorType::contiguous(DType::bfloat16, {6})}, first), Fidelity::loops)
      << "by copies in f32";
  EXPECT_EQ(fidelity("sum", {TensorType::contiguous(DType::int32, {8, 6})}, {TensorType::contiguous(DType::int32, {6})},
                     first),
            Fidelity::modelled);
  const auto wide = [&](int64_t length) {
    return fidelity("sum", {TensorType::contiguous(DType::float32, {2, length})},
                    {TensorType::contiguous(DType::float32, {length})}, first);
  };
  constexpr auto kMost = static_cast<int64_t>(access::kWorkspaceBytes) / (8 + 4) / 2;  // in two blocks
  const auto prime_from = [](int64_t number, int64_t step) {                           // rows that are not split
    const auto divides = [&](int64_t d) { return number % d == 0; };
    const auto is_prime = [&] {
      for (int64_t d = 2; d * d <= number; ++d) {
        if (divides(d)) return false;
      }
      return true;
    };
    while (!is_prime()) number += step;
    return number;
  };
  EXPECT_EQ(wide(prime_from(kMost, -1)), Fidelity::loops);
  EXPECT_EQ(wide(prime_from(kMost + 1, 1)), Fidelity::modelled) << "what is gathered would lie beyond the workspace";
  EXPECT_EQ(wide(2 * (kMost / 4096 * 4096)), Fidelity::loops) << "one block of columns that stay near";
}

}  // namespace
}  // namespace engine
