// SPDX-License-Identifier: Apache-2.0
// Variables: arithmetic against plain loops, gradients against the static ones, tapes of loops and
// recursion, memory, refusals.
#include "engine/eager/variable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "engine/cpu/backend.h"
#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "engine/tensor/random.h"

namespace engine {
namespace {

const TensorType kVector = TensorType::contiguous(DType::float32, {1024});
const Fill kNormal{Fill::Kind::normal, 0, 1};

class EagerVariable : public ::testing::Test {
 protected:
  Variable values(const Shape& shape, std::vector<double> numbers, bool requires_grad = false) {
    return make_variable(session, *Tensor::from_values(shape, numbers, DType::float32), requires_grad);
  }
  Variable random(const Shape& shape, bool requires_grad = false) {
    return make_variable(session, TensorType::contiguous(DType::float32, shape), kNormal, requires_grad);
  }
  std::unique_ptr<Backend> backend = *cpu::make_backend(2);
  EagerSession session{*backend};
};

std::vector<double> numbers(const Variable& x) {
  const Result<Tensor> tensor = x.to_tensor();
  if (!tensor) {
    ADD_FAILURE() << tensor.error().message;
    return {};
  }
  std::vector<double> all;
  for (int64_t i = 0; i < tensor->type().elements(); ++i) all.push_back(tensor->get_flat(i));
  return all;
}

using Numbers = std::vector<double>;

TEST_F(EagerVariable, ComputesWhatTheOperatorsSay) {
  const Variable a = values({2, 2}, {1, -2, 3, 4}), b = values({2, 2}, {5, 6, -7, 8}), row = values({2}, {10, 20});
  EXPECT_EQ(numbers(a + b), (Numbers{6, 4, -4, 12}));
  EXPECT_EQ(numbers(a - b), (Numbers{-4, -8, 10, -4}));
  EXPECT_EQ(numbers(a * b), (Numbers{5, -12, -21, 32}));
  EXPECT_EQ(numbers(a + row), (Numbers{11, 18, 13, 24}));
  EXPECT_EQ(numbers(-a), (Numbers{-1, 2, -3, -4}));
  EXPECT_EQ(numbers(a + 1), (Numbers{2, -1, 4, 5}));
  EXPECT_EQ(numbers(1 - a), (Numbers{0, 3, -2, -3}));
  EXPECT_EQ(numbers(2 * a - 1), (Numbers{1, -5, 5, 7}));
  EXPECT_EQ(numbers(a / 2), (Numbers{0.5, -1, 1.5, 2}));
  EXPECT_EQ(numbers(matmul(a, b)), (Numbers{19, -10, -13, 50}));
  EXPECT_EQ(numbers(a.relu()), (Numbers{1, 0, 3, 4}));
  EXPECT_EQ(numbers(a.sum()), (Numbers{6}));
  EXPECT_EQ(numbers(a.sum({0})), (Numbers{4, 2}));
  EXPECT_EQ(a.sum({-1}, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(numbers(a.transpose(0, 1)), (Numbers{1, 3, -2, 4}));
  EXPECT_EQ(numbers(a.transpose(0, 1).reshape({4})), (Numbers{1, 3, -2, 4}));
  EXPECT_EQ(numbers(a.slice(1, 1, 2)), (Numbers{-2, 4}));
  EXPECT_EQ(numbers(a.slice(0, -1, -3, -1)), (Numbers{3, 4, 1, -2}));
  EXPECT_NEAR(values({1}, {0.5}).sigmoid().item(), 1 / (1 + std::exp(-0.5)), 1e-6);
}

TEST_F(EagerVariable, HandlesAreValues) {
  Variable a = values({2}, {1, 2});
  const Variable before = a;
  a = a + 1;
  EXPECT_EQ(numbers(before), (Numbers{1, 2}));
  EXPECT_EQ(numbers(a), (Numbers{2, 3}));
  Variable moved = std::move(a);
  EXPECT_FALSE(a.ok());  // NOLINT: moved from is empty
  EXPECT_EQ(numbers(moved), (Numbers{2, 3}));
}

/// They have no names: which one of the session's it is decides, and two never start alike.
TEST_F(EagerVariable, RandomLeavesStartByTheirNumber) {
  const Variable first = random({5}), second = random({5});
  EXPECT_NE(numbers(first), numbers(second));
  const Tensor expected = *Tensor::empty(first.type());
  fill(expected, kNormal, 1, 1);
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(numbers(second)[static_cast<size_t>(i)], expected.get_flat(i));
}

TEST_F(EagerVariable, ALoopOnDataHasATapeAsLongAsItRan) {
  const auto halvings = [&](double start) {
    const Variable x = values({2}, {start, 0}, true);
    Variable y = x;
    int count = 0;
    while ((y * y).sum() > 1) {
      y = y * 0.5;
      ++count;
    }
    EXPECT_EQ(session.recorded_ops(), count);  // the norms are gone
    EXPECT_TRUE(y.sum().backward().ok());
    EXPECT_DOUBLE_EQ(numbers(x.grad())[0], std::pow(0.5, count));
    return count;
  };
  EXPECT_EQ(halvings(1.5), 1);
  EXPECT_EQ(halvings(100), 7);
  EXPECT_EQ(session.recorded_ops(), 0);
}

/// A tree whose leaves are rows: combine(left, right) = relu([left + right] w).
struct Tree {
  std::unique_ptr<Tree> left, right;
  int64_t row = 0;
};

Variable evaluate(const Tree& tree, const Variable& rows, const Variable& w) {
  if (tree.left == nullptr) return rows.slice(0, tree.row, tree.row + 1);
  const Variable left = evaluate(*tree.left, rows, w), right = evaluate(*tree.right, rows, w);
  return matmul(left + right, w).sigmoid();
}

ValueId evaluate(const Tree& tree, GraphBuilder& builder, ValueId rows, ValueId w) {
  if (tree.left == nullptr) return ops::slice(builder, rows, 0, tree.row, tree.row + 1);
  const ValueId left = evaluate(*tree.left, builder, rows, w), right = evaluate(*tree.right, builder, rows, w);
  return ops::sigmoid(builder, ops::matmul(builder, ops::add(builder, left, right), w));
}

std::unique_ptr<Tree> make_tree(int64_t begin, int64_t end) {
  auto tree = std::make_unique<Tree>();
  tree->row = begin;
  if (end - begin > 1) {
    const int64_t middle = begin + std::max<int64_t>(1, (end - begin) / 3);
    tree->left = make_tree(begin, middle);
    tree->right = make_tree(middle, end);
  }
  return tree;
}

void expect_same_bytes(const Variable& eager, const Tensor& planned) {
  const Result<Tensor> mine = eager.to_tensor(), theirs = planned.contiguous();
  ASSERT_TRUE(mine.ok()) << mine.error().message;
  ASSERT_EQ(mine->shape(), theirs->shape());
  EXPECT_EQ(std::memcmp(mine->data(), theirs->data(), static_cast<size_t>(mine->type().span_bytes())), 0);
}

TEST_F(EagerVariable, RecursionOverATreeHasTheStaticGradientsBitForBit) {
  const auto tree = make_tree(0, 9);
  const Variable rows = random({9, 6}, true), w = random({6, 6}, true);
  const Variable loss = evaluate(*tree, rows, w).sum();
  ASSERT_TRUE(loss.backward().ok());

  GraphBuilder builder;
  const ValueId rows_id = builder.parameter("rows", rows.type(), kNormal),
                w_id = builder.parameter("w", w.type(), kNormal);
  const ValueId loss_id = ops::sum(builder, evaluate(*tree, builder, rows_id, w_id), {});
  const std::vector<ValueId> gradients = differentiate(builder, loss_id, std::vector{rows_id, w_id});
  for (const ValueId id : gradients) builder.mark_output(id);
  builder.mark_output(loss_id);
  const auto plan = Plan::make(std::make_shared<const Graph>(*builder.finish()), *backend);
  ASSERT_TRUE(plan.ok());
  copy_elements(*rows.to_tensor(), (*plan)->tensor(rows_id));
  copy_elements(*w.to_tensor(), (*plan)->tensor(w_id));
  (*plan)->run_step(0, nullptr);
  expect_same_bytes(loss, (*plan)->tensor(loss_id));
  expect_same_bytes(rows.grad(), (*plan)->tensor(gradients[0]));
  expect_same_bytes(w.grad(), (*plan)->tensor(gradients[1]));
}

TEST_F(EagerVariable, GradientsAddUpUntilTheyAreCleared) {
  const Variable x = values({2}, {3, 4}, true);
  const Variable loss = (x * x).sum();
  ASSERT_TRUE(loss.backward().ok());
  EXPECT_EQ(numbers(x.grad()), (Numbers{6, 8}));
  const Variable first = x.grad();
  ASSERT_TRUE(loss.backward().ok());  // the same tape again
  EXPECT_EQ(numbers(x.grad()), (Numbers{12, 16}));
  EXPECT_EQ(numbers(first), (Numbers{6, 8}));
  x.zero_grad();
  EXPECT_FALSE(x.grad().ok());
  ASSERT_TRUE((x * 2).sum().backward().ok());
  EXPECT_EQ(numbers(x.grad()), (Numbers{2, 2}));
}

TEST_F(EagerVariable, ValuesReadTwiceGetBothGradients) {
  const Variable x = values({2}, {3, 4}, true);
  const Variable y = x * x + x;
  ASSERT_TRUE((y * y - y).sum().backward().ok());
  // d/dx (y^2 - y) = (2 y - 1) (2 x + 1)
  EXPECT_EQ(numbers(x.grad()), (Numbers{23 * 7, 39 * 9}));
}

TEST_F(EagerVariable, NothingIsRecordedWithoutNeed) {
  const Variable x = values({2}, {3, 4}, true), constant = values({2}, {1, 1});
  EXPECT_FALSE((constant + constant).requires_grad());
  EXPECT_EQ(session.recorded_ops(), 0);
  {
    const NoGrad scope(session);
    EXPECT_FALSE((x * x).requires_grad());
  }
  EXPECT_TRUE((x * x).requires_grad());
  EXPECT_FALSE((x * x).detach().requires_grad());
  // The gradient stops at a detached value.
  const Variable y = x * 2;
  ASSERT_TRUE((y.detach() * x).sum().backward().ok());
  EXPECT_EQ(numbers(x.grad()), (Numbers{6, 8}));
}

TEST_F(EagerVariable, MemoryEndsWithTheHandles) {
  {
    const Variable x = random({64, 64}, true), w = random({64, 64}, true);
    for (int step = 0; step < 3; ++step) {
      const Variable loss = matmul(matmul(x, w).relu(), w).sigmoid().sum();
      ASSERT_TRUE(loss.backward().ok());
      x.zero_grad();
    }
    EXPECT_EQ(session.recorded_ops(), 0);
    EXPECT_EQ(session.saved_bytes(), 0);
    EXPECT_EQ(session.pool().live_blocks(), 3);  // x, w, w's gradient
  }
  EXPECT_EQ(session.pool().live_bytes(), 0);
  EXPECT_EQ(session.pool().live_blocks(), 0);
}

TEST_F(EagerVariable, AChainWithoutGradientsLivesInTwoTensors) {
  Variable x = make_variable(session, kVector, kNormal);
  for (int i = 0; i < 100; ++i) x = x.relu();
  EXPECT_EQ(session.pool().peak_bytes(), 2 * kVector.span_bytes());
  EXPECT_EQ(session.pool().live_bytes(), kVector.span_bytes());
}

TEST_F(EagerVariable, OnlyWhatGradientsReadIsKept) {
  const Variable x = make_variable(session, kVector, kNormal, true), y = make_variable(session, kVector, kNormal);
  Variable sum = x;
  for (int i = 0; i < 100; ++i) sum = sum + y;  // the gradient of a sum reads neither operand
  EXPECT_EQ(session.recorded_ops(), 100);
  EXPECT_EQ(session.saved_bytes(), 0);
  EXPECT_EQ(session.pool().live_bytes(), 3 * kVector.span_bytes());
  Variable product = x;
  for (int i = 0; i < 10; ++i) product = product * y;  // y is read, the other factor not: y has no gradient
  EXPECT_EQ(session.saved_bytes(), kVector.span_bytes());
  Variable sigmoids = x;
  for (int i = 0; i < 10; ++i) sigmoids = sigmoids.sigmoid();  // each result is read, also after its handle is gone
  EXPECT_EQ(session.saved_bytes(), 11 * kVector.span_bytes());
  ASSERT_TRUE(sigmoids.sum().backward().ok());
  EXPECT_TRUE(x.grad().ok());
}

TEST_F(EagerVariable, LongTapesEndWithoutDeepRecursion) {
  const Variable x = values({1}, {1}, true);
  {
    Variable y = x;
    for (int i = 0; i < 200'000; ++i) y = y + x;
    EXPECT_EQ(session.recorded_ops(), 200'000);
    EXPECT_EQ(y.item(), 200'001);
  }
  EXPECT_EQ(session.recorded_ops(), 0);
}

TEST_F(EagerVariable, BackwardOfTheSameOpsInfersAndPreparesNothing) {
  const Variable x = random({8, 8}, true), w = random({8, 8}, true);
  int64_t inferred = 0, prepared = 0;
  for (int step = 0; step < 6; ++step) {
    ASSERT_TRUE(matmul(x, w).sigmoid().sum().backward().ok());
    x.zero_grad();
    w.zero_grad();
    if (step == 2) {
      inferred = session.runner().inferred_count();
      prepared = session.runner().prepared_count();
    }
  }
  EXPECT_EQ(session.runner().inferred_count(), inferred);
  EXPECT_EQ(session.runner().prepared_count(), prepared);
}

TEST_F(EagerVariable, AnyBuildingFunctionWorksAndIsRecorded) {
  const Variable x = random({4, 3}, true), w = random({5, 3}, true);
  const Variable labels =
      make_variable(session, TensorType::contiguous(DType::int64, {4}), Fill{Fill::Kind::integers, 0, 5});
  const Variable operands[] = {x, w, labels};
  double first = 0, last = 0;
  for (int step = 0; step < 30; ++step) {
    const Variable loss = apply(operands, [](GraphBuilder& b, std::span<const ValueId> v) {
      return std::vector{ops::softmax_cross_entropy(b, ops::linear(b, v[0], v[1], kNoValue), v[2])};
    })[0];
    ASSERT_TRUE(loss.ok()) << loss.error().message;
    const Result<void> done = loss.backward();
    ASSERT_TRUE(done.ok()) << done.error().message;
    (step == 0 ? first : last) = loss.item();
    for (const Variable* parameter : {&x, &w}) {
      const Variable both[] = {*parameter, parameter->grad()};
      apply(both, [](GraphBuilder& b, std::span<const ValueId> v) {
        ops::sgd_update(b, v[0], v[1], kNoValue, 0.5, 0, 0);
        return std::vector<ValueId>{};
      });
      parameter->zero_grad();
    }
  }
  EXPECT_LT(last, first / 2);
}

TEST_F(EagerVariable, RefusalsNameOpAndShapesAndTravelOn) {
  const Variable a = random({2, 3}, true), b = random({4, 5});
  const Variable wrong = matmul(a, b);
  ASSERT_FALSE(wrong.ok());
  for (const char* word : {"matmul", "k = 3", "k = 4"})
    EXPECT_NE(wrong.error().message.find(word), std::string::npos) << wrong.error().message;
  EXPECT_EQ(((wrong + a).relu() * 2).error().message, wrong.error().message);
  EXPECT_TRUE(std::isnan(wrong.item()));
  EXPECT_FALSE(wrong > 0);
  EXPECT_EQ(wrong.backward().error().message, wrong.error().message);
  const Variable sum = a + b;
  for (const char* word : {"add", "2x3", "4x5"})
    EXPECT_NE(sum.error().message.find(word), std::string::npos) << sum.error().message;
  EXPECT_NE(a.slice(7, 0, 1).error().message.find("7"), std::string::npos);
  EXPECT_NE(a.reshape({4, 4}).error().message.find("2x3"), std::string::npos);
  EXPECT_EQ(session.recorded_ops(), 0);
  EXPECT_EQ(session.pool().live_blocks(), 2);
  EXPECT_FALSE((Variable() + a).ok());
  EXPECT_FALSE((a + Variable()).ok());
  EXPECT_FALSE(Variable().relu().ok());
  EXPECT_FALSE(Variable().backward().ok());
  EXPECT_FALSE(Variable().error().message.empty());
}

TEST_F(EagerVariable, BackwardRefusesWhatHasNoGradient) {
  const Variable x = values({2}, {3, 4}, true);
  const auto message = [](const Variable& loss) {
    const Result<void> done = loss.backward();
    return done ? std::string() : done.error().message;
  };
  EXPECT_NE(message(x * 2).find("one floating-point number"), std::string::npos) << message(x * 2);
  EXPECT_NE(message(values({1}, {1})).find("requires a gradient"), std::string::npos);
  EXPECT_NE(message(x).find("leaf"), std::string::npos);
  EXPECT_FALSE(x.grad().ok());
  EXPECT_FALSE((x * 2).grad().ok());
  const Variable integers = make_variable(session, TensorType::contiguous(DType::int64, {2}), Fill{}, true);
  ASSERT_FALSE(integers.ok());
  EXPECT_NE(integers.error().message.find("i64"), std::string::npos);
}

TEST_F(EagerVariable, BytesOverwrittenAfterTheyWereSavedAreNoticed) {
  const Variable x = values({2}, {3, 4}, true), step = values({2}, {1, 1});
  const Variable loss = (x * x).sum();
  const Variable both[] = {x, step};
  apply(both, [](GraphBuilder& b, std::span<const ValueId> v) {
    ops::sgd_update(b, v[0], v[1], kNoValue, 1, 0, 0);
    return std::vector<ValueId>{};
  });
  EXPECT_EQ(numbers(x), (Numbers{2, 3}));
  const Result<void> done = loss.backward();
  ASSERT_FALSE(done.ok());
  for (const char* word : {"multiply", "overwritten", "f32 2"})
    EXPECT_NE(done.error().message.find(word), std::string::npos) << done.error().message;
  EXPECT_FALSE(x.grad().ok());
}

TEST_F(EagerVariable, SessionsDoNotMixAndVariablesMayOutliveThem) {
  Variable kept;
  {
    EagerSession other(*backend);
    const Variable foreign = make_variable(other, kVector, kNormal, true);
    const Variable mixed = foreign + make_variable(session, kVector, kNormal);
    ASSERT_FALSE(mixed.ok());
    EXPECT_NE(mixed.error().message.find("different sessions"), std::string::npos);
    kept = (foreign * foreign).sum();
  }
  EXPECT_GT(kept.item(), 0);
  EXPECT_TRUE(kept.backward().ok());
}

TEST_F(EagerVariable, WhatIsRememberedIsBounded) {
  // Every constant is an op of its own to remember; the tape holds on to those it needs.
  const Variable x = values({1}, {1}, true);
  Variable y = x;
  constexpr int kFactors = 17'000;
  for (int i = 0; i < kFactors; ++i) y = y * (1 + 1e-7 * i);
  EXPECT_LT(session.runner().recipe_count(), size_t{kFactors});
  ASSERT_TRUE(y.backward().ok());
  EXPECT_NEAR(x.grad().item(), y.item(), 1e-2 * y.item());
}

TEST_F(EagerVariable, EmptyTensorsAndAbsurdSizes) {
  const Variable nothing = random({0, 3}, true);
  const Variable sum = (nothing * 2).sum();
  EXPECT_EQ(sum.item(), 0);
  ASSERT_TRUE(sum.backward().ok());
  EXPECT_EQ(nothing.grad().shape(), (Shape{0, 3}));
  const Variable huge = random({int64_t{1} << 40, 1024});
  ASSERT_FALSE(huge.ok());
  EXPECT_NE(huge.error().message.find("PiB"), std::string::npos) << huge.error().message;
  EXPECT_FALSE(make_variable(session, TensorType::contiguous(DType::float32, {-1}), kNormal).ok());
  const Variable operands[] = {random({1})};
  const Variable expanded = apply(operands, [](GraphBuilder& b, std::span<const ValueId> v) {
    return std::vector{ops::contiguous(b, ops::expand(b, v[0], {int64_t{1} << 50}))};
  })[0];
  ASSERT_FALSE(expanded.ok());
  EXPECT_NE(expanded.error().message.find("1125899906842624"), std::string::npos) << expanded.error().message;
}

}  // namespace
}  // namespace engine
