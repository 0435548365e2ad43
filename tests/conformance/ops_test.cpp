// SPDX-License-Identifier: Apache-2.0
// Every op of the catalog keeps its contract, on every example, in every floating dtype, whatever the operands' layout.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/ops/ops.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using test::OpExample;

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

/// Equal bits, or both NaN.
void expect_equal(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape(), b.shape());
  const std::vector<double> left = test::values(a), right = test::values(b);
  for (size_t i = 0; i < left.size(); ++i) {
    EXPECT_TRUE(left[i] == right[i] || (std::isnan(left[i]) && std::isnan(right[i])))
        << "element " << i << ": " << left[i] << " and " << right[i];
  }
}

class EveryOp : public testing::TestWithParam<const Op*> {
 protected:
  const Op& op() const { return *GetParam(); }
  std::vector<OpExample> examples() const { return test::examples_of(op().name); }
};

TEST_P(EveryOp, IsComplete) {
  EXPECT_FALSE(op().name.empty());
  EXPECT_GE(op().formula.size(), 5u);
  EXPECT_NE(op().infer, nullptr);
  EXPECT_NE(op().cost, nullptr);
  EXPECT_NE(op().reference, nullptr);
  EXPECT_FALSE(examples().empty()) << "add examples of " << op().name << " to tests/support/op_examples.cpp";
  EXPECT_EQ(find_op(op().name), &op());
}

TEST_P(EveryOp, InfersTypesThatTheReferenceCanFill) {
  for (const OpExample& example : examples()) {
    SCOPED_TRACE(example.label);
    for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16}) {
      const std::vector<Tensor> inputs = test::make_operands(example, dtype);
      if (op().name == "softmax_cross_entropy_grad" && (dtype == DType::bfloat16 || dtype == DType::float16))
        continue;  // f32 dloss
      const auto outputs = op().infer(types_of(inputs), example.attributes);
      ASSERT_TRUE(outputs.ok()) << outputs.error().message;
      for (size_t j = 0; j < outputs->size(); ++j) {
        const bool own_memory = op().view == nullptr && (j >= op().in_place.size() || op().in_place[j] < 0);
        EXPECT_TRUE(!own_memory || is_dense((*outputs)[j].shape, (*outputs)[j].strides)) << to_string((*outputs)[j]);
      }
      for (const Tensor& output : test::run_reference(op(), inputs, example.attributes)) {
        for (const double value : test::values(output)) EXPECT_TRUE(std::isfinite(value));
      }
    }
  }
}

TEST_P(EveryOp, RefusesAWrongNumberOfOperands) {
  const std::vector<TensorType> none;
  const auto result = op().infer(none, {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("operands"), std::string::npos) << result.error().message;
}

TEST_P(EveryOp, CountsNoMoreBytesThanOperandsHave) {
  for (const OpExample& example : examples()) {
    SCOPED_TRACE(example.label);
    const std::vector<TensorType> inputs = types_of(test::make_operands(example));
    const auto outputs = op().infer(inputs, example.attributes);
    ASSERT_TRUE(outputs.ok()) << outputs.error().message;
    const Cost cost = op().cost({example.attributes, inputs, *outputs});
    EXPECT_GE(cost.flops, 0);
    EXPECT_TRUE(std::isfinite(cost.flops));
    ASSERT_EQ(cost.read_bytes.size(), inputs.size());
    ASSERT_EQ(cost.written_bytes.size(), outputs->size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_GE(cost.read_bytes[i], 0);
      EXPECT_LE(cost.read_bytes[i], inputs[i].distinct_bytes());
    }
    // All ops write each byte of their outputs (zeros too) but one, which writes into a part; views write none.
    const bool part = op().name == "write_slice";
    for (size_t j = 0; j < outputs->size(); ++j) {
      const int64_t all = part ? inputs[1].elements() * size_bytes(inputs[1].dtype) : (*outputs)[j].distinct_bytes();
      EXPECT_EQ(cost.written_bytes[j], op().view != nullptr ? 0 : all);
    }
  }
}

/// The same elements from row-major operands give the same result: references see values, not layouts.
TEST_P(EveryOp, DoesNotDependOnTheOperandsLayout) {
  for (const OpExample& example : examples()) {
    SCOPED_TRACE(example.label);
    const std::vector<Tensor> inputs = test::make_operands(example);
    std::vector<Tensor> dense;
    for (const Tensor& input : inputs)
      dense.push_back(test::copy_as(input, TensorType::contiguous(input.dtype(), input.shape())));
    const std::vector<Tensor> expected = test::run_reference(op(), dense, example.attributes);
    const std::vector<Tensor> actual = test::run_reference(op(), inputs, example.attributes);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t j = 0; j < actual.size(); ++j) expect_equal(actual[j], expected[j]);
  }
}

/// References compute in double and round once: with operands rounded to a narrow dtype, the result is that of float64,
/// rounded.
TEST_P(EveryOp, RoundsOnceInNarrowTypes) {
  if (op().name == "fused")
    GTEST_SKIP() << "rounds after each of its members, so that it equals them one by one to the last bit";
  for (const OpExample& example : examples()) {
    SCOPED_TRACE(example.label);
    for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16}) {
      if (op().name == "softmax_cross_entropy_grad" && dtype != DType::float32) continue;  // mixed: dloss is f32
      SCOPED_TRACE(name(dtype));
      const std::vector<Tensor> narrow = test::make_operands(example, dtype);
      std::vector<Tensor> wide;
      for (size_t i = 0; i < narrow.size(); ++i) wide.push_back(test::copy_as(narrow[i], example.inputs[i].type));
      const std::vector<Tensor> actual = test::run_reference(op(), narrow, example.attributes);
      const std::vector<Tensor> exact = test::run_reference(op(), wide, example.attributes);
      for (size_t j = 0; j < actual.size(); ++j) expect_equal(actual[j], test::copy_as(exact[j], actual[j].type()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, EveryOp, testing::ValuesIn(op_catalog().begin(), op_catalog().end()),
                         [](const auto& each) { return std::string(each.param->name); });

TEST(OpCatalog, NamesAreUniqueAndExamplesBelongToOps) {
  std::set<std::string_view> names;
  for (const Op* op : op_catalog()) EXPECT_TRUE(names.insert(op->name).second) << op->name;
  for (const OpExample& example : test::op_examples()) EXPECT_TRUE(names.contains(example.op)) << example.op;
  EXPECT_EQ(find_op("no such op"), nullptr);
}

TEST(OpCatalog, MatrixProductsAreMarked) {
  std::set<std::string_view> marked;
  for (const Op* op : op_catalog()) {
    if (op->matrix_product) marked.insert(op->name);
  }
  EXPECT_EQ(marked, (std::set<std::string_view>{
                        "matmul",
                        "linear",
                        "ladder_product",
                        "conv2d",
                        "conv2d_grad_input",
                        "conv2d_grad_weight",
                        "matmul_integer",
                        "qlinear_matmul",
                        "mixed_linear",
                        "expert_linear",
                        "conv_integer",
                        "qlinear_conv",
                        "attention",
                        "attention_grad",
                        "lstm",
                        "lstm_grad",
                        "gru",
                        "gru_grad",
                        "rnn",
                        "rnn_grad",
                        "conv3d",
                        "conv3d_grad_input",
                        "conv3d_grad_weight",
                    }));
}

}  // namespace
