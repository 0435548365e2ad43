// SPDX-License-Identifier: Apache-2.0
// Every op on every example on every device that computes, in every floating dtype, against the
// op's reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

/// Allowed |difference| relative to the largest |value| of the reference (at least 1): a few
/// roundings of the dtype.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64: return 1e-11;
    case DType::float32: return 2e-5;
    case DType::bfloat16: return 1.0 / 128;
    case DType::float16: return 1.0 / 1024;
    default: return 0;
  }
}

void expect_close(const Tensor& got, const Tensor& wanted) {
  const std::vector<double> a = test::values(got), b = test::values(wanted);
  ASSERT_EQ(a.size(), b.size());
  double largest = 1;
  for (const double value : b) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance(wanted.dtype()) * largest) << "element " << i;
}

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

/// One example through supports, workspace_bytes and prepare, as a plan does; in-place outputs share their operand's
/// bytes.
std::vector<Tensor> run_backend(Backend& backend, const Op& op, const Attributes& attributes,
                                const std::vector<Tensor>& inputs, std::string* kernel) {
  const std::vector<TensorType> input_types = types_of(inputs);
  const auto output_types = op.infer(input_types, attributes);
  EXPECT_TRUE(output_types.ok());
  std::vector<Tensor> outputs;
  for (size_t j = 0; j < output_types->size(); ++j) {
    const bool in_place = j < op.in_place.size() && op.in_place[j] >= 0;
    outputs.push_back(in_place ? inputs[static_cast<size_t>(op.in_place[j])] : test::make_tensor((*output_types)[j]));
  }
  Node node;
  node.op = &op;
  node.attributes = attributes;
  const Call call{node.attributes, input_types, *output_types};
  EXPECT_TRUE(backend.supports(node, call).ok());
  auto workspace = backend.allocate(backend.workspace_bytes(node, call));
  EXPECT_TRUE(workspace.ok());
  auto prepared = backend.prepare(
      {node, {&node.attributes, inputs, outputs}, (*workspace)->data(), std::vector<bool>(inputs.size(), false)});
  EXPECT_TRUE(prepared.ok()) << prepared.error().message;
  *kernel = (*prepared)->kernel_name();
  (*prepared)->run();
  backend.synchronize();
  return outputs;
}

/// Against the reference on the same elements lying densely.
void run_example(Backend& backend, const Op& op, const Attributes& attributes, const std::vector<Tensor>& inputs,
                 const std::vector<Tensor>& dense) {
  const std::vector<Tensor> wanted = test::run_reference(op, dense, attributes);
  std::string kernel;
  const std::vector<Tensor> got = run_backend(backend, op, attributes, inputs, &kernel);
  SCOPED_TRACE(kernel);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t j = 0; j < got.size(); ++j) expect_close(got[j], wanted[j]);
}

/// softmax_cross_entropy_grad takes dloss in f32 alone.
bool has_examples_in(const Op& op, DType dtype) {
  return op.name != "softmax_cross_entropy_grad" || size_bytes(dtype) > 2;
}

class EveryOpOnTheCpu : public testing::TestWithParam<const Op*> {};

TEST_P(EveryOpOnTheCpu, AgreesWithItsReference) {
  const Op& op = *GetParam();
  if (op.view != nullptr) return;  // nothing runs
  for (const int threads : {1, 2}) {
    auto backend = cpu::make_backend(threads);
    ASSERT_TRUE(backend.ok());
    for (const test::OpExample& example : test::examples_of(op.name)) {
      for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16}) {
        if (!has_examples_in(op, dtype)) continue;
        SCOPED_TRACE(example.label + ", " + std::string(name(dtype)) + ", threads " + std::to_string(threads));
        const std::vector<Tensor> inputs = test::make_operands(example, dtype);
        run_example(**backend, op, example.attributes, inputs, inputs);
      }
    }
  }
}

/// As a view cut from a much larger tensor: steps of the first axis that is one lie a million elements apart, or as
/// many as fit 128 MiB of f64.
TensorType far_apart(TensorType type) {
  constexpr int64_t kFar = int64_t{1} << 20, kMost = int64_t{1} << 24;
  type = TensorType::contiguous(type.dtype, type.shape);
  for (size_t axis = 0; axis < type.shape.size(); ++axis) {
    if (type.shape[axis] < 2) continue;
    type.strides[axis] = std::max(type.strides[axis], std::min(kFar, kMost / type.shape[axis]));
    break;
  }
  return type;
}

/// As seen from the other end of each axis.
TensorType backwards(TensorType type) {
  type = TensorType::contiguous(type.dtype, type.shape);
  for (int64_t& stride : type.strides) stride = -stride;
  return type;
}

TEST_P(EveryOpOnTheCpu, AgreesOnOperandsFarApartAndBackwards) {
  const Op& op = *GetParam();
  if (op.view != nullptr) return;  // nothing runs
  int ran = 0;
  for (const auto lay : {far_apart, backwards}) {
    for (const bool onednn : {true, false}) {
      const auto backend = cpu::make_backend(cpu::BackendOptions{.threads = 2, .onednn = onednn});
      ASSERT_TRUE(backend.ok());
      for (const test::OpExample& example : test::examples_of(op.name)) {
        for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16}) {
          if (!has_examples_in(op, dtype)) continue;
          SCOPED_TRACE(example.label + (lay == far_apart ? ", far apart, " : ", backwards, ") +
                       std::string(name(dtype)) + (onednn ? "" : ", without oneDNN"));
          const std::vector<Tensor> dense = test::make_operands(example, dtype);
          std::vector<Tensor> inputs;
          for (size_t i = 0; i < dense.size(); ++i) {
            // What is written in place has the layout that its op gave it.
            const bool written = std::ranges::find(op.in_place, static_cast<int>(i)) != op.in_place.end();
            inputs.push_back(test::copy_as(dense[i], written ? dense[i].type() : lay(dense[i].type())));
          }
          if (!op.infer(types_of(inputs), example.attributes).ok())
            continue;  // wants operands that lie densely, and says so
          run_example(**backend, op, example.attributes, inputs, dense);
          ++ran;
        }
      }
    }
  }
  EXPECT_GT(ran, 0) << "refuses every such layout";
}

/// Ops that take operands of any rank take numbers.
TEST(OpsOnTheCpu, TakeNumbersOfRankZero) {
  const auto backend = *cpu::make_backend(2);
  std::set<std::string_view> took;
  for (const Op* op : op_catalog()) {
    if (op->view != nullptr || test::examples_of(op->name).empty()) continue;
    const test::OpExample example = test::examples_of(op->name).front();
    for (const DType dtype : {DType::float64, DType::float32, DType::float16}) {
      if (!has_examples_in(*op, dtype)) continue;
      SCOPED_TRACE(std::string(op->name) + ", " + std::string(name(dtype)));
      std::vector<Tensor> inputs;
      for (const Tensor& operand : test::make_operands(example, dtype)) {
        const Tensor number = test::make_tensor(TensorType::contiguous(operand.dtype(), {}));
        number.set_flat(0, operand.type().elements() > 0 ? operand.get_flat(0) : 0);
        inputs.push_back(number);
      }
      const auto types = op->infer(types_of(inputs), example.attributes);
      if (!types.ok()) continue;
      run_example(*backend, *op, example.attributes, inputs, inputs);
      if (types->at(0).shape.empty()) took.insert(op->name);
    }
  }
  for (const char* op :
       {"add", "multiply", "divide", "power", "relu", "sigmoid", "exp", "where", "cast", "scale", "copy", "adam"}) {
    EXPECT_TRUE(took.contains(op)) << op;
  }
  EXPECT_GE(took.size(), 60u);
}

/// Nothing to compute from is no reason to crash, and the sum of nothing is 0.
TEST(OpsOnTheCpu, OfTensorsWithoutElementsGiveWhatTheyMust) {
  const auto rows = [](Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); };
  const auto images = [](Shape shape) { return TensorType::channels_last(DType::float32, std::move(shape)); };
  const auto ints = [](std::vector<int64_t> list) { return list; };
  const double infinity = std::numeric_limits<double>::infinity();
  const Attributes window{
      {"stride", ints({1, 1})}, {"padding", ints({1, 1, 1, 1})}, {"dilation", ints({1, 1})}, {"groups", int64_t{1}}};
  Attributes by_weight = window, by_input = window;
  by_weight.set("weight_shape", ints({2, 3, 3, 3}));
  by_weight.set("weight_strides", rows({2, 3, 3, 3}).strides);
  by_input.set("input_shape", ints({0, 3, 4, 4}));
  by_input.set("input_strides", images({0, 3, 4, 4}).strides);
  const Attributes first{{"axes", ints({0})}, {"keep_axes", int64_t{0}}};
  struct Case {
    const char* op;
    std::vector<TensorType> inputs;
    Attributes attributes;
    Shape shape;   ///< of the first output
    double value;  ///< of each of its elements
  };
  const std::vector<Case> cases{
      {"add", {rows({0, 3}), rows({1, 3})}, {}, {0, 3}, 0},
      {"relu", {rows({2, 0, 4})}, {}, {2, 0, 4}, 0},
      {"matmul", {rows({2, 0}), rows({0, 3})}, {}, {2, 3}, 0},
      {"matmul", {rows({4, 2, 0}), rows({0, 3})}, {}, {4, 2, 3}, 0},
      {"matmul", {rows({0, 4}), rows({4, 3})}, {}, {0, 3}, 0},
      {"linear", {rows({2, 0}), rows({5, 0})}, {}, {2, 5}, 0},
      {"linear", {rows({2, 0}), rows({5, 0}), rows({5})}, {}, {2, 5}, 1},
      {"sum", {rows({0, 3})}, first, {3}, 0},
      {"sum_of_squares", {rows({0, 3})}, first, {3}, 0},
      {"l1_norm", {rows({0, 3})}, first, {3}, 0},
      {"l2_norm", {rows({0, 3})}, first, {3}, 0},
      {"product", {rows({0, 3})}, first, {3}, 1},
      {"log_sum_exp", {rows({0, 3})}, first, {3}, -infinity},
      {"softmax", {rows({0, 3})}, {{"axis", int64_t{1}}}, {0, 3}, 0},
      {"conv2d", {images({0, 3, 4, 4}), rows({2, 3, 3, 3})}, window, {0, 2, 4, 4}, 0},
      {"conv2d_grad_input", {images({0, 2, 4, 4}), rows({2, 3, 3, 3})}, by_input, {0, 3, 4, 4}, 0},
      {"conv2d_grad_weight", {images({0, 2, 4, 4}), images({0, 3, 4, 4})}, by_weight, {2, 3, 3, 3}, 0},
  };
  for (const bool onednn : {true, false}) {
    const auto backend = *cpu::make_backend(cpu::BackendOptions{.threads = 2, .onednn = onednn});
    for (const Case& c : cases) {
      SCOPED_TRACE(std::string(c.op) + " of " + to_string(c.inputs[0]));
      const Op* op = find_op(c.op);
      ASSERT_NE(op, nullptr);
      std::vector<Tensor> inputs;
      for (const TensorType& type : c.inputs) {
        inputs.push_back(test::make_tensor(type));
        fill(inputs.back(), {Fill::Kind::ones}, 1, 0);
      }
      const auto types = op->infer(types_of(inputs), c.attributes);
      ASSERT_TRUE(types.ok()) << types.error().message;
      ASSERT_EQ((*types)[0].shape, c.shape);
      std::string kernel;
      const std::vector<Tensor> outputs = run_backend(*backend, *op, c.attributes, inputs, &kernel);
      for (const double value : test::values(outputs[0])) EXPECT_EQ(value, c.value) << kernel;
    }
  }
}

std::vector<const Op*> all_ops() {
  const auto catalog = op_catalog();
  return {catalog.begin(), catalog.end()};
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryOpOnTheCpu, testing::ValuesIn(all_ops()),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
