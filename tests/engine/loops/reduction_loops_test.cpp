// SPDX-License-Identifier: Apache-2.0
// Reductions do what is said of them: their own code, compiled over a memory that notes each access.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "engine/loops/reduction.h"
#include "tests/engine/loops/described.h"

namespace engine {
namespace {

using cpu::Gathered, loops::ReductionNest;
using test::expect_described, test::fidelity, test::note_load, test::note_store, test::numbers, test::operand;

/// The visitors of engine/cpu/sum.cpp over kernels that note; what they gather stays as it is, but for logarithms.
struct Reduction {
  using Addresses = std::array<std::byte*, 2>;
  const test::NotedKernels& own;
  const ReductionNest& nest;
  Gathered gathered;
  Addresses base;
  std::vector<double> workspace = std::vector<double>(static_cast<size_t>(2 * nest.partial_count()));

  struct Block : loops::Computes {
    const Reduction& of;
    Gathered what;
    Addresses row;
    double* sums;
    float* near;
    double total = cpu::start_of(what);

    int64_t width() const { return of.nest.width(); }
    const float* x(int64_t gathered) const { return reinterpret_cast<const float*>(of.nest.gathered.row(row, gathered)[1]); }
    const float* shift() const { return reinterpret_cast<const float*>(row[0]); }
    void clear() const { fill(sums, 0.0); }
    void clear_near() const { fill(near, 0.0f); }
    void add(int64_t gathered) const { of.own.lines.add(x(gathered), width(), near); }
    void flush() const {
      for (int64_t i = 0; i < width(); ++i) {
        note_load(sums + i), note_load(near + i), note_store(sums + i);
        sums[i] += static_cast<double>(near[i]);
      }
    }
    void start() const { fill(sums, cpu::start_of(what)); }
    void across(int64_t gathered) const { of.own.reduce.across(what, x(gathered), width(), shift(), sums); }
    void line(int64_t gathered, loops::Range elements) {
      if (what == Gathered::exponentials) note_load(shift());
      total = cpu::join(what, total, of.own.reduce.line(what, x(gathered) + elements.begin, elements.size(), what == Gathered::exponentials ? *shift() : 0));
    }
    void keep() const { note_store(sums), *sums = total; }
    template <class T>
    void fill(T* to, T value) const {
      for (int64_t i = 0; i < width(); ++i) note_store(to + i), to[i] = value;
    }
  };

  void pass(bool greatest) {
    const Gathered what = greatest ? Gathered::most : gathered;
    auto* const near = reinterpret_cast<float*>(workspace.data() + nest.partial_count());
    for (int64_t task = 0; task < nest.kept.rows() * nest.blocks; ++task) {
      Block block{{}, *this, what, nest.kept.row(base, task / nest.blocks), workspace.data() + task * nest.width(), near + task * nest.width()};
      loops::gather_block(nest, task, what == Gathered::sum, block);
    }
    for (int64_t row = 0; row < nest.kept.rows(); ++row) {
      auto* const y = reinterpret_cast<float*>(nest.kept.row(base, row)[0]);
      for (int64_t i = 0; i < nest.width(); ++i) {
        double total = cpu::start_of(what);
        for (int64_t block = 0; block < nest.blocks; ++block) {
          const double& own_part = workspace[static_cast<size_t>((row * nest.blocks + block) * nest.width() + i)];
          note_load(&own_part), total = cpu::join(what, total, own_part);
        }
        if (what == Gathered::exponentials) note_load(y + i);
        note_store(y + i), y[i] = what == Gathered::exponentials ? y[i] + static_cast<float>(std::log(total)) : static_cast<float>(total);
      }
    }
  }
};

struct Op {
  const char* name;
  Gathered gathered;
  double (*of)(double total, double x);  ///< element by element
  double (*last)(double) = [](double total) { return total; };
};
const Op kOps[] = {{"sum", Gathered::sum, [](double total, double x) { return total + x; }},
                   {"l1_norm", Gathered::absolute, [](double total, double x) { return total + std::abs(x); }},
                   {"sum_of_squares", Gathered::squares, [](double total, double x) { return total + x * x; }},
                   {"reduce_max", Gathered::most, [](double total, double x) { return std::max(total, x); }},
                   {"reduce_min", Gathered::least, [](double total, double x) { return std::min(total, x); }},
                   {"product", Gathered::product, [](double total, double x) { return total * x; }},
                   {"log_sum_exp", Gathered::exponentials, [](double total, double x) { return total + std::exp(x); }, [](double total) { return std::log(total); }}};

struct Case {
  Shape x;
  std::vector<int64_t> axes;
  Shape y;
  bool in_blocks = false;
};
const Case kCases[] = {{{1, 1}, {}, {}}, {{3, 4096 + 83}, {1}, {3}}, {{300, 83}, {0}, {83}}, {{5, 7, 33}, {0, 2}, {7}}, {{5, 7, 33}, {-1, 0}, {1, 7, 1}}, {{4, 3, 21}, {1}, {4, 21}},
                       {{150'000}, {0}, {}, true}, {{2500, 64}, {0}, {1, 64}, true}, {{6000, 3, 24}, {0, 2}, {3}, true}, {{3, 5000, 32}, {1, 2}, {3}, true}};

TEST(ReductionLoops, GatherAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Case& c : kCases) {
      for (const Op& op : kOps) {
        SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << op.name << " of " << to_string(c.x));
        const TensorType of_x = TensorType::contiguous(DType::float32, c.x), of_y = TensorType::contiguous(DType::float32, c.y);
        std::vector<float> x = numbers(of_x.elements(), 7), y(static_cast<size_t>(of_y.elements()));
        const auto nest = loops::reduction_nest(c.axes, of_x.shape, of_x.strides, of_y.shape, of_y.strides, 4);
        ASSERT_TRUE(nest);
        ASSERT_EQ(nest->blocks > 1, c.in_blocks);
        test::noted().clear();
        Reduction reduction{own, *nest, op.gathered, {reinterpret_cast<std::byte*>(y.data()), reinterpret_cast<std::byte*>(x.data())}};
        loops::reduce(op.gathered == Gathered::exponentials, reduction);
        expect_described(own, op.name, {operand(x, of_x)}, {operand(y, of_y)}, reduction.workspace.data(), {{"axes", c.axes}});

        std::vector<double> expected(y.size(), cpu::start_of(op.gathered));
        for (size_t i = 0; i < x.size(); ++i) {
          int64_t rest = static_cast<int64_t>(i), at = 0, step = 1;
          for (size_t axis = c.x.size(); axis-- > 0; rest /= c.x[axis]) {
            const bool gone = c.axes.empty() || std::ranges::any_of(c.axes, [&](int64_t a) { return (a + of_x.rank()) % of_x.rank() == static_cast<int64_t>(axis); });
            if (!gone) at += rest % c.x[axis] * step, step *= c.x[axis];
          }
          expected[static_cast<size_t>(at)] = op.of(expected[static_cast<size_t>(at)], static_cast<double>(x[i]));
        }
        for (size_t i = 0; i < y.size(); ++i) {
          const double value = op.last(expected[i]);
          ASSERT_NEAR(y[i], value, 1e-4 * std::max(1.0, std::abs(value))) << i;
        }
      }
    }
  }
}

TEST(ReductionLoops, WhatOwnKernelsDoNotTakeIsNotSaidToBeTheirs) {
  using access::Fidelity;
  const TensorType together = TensorType::contiguous(DType::float32, {8, 6}), apart{DType::float32, {8, 6}, {12, 2}}, turned{DType::float32, {8, 6}, {1, 8}},
                   row = TensorType::contiguous(DType::float32, {6}), gaps{DType::float32, {6}, {2}};
  const Attributes first{{"axes", std::vector<int64_t>{0}}}, second{{"axes", std::vector<int64_t>{1}}};
  EXPECT_EQ(fidelity("mean", {together}, {row}, first), Fidelity::loops);
  EXPECT_EQ(fidelity("mean", {apart}, {row}, first), Fidelity::modelled);
  EXPECT_EQ(fidelity("mean", {turned}, {row}, first), Fidelity::loops) << "its lines are those of the axis that is gathered";
  EXPECT_EQ(fidelity("mean", {together}, {gaps}, first), Fidelity::modelled);
  EXPECT_EQ(fidelity("log_sum_exp", {apart}, {TensorType::contiguous(DType::float32, {8})}, second), Fidelity::modelled);
  const TensorType half = TensorType::contiguous(DType::bfloat16, {8, 6});
  EXPECT_EQ(fidelity("sum", {half}, {TensorType::contiguous(DType::bfloat16, {6})}, first), Fidelity::loops) << "by copies in f32";
  EXPECT_EQ(fidelity("sum", {TensorType::contiguous(DType::int32, {8, 6})}, {TensorType::contiguous(DType::int32, {6})}, first), Fidelity::modelled);
  const auto wide = [&](int64_t length) { return fidelity("sum", {TensorType::contiguous(DType::float32, {2, length})}, {TensorType::contiguous(DType::float32, {length})}, first); };
  constexpr auto kMost = static_cast<int64_t>(access::kWorkspaceBytes) / (8 + 4) / 2;  // in two blocks
  EXPECT_EQ(wide(kMost), Fidelity::loops);
  EXPECT_EQ(wide(kMost + 1), Fidelity::modelled) << "what is gathered would lie beyond the workspace";
}

}  // namespace
}  // namespace engine
